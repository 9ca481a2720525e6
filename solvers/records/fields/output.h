#pragma once
#include "data/files/fields.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/results/results.h"
#include "solvers/state/run.h"
#include "solvers/state/windows.h"

namespace pinn {

/// Formulas with the names they get in a file.
struct NamedFormula {
  std::string name, unit;
  ExpressionPtr expression;
};

/// Formulas that `[output] fields` asks for; "residual" stands for every residual of every
/// equation.
std::vector<NamedFormula> output_formulas(const Run& run);

/// The formulas on the output grid, or at the given points (axes are then columns). They are
/// compiled in `cache`; null: in one of their own.
Fields fields_on_grid(const Run& run, const std::vector<TrainedNetwork>& networks,
                      const std::vector<NamedFormula>& formulas, ThreadPool& pool,
                      std::shared_ptr<StepCache> cache = {});
Fields fields_at_points(const Run& run, const std::vector<TrainedNetwork>& networks,
                        const std::vector<NamedFormula>& formulas, const PointSet& points,
                        ThreadPool& pool, std::shared_ptr<StepCache> cache = {});

/// The formulas at the corners of a mesh, moment by moment.
Fields fields_on_mesh(const Run& run, const std::vector<TrainedNetwork>& networks,
                      const std::vector<NamedFormula>& formulas,
                      const std::vector<RegionMesh>& meshes, ThreadPool& pool);

/// The points and weights that training uses of each requirement.
std::vector<NamedPoints> training_points(const Run& run, const std::vector<Draw>& draws);

/// As `[output]` says: the grid, or the points of its file; NaN at times whose window has no
/// network yet.
Fields output_fields(const Run& run, const std::vector<TrainedNetwork>& networks, ThreadPool& pool,
                     std::shared_ptr<StepCache> cache = {});

/// The numbers of `[output.values]` as files have them.
std::vector<NamedNumber> named_values(const std::vector<FoundValue>& values);

/// Writes all points that training begins with, of every requirement: coordinates, the
/// requirement's name, normals (0 where there are none), the weights of their squares, and the
/// window where time is cut. The format follows from the end of `path`, .csv or .vtu.
///
///   errors   ConfigError for other formats, and more coordinates than one holds; FileError
Written write_points(const Run& run, const std::string& path);

}  // namespace pinn
