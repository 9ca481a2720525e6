#include <fmt/format.h>

#include <algorithm>

#include "autograd/core/error.h"
#include "data/files/sealed.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/checkpoints/record.h"
#include "solvers/records/fields/output.h"

namespace pinn {
namespace {

/// All points that training begins with, column by column.
class PointTable {
 public:
  explicit PointTable(const Run& run) : run_(run) {
    for (const Coordinate& c : run.problem.coordinates) {
      fields_.axes.push_back({c.name, c.unit, c.role == Role::time, {}});
      if (c.role == Role::space) normals_.push_back({"n_" + c.name, "", "", {}});
    }
    fields_.grid = false;
    labels_.name = "requirement";
    window_.name = "window";
    for (const Requirement& r : run.problem.requirements) {
      labels_.texts.push_back(r.name);
      most_weights_ = std::max(most_weights_, weights_in(r));
    }
    for (std::size_t k = 0; k < most_weights_; ++k)
      weights_.push_back(
          {most_weights_ == 1 ? "weight" : fmt::format("weight_{}", k + 1), "", "", {}});
  }

  void add(const Run& window, std::size_t number) {
    for (std::size_t r = 0; r < window.problem.requirements.size(); ++r)
      add(window.problem.requirements[r], points_of(window, r, "points", 0), number);
  }

  Fields fields() {
    for (FieldValues& n : normals_) fields_.fields.push_back(std::move(n));
    for (FieldValues& w : weights_) fields_.fields.push_back(std::move(w));
    if (window_count(run_) > 1) fields_.fields.push_back(std::move(window_));
    fields_.labels = std::move(labels_);
    return std::move(fields_);
  }

 private:
  /// One for all its residuals, or one each.
  static std::size_t weights_in(const Requirement& r) {
    const auto& all = r.residuals;
    const bool one = std::ranges::all_of(all, [&](const Residual& x) {
      return x.weight == all[0].weight && x.weight_at == all[0].weight_at;
    });
    return one ? 1 : all.size();
  }

  void add(const Requirement& r, const PointSet& points, std::size_t window) {
    const std::size_t d = run_.problem.coordinates.size();
    const auto name = std::ranges::find(labels_.texts, r.name);
    for (std::size_t i = 0; i < points.count; ++i) {
      std::size_t normal = 0;
      for (std::size_t c = 0; c < d; ++c) {
        fields_.axes[c].values.push_back(points.x[i * d + c]);
        if (run_.problem.coordinates[c].role == Role::space)
          normals_[normal++].values.push_back(points.normals.empty() ? 0
                                                                     : points.normals[i * d + c]);
      }
      for (std::size_t k = 0; k < most_weights_; ++k)
        weights_[k].values.push_back(weight(r, points, i, k));
      labels_.of_points.push_back(std::size_t(name - labels_.texts.begin()));
      window_.values.push_back(double(window + 1));
    }
  }

  /// Weight of the square of residual k at point i; 0 where there is no such residual.
  static double weight(const Requirement& r, const PointSet& points, std::size_t i, std::size_t k) {
    const bool one = weights_in(r) == 1;
    if (!one && k >= r.residuals.size()) return 0;
    const double of_term = r.residuals.empty() ? r.weight : r.residuals[one ? 0 : k].weight;
    const std::size_t width = points.weights.size() / std::max<std::size_t>(points.count, 1);
    return width == 0 ? of_term : of_term * points.weights[i * width + (width > 1 && !one ? k : 0)];
  }

  const Run& run_;
  std::size_t most_weights_ = 1;
  Fields fields_;
  PointLabels labels_;
  FieldValues window_;
  std::vector<FieldValues> normals_, weights_;
};

}  // namespace

Written write_points(const Run& run, const std::string& path) {
  if (!takes_points(path))
    throw ConfigError(
        {"points are written as " + endings(true), path, "end the name in one of them"});
  require_not_sealed(path);
  ThreadPool pool(1);
  Windows windows(run, pool);
  PointTable gathered(run);
  for (std::size_t k = 0; k < windows.count(); ++k) {
    if (k > 0) windows.finish(windows.model()->initial_parameters(run.options.seed));
    gathered.add(windows.run(), k);
  }
  return write_fields(path, gathered.fields(), provenance(record(run), ""));
}

}  // namespace pinn
