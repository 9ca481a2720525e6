#pragma once
#include <memory>
#include <vector>

#include "autograd/core/descent.h"
#include "autograd/cuda/executor/executor.h"

namespace pinn::cuda {

/// A program's share of a loss: first outputs, sums of squares; later ones, parts of the gradient.
/// Its points are on the device (set_rows), and so is what it reads beside parameters (prepare).
struct DescentPart {
  GpuExecutor* executor = nullptr;
  std::vector<double> weights;          ///< of the squares, one number each
  double points = 1;                    ///< that the squares are divided by
  std::vector<std::int64_t> inputs;     ///< the first parameter of each fixed input; -1 where none
  std::vector<std::int64_t> gradients;  ///< the first parameter of each later output
};

/// Moves parameters on the GPU of all the parts: sum_k weights[k] / points * squares[k] over all
/// parts goes down. A move is one captured graph: the parts' programs, then the gradient is
/// gathered and measured, then the loss decides, then parameters move; the host waits once for all
/// moves of a run. All but the programs is in float64, added up in a fixed order: results repeat to
/// the last bit, however many moves are made at once. The parts stay alive and keep their points
/// while this lives.
std::unique_ptr<Descent> make_descent(Gpu& gpu, const std::vector<DescentPart>& parts,
                                      std::size_t parameters);

/// As many moves are made at once, at most.
inline constexpr std::size_t most_moves = 64;

}  // namespace pinn::cuda
