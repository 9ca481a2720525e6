#include "solvers/residual/loss.h"

#include <algorithm>

#include "autograd/compile.h"
#include "autograd/core/error.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/part.h"
#include "solvers/residual/piece_points.h"
#include "solvers/residual/row_desks.h"
#include "solvers/residual/step_cache.h"

namespace pinn {

Loss::Loss(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool)
    : model_(std::move(model)),
      dtype_(options.dtype),
      pieces_count_(options.compiled && keeps_points(options.device)),
      pool_(pool),
      crew_(options.crew),
      row_desks_(std::make_unique<RowDesks>()) {
  const Problem& problem = model_->problem();
  const auto saved = options.compiled
                         ? std::make_shared<const SavedPolicy>(options.saved.when_compiled())
                         : std::make_shared<const SavedPolicy>(options.saved, options.device);
  const auto cache = options.cache ? options.cache : std::make_shared<StepCache>();
  const std::size_t block = (options.block + 15) / 16 * 16;
  auto gather = options.gather;
  if (pieces_count_ && crew_.count() > 1 && !gather)
    gather = all_gather_on_host(options.device, *crew_.ranks);
  for (std::size_t r = 0; r < problem.requirements.size(); ++r) {
    PartOptions part{model_, r,     options.dtype, Derivatives::taylor, {},
                     saved,  block, cache,         options.device,      options.products};
    if (r < options.derivatives.size()) part.derivatives = options.derivatives[r];
    if (!is_integral(problem.requirements[r])) part.directions = options.directions;
    part.threads = &pool_;
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

Loss::~Loss() = default;

void Loss::add_part(PartOptions options, bool compiled, const std::vector<LossTerm>& terms) {
  for (const LossTerm& term : terms) options.weights.push_back(term.weight);
  shares_.push_back({options.requirement, options.piece});
  const bool integral = is_integral(requirement_of(options));
  const PartMaker make = compiled ? compiled_part : eager_part;
  parts_.push_back(integral ? integral_part(std::move(options), make) : make(std::move(options)));
}

void Loss::set_points(std::size_t r, PointSet points) {
  const Requirement& requirement = model_->problem().requirements.at(r);
  if (points.count == 0)
    throw ConfigError({"requirement '" + requirement.name + "' has no points", requirement.on,
                       "give it at least one point"});
  const std::size_t weights = points.weights.size(), terms = first_term_[r + 1] - first_term_[r];
  if (weights != 0 && weights != points.count && weights != points.count * terms)
    throw ShapeError({"requirement '" + requirement.name + "' has " + std::to_string(weights) +
                          " weights for " + std::to_string(points.count) + " points",
                      requirement.on, "give each point one weight, or one per residual"});
  forget_points();
  if (has_pieces(r)) {
    share_points(r, points);
    weigh(r);
  } else {
    parts_[first_part_[r]]->set_points(std::move(points));
  }
  count_rows();
}

/// Gives every part of a requirement the points that lie in its piece.
void Loss::share_points(std::size_t r, const PointSet& points) {
  const auto by_piece = points_by_piece(model_->problem().requirements[r], points);
  for (std::size_t i = first_part_[r], first = 0; i < first_part_[r + 1]; ++i) {
    shares_[i].from = by_piece[shares_[i].piece];
    shares_[i].first = first;
    first += shares_[i].from.size();
    parts_[i]->set_points(some_of(points, shares_[i].from));
  }
}

void Loss::count_rows() {
  first_row_.assign(1, 0);
  for (std::size_t r = 0; r + 1 < first_part_.size(); ++r)
    first_row_.push_back(first_row_.back() + rows(r) * terms_in(r));
}

void Loss::drop_points(std::size_t r) {
  forget_points();
  for (std::size_t i = first_part_.at(r); i < first_part_[r + 1]; ++i) parts_[i]->set_points({});
  count_rows();
}

void Loss::forget_points() {
  descent_.reset();
  running_.clear();
  gram_.reset();
}

void Loss::set_weights(std::span<const double> weights) {
  if (weights.size() != terms_.size())
    throw ShapeError({std::to_string(weights.size()) + " weights were given to a loss of " +
                          std::to_string(terms_.size()) + " terms",
                      "", "give each term one"});
  descent_.reset();
  for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k].weight = weights[k];
  for (std::size_t r = 0; r + 1 < first_part_.size(); ++r) weigh(r);
}

/// Gives the parts of a requirement the weights of its terms: a mean over all points is made of
/// means over pieces, each with its share of the points.
void Loss::weigh(std::size_t r) {
  const double all = double(points(r));
  for (std::size_t i = first_part_[r]; i < first_part_[r + 1]; ++i) {
    std::vector<double> weights;
    for (std::size_t k = first_term_[r]; k < first_term_[r + 1]; ++k)
      weights.push_back(has_pieces(r) ? terms_[k].weight * (double(parts_[i]->points()) / all)
                                      : terms_[k].weight);
    parts_[i]->set_weights(weights);
  }
}

void Loss::set_point_weights(std::size_t r, std::span<const double> weights) {
  if (weights.empty() || weights.size() != point_weights(r))
    throw ShapeError({"requirement '" + model_->problem().requirements[r].name + "' was given " +
                          std::to_string(weights.size()) + " weights of points instead of " +
                          std::to_string(point_weights(r)),
                      "", "give as many as its points came with"});
  descent_.reset();
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

void Loss::set_directions(std::span<const double> vectors) {
  descent_.reset();
  for (const auto& part : parts_) part->set_directions(vectors);
}

std::size_t Loss::points() const {
  std::size_t total = 0;
  for (const auto& part : parts_) total += part->points();
  return total;
}

std::size_t Loss::points(std::size_t r) const {
  std::size_t total = 0;
  for (std::size_t i = first_part_.at(r); i < first_part_.at(r + 1); ++i)
    total += parts_[i]->points();
  return total;
}

std::size_t Loss::rows(std::size_t r) const {
  std::size_t total = 0;
  for (std::size_t i = first_part_.at(r); i < first_part_.at(r + 1); ++i)
    total += parts_[i]->rows();
  return total;
}

std::size_t Loss::point_weights(std::size_t r) const {
  std::size_t total = 0;
  for (std::size_t i = first_part_.at(r); i < first_part_.at(r + 1); ++i)
    total += parts_[i]->weights();
  return total;
}

void Loss::must_have_points() const {
  for (std::size_t r = 0; r + 1 < first_part_.size(); ++r)
    if (points(r) == 0)
      throw InternalError(
          {"requirement '" + model_->problem().requirements[r].name + "' was given no points", "",
           ""});
}

/// Sweep over a part that has points.
Loss::Running& Loss::running(Sweep kind, std::size_t r) {
  Running& running = running_[{kind, r}];
  if (running.reduction) return running;
  const SweepSize size = parts_[r]->size(kind);
  const std::size_t points = parts_[r]->points();
  const auto blocks_of = [&](LossPart& part) {
    const std::size_t block = part.size(kind).block;
    return (part.points() + block - 1) / block;
  };
  std::size_t all = 0;
  for (const auto& part : parts_)
    if (part->points() > 0) all += blocks_of(*part);
  running.block = size.block;
  if (size.product_flops > 0) running.cost = size.product_flops;
  const Chunks chunks(blocks_of(*parts_[r]), all,
                      size.product_flops * double(points) / double(size.sums));
  running.reduction =
      std::make_unique<Reduction>(chunks, size.sums, crew_.all_threads(pool_.threads()));
  return running;
}

std::size_t Loss::first_row(std::size_t part, std::size_t term) const {
  const Share& share = shares_[part];
  return first_row_[share.requirement] + term * rows(share.requirement) + share.first;
}

template <class Move> void Loss::move_rows(std::size_t part, const Move& move) const {
  const std::size_t count = parts_[part]->points();
  for (std::size_t k = 0; k < terms_of_part(part); ++k) move(k * count, first_row(part, k), count);
}

/// The tasks of all parts, and what those on a GPU are told of them.
void Loss::find_tasks(Sweep kind) {
  must_have_points();
  first_task_.assign(1, 0);
  now_.assign(parts_.size(), nullptr);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    first_task_.push_back(first_task_.back());
    if (parts_[i]->rows() == 0) continue;
    now_[i] = &running(kind, i);
    first_task_.back() += now_[i]->reduction->tasks();
  }
  tell_trees(kind);
}

void Loss::evaluate(const Call& call) {
  find_tasks(call.kind);
  std::fill(call.result.begin(), call.result.end(), 0);
  std::fill(call.squares.begin(), call.squares.end(), 0);
  piece_rows_.resize(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!now_[i]) continue;
    const std::size_t r = shares_[i].requirement, rows = parts_[i]->rows() * terms_in(r);
    std::span<const double> direction = call.direction;
    if (call.kind == Sweep::transposed_times) direction = direction.subspan(first_row_[r], rows);
    if (has_pieces(r)) piece_rows_[i].resize(rows);
    if (has_pieces(r) && call.kind == Sweep::transposed_times) {
      move_rows(i, [&](std::size_t own, std::size_t all, std::size_t count) {
        std::copy_n(call.direction.begin() + std::ptrdiff_t(all), count,
                    piece_rows_[i].begin() + std::ptrdiff_t(own));
      });
      direction = piece_rows_[i];
    }
    parts_[i]->prepare(call.kind, call.p, direction);
  }
  if (!is_shared())
    run_tasks(call, 0, first_task_.back());
  else
    run_on_ranks(call);
  count(1, call.kind);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!now_[i]) continue;
    if (parts_[i]->sums_itself(call.kind))
      parts_[i]->run(0, parts_[i]->points(), now_[i]->reduction->place(0), {});
    if (!gives_rows(call.kind)) {
      add_squares(call, i);
    } else if (has_pieces(shares_[i].requirement)) {
      move_rows(i, [&](std::size_t own, std::size_t all, std::size_t count) {
        std::copy_n(piece_rows_[i].begin() + std::ptrdiff_t(own), count,
                    call.rows.begin() + std::ptrdiff_t(all));
      });
    } else {
      parts_[i]->finish_rows(now_[i]->reduction->sum(), rows_of(call, i));
    }
  }
}

/// Memory that a part writes its rows to; empty where there are none.
std::span<double> Loss::rows_to_write(const Call& call, std::size_t part) {
  if (call.rows.empty()) return {};
  return has_pieces(shares_[part].requirement) ? std::span(piece_rows_[part]) : rows_of(call, part);
}

/// The rows of a part that is all of its requirement.
std::span<double> Loss::rows_of(const Call& call, std::size_t part) const {
  const std::size_t r = shares_[part].requirement;
  return call.rows.subspan(first_row_[r], parts_[part]->rows() * terms_in(r));
}

/// Adds the results of a part's sums to those of other parts of its requirement.
void Loss::add_squares(const Call& call, std::size_t part) {
  const std::size_t first = first_term_[shares_[part].requirement];
  squares_.assign(call.squares.empty() ? 0 : terms_of_part(part), 0);
  parts_[part]->finish(now_[part]->reduction->sum(), squares_, call.result);
  for (std::size_t k = 0; k < squares_.size(); ++k) call.squares[first + k] += squares_[k];
}

/// Tasks first ... last - 1. A GPU is waited for by the calling thread, which can hear of ranks.
void Loss::run_tasks(const Call& call, int first, int last) {
  const auto run = [&](int task) { run_task(call, first + task); };
  if (!pieces_count_) return pool_.run(last - first, std::ref(run));
  for (int task = 0; task < last - first; ++task) run(task);
}

void Loss::run_task(const Call& call, int task) {
  const auto after = std::upper_bound(first_task_.begin(), first_task_.end(), task);
  const auto i = std::size_t(after - first_task_.begin()) - 1;
  LossPart& part = *parts_[i];
  if (part.sums_itself(call.kind)) return;
  const std::size_t points = part.points(), size = now_[i]->block;
  const std::span<double> rows = rows_to_write(call, i);
  now_[i]->reduction->run(task - first_task_[i],
                          [&](std::size_t first, std::size_t last, std::span<double> sums) {
                            part.run(first * size, std::min(points, last * size), sums, rows);
                          });
}

Loss::Result Loss::value(std::span<const double> p) { return loss(Sweep::value, p, {}); }

Loss::Result Loss::value_and_gradient(std::span<const double> p, std::span<double> gradient) {
  return loss(Sweep::gradient, p, gradient);
}

Loss::Result Loss::loss(Sweep kind, std::span<const double> p, std::span<double> gradient) {
  Result result;
  result.terms.resize(terms_.size());
  evaluate({kind, p, {}, result.terms, gradient, {}});
  for (std::size_t r = 0; r + 1 < first_part_.size(); ++r)
    for (std::size_t k = first_term_[r]; k < first_term_[r + 1]; ++k) {
      result.terms[k] /= double(rows(r));
      result.total += terms_[k].weight * result.terms[k];
    }
  return result;
}

Descent* Loss::descent() {
  if (!descent_) {
    find_tasks(Sweep::gradient);
    std::vector<LossPart*> parts;
    for (const auto& part : parts_)
      if (part->points() > 0) parts.push_back(part.get());
    descent_ = descent_of(parts, *model_);
  }
  return descent_.get();
}

void Loss::count_moves(std::size_t moves) { count(double(moves), Sweep::gradient); }

void Loss::count(double evaluations, Sweep kind) {
  for (const auto& part : parts_) {
    if (part->points() == 0) continue;
    const double points = evaluations * double(part->points());
    work_.points += points;
    work_.product_flops += points * part->size(kind).product_flops;
  }
}

}  // namespace pinn
