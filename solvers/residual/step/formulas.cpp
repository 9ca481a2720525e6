#include "solvers/residual/step/formulas.h"

#include <algorithm>

#include "autograd/tape/modes.h"
#include "solvers/residual/evaluate/tensor_evaluator.h"
#include "solvers/residual/points.h"

namespace pinn {
namespace {

JetTablePtr table_of(const std::vector<ExpressionPtr>& formulas) {
  Needs all;
  for (const ExpressionPtr& e : formulas) all.merge(needs(*e));
  return table_for(all);
}

/// Formulas at a block's points, [points] each.
std::vector<Tensor> values_at(Block& block, std::int64_t points, const Model& model,
                              const std::vector<Tensor>& parameters,
                              const std::vector<ExpressionPtr>& formulas) {
  const auto at = taylor_evaluator(model, block, parameters, table_of(formulas));
  std::vector<Tensor> values;
  for (const ExpressionPtr& e : formulas) {
    const Tensor t = at->value(e);
    values.push_back(expand(
        t.is_number() ? full({}, t.item(), block.x.dtype(), block.x.device()) : t, {points}));
  }
  return values;
}

/// Values of formulas at points out of what evaluate(piece, formulas there, points there) gives.
template <class Evaluate>
std::vector<std::vector<double>> joined(const std::vector<ExpressionPtr>& formulas,
                                        const std::vector<PartitionPtr>& partitions,
                                        const PointSet& points, const Evaluate& evaluate) {
  std::vector<std::vector<double>> out(formulas.size(), std::vector<double>(points.count));
  std::vector<std::vector<std::size_t>> which(piece_count(partitions));
  const std::size_t d = points.x.size() / std::max<std::size_t>(1, points.count);
  for (std::size_t n = 0; n < points.count; ++n)
    which[piece_at(partitions, std::span(points.x).subspan(n * d, d))].push_back(n);
  for (std::size_t piece = 0; piece < which.size(); ++piece) {
    if (which[piece].empty()) continue;
    std::vector<ExpressionPtr> own;
    for (const ExpressionPtr& e : formulas) own.push_back(in_piece(e, partitions, piece));
    const auto values = evaluate(piece, own, some_of(points, which[piece]));
    for (std::size_t k = 0; k < out.size(); ++k)
      for (std::size_t i = 0; i < which[piece].size(); ++i) out[k][which[piece][i]] = values[k][i];
  }
  return out;
}

}  // namespace

TracedFormulas trace_whole_formulas(const Model& model, const std::vector<ExpressionPtr>& formulas,
                                    const PointWidths& widths) {
  const NoGrad values_only;
  TracedInputs inputs(model, DType::float64);
  Block block = inputs.block(widths);
  const std::vector<Tensor> parameters = inputs.by_blocks(InputSource::parameters);
  const std::vector<Tensor> values = values_at(block, any_points, model, parameters, formulas);
  return {optimized(inputs.trace().finish(values)), inputs.given()};
}

TracedFormulas trace_formulas(const Model& model, const std::vector<ExpressionPtr>& formulas,
                              const PointWidths& widths) {
  TracedFormulas traced = trace_whole_formulas(model, formulas, widths);
  traced.known = take_known_rows(traced.graph, traced.given, false);
  return traced;
}

Formulas::Formulas(std::shared_ptr<const Model> model, std::vector<ExpressionPtr> formulas,
                   std::shared_ptr<StepCache> cache, Device device)
    : model_(std::move(model)),
      formulas_(std::move(formulas)),
      cache_(cache ? std::move(cache) : std::make_shared<StepCache>()),
      device_(device),
      partitions_(partitions_of(formulas_)) {}
Formulas::~Formulas() = default;

void Formulas::compile(const PointWidths& widths) {
  compiled_ = cache_->formulas(model_, formulas_, widths);
  executor_ = make_executor(compiled_->program, device_);
  widths_ = widths;
}

std::vector<std::vector<double>> Formulas::operator()(std::span<const double> p,
                                                      const PointSet& points, ThreadPool& pool) {
  std::vector<std::vector<double>> out(formulas_.size(), std::vector<double>(points.count));
  if (points.count == 0 || formulas_.empty()) return out;
  if (!partitions_.empty()) return in_pieces(p, points, pool);
  if (const PointWidths widths(points); !executor_ || !(widths == widths_)) compile(widths);
  const Program& program = executor_->program();
  KnownArrays known;
  known.compute(compiled_->traced.known, compiled_->traced.given, *model_, points, &pool);
  inputs_.bind(program, compiled_->traced.given, *model_,
               {p, {}, {}, &points, nullptr, &known.values()});
  executor_->prepare(inputs_.fixed());
  std::vector<double*> places;
  for (std::vector<double>& values : out) places.push_back(values.data());
  const std::size_t blocks = 1 + (points.count - 1) / std::size_t(program.block);
  const int tasks =
      device_.is_cpu() ? int(std::min<std::size_t>(std::size_t(pool.threads()), blocks)) : 1;
  pool.run(tasks, [&](int i) {
    const auto workspace = executor_->workspace();
    executor_->run(inputs_.rows(), points.count * std::size_t(i) / std::size_t(tasks),
                   points.count * std::size_t(i + 1) / std::size_t(tasks), *workspace, {}, places);
  });
  return out;
}

std::vector<std::vector<double>> Formulas::in_pieces(std::span<const double> p,
                                                     const PointSet& points, ThreadPool& pool) {
  return joined(
      formulas_, partitions_, points,
      [&](std::size_t piece, const std::vector<ExpressionPtr>& formulas, const PointSet& there) {
        std::unique_ptr<Formulas>& own = pieces_[piece];
        if (!own) own = std::make_unique<Formulas>(model_, formulas, cache_, device_);
        return (*own)(p, there, pool);
      });
}

std::vector<std::vector<double>> evaluate_eagerly(const Model& model, std::span<const double> p,
                                                  const PointSet& points,
                                                  const std::vector<ExpressionPtr>& formulas) {
  if (const std::vector<PartitionPtr> partitions = partitions_of(formulas); !partitions.empty())
    return joined(formulas, partitions, points,
                  [&](std::size_t, const std::vector<ExpressionPtr>& own, const PointSet& there) {
                    return evaluate_eagerly(model, p, there, own);
                  });
  const NoGrad values_only;
  Block block = make_block(points, 0, points.count, DType::float64);
  block.fixed = fixed_tensors(model, DType::float64);
  const Tensor flat = from_values(p, {std::int64_t(p.size())});
  std::vector<std::vector<double>> out;
  for (const Tensor& t :
       values_at(block, block.points(), model, block_tensors(flat, model.blocks()), formulas))
    out.push_back(t.values());
  return out;
}

}  // namespace pinn
