// Periodic conditions: which fields agree at the two ends, and in which pieces.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "configs/draft.h"
#include "data/geometry/measure.h"
#include "solvers/problem/pieces.h"

namespace pinn::config {
namespace {

/// Fields at the lower end, and those that they agree with at the upper one.
using FieldEnds = std::pair<std::vector<int>, std::vector<int>>;

constexpr int end_points = 1000, most_draws = 200'000;

bool depends_on(const Field& field, int coordinate) {
  return field.inputs.empty() || std::ranges::count(field.inputs, coordinate) > 0;
}

/// The fields, as the file names them, that depend on a coordinate; the partitions that cut them.
std::vector<std::string> wholes_along(const Problem& problem, int coordinate,
                                      std::vector<PartitionPtr>& cut) {
  std::vector<std::string> wholes;
  for (const std::string& whole : whole_fields(problem))
    if (std::ranges::any_of(problem.fields, [&](const Field& f) {
          return (f.name == whole || f.piece_of == whole) && depends_on(f, coordinate);
        }))
      wholes.push_back(whole);
  for (const PiecewiseField& f :
       problem.pieces ? problem.pieces->fields : std::vector<PiecewiseField>()) {
    const PartitionPtr& own = problem.pieces->partitions[std::size_t(f.partition)];
    if (std::ranges::count(wholes, f.name) > 0 && std::ranges::count(cut, own) == 0)
      cut.push_back(own);
  }
  return wholes;
}

[[noreturn]] void fail_open(const Problem& problem, const Periodicity& periodic,
                            const std::string& whole, std::span<const double> x) {
  const Coordinate& c = problem.coordinates[std::size_t(periodic.coordinate)];
  throw ConfigError(
      {fmt::format("the pieces of '{}' at {} = {:g} do not fit those at {} = {:g}: another begins "
                   "near {}",
                   whole, c.name, c.lower, c.name, c.upper, place_text(problem.coordinates, x)),
       "", "cut the regions so that each has one opposite to it"});
}

}  // namespace

namespace {

/// Adds what agrees at a point of the lower end and opposite to it.
void add_ends(const Problem& problem, const Periodicity& periodic,
              const std::vector<std::string>& wholes, std::vector<double> x, FieldEnds& ends) {
  FieldEnds here;
  for (const std::string& whole : wholes) here.first.push_back(field_at(problem, whole, x));
  x[std::size_t(periodic.coordinate)] = problem.coordinates[std::size_t(periodic.coordinate)].upper;
  for (const std::string& whole : wholes) here.second.push_back(field_at(problem, whole, x));
  if (ends.first.empty()) ends = here;
  for (std::size_t i = 0; i < wholes.size(); ++i)
    if (ends.second[i] != here.second[i]) fail_open(problem, periodic, wholes[i], x);
}

}  // namespace

void settle_periodic(const Problem& problem, Requirement& requirement) {
  Periodicity& periodic = *requirement.periodic;
  std::vector<PartitionPtr> cut;
  const std::vector<std::string> wholes = wholes_along(problem, periodic.coordinate, cut);
  if (cut.empty()) {
    for (const std::string& whole : wholes) periodic.fields.push_back(field_at(problem, whole, {}));
    if (periodic.fields.size() == problem.fields.size()) periodic.fields.clear();
    return;
  }
  std::vector<FieldEnds> pieces(piece_count(cut));
  for (const Region* part : requirement.region->parts())
    for (const std::vector<double>& x : spread_points(*part, end_points, most_draws))
      add_ends(problem, periodic, wholes, x, pieces[piece_at(cut, x)]);
  const auto some =
      std::ranges::find_if(pieces, [](const FieldEnds& p) { return !p.first.empty(); });
  if (some == pieces.end()) return;
  const FieldEnds one = *some;
  for (FieldEnds& piece : pieces)  // those that the lower end does not reach have no points
    if (piece.first.empty()) piece = one;
  std::tie(periodic.fields, periodic.far) = one;
  periodic.cut = std::move(cut);
  periodic.in_pieces = std::move(pieces);
}

}  // namespace pinn::config
