#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/descent.h"

/// Steps whose points stay in the memory of a device: their sums, also over ranks, and moves of
/// parameters there.
namespace pinn {

/// A row input while a program runs: [points, columns], row-major.
struct RowArray {
  const double* data = nullptr;
  std::size_t columns = 0;
};

/// How the sums over points come about piece by piece, and rank by rank, in an order that does not
/// depend on who makes them: arrays of Program::sums numbers in places that are counted from 0,
/// where all stand in the end.
struct SumTree {
  struct Act {
    enum Kind : unsigned char { clear, points, add } kind;
    std::size_t into;             ///< place
    std::size_t from, count = 0;  ///< add: another place; points: the first one, and how many
    bool operator==(const Act&) const = default;
  };
  std::size_t places = 1;
  std::size_t piece = 0;              ///< points that are summed at once, at most
  std::size_t begin = 0, end = 0;     ///< points of this rank
  std::vector<Act> own, rest;         ///< of this rank; of all, when what ranks made is gathered
  std::vector<std::size_t> gathered;  ///< the first place of each rank, and the end; empty: none is
  bool operator==(const SumTree&) const = default;
};

/// Exchange of numbers among ranks that have a device each. All ranks begin the same, in the same
/// order, and from the thread that made this.
class AllGather {
 public:
  virtual ~AllGather() = default;
  /// Gives all devices the numbers of each, in the order of the work there: that of rank r comes
  /// with numbers first[r] ... first[r + 1] - 1, which arrive bit for bit.
  virtual void begin(double* numbers, std::span<const std::size_t> first) = 0;
  /// True if the host does not wait in `begin`.
  virtual bool can_be_captured() const = 0;
  /// "by NCCL 2.27.3", "on the host: ranks share a GPU"
  virtual std::string text() const = 0;
};

struct DescentPart;

/// A step of a device, at points that were put there once; the host waits only where it asks for
/// the sums.
class ResidentStep {
 public:
  virtual ~ResidentStep() = default;

  /// Puts the row inputs there, [points, columns] each in the order of Program::rows. Programs with
  /// row outputs cannot do this.
  virtual void set_rows(std::span<const RowArray> rows, std::size_t points) = 0;
  /// The same for sums along a tree, of this rank's points alone; where ranks meet, by `gather`.
  virtual void set_rows(std::span<const RowArray> rows, std::shared_ptr<const SumTree> tree,
                        std::shared_ptr<AllGather> gather) = 0;
  /// Begins prologue, body at all those points, and epilogue.
  virtual void start(std::span<const std::span<const double>> fixed) = 0;
  /// Waits for what was started; `sums` as finish leaves them.
  virtual void wait(std::span<double> sums) = 0;
  /// The optimizer where these parts are, all steps of one device, and this one of them:
  /// sum_k weights[k] / points * squares[k] over all parts goes down. The parts stay alive and keep
  /// their points while it lives.
  virtual std::unique_ptr<Descent> descent(const std::vector<DescentPart>& parts,
                                           std::size_t parameters) = 0;
};

/// A step's share of a loss: first outputs, sums of squares; later ones, parts of the gradient. Its
/// points are on the device (set_rows), and so is what it reads beside parameters
/// (Executor::prepare).
struct DescentPart {
  ResidentStep* step = nullptr;
  std::vector<double> weights;          ///< of the squares, one number each
  double points = 1;                    ///< that the squares are divided by
  std::vector<std::int64_t> inputs;     ///< the first parameter of each fixed input; -1 where none
  std::vector<std::int64_t> gradients;  ///< the first parameter of each later output
};

}  // namespace pinn
