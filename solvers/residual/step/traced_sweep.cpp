#include "solvers/residual/step/traced_sweep.h"

#include "autograd/core/error.h"
#include "solvers/residual/step/sweep.h"

namespace pinn {
namespace {

/// Hooks on saved tensors that are asked for; those of whoever happens to trace do not count.
SavedHooksPtr traceable_hooks(const PartOptions& options) {
  const SavedHooksPtr hooks = options.saved ? options.saved->hooks() : nullptr;
  if (hooks && !hooks->traceable)
    throw EngineError({"a compiled step cannot do what the hooks '" + hooks->name +
                           "' do with saved tensors: they are not made of functions of tensors",
                       "", "run this step op by op"});
  return hooks;
}

/// Collects the outputs of a graph.
struct Outputs {
  int add(const Tensor& t) {
    all.push_back(t.detach());
    return int(all.size()) - 1;
  }
  /// Those that are not zero, and which they are.
  std::vector<std::size_t> add(const std::vector<Tensor>& some) {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!some[i].defined()) continue;
      add(some[i]);
      which.push_back(i);
    }
    return which;
  }
  std::vector<TracedSweep::Factor> add(const std::vector<Batch>& batches,
                                       const std::vector<ParameterBlock>& blocks) {
    std::vector<TracedSweep::Factor> factors;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      RowFactor layout;
      layout.offset = blocks[i].offset;
      layout.k = std::size_t(blocks[i].shape.numel());
      if (batches[i].elements.defined()) factors.push_back({layout, add(batches[i].elements)});
      for (const OuterProduct& product : batches[i].products) {
        const Shape &x = product.x.shape(), &g = product.g.shape();
        layout.k = std::size_t(x[x.rank() - 1]);
        layout.n = std::size_t(g[g.rank() - 1]);
        layout.channels = std::size_t(x.numel() / any_points) / layout.k;
        const int at = add(product.x);
        factors.push_back({layout, at, add(product.g)});
      }
    }
    return factors;
  }

  std::vector<Tensor> all;
};

/// Gradients that are zero for all parameters and points, such as that of a last bias of which the
/// equations take derivatives alone, are no outputs.
void leave_out_zeros(TracedSweep& traced) {
  std::vector<int>& outputs = traced.graph.outputs;
  const std::size_t first = traced.squares + traced.rows.size(), before = outputs.size();
  for (std::size_t i = traced.sums.size(); i-- > 0;) {
    const Value& v = traced.graph.values[outputs[first + i]];
    if (v.op != Primitive::constant || v.numbers != std::vector<double>{0}) continue;
    outputs.erase(outputs.begin() + std::ptrdiff_t(first + i));
    traced.sums.erase(traced.sums.begin() + std::ptrdiff_t(i));
  }
  if (outputs.size() < before) traced.graph = optimized(traced.graph);
}

}  // namespace

TracedSweep trace_sweep(const PartOptions& options, const PointWidths& widths, Sweep kind,
                        std::size_t term) {
  const Model& model = *options.model;
  const Requirement& requirement = requirement_of(options);
  const ChannelPlan plan = channels_of(options);
  const std::size_t terms = options.weights.size();
  TracedInputs inputs(model, options.dtype);
  Block near = inputs.block(widths);
  inputs.add_constants(near);
  inputs.add_directions(near, plan.along);
  BlockPair block = with_far_end(std::move(near), requirement, model.problem());
  SweepInputs in;
  in.parameters = inputs.by_blocks(InputSource::parameters);
  in.scales = inputs.scales(terms);
  in.term = term;
  if (has_direction(kind)) in.direction = inputs.by_blocks(InputSource::direction);
  if (kind == Sweep::transposed_times) in.seeds = inputs.seeds(terms);
  if (is_loss(kind)) in.hooks = traceable_hooks(options);

  const SweepOutputs out = sweep(kind, options, plan, block, in);
  TracedSweep traced;
  Outputs outputs;
  traced.squares = outputs.add(out.squares).size();
  traced.rows = outputs.add(out.rows);
  traced.sums = outputs.add(out.sums);
  traced.factors = outputs.add(out.factors, model.blocks());
  traced.graph = optimized(inputs.trace().finish(outputs.all));
  if (traced.factors.empty()) leave_out_zeros(traced);
  traced.given = inputs.given();
  traced.known = take_known_rows(traced.graph, traced.given, true);
  return traced;
}

void read_sums(const Executor& executor, const TracedSweep& traced, const Model& model,
               std::span<const double> sums, std::span<double> squares, std::span<double> result,
               std::vector<double>& scratch) {
  for (std::size_t k = 0; k < traced.squares; ++k) executor.read(k, sums, squares.subspan(k, 1));
  for (std::size_t i = 0; i < traced.sums.size(); ++i) {
    const std::size_t blocks = model.blocks().size(), copy = traced.sums[i] / blocks;
    const ParameterBlock& b = model.blocks()[traced.sums[i] % blocks];
    const auto count = std::size_t(b.shape.numel());
    if (scratch.size() < count) scratch.resize(count);
    executor.read(traced.squares + i, sums, std::span(scratch).first(count));
    double* const to = result.data() + copy * model.parameter_count() + std::size_t(b.offset);
    for (std::size_t k = 0; k < count; ++k) to[k] += scratch[k];
  }
}

}  // namespace pinn
