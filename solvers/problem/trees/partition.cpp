#include <algorithm>
#include <cmath>
#include <tuple>

#include "data/geometry/cut.h"
#include "solvers/problem/pieces.h"

namespace pinn {
namespace {

constexpr double no_width = 1e-9;  ///< of the longest side of the domain: no gap, no overlap

}  // namespace

Partition::Partition(std::vector<NamedRegion> regions, const Problem& problem)
    : regions_(std::move(regions)), space_(space_coordinates(problem)) {
  for (const Coordinate& c : problem.coordinates)
    near_ = std::max(near_, no_width * (c.upper - c.lower));
}

std::vector<std::string> Partition::names() const {
  std::vector<std::string> all;
  for (const NamedRegion& r : regions_) all.push_back(r.name);
  return all;
}

int Partition::find(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (regions_[i].name == name) return int(i);
  return -1;
}

bool Partition::holds(std::size_t region, std::span<const double> x) const {
  const NamedRegion& r = regions_[region];
  if (r.slab) {
    const double at = x[std::size_t(r.slab->coordinate)];
    return at >= r.slab->interval.lower && at <= r.slab->interval.upper;
  }
  return r.shape.at(x)->inside(place_of(x, space_));
}

double Partition::beyond(std::size_t region, std::span<const double> x) const {
  const NamedRegion& r = regions_[region];
  if (r.slab) {
    const double at = x[std::size_t(r.slab->coordinate)];
    return std::max(r.slab->interval.lower - at, at - r.slab->interval.upper);
  }
  const ShapePtr shape = r.shape.at(x);
  if (shape->distance_kind() != DistanceKind::none) return shape->distance(place_of(x, space_));
  return shape->inside(place_of(x, space_)) ? -1 : 1;
}

int Partition::at(std::span<const double> x) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (holds(i, x)) return int(i);
  int nearest = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < size(); ++i)
    if (const double b = beyond(i, x); b < least) nearest = int(i), least = b;
  return nearest;
}

namespace {

void add(std::vector<PartitionPtr>& all, const std::vector<PartitionPtr>& more) {
  for (const PartitionPtr& one : more)
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

}  // namespace

std::vector<PartitionPtr> partitions_of(const Expression& formula) {
  std::vector<PartitionPtr> all;
  if (formula.kind != Expression::Kind::by_region) return all;
  all.push_back(formula.partition);
  for (const ExpressionPtr& input : formula.inputs) add(all, partitions_of(*input));
  return all;
}

std::vector<PartitionPtr> partitions_of(const std::vector<ExpressionPtr>& formulas) {
  std::vector<PartitionPtr> all;
  for (const ExpressionPtr& formula : formulas)
    if (formula) add(all, partitions_of(*formula));
  return all;
}

std::vector<PartitionPtr> partitions_of(const Requirement& requirement) {
  if (requirement.periodic) return requirement.periodic->cut;
  std::vector<ExpressionPtr> all;
  for (const Residual& r : requirement.residuals) all.push_back(r.expression);
  return partitions_of(all);
}

std::size_t piece_at(const std::vector<PartitionPtr>& partitions, std::span<const double> x) {
  std::size_t piece = 0;
  for (const PartitionPtr& one : partitions) piece = piece * one->size() + std::size_t(one->at(x));
  return piece;
}

std::size_t piece_count(const std::vector<PartitionPtr>& partitions) {
  std::size_t count = 1;
  for (const PartitionPtr& one : partitions) count *= one->size();
  return count;
}

ExpressionPtr in_piece(const ExpressionPtr& formula, const std::vector<PartitionPtr>& partitions,
                       std::size_t piece) {
  ExpressionPtr found = formula;
  while (found->kind == Expression::Kind::by_region) {
    std::size_t rest = piece, region = 0;
    for (std::size_t p = partitions.size(); p-- > 0; rest /= partitions[p]->size())
      if (partitions[p] == found->partition) region = rest % partitions[p]->size();
    found = found->inputs[region];
  }
  return found;
}

ExpressionPtr in_each_region(const ExpressionPtr& formula,
                             const std::function<ExpressionPtr(const ExpressionPtr&)>& make) {
  if (formula->kind != Expression::Kind::by_region) return make(formula);
  std::vector<ExpressionPtr> all;
  for (const ExpressionPtr& input : formula->inputs) all.push_back(in_each_region(input, make));
  return make_by_region(formula->partition, std::move(all));
}

std::vector<Requirement> pieces_of(const Requirement& requirement) {
  const std::vector<PartitionPtr> partitions = partitions_of(requirement);
  std::vector<Requirement> pieces;
  for (std::size_t k = 0; !partitions.empty() && k < piece_count(partitions); ++k) {
    pieces.push_back(requirement);
    for (Residual& r : pieces.back().residuals)
      r.expression = in_piece(r.expression, partitions, k);
    if (std::optional<Periodicity>& periodic = pieces.back().periodic) {
      std::tie(periodic->fields, periodic->far) = requirement.periodic->in_pieces[k];
      periodic->cut.clear(), periodic->in_pieces.clear();
    }
  }
  return pieces;
}

std::vector<std::string> whole_fields(const Problem& problem) {
  std::vector<std::string> all;
  for (const Field& f : problem.fields) {
    const std::string& name = f.piece_of.empty() ? f.name : f.piece_of;
    if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  }
  return all;
}

int field_at(const Problem& problem, const std::string& whole, std::span<const double> x) {
  if (problem.pieces)
    for (const PiecewiseField& f : problem.pieces->fields)
      if (f.name == whole)
        return f.fields[std::size_t(problem.pieces->partitions[std::size_t(f.partition)]->at(x))];
  const auto found = std::ranges::find(problem.fields, whole, &Field::name);
  return int(found - problem.fields.begin());
}

}  // namespace pinn
