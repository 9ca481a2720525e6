#pragma once
#include "autograd/compile.h"
#include "solvers/residual/evaluate/residuals.h"

namespace pinn {

/// How many numbers each array of a point set has per point.
struct PointWidths {
  PointWidths() = default;
  explicit PointWidths(const PointSet& set);
  std::size_t x = 0, normals = 0, columns = 0, weights = 0;
  bool operator==(const PointWidths&) const = default;
};

/// Numbers that an input of a traced function is given when it runs.
struct InputSource {
  enum Kind : unsigned char {
    x,           ///< of the points, and so are the next three
    normals,     //
    columns,     //
    weights,     //
    parameters,  ///< of the parameter block `index`
    direction,   ///< v, of the parameter block `index`
    seed,        ///< w, of the term `index`
    scales,      ///< weight over number of points, one per term
    fixed,       ///< `index` of Model::fixed
    known,       ///< array `index` of what is computed of the points (known_rows.h)
    constants,   ///< Model::constants
    directions,  ///< along which Laplacians are estimated
  };
  Kind kind = x;
  std::size_t index = 0;
};

/// A trace that remembers what each of its inputs is given.
class TracedInputs {
 public:
  TracedInputs(const Model& model, DType dtype) : model_(model), dtype_(dtype) {}

  /// A block of points: its arrays are row inputs, and what is fixed of the model goes with it.
  Block block(const PointWidths& widths);
  /// Constants that vary, if the model has any: other values need no other trace.
  void add_constants(Block& block);
  /// The vectors along which derivatives are meant that stand for those by the coordinates `along`.
  void add_directions(Block& block, const std::vector<int>& along);
  /// One tensor per parameter block: the parameters themselves, or v.
  std::vector<Tensor> by_blocks(InputSource::Kind what);
  /// One tensor per term, [points].
  std::vector<Tensor> seeds(std::size_t terms);
  Tensor scales(std::size_t terms);

  Trace& trace() { return trace_; }
  const std::vector<InputSource>& given() const { return given_; }

 private:
  Tensor input(InputSource given, const std::string& name, const Shape& shape, Extent extent);

  const Model& model_;
  const DType dtype_;
  Trace trace_;
  std::vector<InputSource> given_;  ///< of each input, in the order of the trace
};

/// The numbers behind the inputs of a program, for as long as what it is bound to lives. Used again
/// and again without allocating.
class BoundInputs {
 public:
  struct Numbers {
    std::span<const double> parameters, direction, scales;
    const PointSet* points = nullptr;
    const double* seeds = nullptr;                            ///< [terms, points]
    const std::vector<std::vector<double>>* known = nullptr;  ///< [arrays][points * elements]
    std::span<const double> directions = {};                  ///< [directions, coordinates]
  };

  /// Errors: InternalError when a parameter block has another size in the program.
  void bind(const Program& program, const std::vector<InputSource>& given, const Model& model,
            const Numbers& numbers);
  std::span<const std::span<const double>> fixed() const { return fixed_; }
  const std::vector<RowArray>& rows() const { return rows_; }

 private:
  std::vector<std::span<const double>> fixed_;
  std::vector<RowArray> rows_;
};

}  // namespace pinn
