#include "tests/configs/same_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "configs/keys.h"
#include "tests/solvers/problem/same.h"

using namespace pinn;

namespace {

template <class T, class Same>
bool all_same(const std::vector<T>& a, const std::vector<T>& b, Same each) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), each);
}

bool same_formula(const ExpressionPtr& a, const ExpressionPtr& b) {
  return a && b ? same(*a, *b) : a == b;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

auto parts(const Coordinate& c) {
  return std::tie(c.name, c.lower, c.upper, c.role, c.unit, c.role_written);
}
auto parts(const Field& f) {
  return std::tie(f.name, f.unit, f.scale, f.inputs, f.network, f.piece_of);
}
auto parts(const Unknown& u) { return std::tie(u.name, u.start, u.min, u.max, u.log); }
auto parts(const Constant& c) { return std::tie(c.name, c.value); }
auto parts(const SamplingOptions& s) { return std::tie(s.count, s.method, s.redraw); }
auto parts(const DataSet& d) {
  return std::tie(d.file, d.columns, d.rows, d.values, d.count, d.sigma);
}
auto parts(const Stage& s) {
  const OptimizerOptions& o = s.optimizer;
  return std::tie(s.name, s.precision, o.kind, o.steps, o.rate, o.schedule.kind, o.schedule.warm_up,
                  o.schedule.decay, o.schedule.every, o.schedule.final, o.beta1, o.beta2, o.epsilon,
                  o.weight_decay, o.momentum, o.clip, o.history, o.tolerance);
}
auto parts(const NetworkOptions& n) {
  return std::tie(n.kind, n.layers, n.activation, n.initialization, n.frequency, n.periodic,
                  n.fourier.features, n.fourier.scale, n.fourier.seed, n.fourier.center, n.name);
}
auto parts(const RunOptions& o) {
  return std::tie(o.seed, o.device, o.threads, o.precision, o.products, o.derivatives,
                  o.checkpoint.every, o.checkpoint.minutes, o.max_time, o.stop_below, o.patience);
}

const auto equal_parts = [](const auto& a, const auto& b) { return parts(a) == parts(b); };

bool same_residual(const Residual& a, const Residual& b) {
  return a.name == b.name && a.weight == b.weight && same_formula(a.expression, b.expression);
}

bool same_region(const Requirement& a, const Requirement& b) {
  if (!a.region || !b.region) return a.region == b.region;
  return a.region->dimension() == b.region->dimension() &&
         a.region->measure() == b.region->measure() &&
         a.region->has_normal() == b.region->has_normal();
}

bool same_requirement(const Requirement& a, const Requirement& b) {
  const bool periodic = a.periodic && b.periodic
                            ? a.periodic->coordinate == b.periodic->coordinate &&
                                  a.periodic->order == b.periodic->order
                            : a.periodic.has_value() == b.periodic.has_value();
  const bool data = a.data && b.data ? parts(*a.data) == parts(*b.data)
                                     : a.data.has_value() == b.data.has_value();
  return a.kind == b.kind && a.name == b.name && a.weight == b.weight && periodic && data &&
         same_region(a, b) && all_same(a.residuals, b.residuals, same_residual);
}

bool same_problem(const Problem& a, const Problem& b) {
  const auto defined = [](const Define& x, const Define& y) {
    return x.name == y.name && all_same(x.parts, y.parts, same_formula);
  };
  return all_same(a.coordinates, b.coordinates, equal_parts) &&
         all_same(a.fields, b.fields, equal_parts) &&
         all_same(a.constants, b.constants, equal_parts) &&
         all_same(a.unknowns, b.unknowns, equal_parts) && all_same(a.defines, b.defines, defined) &&
         all_same(a.requirements, b.requirements, same_requirement) &&
         all_same(a.outputs, b.outputs, same_formula) && a.periodic == b.periodic;
}

bool same_solution(const std::optional<Solution>& a, const std::optional<Solution>& b) {
  return a.has_value() == b.has_value() && (!a || (a->x == b->x && a->values == b->values));
}

bool same_quantity(const ReferenceQuantity& a, const ReferenceQuantity& b) {
  return a.name == b.name && same_formula(a.expression, b.expression) &&
         same_formula(a.exact, b.exact) && same_number(a.error, b.error);
}

/// The keys of one table, in the order of the table of keys.
std::string table_text(const Run& run, const config::Section& s, const std::string& shown) {
  std::string text;
  std::set<std::string> done;
  for (const config::Key& key : config::keys()) {
    const std::string name = key.name().substr(0, key.name().find(".*"));
    const auto at = run.effective.find(shown.empty() ? name : shown + "." + name);
    if (key.section() == s.path && at != run.effective.end() && done.insert(name).second)
      text += name + " = " + at->second + "\n";
  }
  return text.empty() ? "" : (s.header.empty() ? "" : "\n" + s.header + "\n") + text;
}

}  // namespace

bool same_run(const Run& a, const Run& b) {
  return same_problem(a.problem, b.problem) && all_same(a.sampling, b.sampling, equal_parts) &&
         all_same(a.networks, b.networks, equal_parts) &&
         all_same(a.stages, b.stages, equal_parts) && equal_parts(a.options, b.options) &&
         a.output.grid == b.output.grid && a.output.points_file == b.output.points_file &&
         all_same(a.output.expressions, b.output.expressions, same_formula) &&
         same_solution(a.reference.solution, b.reference.solution) &&
         a.reference.gauge == b.reference.gauge &&
         all_same(a.reference.quantities, b.reference.quantities, same_quantity) &&
         a.effective == b.effective && a.hashes == b.hashes;
}

std::string effective_toml(const Run& run) {
  using config::Section;
  const auto counted = [](const Section& s, std::size_t i) {
    return s.path.substr(0, s.path.size() - 1) + std::to_string(i);
  };
  const auto named = [](const std::string& path) -> const Section& {
    return *std::find_if(config::sections().begin(), config::sections().end(),
                         [&](const Section& s) { return s.path == path; });
  };
  std::string text;
  const std::size_t networks = run.networks.size();
  for (const Section& s : config::sections())
    if (s.path.find('#') == std::string::npos && (s.path != "network" || networks == 1))
      text += table_text(run, s, s.path);
  for (std::size_t k = 1; networks > 1 && k <= networks; ++k)
    text += table_text(run, {"network", "[[network]]", ""}, "network." + std::to_string(k));
  std::map<std::string, std::size_t> count;
  for (const Requirement& r : run.problem.requirements) {
    const char* kinds[] = {"equation.#", "condition.#", "data.#"};
    const Section& s = named(kinds[int(r.kind)]);
    text += table_text(run, s, counted(s, ++count[s.path]));
  }
  for (std::size_t i = 1; i <= run.stages.size(); ++i)
    text += table_text(run, named("stage.#"), counted(named("stage.#"), i));
  return text;
}
