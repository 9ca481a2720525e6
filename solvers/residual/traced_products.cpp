#include "solvers/residual/traced_products.h"

namespace pinn {
namespace {

/// The outputs that are not zero.
std::vector<Tensor> defined_ones(const std::vector<Tensor>& all, TracedProduct& traced) {
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].defined()) continue;
    outputs.push_back(all[i].detach());
    traced.of.push_back(i);
  }
  return outputs;
}

std::vector<Tensor> row_parts(const std::vector<Batch>& batches,
                              const std::vector<ParameterBlock>& blocks, TracedProduct& traced) {
  std::vector<Tensor> outputs;
  const auto add = [&](const Tensor& t) {
    outputs.push_back(t.detach());
    return int(outputs.size()) - 1;
  };
  for (std::size_t i = 0; i < batches.size(); ++i) {
    RowPart layout;
    layout.offset = blocks[i].offset;
    layout.k = std::size_t(blocks[i].shape.numel());
    if (batches[i].elements.defined()) traced.parts.push_back({layout, add(batches[i].elements)});
    for (const OuterProduct& product : batches[i].products) {
      const Shape &x = product.x.shape(), &g = product.g.shape();
      layout.k = std::size_t(x[x.rank() - 1]);
      layout.n = std::size_t(g[g.rank() - 1]);
      layout.channels = std::size_t(x.numel() / any_points) / layout.k;
      const int at = add(product.x);
      traced.parts.push_back({layout, at, add(product.g)});
    }
  }
  return outputs;
}

}  // namespace

TracedProduct trace_product(const PartOptions& options, const PointWidths& widths,
                            ProductKind product, std::size_t term) {
  const Model& model = *options.model;
  const Requirement& requirement = model.problem().requirements[options.requirement];
  const ChannelPlan plan = plan_channels(requirement, model.problem());
  const std::size_t terms = options.weights.size();
  Trace trace;
  BlockPair block =
      with_far_end(traced_block(trace, widths, options.dtype), requirement, model.problem());
  const Tensor roots =
      trace.input(TracedProduct::roots, {std::int64_t(terms)}, options.dtype, Extent::fixed);
  const BlockProducts products(options, plan, block, traced_parameters(trace, model, options.dtype),
                               roots);
  const auto tangents = [&] {
    std::vector<Tensor> v;
    for (const ParameterBlock& b : model.blocks())
      v.push_back(
          trace.input(TracedProduct::tangent + b.name, b.shape, options.dtype, Extent::fixed));
    return v;
  };
  const auto seeds = [&] {
    std::vector<Tensor> w;
    for (std::size_t k = 0; k < terms; ++k)
      w.push_back(select(trace.input(TracedProduct::seed + std::to_string(k), {any_points, 1},
                                     options.dtype, Extent::row),
                         1, 0));
    return w;
  };

  TracedProduct traced;
  std::vector<Tensor> outputs;
  switch (product) {
    case ProductKind::residual:
      outputs = defined_ones(products.residual(), traced);
      break;
    case ProductKind::jacobian:
      outputs = row_parts(products.jacobian(term), model.blocks(), traced);
      break;
    case ProductKind::jacobian_times:
      outputs = defined_ones(products.jacobian_times(tangents()), traced);
      break;
    case ProductKind::transposed_times:
      outputs = defined_ones(products.transposed_times(seeds()), traced);
      break;
    case ProductKind::hessian_times:
      outputs = defined_ones(products.hessian_times(tangents()), traced);
      break;
  }
  traced.graph = optimized(trace.finish(outputs));
  return traced;
}

}  // namespace pinn
