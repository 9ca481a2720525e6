#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "configs/draft.h"
#include "configs/reading/pieces.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/rewritten.h"
#include "solvers/state/windows.h"

namespace pinn::config {
namespace {

constexpr double most_windows = 10'000;

class WindowReader {
 public:
  WindowReader(Draft& draft, const Node& node, int time)
      : draft_(draft),
        node_(node),
        time_(time),
        t_(draft.run.problem.coordinates[std::size_t(time)]) {}

  void read() {
    const Node *count = node_.at("count"), *length = node_.at("length");
    if (count && length)
      return refuse(*length, "windows have a count or a length, not both", "leave out one of them");
    if (count) cut((t_.upper - t_.lower) / double(count->whole), std::size_t(count->whole));
    if (length) read_length(*length);
    if (!count && !length && !node_.find("count") && !node_.find("length"))
      refuse(node_, "[windows] does not say how many there are",
             "write count = 4, or length = 0.25");
  }

  /// Checks that what is asked at one time, or of two, can be asked of windows.
  void check(Warnings& warnings) {
    const Problem& problem = draft_.run.problem;
    bool initial = false;
    for (const Item& item : draft_.requirements) {
      const Requirement& r = problem.requirements[item.index];
      initial = initial || is_initial(r, problem);
      if (is_initial_in_part(r, problem))
        refuse(*item.node,
               fmt::format("'{}' is asked at {} = {:g}, where a window hands over to the next, and "
                           "elsewhere, too",
                           r.name, t_.name, t_.lower),
               "write a requirement for each");
      if (is_integral(r) && !is_in_one_window(*r.region))
        draft_.findings.add(
            Mistake::integral_windows, *item.node,
            fmt::format("not yet: '{}' is an integral over more than one time, in windows", r.name),
            fmt::format("take it at one time, on = \"{} = {:g}\", or at every time, with "
                        "'integrate' over the other coordinates; or leave out [windows]",
                        t_.name, t_.lower));
      check_points(item);
      if (r.periodic && r.periodic->coordinate == time_)
        refuse(*item.node, fmt::format("'{}' is periodic in time, which is cut", r.name),
               "leave out [windows], or this");
    }
    if (problem.periodic[std::size_t(time_)])
      refuse(node_, "the network is periodic in time, which is cut",
             "leave out [windows], or network.periodic");
    check_hard_constraints();
    if (!initial)
      warnings.push_back(
          {fmt::format(
               "nothing is asked at {} = {:g}, so no window hands anything over to the next",
               t_.name, t_.lower),
           "[windows]",
           fmt::format("add a condition with on = \"{} = {:g}\", or leave out [windows]", t_.name,
                       t_.lower)});
    if (!node_.find("carry")) check_carried(warnings);
  }

 private:
  void refuse(const Node& at, std::string what, std::string fix) {
    draft_.findings.add(Mistake::windows, at, std::move(what), std::move(fix));
  }

  /// Warns where nobody said what starts a window: long steps leave little that another can use.
  void check_carried(Warnings& warnings) {
    const auto corrects = [](const Stage& stage) {
      return stage.optimizer.kind == "levenberg_marquardt" && stage.optimizer.corrections > 0;
    };
    if (draft_.run.windows.edges.size() > 1 && std::ranges::any_of(draft_.run.stages, corrects))
      warnings.push_back(
          {"windows start with the network of the window before, which corrected "
           "steps of levenberg_marquardt wear out",
           "[windows]", "write carry = false, by which each starts anew, or carry = true"});
  }

  /// True if a region has single times alone, of one window.
  bool is_in_one_window(const Region& region) const {
    const auto time = [&](const Region* part) { return part->bounds()[std::size_t(time_)]; };
    const std::size_t window = window_at(draft_.run, time(region.parts()[0]).lower);
    return std::ranges::all_of(region.parts(), [&](const Region* part) {
      return time(part).fixed() && window_at(draft_.run, time(part).lower) == window;
    });
  }

  /// Points of a file have to be in every window, where they are asked for in all of them.
  void check_points(const Item& item) {
    const Run& run = draft_.run;
    const Requirement& r = run.problem.requirements[item.index];
    const auto& given = run.sampling[item.index].given;
    if (!given || is_initial(r, run.problem)) return;
    std::vector<bool> there(window_count(run));
    const std::size_t d = run.problem.coordinates.size();
    for (std::size_t at = std::size_t(time_); at < given->x.size(); at += d)
      there[window_at(run, given->x[at])] = true;
    for (std::size_t k = 0; k < there.size(); ++k)
      for (const Region* part : r.region->parts()) {
        const Interval asked = part->bounds()[std::size_t(time_)], window = window_times(run, k);
        const bool wanted = asked.fixed() ? window_at(run, asked.lower) == k
                                          : std::max(asked.lower, window.lower) <
                                                std::min(asked.upper, window.upper);
        if (wanted && !there[k])
          return refuse(*item.node,
                        fmt::format("the file of '{}' has no point from {} = {:g} to {:g}, in "
                                    "window {}",
                                    r.name, t_.name, window.lower, window.upper, k + 1),
                        "add some, or take fewer windows");
      }
  }

  void read_length(const Node& node) {
    double length = node.real;
    if (node.kind == Node::string && !reading(draft_, node, Mistake::windows_length, [&] {
          length = parse_constant(text(node), draft_.run.problem);
        }))
      return;
    const double whole = t_.upper - t_.lower;
    if (!(length > 0) || !(whole / length <= most_windows))
      return refuse(
          node, fmt::format("no window of time has the length {:g}", length),
          fmt::format("write a length above {:g} and up to {:g}", whole / most_windows, whole));
    cut(length, std::size_t(std::ceil(whole / length * (1 - 1e-12))));
  }

  void cut(double length, std::size_t count) {
    for (std::size_t k = 1; k < count; ++k)
      draft_.run.windows.edges.push_back(t_.lower + double(k) * length);
  }

  /// Whatever fixes the beginning of time would fix that of every window; a velocity there is not
  /// handed over.
  void check_hard_constraints() {
    const Problem& problem = draft_.run.problem;
    const auto start = face(problem, time_, false);
    for (std::size_t f = 0; f < problem.outputs.size(); ++f) {
      if (!problem.outputs[f] || !decides(problem, f, *start, time_, 0)) continue;
      const std::string &u = problem.fields[f].name, &t = t_.name;
      const bool says = !draft_.run.windows.outputs.empty() && draft_.run.windows.outputs[f];
      const Node& at = *network_table(draft_, std::size_t(problem.fields[f].network))->at("output");
      if (!says)
        refuse(at,
               fmt::format("the hard constraint of {} fixes {} = {:g}, which only the first window "
                           "begins with",
                           u, t, t_.lower),
               fmt::format(
                   "write it with initial({0}), as in {0} = \"initial({0}) + ({1} - "
                   "initial({1}))*N\", beside a condition that says what {0} is at {1} = {2:g}",
                   u, t, t_.lower));
      else if (decides(problem, f, *start, time_, 1))
        refuse(
            at,
            fmt::format("the hard constraint of {} fixes {}_{} at the start of every window, and "
                        "with it what a window hands over",
                        u, u, t),
            fmt::format("let it fix {} alone, with ({} - initial({}))*N", u, t, t));
    }
  }

  Draft& draft_;
  const Node& node_;
  const int time_;
  const Coordinate& t_;
};

/// Gives initial(...) in hard constraints its meaning in the first window, and keeps them as they
/// are written for the others.
void read_initial(Draft& draft) {
  Problem& problem = draft.run.problem;
  const int time = time_of(problem);
  const auto says = std::ranges::find_if(problem.outputs, says_initial);
  if (says == problem.outputs.end()) return;
  const Field& saying = problem.fields[std::size_t(says - problem.outputs.begin())];
  const Node* table = network_table(draft, std::size_t(saying.network))->at("output");
  const auto refuse = [&](std::string what, std::string fix) {
    draft.findings.add(Mistake::initial, *table, std::move(what), std::move(fix));
  };
  std::vector<ExpressionPtr> values(problem.fields.size());
  for (const ExpressionPtr& output : problem.outputs)
    for (const int f : initial_fields(output)) {
      const std::string& u = problem.fields[std::size_t(f)].name;
      values[std::size_t(f)] = initial_value(problem, f);
      if (values[std::size_t(f)]) continue;
      values[std::size_t(f)] = make_number(0);
      if (time < 0)
        refuse(fmt::format("initial({}): there is no time", u),
               "call a coordinate t, or give it the role \"time\"");
      else
        refuse(
            fmt::format("initial({}): no condition says what {} is at the lower end of time", u, u),
            fmt::format("add a condition on = \"initial\" with residual = \"{} = ...\", a "
                        "formula of coordinates",
                        u));
    }
  draft.run.windows.outputs.resize(problem.outputs.size());
  for (std::size_t f = 0; f < problem.outputs.size(); ++f) {
    if (!says_initial(problem.outputs[f])) continue;
    draft.run.windows.outputs[f] = problem.outputs[f];
    const double start = time < 0 ? 0 : problem.coordinates[std::size_t(time)].lower;
    problem.outputs[f] = with_initial(problem.outputs[f], start, values);
  }
}

}  // namespace

void refuse_other_times(Draft& draft) {
  const Run& run = draft.run;
  if (run.windows.edges.empty()) return;
  const int time = time_of(run.problem);
  const auto refuse = [&](const Node& at, const ExpressionPtr& e, const std::string& name) {
    if (e && asks_elsewhere(*e, time))
      draft.findings.add(Mistake::windows_elsewhere, at,
                         fmt::format("not yet: '{}' asks for fields at other times, in windows of "
                                     "time: each has a network of its own",
                                     name),
                         "leave out [windows], or ask at other places of the same time");
  };
  for (const Item& item : draft.requirements)
    for (const Residual& residual : run.problem.requirements[item.index].residuals)
      refuse(*item.node, residual.expression, residual.name);
  const Node* output = draft.tree.at("output");
  for (std::size_t k = 0; output && k < run.output.expressions.size(); ++k)
    refuse(*output, run.output.expressions[k], run.output.fields[k].value);
  for (const OutputValue& value : run.output.values)
    for (const Functional& functional : value.formula.functionals)
      refuse(*draft.tree.at("output.values"), functional.of, value.name);
  for (const ReferenceQuantity& quantity : run.reference.quantities)
    refuse(*draft.tree.at("reference"), quantity.expression, quantity.name);
}

void read_windows(Draft& draft, Warnings& warnings) {
  for (const Requirement& r : draft.run.problem.requirements)
    if (!r.data && !r.region) return;  // it could not be read
  read_initial(draft);
  const Node* windows = draft.tree.at("windows");
  if (!windows) return;
  const int time = time_of(draft.run.problem);
  if (time < 0)
    return draft.findings.add(Mistake::no_time, *windows, "there is no time to cut into windows",
                              "call a coordinate t, or give it the role \"time\"");
  if (draft.run.problem.pieces)
    return draft.findings.add(Mistake::windows_of_pieces, *windows,
                              "not yet: windows of fields or constants with pieces",
                              "cut time into pieces, too: over = [\"t\"]; see docs/pieces.md");
  WindowReader reader(draft, *windows, time);
  reader.read();
  if (!draft.run.windows.edges.empty()) reader.check(warnings);
}

}  // namespace pinn::config
