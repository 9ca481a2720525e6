#include "solvers/residual/parts/compiled_part.h"

#include <algorithm>

#include "autograd/core/error.h"

namespace pinn {

void CompiledPart::set_points(PointSet points) {
  if (const PointWidths widths(points); points.count > 0 && !(widths == widths_)) {
    widths_ = widths;
    ready_.clear();
  }
  points_ = std::move(points);
  for (auto& [kind, r] : ready_) r.knows = false;
  resident_.clear();
}

void CompiledPart::set_point_weights(std::span<const double> weights) {
  std::copy(weights.begin(), weights.end(), points_.weights.begin());
  resident_.clear();
}

CompiledPart::PreparedSweep& CompiledPart::ready(Sweep kind, std::size_t term) {
  PreparedSweep& r = ready_[{kind, term}];
  if (!r.executor) {
    r.compiled = options_.cache->sweep(options_, widths_, kind, term);
    r.report = report(r.compiled->program);
    r.executor =
        make_executor(r.compiled->program, options_.device, options_.products, options_.block);
    if (keeps_points_ != (r.executor->resident() != nullptr))
      throw InternalError({"a device says otherwise than its executor where points are kept",
                           "CompiledPart", "report this as a bug"});
  }
  return r;
}

/// A device that keeps points cuts its own blocks, and is asked for pieces.
SweepSize CompiledPart::size(Sweep kind) {
  must_be_given(kind);
  if (kind != Sweep::jacobian) {
    const PreparedSweep& r = ready(kind);
    return {keeps_points_ ? piece() : even_block(r.program(), points_.count),
            std::size_t(r.program().sums), r.report.product_flops};
  }
  // Results made of rows share the cache with the lanes of the rows.
  SweepSize size{rows_together(size_of(options_.dtype))};
  for (std::size_t k = 0; k < options_.weights.size(); ++k)
    size.block = std::min(size.block, std::size_t(ready(kind, k).program().block));
  return size;
}

void CompiledPart::bind(PreparedSweep& r, std::span<const double> p,
                        std::span<const double> direction) {
  if (!r.knows)
    r.known.compute(r.traced().known, r.traced().given, model_, points_, options_.threads);
  r.knows = true;
  scales_.clear();
  for (const double w : options_.weights) scales_.push_back(w / double(points_.count));
  r.inputs.bind(
      r.program(), r.traced().given, model_,
      {p, direction, scales_, &points_, direction.data(), &r.known.values(), directions_});
}

void CompiledPart::prepare(Sweep kind, std::span<const double> p,
                           std::span<const double> direction) {
  must_be_given(kind);
  kind_ = kind;
  now_.clear();
  if (sums_itself(kind)) {
    now_.push_back(&with_points(kind, p));
    return now_[0]->executor->resident()->start(now_[0]->inputs.fixed());
  }
  const std::size_t terms = kind == Sweep::jacobian ? options_.weights.size() : 1;
  for (std::size_t k = 0; k < terms; ++k) {
    PreparedSweep& r = ready(kind, k);
    bind(r, p, direction);
    r.executor->prepare(r.inputs.fixed());
    now_.push_back(&r);
  }
}

void CompiledPart::run(std::size_t begin, std::size_t end, std::span<double> sums,
                       std::span<double> rows) {
  PreparedSweep& r = *now_[0];
  if (sums_itself(kind_)) return r.executor->resident()->wait(sums);
  const auto loan = r.scratch();
  Scratch& scratch = *loan.thing;
  scratch.places.clear();
  if (!rows.empty()) {
    for (std::size_t k = 0; k < options_.weights.size(); ++k)
      std::fill_n(rows.data() + k * points_.count + begin, end - begin, 0.0);
    for (const std::size_t k : r.traced().rows)
      scratch.places.push_back(rows.data() + k * points_.count);
  }
  r.executor->run(r.inputs.rows(), begin, end, *scratch.memory, sums, scratch.places);
}

void CompiledPart::finish(std::span<double> sums, std::span<double> squares,
                          std::span<double> result) {
  if (!sums_itself(kind_)) now_[0]->executor->finish(sums);
  read(*now_[0], sums, squares, result);
}

double CompiledPart::factors(std::size_t term, std::size_t begin, std::size_t end,
                             const FactorUser& use) {
  PreparedSweep& r = *now_[term];
  const auto loan = r.scratch();
  Scratch& scratch = *loan.thing;
  r.executor->run_block(r.inputs.rows(), begin, end, *scratch.memory, scratch.lanes);
  const auto lanes_of = [&](int output) {
    const void* const* at = scratch.lanes.data();
    for (int o = 0; o < output; ++o) at += r.program().outputs[std::size_t(o)].count;
    return at;
  };
  scratch.factors.clear();
  for (const TracedSweep::Factor& factor : r.traced().factors) {
    scratch.factors.push_back(factor.layout);
    scratch.factors.back().x = lanes_of(factor.x);
    if (factor.g >= 0) scratch.factors.back().g = lanes_of(factor.g);
  }
  use(scratch.factors);
  return r.report.product_flops * double(end - begin);
}

std::unique_ptr<LossPart> compiled_part(PartOptions options) {
  if (!options.cache) options.cache = std::make_shared<StepCache>();
  return std::make_unique<CompiledPart>(std::move(options));
}

}  // namespace pinn
