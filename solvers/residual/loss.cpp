#include "solvers/residual/loss.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/modes.h"
#include "solvers/residual/tensor_evaluator.h"

namespace pinn {
namespace {

constexpr std::size_t most_chunks = 16;
constexpr std::size_t block_bytes = std::size_t(1)
                                    << 18;  ///< of one layer's jet: several fit in L2

/// Points per block: enough that the cost per op does not matter, few enough for the cache.
std::size_t block_points(const Model& model, int channels, DType dtype) {
  std::int64_t widest = 1;
  for (const ParameterBlock& b : model.network().blocks())
    if (b.shape.rank() == 2) widest = std::max(widest, b.shape[1]);
  const std::size_t row = std::size_t(widest) * std::size_t(channels) * size_of(dtype);
  return std::clamp<std::size_t>(block_bytes / row, 32, 1024);
}

Tensor parameter_tensor(std::span<const double> p, DType dtype) {
  return from_values(p, {std::int64_t(p.size())}, dtype);
}

/// sums[0] += the others, along a fixed binary tree.
template <class Get> void tree_sum(std::size_t count, Get&& get) {
  for (std::size_t step = 1; step < count; step *= 2)
    for (std::size_t i = 0; i + step < count; i += 2 * step) {
      std::vector<double>& into = get(i);
      const std::vector<double>& from = get(i + step);
      for (std::size_t k = 0; k < into.size(); ++k) into[k] += from[k];
    }
}

}  // namespace

Loss::Loss(std::shared_ptr<const Model> model, LossOptions options, ThreadPool& pool)
    : model_(std::move(model)), options_(std::move(options)), pool_(pool) {
  const Problem& problem = model_->problem();
  options_.derivatives.resize(problem.requirements.size(), Derivatives::taylor);
  for (const Requirement& r : problem.requirements) {
    parts_.push_back({terms_.size(), 0, plan_channels(r, problem), {}});
    for (LossTerm& term : terms_of(r, problem)) terms_.push_back(std::move(term));
  }
}

void Loss::set_points(std::size_t r, const PointSet& points) {
  const Problem& problem = model_->problem();
  const Requirement& requirement = problem.requirements.at(r);
  Part& part = parts_.at(r);
  if (points.count == 0)
    throw ConfigError({"requirement '" + requirement.name + "' has no points", requirement.on,
                       "give it at least one point"});
  const PointSet far = requirement.periodic ? far_points(points, requirement, problem) : PointSet();
  const std::size_t size = block_points(*model_, part.plan.table->size(), options_.dtype);
  part.count = points.count;
  part.blocks.clear();
  for (std::size_t begin = 0; begin < points.count; begin += size) {
    const std::size_t end = std::min(points.count, begin + size);
    BlockPair pair{make_block(points, begin, end, options_.dtype), {}};
    if (requirement.periodic) pair.far = make_block(far, begin, end, options_.dtype);
    part.blocks.push_back(std::move(pair));
  }
  chunks_.clear();
}

std::size_t Loss::points() const {
  std::size_t total = 0;
  for (const Part& part : parts_) total += part.count;
  return total;
}

void Loss::cut_chunks() {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    if (parts_[r].blocks.empty())
      throw InternalError(
          {"requirement '" + model_->problem().requirements[r].name + "' was given no points", "",
           ""});
    for (std::size_t b = 0; b < parts_[r].blocks.size(); ++b) all.push_back({r, b});
  }
  const std::size_t count = std::min(most_chunks, all.size());
  chunks_.resize(count);
  for (std::size_t i = 0; i < all.size(); ++i)
    chunks_[i * count / all.size()].blocks.push_back(all[i]);
}

Loss::Result Loss::value(std::span<const double> p) { return run(p, {}); }

Loss::Result Loss::value_and_gradient(std::span<const double> p, std::span<double> gradient) {
  return run(p, gradient);
}

Loss::Result Loss::run(std::span<const double> p, std::span<double> gradient) {
  if (chunks_.empty()) cut_chunks();
  const Tensor flat = parameter_tensor(p, options_.dtype);
  pool_.run(int(chunks_.size()), [&](int i) {
    Chunk& chunk = chunks_[std::size_t(i)];
    chunk.sums.assign(terms_.size(), 0);
    chunk.gradient.assign(gradient.size(), 0);
    for (const auto& [r, b] : chunk.blocks)
      run_block(chunk, parts_[r], r, parts_[r].blocks[b], flat, !gradient.empty());
  });
  tree_sum(chunks_.size(), [&](std::size_t i) -> std::vector<double>& { return chunks_[i].sums; });
  tree_sum(chunks_.size(),
           [&](std::size_t i) -> std::vector<double>& { return chunks_[i].gradient; });
  std::copy(chunks_[0].gradient.begin(), chunks_[0].gradient.end(), gradient.begin());

  Result result;
  for (const Part& part : parts_) {
    const std::size_t end = &part == &parts_.back() ? terms_.size() : (&part + 1)->first_term;
    for (std::size_t k = part.first_term; k < end; ++k) {
      result.terms.push_back(chunks_[0].sums[k] / double(part.count));
      result.total += terms_[k].weight * result.terms.back();
    }
  }
  return result;
}

void Loss::run_block(Chunk& chunk, Part& part, std::size_t r, BlockPair& blocks, const Tensor& p,
                     bool with_gradient) {
  const RecordingGuard mode(with_gradient || options_.derivatives[r] == Derivatives::reverse);
  std::vector<Tensor> parameters = block_tensors(p, model_->blocks());
  if (with_gradient)
    for (Tensor& t : parameters) t.set_requires_grad();
  const std::vector<Tensor> rs = residuals(*model_, model_->problem().requirements[r],
                                           options_.derivatives[r], part.plan, blocks, parameters);
  Tensor loss;
  for (std::size_t k = 0; k < rs.size(); ++k) {
    const Tensor squares = sum(square(rs[k]));
    const std::size_t term = part.first_term + k;
    chunk.sums[term] += squares.item();
    const Tensor weighted = squares * (terms_[term].weight / double(part.count));
    loss = loss.defined() ? loss + weighted : weighted;
  }
  if (!with_gradient || !loss.requires_grad()) return;
  const std::vector<Tensor> gradients = grad({loss}, parameters, {}, {.allow_unused = true});
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const std::vector<double> g = gradients[i].values();
    double* into = chunk.gradient.data() + model_->blocks()[i].offset;
    for (std::size_t k = 0; k < g.size(); ++k) into[k] += g[k];
  }
}

std::vector<std::vector<double>> evaluate(const Model& model, std::span<const double> p,
                                          const PointSet& points,
                                          const std::vector<ExpressionPtr>& formulas,
                                          ThreadPool& pool) {
  Needs all;
  for (const ExpressionPtr& e : formulas) all.merge(needs(*e));
  const JetTablePtr table = table_for(all);
  const Tensor flat = parameter_tensor(p, DType::float64);
  std::vector<std::vector<double>> out(formulas.size(), std::vector<double>(points.count));
  const std::size_t size = block_points(model, table->size(), DType::float64);
  pool.run(int((points.count + size - 1) / size), [&](int i) {
    const NoGrad values_only;
    const std::size_t begin = std::size_t(i) * size, end = std::min(points.count, begin + size);
    Block block = make_block(points, begin, end, DType::float64);
    const std::vector<Tensor> parameters = block_tensors(flat, model.blocks());
    const auto at = taylor_evaluator(model, block, parameters, table);
    for (std::size_t k = 0; k < formulas.size(); ++k) {
      const Tensor t = at->value(formulas[k]);
      const std::vector<double> values =
          expand(t.is_number() ? full({}, t.item()) : t, {block.points()}).values();
      std::copy(values.begin(), values.end(), out[k].begin() + std::ptrdiff_t(begin));
    }
  });
  return out;
}

}  // namespace pinn
