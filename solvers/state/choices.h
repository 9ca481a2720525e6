#pragma once
#include <optional>
#include <string>
#include <vector>

#include "autograd/choose_device.h"
#include "autograd/core/error.h"
#include "solvers/residual/evaluate/forms.h"
#include "solvers/state/run.h"

/// Choices that a run leaves to the program: the device, and how a step computes there.
namespace pinn {

/// How the steps of a run multiply.
struct ProductsChoice {
  Products products = Products::exact;
  std::string says = {};  ///< for --check and the log; empty where nothing else was asked
  std::optional<Report> refusal = {};  ///< why it is not what was asked
};

/// As `[run] products` says where that can be done; else exact, which computes the same, slower.
/// `tiles`: whether the processor multiplies bf16 (multiplies_tiles).
ProductsChoice choose_products(const Run& run, Device device, bool eager, bool tiles);

/// Along how many directions training estimates Laplacians; 0: they are exact.
int directions_of(const Run& run);

/// The derivatives' way per requirement, as `[run] derivatives` says; "auto" takes the cheaper one.
/// One line per requirement for --check and the log is in `report`.
std::vector<Derivatives> choose_derivatives(const Run& run, const Model& model,
                                            std::string& report);

/// Device that the run computes on. Errors: DeviceError when that is not possible.
ChosenDevice device_of(const Run& run);

}  // namespace pinn
