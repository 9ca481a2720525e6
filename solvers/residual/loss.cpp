#include "solvers/residual/loss.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "solvers/residual/row_desks.h"
#include "solvers/residual/step_cache.h"

namespace pinn {

Loss::Loss(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool)
    : model_(std::move(model)),
      dtype_(options.dtype),
      pool_(pool),
      row_desks_(std::make_unique<RowDesks>()) {
  const Problem& problem = model_->problem();
  const auto saved = options.compiled
                         ? std::make_shared<const SavedPolicy>(options.saved.when_compiled())
                         : std::make_shared<const SavedPolicy>(options.saved, options.device);
  const auto cache = options.cache ? options.cache : std::make_shared<StepCache>();
  const std::size_t block = (options.block + 15) / 16 * 16;
  for (std::size_t r = 0; r < problem.requirements.size(); ++r) {
    PartOptions part{model_, r,     options.dtype, Derivatives::taylor, {},
                     saved,  block, cache,         options.device,      options.products};
    if (r < options.derivatives.size()) part.derivatives = options.derivatives[r];
    first_term_.push_back(terms_.size());
    for (LossTerm& term : terms_of(problem.requirements[r], problem)) {
      part.weights.push_back(term.weight);
      terms_.push_back(std::move(term));
    }
    parts_.push_back(options.compiled ? compiled_part(std::move(part))
                                      : eager_part(std::move(part)));
  }
  first_term_.push_back(terms_.size());
}

Loss::~Loss() = default;

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
  parts_[r]->set_points(std::move(points));
}

void Loss::drop_points(std::size_t r) {
  forget_points();
  parts_.at(r)->set_points({});
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
  for (std::size_t r = 0; r < parts_.size(); ++r)
    parts_[r]->set_weights(weights.subspan(first_term_[r], terms_in(r)));
}

void Loss::set_point_weights(std::size_t r, std::span<const double> weights) {
  if (weights.empty() || weights.size() != parts_.at(r)->weights())
    throw ShapeError({"requirement '" + model_->problem().requirements[r].name + "' was given " +
                          std::to_string(weights.size()) + " weights of points instead of " +
                          std::to_string(parts_[r]->weights()),
                      "", "give as many as its points came with"});
  descent_.reset();
  parts_.at(r)->set_point_weights(weights);
}

std::size_t Loss::points() const {
  std::size_t total = 0;
  for (const auto& part : parts_) total += part->points();
  return total;
}

std::size_t Loss::points(std::size_t r) const { return parts_.at(r)->points(); }

std::size_t Loss::point_weights(std::size_t r) const { return parts_.at(r)->weights(); }

void Loss::must_have_points() const {
  for (std::size_t r = 0; r < parts_.size(); ++r)
    if (parts_[r]->points() == 0)
      throw InternalError(
          {"requirement '" + model_->problem().requirements[r].name + "' was given no points", "",
           ""});
}

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
  for (const auto& part : parts_) all += blocks_of(*part);
  running.block = size.block;
  const Chunks chunks(blocks_of(*parts_[r]), all,
                      size.product_flops * double(points) / double(size.sums));
  running.reduction = std::make_unique<Reduction>(chunks, size.sums, pool_.threads());
  return running;
}

std::size_t Loss::first_row(std::size_t r) const {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < r; ++i) rows += parts_[i]->points() * terms_in(i);
  return rows;
}

void Loss::evaluate(const Call& call) {
  must_have_points();
  std::fill(call.result.begin(), call.result.end(), 0);
  first_task_.assign(1, 0);
  now_.clear();
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    now_.push_back(&running(call.kind, r));
    first_task_.push_back(first_task_.back() + now_.back()->reduction->tasks());
    const bool by_rows = call.kind == Sweep::transposed_times;
    parts_[r]->prepare(call.kind, call.p,
                       by_rows
                           ? call.direction.subspan(first_row(r), parts_[r]->points() * terms_in(r))
                           : call.direction);
  }
  pool_.run(first_task_.back(), [this, &call](int task) { run_task(call, task); });
  count(1, call.kind);
  if (gives_rows(call.kind)) return;
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    const bool squares = !call.squares.empty();
    parts_[r]->finish(now_[r]->reduction->sum(),
                      call.squares.subspan(squares ? first_term_[r] : 0, squares ? terms_in(r) : 0),
                      call.result);
  }
}

void Loss::run_task(const Call& call, int task) {
  const auto after = std::upper_bound(first_task_.begin(), first_task_.end(), task);
  const auto r = std::size_t(after - first_task_.begin()) - 1;
  LossPart& part = *parts_[r];
  const std::size_t points = part.points(), size = now_[r]->block;
  const std::span<double> rows =
      call.rows.empty() ? call.rows : call.rows.subspan(first_row(r), points * terms_in(r));
  now_[r]->reduction->run(task - first_task_[r],
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
  for (std::size_t r = 0; r < parts_.size(); ++r)
    for (std::size_t k = first_term_[r]; k < first_term_[r + 1]; ++k) {
      result.terms[k] /= double(parts_[r]->points());
      result.total += terms_[k].weight * result.terms[k];
    }
  return result;
}

Descent* Loss::descent() {
  if (!descent_) {
    must_have_points();
    descent_ = descent_of(parts_, *model_);
  }
  return descent_.get();
}

void Loss::count_moves(std::size_t moves) { count(double(moves), Sweep::gradient); }

void Loss::count(double evaluations, Sweep kind) {
  for (const auto& part : parts_) {
    const double points = evaluations * double(part->points());
    work_.points += points;
    work_.product_flops += points * part->size(kind).product_flops;
  }
}

}  // namespace pinn
