#include "solvers/residual/step/step_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "autograd/core/stats.h"
#include "solvers/residual/step/formulas.h"

namespace pinn {
namespace {

/// Roundings asked of saved tensors, as far as a compiled step does them.
std::pair<std::string, std::int64_t> roundings(const PartOptions& options) {
  if (!options.saved || !options.saved->options().rounds()) return {};
  return {options.saved->options().kind, options.saved->options().threshold};
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// True if two graphs that are the same may share a program.
bool same_outputs(const TracedSweep& a, const TracedSweep& b) {
  return a.squares == b.squares && a.rows == b.rows && a.sums == b.sums && a.factors.empty() &&
         b.factors.empty();  // rows of J know their columns
}
bool same_outputs(const TracedFormulas&, const TracedFormulas&) { return true; }

/// Compiles a trace, or finds one of the same graph that is compiled already.
template <class Traced, class Entries>
std::shared_ptr<const Compiled<Traced>> planned(const Entries& entries, Traced traced,
                                                std::size_t block) {
  for (const auto& e : entries)
    if (e.asked.options.block == block && same_outputs(e.compiled->traced, traced) &&
        same(e.compiled->traced.graph, traced.graph) &&
        same(e.compiled->traced.known.graph, traced.known.graph)) {
      ++stats().cache_hits;
      return e.compiled;
    }
  ++stats().compiles;
  Program program = plan(traced.graph);
  if (block > 0) program.block = int(block);
  return std::make_shared<const Compiled<Traced>>(
      Compiled<Traced>{std::move(traced), std::move(program)});
}

/// True if two requests are for the same thing, if perhaps in another way.
template <class Request> bool same_matter(const Request& a, const Request& b) {
  return a.options.model == b.options.model && a.options.requirement == b.options.requirement &&
         a.options.piece == b.options.piece && a.what == b.what && a.formulas == b.formulas;
}

template <class Request> bool same_way(const Request& a, const Request& b) {
  return a.options.dtype == b.options.dtype && a.options.derivatives == b.options.derivatives &&
         a.options.block == b.options.block && roundings(a.options) == roundings(b.options) &&
         a.options.directions == b.options.directions && a.widths == b.widths;
}

/// "; again, because ...", where the same matter was compiled before.
template <class Entries, class Request>
std::string reason(const Entries& entries, const Request& asked) {
  const auto before = std::find_if(entries.rbegin(), entries.rend(),
                                   [&](const auto& e) { return same_matter(e.asked, asked); });
  if (before == entries.rend()) return "";
  const PartOptions &then = before->asked.options, &now = asked.options;
  if (then.dtype != now.dtype)
    return fmt::format("; again, in {} after {}", name_of(now.dtype), name_of(then.dtype));
  if (then.derivatives != now.derivatives) return "; again, with derivatives taken another way";
  if (roundings(then) != roundings(now)) return "; again, with other roundings of saved tensors";
  if (then.directions != now.directions) return "; again, along other directions";
  if (then.block != now.block) return "; again, for other blocks";
  return "; again, because points bring other arrays";
}

/// A sweep of a requirement in words.
std::string words_for(Sweep kind, std::size_t term, const std::string& requirement) {
  constexpr const char* names[] = {"'{}'",
                                   "'{}' with its gradient",
                                   "the residual vector of '{}'",
                                   "the rows of J, of residual {1} of '{0}'",
                                   "the product J v of '{}'",
                                   "the product J^T w of '{}'",
                                   "the product H v of '{}'"};
  return fmt::format(fmt::runtime(names[int(kind)]), requirement, term + 1);
}

/// Requirement and piece of a part, in words.
std::string name_of(const PartOptions& options) {
  const std::string& name = requirement_of(options).name;
  if (options.model->pieces(options.requirement).empty()) return name;
  return fmt::format("{}, piece {}", name, options.piece + 1);
}

}  // namespace

template <class Traced, class Trace>
std::shared_ptr<const Compiled<Traced>> StepCache::found(std::vector<Entry<Traced>>& entries,
                                                         Request asked, const Trace& trace) {
  asked.options.cache = nullptr;   // which would own itself
  asked.options.gather = nullptr;  // which may end before
  const auto known = std::ranges::find_if(entries, [&](const Entry<Traced>& e) {
    return same_matter(e.asked, asked) && same_way(e.asked, asked);
  });
  if (known != entries.end()) {
    ++stats().cache_hits;
    std::rotate(known, known + 1, entries.end());  // the latest last
    return entries.back().compiled;
  }
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t compiles = stats().compiles;
  const auto compiled = planned(entries, trace(), asked.options.block);
  if (tell)
    tell(fmt::format("{} {}: {} values, {} instructions, blocks of {} points, {:.0f} ms{}",
                     stats().compiles > compiles ? "compiled" : "found compiled", asked.what,
                     compiled->traced.graph.values.size(), report(compiled->program).instructions,
                     compiled->program.block, milliseconds_since(start), reason(entries, asked)));
  const auto unused = [](const Entry<Traced>& e) { return e.compiled.use_count() == 1; };
  if (entries.size() >= most_entries) {
    const auto oldest = std::ranges::find_if(entries, unused);
    if (oldest != entries.end())
      entries.erase(oldest);
    else if (entries.size() >= 4 * most_entries)
      entries.erase(entries.begin());
  }
  entries.push_back({std::move(asked), compiled});
  return compiled;
}

std::shared_ptr<const CompiledSweep> StepCache::sweep(const PartOptions& options,
                                                      const PointWidths& widths, Sweep kind,
                                                      std::size_t term) {
  Request asked{options, widths, words_for(kind, term, name_of(options))};
  if (!is_loss(kind)) asked.options.block = 0;
  return found(sweeps_, asked, [&] { return trace_sweep(options, widths, kind, term); });
}

std::shared_ptr<const CompiledFormulas> StepCache::formulas(
    const std::shared_ptr<const Model>& model, const std::vector<ExpressionPtr>& formulas,
    const PointWidths& widths) {
  const Request asked{{.model = model, .weights = {}},
                      widths,
                      fmt::format("{} formulas", formulas.size()),
                      formulas};
  return found(formulas_, asked, [&] { return trace_formulas(*model, formulas, widths); });
}

}  // namespace pinn
