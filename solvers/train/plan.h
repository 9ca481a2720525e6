#pragma once
#include <optional>
#include <string>
#include <vector>

#include "autograd/choose_device.h"
#include "autograd/core/error.h"
#include "autograd/core/ranks.h"
#include "solvers/residual/forms.h"
#include "solvers/train/run.h"

namespace pinn {

/// Plan of a run, for --check: coordinates, what is asked where with how many points and channels,
/// the network, the stages, the memory that each of the ranks needs.
std::string plan_text(const Run& run, Ranks& ranks = alone());

/// The steps of a run: of every requirement the graph and the instructions, or the graphs as
/// drawings for Graphviz.
std::string steps_dump(const Run& run, bool drawing);

/// Bytes that training holds, compiled, on each rank: parameters, optimizer memory, points, blocks
/// at work.
double estimated_bytes(const Run& run, Ranks& ranks = alone());

/// How the steps of a run multiply.
struct ProductsChoice {
  Products products = Products::exact;
  std::string says = {};  ///< for --check and the log; empty where nothing else was asked
  std::optional<Report> refusal = {};  ///< why it is not what was asked
};

/// As `[run] products` says where that can be done; else exact, which computes the same, slower.
/// `tiles`: whether the processor multiplies bf16 (multiplies_tiles).
ProductsChoice choose_products(const Run& run, Device device, bool eager, bool tiles);

/// End of the coordinates that are like `first` but for their names, if many stand in a row: else
/// the next one. So a hundred are told in one line.
std::size_t end_of_alike(const std::vector<Coordinate>& all, std::size_t first);

/// Along how many directions training estimates Laplacians; 0: they are exact.
int directions_of(const Run& run);

/// The derivatives' way per requirement, as `[run] derivatives` says; "auto" takes the cheaper one.
/// One line per requirement for --check and the log is in `report`.
std::vector<Derivatives> choose_derivatives(const Run& run, const Model& model,
                                            std::string& report);

/// Device that the run computes on. Errors: DeviceError when that is not possible.
ChosenDevice device_of(const Run& run);

}  // namespace pinn
