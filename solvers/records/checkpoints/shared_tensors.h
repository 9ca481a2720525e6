#pragma once
#include <functional>
#include <span>

#include "autograd/core/ranks.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/records/checkpoints/checkpoint.h"

namespace pinn {

/// The tensors of a state that ranks share out (solvers/optimize/memory.h), whole for rank 0 to
/// write them down: it asks for one piece after the other, which the others bring, so that no rank
/// holds more of them than its part and a piece. All ranks make one at the same time.
class SharedTensors {
 public:
  /// Tensors of one memory per stage.
  SharedTensors(Ranks& ranks, const std::vector<OptimizerMemory>& memory);
  /// Rank 0 lets the others go, whatever became of its file.
  ~SharedTensors();
  SharedTensors(const SharedTensors&) = delete;

  bool empty() const { return all_.empty(); }
  /// How many the whole has.
  std::size_t elements(std::size_t stage, const std::string& name) const;
  /// Rank 0: the elements of the whole, in order.
  void give(std::size_t stage, const std::string& name,
            const std::function<void(std::span<const double> piece)>& take) const;
  /// The others: bring what rank 0 asks for, until it is done.
  void serve() const;

 private:
  struct Whole {
    std::size_t stage;
    std::string name;
    Tensor own;                      ///< the part of this rank
    std::vector<std::size_t> first;  ///< where the parts of ranks begin, and the end
  };
  std::size_t index(std::size_t stage, const std::string& name) const;
  std::vector<double> exchange(const Whole& whole, std::size_t begin, std::size_t end) const;

  Ranks& ranks_;
  std::vector<Whole> all_;
};

/// Gives what rank 0 found in a folder to all ranks: not from their disks, which may show an older
/// file.
void share(Ranks& ranks, Found& found);

/// Gives each rank its part of what was left out of a checkpoint that was found. All ranks call it.
void read_left_out(Ranks& ranks, Found& found);

}  // namespace pinn
