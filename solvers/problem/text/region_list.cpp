// The regions that an `on` lists, as one.
#include <fmt/format.h>

#include <algorithm>

#include "data/geometry/measure.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/text/region_pieces.h"

namespace pinn {
namespace {

using Regions = std::vector<std::shared_ptr<const Region>>;

/// True if some of the points of a region lie in another one of its dimension; on a shared edge
/// there are none.
bool shares(const Region& region, const Regions& others, const Problem& problem) {
  constexpr int points = 64, candidates = 2000;
  double size = 0;
  for (const Interval& i : region.bounds()) size = std::max(size, i.upper - i.lower);
  const double near = region.dimension() < int(problem.coordinates.size()) ? 1e-9 * size : 0;
  for (const std::vector<double>& x : spread_points(region, points, candidates))
    for (const auto& other : others)
      if (other->inside(x, near)) return true;
  return false;
}

class ListReader {
 public:
  explicit ListReader(const Problem& problem) : problem_(problem) {}

  void add(const Text& text) try {
    const RegionPieces pieces = read_region(text, problem_);
    const Regions regions = regions_of(pieces, problem_);
    if (regions.empty())
      throw ConfigError(report(text, "this region is empty: nothing of the domain lies in it",
                               "pinn-train --check tells of every region how large it is"));
    if (!parts_.empty() && parts_[0]->dimension() != regions[0]->dimension())
      reports_.push_back(report(text,
                                fmt::format("this region has dimension {}, another of the list {}",
                                            regions[0]->dimension(), parts_[0]->dimension()),
                                "write a requirement for each dimension"));
    else if (overlaps(pieces, regions))
      reports_.push_back(
          report(text, "this region overlaps another of the list", "leave one of them out"));
    for (const RegionPiece& piece : pieces)
      if (piece.plain()) boxes_.push_back(piece.box);
    parts_.insert(parts_.end(), regions.begin(), regions.end());
  } catch (const ConfigError& error) {
    reports_.insert(reports_.end(), error.reports.begin(), error.reports.end());
  }

  std::shared_ptr<const Region> result() const {
    if (!reports_.empty()) throw ConfigError(reports_);
    return make_union(parts_);
  }

 private:
  /// Boxes by their ends, all else by points.
  bool overlaps(const RegionPieces& pieces, const Regions& regions) const {
    const bool all_plain = std::ranges::all_of(pieces, &RegionPiece::plain);
    if (all_plain && boxes_.size() == parts_.size())
      return std::ranges::any_of(pieces, [&](const RegionPiece& piece) {
        return std::ranges::any_of(
            boxes_, [&](const Intervals& other) { return overlap(piece.box, other); });
      });
    return std::ranges::any_of(
        regions, [&](const auto& region) { return shares(*region, parts_, problem_); });
  }

  const Problem& problem_;
  std::vector<Report> reports_;
  std::vector<Intervals> boxes_;  ///< of the parts that are boxes
  Regions parts_;
};

}  // namespace

std::shared_ptr<const Region> parse_region(const std::vector<Text>& on, const Problem& problem) {
  constexpr std::size_t most = 1000;
  if (on.empty())
    throw ConfigError(
        {"`on` is an empty list of regions", "on", "name a region, or leave `on` out"});
  if (on.size() > most)
    throw ConfigError(report(on[most], fmt::format("`on` lists {} regions", on.size()),
                             fmt::format("list at most {}", most)));
  ListReader list(problem);
  for (const Text& text : on) list.add(text);
  return list.result();
}

}  // namespace pinn
