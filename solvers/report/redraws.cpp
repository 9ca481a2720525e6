#include "solvers/report/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "solvers/points/adaptive_points.h"

namespace pinn::pages {
namespace {

constexpr std::size_t most_marks = 10;
constexpr std::uint32_t most_known = 100'000;  ///< that are worked out

/// Steps of redraws by the options, from stage to stage.
std::vector<std::int64_t> expected(const Run& run, const TrainState& state, std::size_t r,
                                   const std::vector<std::int64_t>& beginnings) {
  std::vector<std::int64_t> steps;
  const std::uint32_t count = state.draws[r].count;
  std::int64_t last = 0;
  for (std::size_t s = 0; s < std::min(beginnings.size(), run.stages.size()); ++s) {
    const bool chosen = are_adaptive(run, run.stages[s], r);
    const std::int64_t every = chosen ? run.stages[s].sampling.every : run.sampling[r].redraw;
    const std::int64_t end = s + 1 < beginnings.size() ? beginnings[s + 1] : state.step;
    if (every <= 0 || (!chosen && run.problem.requirements[r].data)) continue;
    std::int64_t at = chosen ? beginnings[s] + every : std::max(last + every, beginnings[s]);
    for (; at < end && steps.size() <= count; at += every) steps.push_back(last = at);
  }
  return steps;
}

}  // namespace

std::vector<std::int64_t> redraws_of(const Run& run, const TrainState& state, std::size_t r,
                                     const std::vector<std::int64_t>& beginnings) {
  const Draw& draw = state.draws[r];
  if (draw.count == 0) return {};
  if (draw.count > most_known) return {draw.step};
  std::vector<std::int64_t> steps = expected(run, state, r, beginnings);
  if (steps.size() == draw.count && steps.back() == draw.step) return steps;
  return {draw.step};
}

std::vector<Mark> redraw_marks(const ReportedRun& r, const std::vector<Mark>& stages) {
  const TrainState& state = r.checkpoint.state;
  std::vector<std::int64_t> beginnings{0};
  for (const Mark& stage : stages) beginnings.push_back(std::int64_t(stage.x));
  std::set<std::int64_t> steps;
  const std::size_t all = std::min(state.draws.size(), r.run.problem.requirements.size());
  for (std::size_t k = 0; k < all; ++k)
    for (const std::int64_t step : redraws_of(r.run, state, k, beginnings)) steps.insert(step);
  const char* name = steps.size() > most_marks ? "" : "redraw";
  std::vector<Mark> marks;
  for (const std::int64_t step : some_of(std::vector(steps.begin(), steps.end()), most_marks))
    marks.push_back({.x = double(step), .text = name, .is_redraw = true});
  return marks;
}

std::string redraws_text(const ReportedRun& r, const std::vector<Mark>& marks) {
  const std::vector<Draw>& draws = r.checkpoint.state.draws;
  std::string text;
  std::size_t most = 0;
  for (std::size_t k = 0; k < std::min(draws.size(), r.run.problem.requirements.size()); ++k)
    if (draws[k].count > 0) {
      most = std::max<std::size_t>(most, draws[k].count);
      text += fmt::format("; points of {} were drawn anew {} times, the last time at step {}",
                          r.run.problem.requirements[k].name, draws[k].count, draws[k].step);
    }
  if (text.empty()) return "";
  const std::size_t marked = std::size_t(std::ranges::count_if(marks, &Mark::is_redraw));
  const bool is_named = std::ranges::any_of(
      marks, [](const Mark& mark) { return mark.is_redraw && !mark.text.empty(); });
  return fmt::format(
      "Lines down: stages and redraws{}{}",
      marked < most || !is_named ? fmt::format(", but {} of these alone", marked) : "", text);
}

}  // namespace pinn::pages
