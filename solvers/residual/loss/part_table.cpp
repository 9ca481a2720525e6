#include "solvers/residual/loss/part_table.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/points.h"
#include "solvers/residual/step/step_cache.h"

namespace pinn {

PartTable::PartTable(std::shared_ptr<const Model> model, const LossOptions& options,
                     ThreadPool& pool)
    : model_(std::move(model)) {
  const Problem& problem = model_->problem();
  const auto saved = options.compiled
                         ? std::make_shared<const SavedPolicy>(options.saved.when_compiled())
                         : std::make_shared<const SavedPolicy>(options.saved, options.device);
  const auto cache = options.cache ? options.cache : std::make_shared<StepCache>();
  const std::size_t block = (options.block + 15) / 16 * 16;
  auto gather = options.gather;
  if (options.compiled && keeps_points(options.device) && options.group.count() > 1 && !gather)
    gather = all_gather_on_host(options.device, *options.group.ranks);
  for (std::size_t r = 0; r < problem.requirements.size(); ++r) {
    PartOptions part{model_, r,     options.dtype, Derivatives::taylor, {},
                     saved,  block, cache,         options.device,      options.products};
    if (r < options.derivatives.size()) part.derivatives = options.derivatives[r];
    if (!is_integral(problem.requirements[r])) part.directions = options.directions;
    part.threads = &pool;
    part.piece_points = options.piece_points;
    part.gather = gather;
    first_part_.push_back(parts_.size());
    first_term_.push_back(terms_.size());
    const std::vector<LossTerm> terms = terms_of(problem.requirements[r], problem);
    for (std::size_t k = 0; k < std::max<std::size_t>(1, model_->pieces(r).size()); ++k) {
      part.piece = k;
      add_part(part, options.compiled, terms);
    }
    terms_.insert(terms_.end(), terms.begin(), terms.end());
  }
  first_part_.push_back(parts_.size());
  first_term_.push_back(terms_.size());
}

void PartTable::add_part(PartOptions options, bool compiled, const std::vector<LossTerm>& terms) {
  for (const LossTerm& term : terms) options.weights.push_back(term.weight);
  shares_.push_back({options.requirement, options.piece});
  const bool integral = is_integral(requirement_of(options));
  const PartMaker make = compiled ? compiled_part : eager_part;
  parts_.push_back(integral ? integral_part(std::move(options), make) : make(std::move(options)));
}

void PartTable::require_fit(std::size_t r, const PointSet& points) const {
  const Requirement& requirement = model_->problem().requirements.at(r);
  if (points.count == 0)
    throw ConfigError({"requirement '" + requirement.name + "' has no points", requirement.on,
                       "give it at least one point"});
  const std::size_t weights = points.weights.size(), terms = first_term_[r + 1] - first_term_[r];
  if (weights != 0 && weights != points.count && weights != points.count * terms)
    throw ShapeError({"requirement '" + requirement.name + "' has " + std::to_string(weights) +
                          " weights for " + std::to_string(points.count) + " points",
                      requirement.on, "give each point one weight, or one per residual"});
}

void PartTable::set_points(std::size_t r, PointSet points) {
  if (has_pieces(r)) {
    share_points(r, points);
    weigh(r);
  } else {
    parts_[first_part_[r]]->set_points(std::move(points));
  }
  count_rows();
}

/// Gives every part of a requirement the points that lie in its piece.
void PartTable::share_points(std::size_t r, const PointSet& points) {
  const auto by_piece = points_by_piece(model_->problem().requirements[r], points);
  for (std::size_t i = first_part_[r], first = 0; i < first_part_[r + 1]; ++i) {
    shares_[i].from = by_piece[shares_[i].piece];
    shares_[i].first = first;
    first += shares_[i].from.size();
    parts_[i]->set_points(some_of(points, shares_[i].from));
  }
}

void PartTable::count_rows() {
  first_row_.assign(1, 0);
  for (std::size_t r = 0; r + 1 < first_part_.size(); ++r)
    first_row_.push_back(first_row_.back() + rows(r) * terms_in(r));
}

void PartTable::drop_points(std::size_t r) {
  for (std::size_t i = first_part_.at(r); i < first_part_[r + 1]; ++i) parts_[i]->set_points({});
  count_rows();
}

void PartTable::set_weights(std::span<const double> weights) {
  if (weights.size() != terms_.size())
    throw ShapeError({std::to_string(weights.size()) + " weights were given to a loss of " +
                          std::to_string(terms_.size()) + " terms",
                      "", "give each term one"});
  for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k].weight = weights[k];
  for (std::size_t r = 0; r + 1 < first_part_.size(); ++r) weigh(r);
}

/// Gives the parts of a requirement the weights of its terms: a mean over all points is made of
/// means over pieces, each with its share of the points.
void PartTable::weigh(std::size_t r) {
  const double all = double(points(r));
  for (std::size_t i = first_part_[r]; i < first_part_[r + 1]; ++i) {
    std::vector<double> weights;
    for (std::size_t k = first_term_[r]; k < first_term_[r + 1]; ++k)
      weights.push_back(has_pieces(r) ? terms_[k].weight * (double(parts_[i]->points()) / all)
                                      : terms_[k].weight);
    parts_[i]->set_weights(weights);
  }
}

void PartTable::set_point_weights(std::size_t r, std::span<const double> weights) {
  if (weights.empty() || weights.size() != point_weights(r))
    throw ShapeError({"requirement '" + model_->problem().requirements[r].name + "' was given " +
                          std::to_string(weights.size()) + " weights of points instead of " +
                          std::to_string(point_weights(r)),
                      "", "give as many as its points came with"});
  if (!has_pieces(r)) return parts_[first_part_[r]]->set_point_weights(weights);
  const std::size_t width = weights.size() / points(r);
  for (std::size_t i = first_part_[r]; i < first_part_[r + 1]; ++i) {
    std::vector<double> some;
    for (const std::size_t n : shares_[i].from)
      some.insert(some.end(), weights.begin() + std::ptrdiff_t(n * width),
                  weights.begin() + std::ptrdiff_t((n + 1) * width));
    if (!some.empty()) parts_[i]->set_point_weights(some);
  }
}

void PartTable::set_directions(std::span<const double> vectors) {
  for (const auto& part : parts_) part->set_directions(vectors);
}

std::size_t PartTable::points() const {
  std::size_t total = 0;
  for (const auto& part : parts_) total += part->points();
  return total;
}

std::size_t PartTable::points(std::size_t r) const {
  std::size_t total = 0;
  for (std::size_t i = first_part_.at(r); i < first_part_.at(r + 1); ++i)
    total += parts_[i]->points();
  return total;
}

std::size_t PartTable::rows(std::size_t r) const {
  std::size_t total = 0;
  for (std::size_t i = first_part_.at(r); i < first_part_.at(r + 1); ++i)
    total += parts_[i]->rows();
  return total;
}

std::size_t PartTable::point_weights(std::size_t r) const {
  std::size_t total = 0;
  for (std::size_t i = first_part_.at(r); i < first_part_.at(r + 1); ++i)
    total += parts_[i]->weights();
  return total;
}

void PartTable::must_have_points() const {
  for (std::size_t r = 0; r + 1 < first_part_.size(); ++r)
    if (points(r) == 0)
      throw InternalError(
          {"requirement '" + model_->problem().requirements[r].name + "' was given no points", "",
           ""});
}

std::size_t PartTable::first_row(std::size_t part, std::size_t term) const {
  const Share& share = shares_[part];
  return first_row_[share.requirement] + term * rows(share.requirement) + share.first;
}

}  // namespace pinn
