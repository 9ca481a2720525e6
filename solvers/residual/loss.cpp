#include "solvers/residual/loss.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "solvers/residual/products.h"
#include "solvers/residual/step_cache.h"
#include "solvers/residual/tree_sum.h"

namespace pinn {
namespace {

constexpr std::size_t most_chunks = 16;

}  // namespace

Loss::Loss(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool)
    : model_(std::move(model)), pool_(pool) {
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
  descent_.reset();
  parts_[r]->set_points(std::move(points));
  chunks_.clear();
}

void Loss::drop_points(std::size_t r) {
  descent_.reset();
  parts_.at(r)->set_points({});
  chunks_.clear();
}

std::size_t Loss::points() const {
  std::size_t total = 0;
  for (const auto& part : parts_) total += part->points();
  return total;
}

void Loss::must_have_points() const {
  for (std::size_t r = 0; r < parts_.size(); ++r)
    if (parts_[r]->points() == 0)
      throw InternalError(
          {"requirement '" + model_->problem().requirements[r].name + "' was given no points", "",
           ""});
}

void Loss::cut_chunks() {
  must_have_points();
  std::size_t all = 0;
  for (const auto& part : parts_) all += part->blocks();
  const std::size_t count = std::min(most_chunks, all);
  chunks_.resize(count);
  std::size_t at = 0;
  for (std::size_t r = 0; r < parts_.size(); ++r)
    for (std::size_t b = 0; b < parts_[r]->blocks(); ++b, ++at) {
      Chunk& chunk = chunks_[at * count / all];
      if (chunk.empty() || chunk.back().requirement != r) chunk.push_back({r, b, b, {}});
      ++chunk.back().last;
    }
}

Loss::Result Loss::value(std::span<const double> p) { return run(p, {}); }

Loss::Result Loss::value_and_gradient(std::span<const double> p, std::span<double> gradient) {
  return run(p, gradient);
}

Loss::Result Loss::run(std::span<const double> p, std::span<double> gradient) {
  if (chunks_.empty()) cut_chunks();
  std::vector<std::size_t> sizes;
  for (const auto& part : parts_) sizes.push_back(part->prepare(p, !gradient.empty()));
  pool_.run(int(chunks_.size()), [&](int i) {
    for (Piece& piece : chunks_[std::size_t(i)]) {
      piece.sums.assign(sizes[piece.requirement], 0);
      parts_[piece.requirement]->run(piece.first, piece.last, piece.sums);
    }
  });

  Result result;
  result.terms.resize(terms_.size());
  std::fill(gradient.begin(), gradient.end(), 0);
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    std::vector<std::vector<double>*> pieces;
    for (Chunk& chunk : chunks_)
      for (Piece& piece : chunk)
        if (piece.requirement == r) pieces.push_back(&piece.sums);
    tree_sum(pieces.size(), [&](std::size_t i) -> std::vector<double>& { return *pieces[i]; });
    const std::span<double> squares =
        std::span(result.terms).subspan(first_term_[r], first_term_[r + 1] - first_term_[r]);
    parts_[r]->finish(*pieces[0], squares, gradient);
    for (double& s : squares) s /= double(parts_[r]->points());
  }
  for (std::size_t k = 0; k < terms_.size(); ++k)
    result.total += terms_[k].weight * result.terms[k];
  count(1, !gradient.empty());
  return result;
}

Descent* Loss::descent() {
  if (!descent_) {
    must_have_points();
    descent_ = descent_of(parts_, *model_);
  }
  return descent_.get();
}

void Loss::count_moves(std::size_t moves) { count(double(moves), true); }

void Loss::count(double evaluations, bool with_gradient) {
  for (const auto& part : parts_) {
    const double points = evaluations * double(part->points());
    work_.points += points;
    work_.product_flops += points * part->product_flops(with_gradient);
  }
}

}  // namespace pinn
