#pragma once
#include <fmt/format.h>

#include <string>

#include "solvers/state/state.h"

namespace pinn {

// One description of the train state, for all that writes, reads, checks and compares it. A visitor
// is handed each part with its path in a checkpoint:
//
//   part(path, value)              is always there
//   since(path, value, otherwise)  is missing in files of older programs, which mean `otherwise`
//   unless(path, value)            is left out where it is empty, 0 or NaN
//   column(path, items, get)       a number of each item
//   table(path, values, rows, columns), texts(path, values)
//   sized(items, count)            as many as there are of something else
//   groups(path, items, always)    as many as there are groups 1, 2, ... there
//   memory(index, memory)          of an optimizer
//   same(path, a, b), together(path, path), has(path)
//
// Values are std::int64_t and double, lists of these, numbers by name, and float64 tensors.

template <class Best, class Visitor>
void visit_best(Best& best, const std::string& group, Visitor& v) {
  v.part(group + "/parameters", best.parameters);
  v.part(group + "/residual", best.residual);
  v.part(group + "/step", best.step);
  v.together(group + "/smallest", group + "/smallest_step");
  v.since(group + "/smallest", best.smallest, best.residual);  // before, the smallest was the best
  v.since(group + "/smallest_step", best.smallest_step, best.step);
}

template <class Draws, class Visitor> void visit_draws(Draws& draws, Visitor& v) {
  v.column(
      "/state/draws/count", draws, [](auto& draw) -> auto& { return draw.count; });
  v.column(
      "/state/draws/step", draws, [](auto& draw) -> auto& { return draw.step; });
  for (std::size_t r = 0; r < draws.size(); ++r) {
    const std::string group = fmt::format("/state/points/{}", r + 1);
    v.unless(group + "/x", draws[r].x);
    v.unless(group + "/normals", draws[r].normals);
    v.unless(group + "/weights", draws[r].weights);
    v.unless(group + "/concentration", draws[r].concentration);
  }
}

template <class Weighting, class Visitor>
void visit_weighting(Weighting& w, std::size_t requirements, Visitor& v) {
  if (v.has("/state/weighting"))  // or it is of a program that could not change them
    v.part("/state/weighting/changes", w.changes);
  v.unless("/state/weighting/first", w.first);
  v.unless("/state/weighting/before", w.before);
  v.sized(w.points, requirements);
  v.sized(w.causal, requirements);
  for (std::size_t r = 0; r < w.points.size(); ++r) {
    const std::string group = fmt::format("/state/weighting/{}", r + 1);
    v.unless(group + "/factors", w.points[r].factors);
    v.unless(group + "/first", w.points[r].first);
    v.unless(group + "/second", w.points[r].second);
    v.unless(group + "/moves", w.points[r].moves);
    v.unless(group + "/causal", w.causal[r]);
  }
}

template <class Windows, class Visitor> void visit_finished(Windows& finished, Visitor& v) {
  std::int64_t count = std::ssize(finished);
  v.unless("/state/windows", count);
  v.groups("/windows", finished, false);
  v.same("/windows", std::ssize(finished), count);
  for (std::size_t k = 0; k < finished.size(); ++k) {
    const std::string group = fmt::format("/windows/{}", k + 1);
    visit_best(finished[k].best, group, v);
    v.part(group + "/end", finished[k].end);
  }
}

template <class History, class Visitor> void visit_history(History& h, Visitor& v) {
  v.texts("/history/columns", h.columns);
  v.part("/history/step", h.steps);
  v.table("/history/values", h.values, h.steps.size(), h.columns.size());
  v.sized(h.speed, h.steps.size());
  if (!v.has("/history/speed")) return;  // of a program that did not measure it
  for (int i = 0; i < Speed::count; ++i)
    v.column(
        fmt::format("/history/speed/{}", Speed::names[i]),
        h.speed, [i](auto& speed) -> auto& { return speed.values[i]; });
}

/// Hands all of a state, const or not, to a visitor.
template <class State, class Visitor> void visit_state(State& s, Visitor& v) {
  v.part("/state/parameters", s.parameters);
  v.part("/state/stage", s.stage);
  v.part("/state/stage_step", s.stage_step);
  v.part("/state/step", s.step);
  v.unless("/state/ramp_step", s.ramp_step);
  v.unless("/state/average", s.average);
  v.part("/state/steps_without_better", s.steps_without_better);
  v.part("/state/seconds", s.seconds);
  v.part("/state/weights", s.weights);
  v.groups("/state/optimizer", s.memory, true);
  for (std::size_t i = 0; i < s.memory.size(); ++i) v.memory(i, s.memory[i]);
  visit_draws(s.draws, v);
  visit_weighting(s.weighting, s.draws.size(), v);
  visit_best(s.best, "/best", v);
  v.since("/best/errors", s.best.errors, {});
  v.since("/best/values", s.best.values, {});
  visit_finished(s.finished, v);
  visit_history(s.history, v);
}

}  // namespace pinn
