#include "solvers/report/redraws.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "solvers/report/history.h"
#include "solvers/train/adapt/adaptive_points.h"

namespace pinn::pages {
namespace {

constexpr std::size_t most_marks = 10;

/// What the options make of it, from stage to stage.
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

/// Whether the name of a mark fits beside the others, over all steps.
bool is_room_for_name(double step, double steps, const std::vector<Mark>& stages,
                      const std::vector<Mark>& before) {
  constexpr double own = 0.1, of_stage = 0.25;  // as shares of the axis
  const auto meets = [&](const Mark& other, double share) {
    return !other.text.empty() && other.x > step - share * steps && other.x < step + own * steps;
  };
  return step < (1 - own) * steps &&
         std::ranges::none_of(stages, [&](const Mark& m) { return meets(m, of_stage); }) &&
         std::ranges::none_of(before, [&](const Mark& m) { return meets(m, own); });
}

}  // namespace

std::vector<std::int64_t> redraws_of(const Run& run, const TrainState& state, std::size_t r,
                                     const std::vector<std::int64_t>& beginnings) {
  const Draw& draw = state.draws[r];
  if (draw.count == 0) return {};
  if (draw.count > most_marks) return {draw.step};
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
  for (std::size_t k = 0; k < all; ++k) {
    if (state.draws[k].count > most_marks) return {};
    for (const std::int64_t step : redraws_of(r.run, state, k, beginnings)) steps.insert(step);
  }
  if (steps.size() > most_marks) return {};
  std::vector<Mark> marks;
  for (const std::int64_t step : steps) {
    marks.push_back({double(step), 0, ""});
    if (is_room_for_name(double(step), double(state.step), stages, marks))
      marks.back().text = "redraw";
  }
  return marks;
}

std::string redraws_text(const ReportedRun& r) {
  const std::vector<Draw>& draws = r.checkpoint.state.draws;
  std::string text;
  for (std::size_t k = 0; k < std::min(draws.size(), r.run.problem.requirements.size()); ++k)
    if (draws[k].count > 0)
      text += fmt::format("{}points of {} were drawn anew {} times, the last time at step {}",
                          text.empty() ? "" : "; ", r.run.problem.requirements[k].name,
                          draws[k].count, draws[k].step);
  return text;
}

}  // namespace pinn::pages
