#include "solvers/residual/traced_step.h"

#include "autograd/core/error.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/modes.h"

namespace pinn {
namespace {

void add_gradients(const std::vector<Tensor>& residuals, const std::vector<Tensor>& seeds,
                   const std::vector<Tensor>& parameters, std::vector<Tensor>& outputs,
                   TracedStep& step) {
  std::vector<Tensor> from, with;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    if (!residuals[k].requires_grad()) continue;
    from.push_back(residuals[k]);
    with.push_back(seeds[k]);
  }
  if (from.empty()) return;
  const std::vector<Tensor> gradients = grad(from, parameters, with, {.allow_unused = true});
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    outputs.push_back(gradients[i]);
    step.gradient_blocks.push_back(i);
  }
}

/// What is asked of saved tensors; hooks of whoever happens to trace do not count.
SavedHooksPtr traceable_hooks(const PartOptions& options) {
  const SavedHooksPtr hooks = options.saved ? options.saved->hooks() : nullptr;
  if (hooks && !hooks->traceable)
    throw EngineError({"a compiled step cannot do what the hooks '" + hooks->name +
                           "' do with saved tensors: they are not made of functions of tensors",
                       "", "run this step op by op"});
  return hooks;
}

}  // namespace

TracedStep trace_step(const PartOptions& options, const PointWidths& widths, bool with_gradient) {
  const Model& model = *options.model;
  const Requirement& requirement = model.problem().requirements[options.requirement];
  const RecordingGuard mode(with_gradient || options.derivatives == Derivatives::reverse);
  Trace trace;
  BlockPair block =
      with_far_end(traced_block(trace, widths, options.dtype), requirement, model.problem());
  std::vector<Tensor> parameters = traced_parameters(trace, model, options.dtype);
  if (with_gradient)
    for (Tensor& t : parameters) t.set_requires_grad();
  const std::vector<Tensor> rs = [&] {
    const SavedHooksScope inlined(traceable_hooks(options));
    return residuals(model, requirement, options.derivatives,
                     plan_channels(requirement, model.problem()), block, parameters);
  }();
  const Tensor scales =
      trace.input(TracedStep::scales, {std::int64_t(rs.size())}, options.dtype, Extent::fixed);
  std::vector<Tensor> outputs, seeds;
  for (std::size_t k = 0; k < rs.size(); ++k) {
    const Tensor weights = block.near.weights_of(k);
    const Tensor weighted = weights.defined() ? weights * rs[k] : rs[k];
    outputs.push_back(sum(weighted * rs[k]).detach());
    seeds.push_back((2.0 * select(scales, 0, std::int64_t(k)) * weighted).detach());
  }
  TracedStep step;
  if (with_gradient) add_gradients(rs, seeds, parameters, outputs, step);
  step.graph = optimized(trace.finish(outputs));
  return step;
}

std::vector<double> scales_of(const std::vector<double>& weights, std::size_t points) {
  std::vector<double> scales;
  for (const double w : weights) scales.push_back(w / double(points));
  return scales;
}

std::vector<std::int64_t> input_offsets(const Program& program, const Model& model) {
  std::vector<std::int64_t> offsets;
  for (const FixedInput& input : program.fixed) {
    if (input.name == TracedStep::scales) {
      offsets.push_back(-1);
      continue;
    }
    const ParameterBlock& block = block_of(model, input.name);
    if (block.shape.numel() != input.count)
      throw InternalError({"the parameters '" + input.name + "' of a model have " +
                               std::to_string(block.shape.numel()) + " numbers, in its step " +
                               std::to_string(input.count),
                           "", "report this as a bug"});
    offsets.push_back(block.offset);
  }
  return offsets;
}

std::vector<std::span<const double>> step_inputs(const Program& program,
                                                 std::span<const std::int64_t> offsets,
                                                 std::span<const double> p,
                                                 std::span<const double> scales) {
  std::vector<std::span<const double>> fixed(offsets.size(), scales);
  for (std::size_t k = 0; k < offsets.size(); ++k)
    if (offsets[k] >= 0)
      fixed[k] = p.subspan(std::size_t(offsets[k]), std::size_t(program.fixed[k].count));
  return fixed;
}

void read_step(const Executor& executor, const std::vector<std::size_t>& gradient_blocks,
               const Model& model, std::span<const double> sums, std::span<double> squares,
               std::span<double> gradient) {
  for (std::size_t k = 0; k < squares.size(); ++k) executor.read(k, sums, squares.subspan(k, 1));
  std::vector<double> part;
  for (std::size_t i = 0; i < gradient_blocks.size() && !gradient.empty(); ++i) {
    const ParameterBlock& b = model.blocks()[gradient_blocks[i]];
    const auto count = std::size_t(b.shape.numel());
    if (part.size() < count) part.resize(count);
    executor.read(squares.size() + i, sums, std::span(part).first(count));
    double* const to = gradient.data() + b.offset;
    for (std::size_t k = 0; k < count; ++k) to[k] += part[k];
  }
}

}  // namespace pinn
