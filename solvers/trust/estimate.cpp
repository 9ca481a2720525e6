#include "solvers/trust/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/pieces.h"
#include "solvers/residual/evaluate/residuals.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/residual/step/step_cache.h"
#include "solvers/state/windows.h"
#include "solvers/trust/hidden.h"

namespace pinn {
namespace {

constexpr double agreement = 3;       ///< between two estimates of which one is told
constexpr double enough_share = 0.9;  ///< share of the squared residual, not to look further
constexpr double little = 0.2;        ///< share of which no number is told
constexpr double linear = 0.5;        ///< share of the residual that linearization may leave out
constexpr double most_open = 60;      ///< see Correction::open
constexpr double unsolved = 0.3;      ///< relative error of any field: no number of any
constexpr double vanishing = 0.1;     ///< size of a field beside its change: it is 0
constexpr double least_share = 3;     ///< a lower bound is the smallest estimate over this
constexpr int samples_in_all = 2000, least_samples = 300;

/// A space of functions to try.
struct Space {
  std::string name, kind;
  std::vector<double> reach;
  std::size_t columns;
  int slope = -1;
};

/// Rows that training has, data aside: what they did not see, no more functions would.
double rows_of_training(const Run& run) {
  double rows = 0;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    if (const Requirement& asked = run.problem.requirements[r]; !asked.data)
      rows += double(run.sampling[r].count) * double(terms_of(asked, run.problem).size());
  return rows;
}

/// How many columns a window may have.
std::size_t columns_for(const Run& run, std::size_t windows) {
  constexpr double least = 100;
  const std::size_t d = run.problem.coordinates.size();
  const double alone = d == 2 ? 900 : 600;
  const double most = windows == 1 ? alone : std::max(300., alone / double(windows));
  return std::size_t(std::clamp(rows_of_training(run), least, most));
}

/// In the order in which they are tried.
std::vector<Space> choices(const Run& run, std::size_t windows) {
  const Problem& problem = run.problem;
  const std::size_t d = problem.coordinates.size();
  const std::vector<double> even(d, 1);
  std::vector<Space> all;
  if (d == 1) {
    const std::size_t fields = problem.fields.size();
    for (const std::size_t n : {std::size_t(60), std::size_t(300), std::size_t(900)})
      all.push_back({fmt::format("{} functions", n), fmt::format("{}", n), even,
                     std::min<std::size_t>(n * fields, 2000)});
    return all;
  }
  const std::size_t columns = columns_for(run, windows);
  all.push_back({"even", "even", even, columns});
  all.push_back({"slopes", "slopes", even, columns, 0});
  for (std::size_t c = 0; c < std::min<std::size_t>(d, 3); ++c) {
    std::vector<double> fine = even;
    fine[c] = d == 2 ? 4 : 2;
    const std::string name = "fine along " + problem.coordinates[c].name;
    all.push_back({name, name, std::move(fine), columns});
  }
  return all;
}

double length(const TrainedWindow& window) {
  for (const Coordinate& c : window.run->problem.coordinates)
    if (c.role == Role::time) return c.upper - c.lower;
  return 1;
}

/// Correction in a space, of all windows, one after the other.
std::optional<Correction> over_windows(const std::vector<TrainedWindow>& windows,
                                       const std::vector<Samples>& samples, const Space& choice,
                                       ThreadPool& pool, std::string& absent) {
  Correction total;
  std::optional<Carried> carried;
  double time = 0;
  for (const TrainedWindow& window : windows) time += length(window);
  for (std::size_t k = 0; k < windows.size(); ++k) {
    const TrainedWindow& window = windows[k];
    Linearized problem(*window.run, window.network.model, window.network.parameters, window.weights,
                       carried ? &*carried : nullptr, pool);
    absent = problem.absent();
    if (!absent.empty()) return {};
    std::optional<Correction> found =
        corrected(problem, problem.space(choice.reach, choice.columns, choice.slope), samples[k],
                  k + 1 < windows.size());
    if (!found) return {};
    total.squares += 1;
    total.left += found->left / found->squares;
    total.nonlinear = std::max(total.nonlinear, found->nonlinear);
    total.open = std::max(total.open, found->open);
    total.fields.resize(found->fields.size());
    const double share = length(window) / time;
    for (std::size_t f = 0; f < found->fields.size(); ++f) {
      total.fields[f].change += share * found->fields[f].change;
      total.fields[f].scatter += share * found->fields[f].scatter;
      total.fields[f].size += share * found->fields[f].size;
      total.fields[f].before += share * found->fields[f].before;
    }
    carried = std::move(found->carried);
  }
  total.name = choice.name;
  total.kind = choice.kind;
  return total;
}

bool agree(const Correction& a, const Correction& b, std::size_t field, double within) {
  const double x = a.error(field), y = b.error(field);
  return std::max(x, y) <= within * std::min(x, y);
}

/// The next correction of another kind than the first.
const Correction* second_of(const std::vector<Correction>& all) {
  for (std::size_t k = 1; k < all.size(); ++k)
    if (all[k].kind != all[0].kind) return &all[k];
  return nullptr;
}

void best_first(std::vector<Correction>& all) {
  std::ranges::stable_sort(all, [](const Correction& a, const Correction& b) {
    const bool linear_a = a.nonlinear < linear, linear_b = b.nonlinear < linear;
    return linear_a != linear_b ? linear_a : a.share() > b.share();
  });
}

/// Spaces like the best one, finer where it is fine, to confirm it.
std::vector<Space> confirming(const std::vector<Space>& tried, const Correction& best) {
  std::vector<Space> all;
  for (const Space& space : tried) {
    if (space.name != best.name || space.reach.size() < 2) continue;
    std::vector<double> finer = space.reach;
    for (double& r : finer) r *= r > 1 ? 2 : 1;
    all.push_back({"finer: " + space.name, "finer", finer, space.columns * 3 / 2});
    all.push_back({"slopes: " + space.name, "slopes", space.reach, space.columns * 3 / 2, 0});
  }
  return all;
}

/// True if nothing better is to be expected.
bool settled(std::vector<Correction>& all) {
  constexpr double close = 1.5;
  best_first(all);
  const Correction* second = all.empty() ? nullptr : second_of(all);
  if (!second || second->share() < enough_share || second->nonlinear >= linear) return false;
  for (std::size_t f = 0; f < all[0].fields.size(); ++f)
    if (!agree(all[0], *second, f, close)) return false;
  return true;
}

bool has_rows(const Run& run) {
  return std::ranges::any_of(run.problem.requirements,
                             [](const Requirement& r) { return !r.data; });
}

}  // namespace

std::vector<TrainedWindow> trained_windows(const Run& run,
                                           const std::vector<TrainedNetwork>& networks,
                                           const TrainState& state, ThreadPool& pool) {
  const auto cache = std::make_shared<StepCache>();
  std::vector<TrainedWindow> windows;
  for (std::size_t k = 0; k < networks.size(); ++k) {
    const TrainedNetwork& before = networks[k == 0 ? 0 : k - 1];
    windows.push_back({window_run(run, k, before, pool, cache), networks[k], state.weights});
    if (k + 1 == networks.size()) continue;
    windows.back().weights.clear();
    for (const Requirement& r : windows.back().run->problem.requirements)
      for (const LossTerm& term : terms_of(r, windows.back().run->problem))
        windows.back().weights.push_back(term.weight);
  }
  return windows;
}

Corrections corrections(const std::vector<TrainedWindow>& windows, const TrainState& state,
                        const LossOptions& options, ThreadPool& pool) {
  Corrections found;
  std::vector<Samples> samples;
  const std::vector<GaugeMode> modes = open_modes(windows[0].run->problem);
  for (const TrainedWindow& window : windows)
    samples.push_back(samples_of(
        window, modes, std::max(least_samples, samples_in_all / int(windows.size())), pool));
  const std::vector<Space> to_try = choices(*windows[0].run, windows.size());
  for (const Space& choice : to_try) {
    if (auto one = over_windows(windows, samples, choice, pool, found.absent))
      found.all.push_back(std::move(*one));
    if (!found.absent.empty() || settled(found.all)) break;
  }
  if (!found.all.empty() && !settled(found.all) && found.all[0].share() >= enough_share)
    for (const Space& space : confirming(to_try, found.all[0]))
      if (auto one = over_windows(windows, samples, space, pool, found.absent);
          one && !settled(found.all))
        found.all.push_back(std::move(*one));
  const TrainedWindow& last = windows.back();
  if (settled(found.all) || windows.size() > 1) return found;
  for (Correction& one : by_wider_networks(*last.run, *last.network.model, last.network.parameters,
                                           state, options, samples[0], pool)) {
    if (found.absent.empty()) one.kind = "features";
    found.all.push_back(std::move(one));
  }
  best_first(found.all);
  return found;
}

namespace {

/// The first condition that seems to be missing; of a window whose form begins with the one before,
/// that has been asked.
std::string missing_condition(const Problem& problem) {
  for (const ExpressionPtr& output : problem.outputs)
    if (output && contains(*output, Expression::Kind::before)) return "";
  for (const Warnings& missing : {uncovered_faces(problem), uncovered_boundary(problem),
                                  missing_velocities(problem), half_held_faces(problem)})
    if (!missing.empty()) return missing[0].what;
  return "";
}

/// True of a field that is 0, as far as one can tell.
bool is_zero(const FieldChange& field) {
  const double absolute = std::sqrt(field.change + field.scatter);
  return std::sqrt(field.size) < vanishing * absolute &&
         std::sqrt(field.before) < (1 + vanishing) * absolute;
}

bool is_far_off(const Correction& best) {
  for (std::size_t f = 0; f < best.fields.size(); ++f)
    if (best.error(f) > unsolved && !is_zero(best.fields[f])) return true;
  return false;
}

/// Why no number is told of any field; empty where nothing speaks against it.
std::string doubt(const Problem& problem, const Correction& best, const Hidden& hidden) {
  if (!hidden.why.empty()) return hidden.why;
  if (const std::string missing = missing_condition(problem); !missing.empty())
    return "a condition may be missing: " + missing;
  if (!(best.nonlinear < linear)) return "the equations are not linear so far off";
  if (is_far_off(best)) return "a field is too far off";
  if (best.open > most_open) return "the residual says little of some changes of the fields";
  if (best.share() < little) return "what is left of the residual is too rough";
  return "";
}

/// The smallest error of a field; what is hidden and smaller than that does not matter.
double smallest(const Corrections& found) {
  constexpr double unknown = 1e-3, least = 1e-9;
  if (found.all.empty()) return unknown;
  double error = INFINITY;
  for (std::size_t f = 0; f < found.all[0].fields.size(); ++f)
    error = std::min(error, found.all[0].error(f));
  return std::max(least, error);
}

/// True where a correction that accounts for more, though in no single step, is of another size.
bool is_contradicted(const Corrections& found, std::size_t field) {
  const Correction& best = found.all[0];
  return std::ranges::any_of(found.all, [&](const Correction& one) {
    return one.share() > best.share() && !agree(best, one, field, agreement);
  });
}

EstimatedError error_of(const Corrections& found, std::size_t field, const std::string& name,
                        const std::string& doubt) {
  const Correction& best = found.all[0];
  const FieldChange& change = best.fields[field];
  const double absolute = std::sqrt(change.change + change.scatter);
  EstimatedError told{.field = name,
                      .relative = best.error(field),
                      .explained = std::max(0.0, best.share()),
                      .absolute = absolute,
                      .why = doubt};
  const Correction* second = second_of(found.all);
  told.zero = is_zero(change) && doubt.empty();
  if (told.zero) return told;
  if (told.why.empty() && !second) told.why = "there is one estimate only";
  if (told.why.empty() && !agree(best, *second, field, agreement))
    told.why = fmt::format("two estimates of it are {:.1e} and {:.1e}", best.error(field),
                           second->error(field));
  if (told.why.empty() && is_contradicted(found, field))
    told.why = "a correction that accounts for more is too large for linearization";
  told.at_least = !told.why.empty();
  if (!told.at_least) {
    if (best.share() < enough_share) told.relative = std::max(told.relative, second->error(field));
    return told;
  }
  for (const Correction& one : found.all)
    if (one.share() > 0 || best.share() <= 0)
      told.relative = std::min(told.relative, one.error(field));
  told.relative = std::min(told.relative, 1.0) / least_share;
  return told;
}

}  // namespace

WarnedEstimates estimated_errors(const std::vector<TrainedWindow>& windows, const TrainState& state,
                                 const LossOptions& options, ThreadPool& pool) {
  const Problem& problem = windows[0].run->problem;
  if (!has_rows(*windows[0].run)) return {.errors = {.absent = "the file asks for data alone"}};
  const Corrections found = corrections(windows, state, options, pool);
  const Hidden hidden = hidden_from_residuals(windows, smallest(found), pool);
  WarnedEstimates told{.errors = {}, .warnings = hidden.warnings};
  if (found.all.empty()) {
    told.errors.absent = found.absent.empty() ? "no correction was found" : found.absent;
    return told;
  }
  const std::string why = doubt(problem, found.all[0], hidden);
  const std::vector<std::string> names = whole_fields(problem);
  for (std::size_t f = 0; f < names.size(); ++f)
    told.errors.fields.push_back(error_of(found, f, names[f], why));
  return told;
}

}  // namespace pinn
