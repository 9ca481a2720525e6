#include "solvers/residual/products.h"

#include <cmath>

#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/modes.h"

namespace pinn {

std::vector<double> row_roots(const PartOptions& options, std::size_t points) {
  std::vector<double> roots;
  for (const double w : options.weights) roots.push_back(std::sqrt(w / double(points)));
  return roots;
}

BlockProducts::BlockProducts(const PartOptions& options, const ChannelPlan& plan, BlockPair& block,
                             std::vector<Tensor> parameters, const Tensor& roots)
    : options_(options),
      plan_(plan),
      block_(block),
      parameters_(std::move(parameters)),
      roots_(roots) {}

/// What residual `term` is multiplied by: [] or [points].
Tensor BlockProducts::root(std::size_t term) const {
  const Tensor root = select(roots_, 0, std::int64_t(term));
  const Tensor weights = block_.near.weights_of(term);
  return weights.defined() ? root * sqrt(weights) : root;
}

std::vector<Tensor> BlockProducts::unscaled(const std::vector<Tensor>& parameters) const {
  const Requirement& requirement = options_.model->problem().requirements[options_.requirement];
  return residuals(*options_.model, requirement, options_.derivatives, plan_, block_, parameters);
}

std::vector<Tensor> BlockProducts::rows(const std::vector<Tensor>& parameters) const {
  std::vector<Tensor> rows = unscaled(parameters);
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = root(k) * rows[k];
  return rows;
}

/// The parameters, to be differentiated by.
std::vector<Tensor> BlockProducts::followed() const {
  std::vector<Tensor> leaves;
  for (const Tensor& t : parameters_) leaves.push_back(t.detach().set_requires_grad());
  return leaves;
}

std::vector<Tensor> BlockProducts::duals(const std::vector<Tensor>& v) const {
  std::vector<Tensor> duals;
  for (std::size_t i = 0; i < v.size(); ++i)
    duals.push_back(make_dual(parameters_[i].detach(), v[i]));
  return duals;
}

std::vector<Tensor> BlockProducts::residual() const {
  const RecordingGuard mode(options_.derivatives == Derivatives::reverse);
  return rows(parameters_);
}

std::vector<Tensor> BlockProducts::jacobian_times(const std::vector<Tensor>& v) const {
  const RecordingGuard mode(options_.derivatives == Derivatives::reverse);
  const DualLevel level(false);
  std::vector<Tensor> tangents;
  for (const Tensor& r : rows(duals(v))) tangents.push_back(tangent_of(r));
  return tangents;
}

std::vector<Tensor> BlockProducts::transposed_times(const std::vector<Tensor>& w) const {
  const EnableGrad record;
  const std::vector<Tensor> leaves = followed(), all = rows(leaves);
  std::vector<Tensor> from, seeds;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k].requires_grad()) continue;
    from.push_back(all[k]);
    seeds.push_back(w[k]);
  }
  if (from.empty()) return std::vector<Tensor>(leaves.size());
  return grad(from, leaves, seeds, {.allow_unused = true});
}

// Forward over reverse: the gradient is taken of dual numbers.
std::vector<Tensor> BlockProducts::hessian_times(const std::vector<Tensor>& v) const {
  const EnableGrad record;
  const DualLevel level(false);
  const std::vector<Tensor> leaves = duals(v);
  for (Tensor t : leaves) t.set_requires_grad();
  Tensor loss;
  for (const Tensor& r : rows(leaves)) {
    if (!r.requires_grad()) continue;
    const Tensor squares = sum(square(r));
    loss = loss.defined() ? loss + squares : squares;
  }
  if (!loss.defined()) return std::vector<Tensor>(leaves.size());
  std::vector<Tensor> products;
  for (const Tensor& g : grad({loss}, leaves, {}, {.allow_unused = true}))
    products.push_back(g.defined() ? tangent_of(g) : g);
  return products;
}

std::vector<Batch> BlockProducts::jacobian(std::size_t term) const {
  const EnableGrad record;
  const std::vector<Tensor> leaves = followed();
  const Tensor r = unscaled(leaves)[term];
  if (!r.requires_grad()) return std::vector<Batch>(leaves.size());
  return per_sample_parts(r, leaves, expand(root(term), r.shape()));
}

void add_to_row(std::span<const RowPart> parts, std::size_t i, std::span<double> row) {
  for (const RowPart& part : parts) {
    double* to = row.data() + part.offset;
    const double* x = part.x.data() + i * part.channels * part.k;
    if (part.g.empty()) {
      for (std::size_t e = 0; e < part.k; ++e) to[e] += x[e];
      continue;
    }
    const double* g = part.g.data() + i * part.channels * part.n;
    for (std::size_t c = 0; c < part.channels; ++c, x += part.k, g += part.n)
      for (std::size_t a = 0; a < part.k; ++a)
        for (std::size_t b = 0; b < part.n; ++b) to[a * part.n + b] += x[a] * g[b];
  }
}

}  // namespace pinn
