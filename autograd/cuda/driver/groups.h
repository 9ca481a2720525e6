#pragma once
#include <span>
#include <string>

#include "autograd/cuda/driver/driver.h"

namespace pinn::cuda {

/// Groups of a driver, by NCCL (NVIDIA, NCCL 2), which is opened with the first call.
///
///   errors   DeviceError where it cannot be opened, or with the name of the call and what it said
class Groups {
 public:
  std::string version() const;  ///< "NCCL 2.27.3"
  std::string new_name() const;
  Group join(const std::string& name, int rank, int count) const;
  void gather(Group group, double* numbers, std::span<const std::size_t> first,
              Stream stream) const;
  void require_whole(Group group) const;
  void leave(Group group) const;
};

}  // namespace pinn::cuda
