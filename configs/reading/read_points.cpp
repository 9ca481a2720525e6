// Points that a requirement says more of than how many they are.
#include <fmt/format.h>

#include <algorithm>

#include "configs/draft.h"
#include "data/files/table.h"
#include "solvers/problem/point_formula.h"

namespace pinn::config {
namespace {

/// Below it, points by a density are worth too few even ones to be taken without a word.
constexpr double little = 0.1;
constexpr double least_share_kept = 1e-3;
constexpr double nearness = 1e-9;  ///< to the region, of the longest side of the domain
constexpr std::size_t rows_named = 5;

class PointReader {
 public:
  PointReader(Draft& draft, const Node& node, const Requirement& r, SamplingOptions& sampling,
              Warnings& warnings)
      : draft_(draft), node_(node), r_(r), sampling_(sampling), warnings_(warnings) {}

  void read() {
    const Node *density = node_.at("points.density"), *file = node_.at("points.file");
    if (file) return read_file(*file);
    if (density) read_density(*density);
  }

 private:
  void read_density(const Node& node) {
    reading(draft_, node, Mistake::density, [&] {
      const auto formula = std::make_shared<const PointFormula>(
          "density", text(node), PointFormula::Sign::positive, draft_.run.problem, warnings_);
      if (sampling_.method == "grid")
        throw ConfigError(about(node, "a grid is as dense everywhere", "choose another method"));
      formula->check(*r_.region);
      sampling_.density = [formula](std::span<const double> x) { return (*formula)(x); };
      judge(node, BoundedDensity(sampling_.density, *r_.region));
    });
  }

  Report about(const Node& node, std::string what, std::string fix) const {
    const Text said = text(node);
    return report(said, {0, said.value.size()}, std::move(what), std::move(fix));
  }

  void judge(const Node& node, const BoundedDensity& density) {
    if (density.kept_share() < least_share_kept)
      throw ConfigError(
          about(node,
                fmt::format("the density is so narrow that {:.1e} of the candidates would be kept",
                            density.kept_share()),
                "give the narrow part a requirement of its own, or add a floor to the density"));
    if (density.worth() < little)
      warnings_.push_back(about(
          node,
          fmt::format("the density leaves much of '{}' nearly bare: means over its points are as "
                      "uncertain as over {:.2g} times as many even ones",
                      r_.name, density.worth()),
          "add a floor, as in 0.1 + exp(...)"));
  }

  void read_file(const Node& node) {
    for (const char* other : {"points.count", "points.method", "points.redraw", "points.density"})
      if (const Node* said = node_.at(other))
        return draft_.findings.add(
            Mistake::file_and_points, *said,
            fmt::format("points out of a file have no '{}'", std::string_view(other).substr(7)),
            "leave out either this or 'file'");
    const std::string path = resolved_file(draft_, node);
    if (path.empty()) return;
    reading(draft_, node, Mistake::points_file, [&] {
      const Points points = points_of(read_table(path, coordinate_names(draft_.run.problem)));
      require_inside(points, path);
      sampling_.given = std::make_shared<const Points>(points);
      sampling_.count = int(points.count);
      sampling_.method = "file";
      sampling_.redraw = 0;
    });
  }

  Points points_of(const Table& table) const {
    Points points;
    points.coordinates = int(table.columns.size());
    points.count = table.rows;
    for (std::size_t row = 0; row < table.rows; ++row)
      for (const std::vector<double>& column : table.columns) points.x.push_back(column[row]);
    points.measure = r_.region->measure();
    if (!r_.region->has_normal()) return points;
    const std::size_t d = table.columns.size();
    points.normals.resize(points.x.size());
    for (std::size_t row = 0; row < table.rows; ++row)
      if (is_inside(points, row))
        r_.region->normal(std::span(points.x).subspan(row * d, d),
                          std::span(points.normals).subspan(row * d, d));
    return points;
  }

  bool is_inside(const Points& points, std::size_t row) const {
    double size = 0;
    for (const Coordinate& c : draft_.run.problem.coordinates)
      size = std::max(size, c.upper - c.lower);
    const std::size_t d = std::size_t(points.coordinates);
    return r_.region->inside(std::span(points.x).subspan(row * d, d), nearness * size);
  }

  /// Errors: ConfigError with the first rows that lie elsewhere than where they are asked for.
  void require_inside(const Points& points, const std::string& path) const {
    const std::vector<Coordinate>& coordinates = draft_.run.problem.coordinates;
    std::string rows;
    std::size_t outside = 0;
    const std::size_t d = coordinates.size();
    for (std::size_t row = 0; row < points.count; ++row) {
      if (is_inside(points, row) || ++outside > rows_named) continue;
      rows += fmt::format("{}{} ({})", rows.empty() ? "" : ", ", row + 1,
                          place_text(coordinates, std::span(points.x).subspan(row * d, d)));
    }
    if (outside == 0) return;
    if (outside > rows_named) rows += fmt::format(" and {} more", outside - rows_named);
    throw ConfigError(
        {fmt::format("{} of {} points lie elsewhere than {}: row{} {}", outside, points.count,
                     r_.on.empty() ? "in the domain" : "on \"" + r_.on + '"',
                     outside == 1 ? "" : "s", rows),
         path, "leave these rows out, or ask for them elsewhere ('on')"});
  }

  Draft& draft_;
  const Node& node_;
  const Requirement& r_;
  SamplingOptions& sampling_;
  Warnings& warnings_;
};

}  // namespace

void read_points(Draft& draft, const Node& node, const Requirement& r, SamplingOptions& sampling,
                 Warnings& warnings) {
  PointReader(draft, node, r, sampling, warnings).read();
}

}  // namespace pinn::config
