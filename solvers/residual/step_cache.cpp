#include "solvers/residual/step_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "autograd/core/stats.h"

namespace pinn {
namespace {

/// What is asked of saved tensors, as far as a compiled step does it.
std::pair<std::string, std::int64_t> roundings(const PartOptions& options) {
  if (!options.saved || !options.saved->options().rounds()) return {};
  return {options.saved->options().kind, options.saved->options().threshold};
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

std::shared_ptr<const CompiledStep> StepCache::step(const PartOptions& options,
                                                    const PointWidths& widths, bool with_gradient) {
  Request asked{options, widths, with_gradient, nullptr};
  asked.options.cache = nullptr;  // which would own itself
  if (const Request* known = find(asked)) {
    ++stats().cache_hits;
    return known->step;
  }
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t compiles = stats().compiles;
  asked.step = planned(trace_step(options, widths, with_gradient), options.block);
  const Program& program = asked.step->program;
  if (tell)
    tell(fmt::format("{} '{}'{}: {} values, {} instructions, blocks of {} points, {:.0f} ms{}",
                     stats().compiles > compiles ? "compiled" : "found compiled",
                     options.model->problem().requirements[options.requirement].name,
                     with_gradient ? " with its gradient" : "",
                     asked.step->traced.graph.values.size(), report(program).instructions,
                     program.block, milliseconds_since(start), reason(asked)));
  requests_.push_back(asked);
  return asked.step;
}

const StepCache::Request* StepCache::find(const Request& asked) const {
  for (const Request& r : requests_)
    if (r.options.model == asked.options.model &&
        r.options.requirement == asked.options.requirement &&
        r.options.dtype == asked.options.dtype &&
        r.options.derivatives == asked.options.derivatives &&
        r.options.block == asked.options.block &&
        roundings(r.options) == roundings(asked.options) && r.widths == asked.widths &&
        r.with_gradient == asked.with_gradient)
      return &r;
  return nullptr;
}

/// A step with that graph and block, the one there is if possible.
std::shared_ptr<const CompiledStep> StepCache::planned(TracedStep traced, std::size_t block) {
  for (const Request& r : requests_)
    if (r.options.block == block && r.step->traced.gradient_blocks == traced.gradient_blocks &&
        same(r.step->traced.graph, traced.graph)) {
      ++stats().cache_hits;
      return r.step;
    }
  ++stats().compiles;
  Program program = plan(traced.graph);
  if (block > 0) program.block = int(block);
  return std::make_shared<const CompiledStep>(CompiledStep{std::move(traced), std::move(program)});
}

/// "; again, because ...", where this requirement's step was compiled before.
std::string StepCache::reason(const Request& asked) const {
  const auto before = std::find_if(requests_.rbegin(), requests_.rend(), [&](const Request& r) {
    return r.options.model == asked.options.model &&
           r.options.requirement == asked.options.requirement &&
           r.with_gradient == asked.with_gradient;
  });
  if (before == requests_.rend()) return "";
  const PartOptions &then = before->options, &now = asked.options;
  if (then.dtype != now.dtype)
    return fmt::format("; again, in {} after {}", name_of(now.dtype), name_of(then.dtype));
  if (then.derivatives != now.derivatives) return "; again, with derivatives taken another way";
  if (roundings(then) != roundings(now)) return "; again, with other roundings of saved tensors";
  if (then.block != now.block) return "; again, for other blocks";
  return "; again, because points bring other arrays";
}

}  // namespace pinn
