// The policy `auto`, version 1: what a file without [[stage]] lacks, from its problem alone. What
// it does and what it is worth stands in docs/auto.md. A change of any number here is another
// version.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "configs/choice.h"
#include "configs/choice/course.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/mistakes.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/evaluate/forms.h"

namespace pinn::config {
namespace {

/// Multiplications of a whole run: 40 to 60 seconds of two cores of the 2020s.
constexpr double budget = 1e12;
constexpr long warm_up = 500, least_steps = 1000, most_steps = 20000;
constexpr double most_of_broyden = 6000;  ///< parameters: its matrix is square in them
constexpr double many_waves = 6;          ///< radians over half of an interval
constexpr double data_weight = 10;
constexpr long choice_every = 500;

bool is_wavy(const Sizes& sizes) {
  return std::any_of(sizes.waves.begin(), sizes.waves.end(),
                     [](double w) { return w > many_waves; });
}

std::string network_text(const Draft& d, const Sizes& sizes, std::size_t network) {
  const std::string text = layers_text(d, network);
  if (!is_wavy(sizes)) return text;
  std::string steep;
  for (std::size_t c = 0; c < sizes.waves.size(); ++c) {
    if (!reads(d, network, c)) continue;
    const double turns = d.run.problem.periodic[c] ? M_PI : 2;  // cos and sin of one are there
    if (const double by = sizes.waves[c] / turns; by > 1)
      steep += fmt::format("{}{} = {:.2g}", steep.empty() ? "" : ", ",
                           key_to_toml(d.run.problem.coordinates[c].name), by);
  }
  return text + "activation = [\"sin\"]\nfrequency = { " + steep + " }\n";
}

int points_of(const Requirement& r) {
  constexpr int by_dimension[] = {1, 1000, 4000, 6000};
  const bool equation = r.kind == Requirement::Kind::equation;
  const int dimension = std::clamp(r.region->dimension(), 0, 4);
  if (dimension == 4) return 8000;
  return equation || dimension == 0 ? by_dimension[dimension] : by_dimension[dimension] / 4;
}

/// True where a condition has no form for its value is not smooth enough.
bool is_rough(const Requirement& r, const std::vector<Soft>& soft) {
  return std::ranges::any_of(soft, [&](const Soft& s) {
    return s.rough && std::ranges::any_of(r.residuals, [&](const Residual& residual) {
             return residual.name == s.name;
           });
  });
}

/// The largest term as large as 1, conditions and data above the equations - but not a value with a
/// kink, which no smooth network meets: it would spend all it has there. (A pulse is worth that,
/// with kinks or without.) One weight for a whole
/// system: its residuals are balanced as they stand.
double weight_of(const Requirement& r, const std::vector<double>& terms, bool rough) {
  const bool condition = r.kind == Requirement::Kind::condition && !rough;
  const double importance = condition ? condition_weight : r.data ? data_weight : 1;
  const double size = terms.empty() ? 1 : *std::max_element(terms.begin(), terms.end());
  return importance / (size * size);
}

/// Ratio of residuals that is too large for a system with one weight: they count by their squares,
/// and a thousandth of the largest is lost.
constexpr double uneven = 1e3;

/// A warning for each system whose weight is chosen and that has such residuals.
Warnings uneven_systems(const Draft& d, const Sizes& sizes) {
  Warnings warnings;
  for (const Item& item : d.requirements) {
    const Requirement& r = d.run.problem.requirements[item.index];
    const std::vector<double>& terms = sizes.terms[item.index];
    if (terms.empty() || item.node->at("weight")) continue;
    const auto [least, most] = std::minmax_element(terms.begin(), terms.end());
    if (*most < uneven * *least) continue;
    const auto residual = [&](auto at) -> const Residual& {
      return r.residuals[std::size_t(at - terms.begin())];
    };
    const Text& text = residual(least).text;
    warnings.push_back(report(
        text, {0, text.value.size()},
        fmt::format("'{}' hardly counts: '{}' is {:.0e} times as large by the size of its terms, "
                    "and one weight is chosen for both",
                    residual(least).name, residual(most).name, *most / *least),
        "ask it in a table of its own, or give both a weight, weight = [1, 2]"));
  }
  return warnings;
}

/// The tables of one kind, in the file's order: those of which nothing is chosen are empty.
std::string requirement_text(const Draft& d, const Sizes& sizes, const std::vector<Soft>& soft,
                             const std::string& kind) {
  const Node* tables = d.tree.at(kind);
  const auto& all = d.run.problem.requirements;
  std::string text, pending;
  for (std::size_t i = 0; tables && i < tables->items.size(); ++i) {
    pending += fmt::format("\n[[{}]]\n", kind);
    const Item* item = item_at(d, fmt::format("{}.{}", kind, i + 1));
    if (!item) continue;
    const Requirement& r = all[item->index];
    if (!r.data && !is_integral(r) && r.region->dimension() > 0 && !d.counted)
      pending += fmt::format("points = {{ count = {} }}\n", points_of(r));
    const double weight = weight_of(r, sizes.terms[item->index], is_rough(r, soft));
    if (const ExpressionPtr& factor = sizes.factors[item->index])
      pending += fmt::format("weight = \"{:.2g}*({})^2\"\n", weight,
                             print(*factor, Scope{d.run.problem, Scope::Use::output}));
    else if (all.size() > 1)
      pending += fmt::format("weight = {:.2g}\n", weight);
    text += pending;
    pending.clear();
  }
  return text;
}

/// Multiplications of a step.
double cost(const Draft& d, const std::vector<NetworkOptions>& networks, double usual) {
  const Model model(std::make_shared<const Problem>(d.run.problem), networks);
  const double p = double(model.parameter_count());
  double sum = p <= most_of_broyden ? 4 * p * p : 200 * p;
  for (const Item& item : d.requirements) {
    const Requirement& r = d.run.problem.requirements[item.index];
    const ProductCount count = count_products(model, r);
    const bool said = d.counted || item.node->at("points") != nullptr;
    const double points = r.data ? double(r.data->count)
                          : said ? d.run.sampling[item.index].count
                          : usual > 0 && r.region->dimension() > 0 ? usual
                                                                   : points_of(r);
    sum += points * std::min(count.taylor, count.reverse);
  }
  return sum;
}

}  // namespace

const Item* item_at(const Draft& d, const std::string& path) {
  const auto found = std::find_if(d.requirements.begin(), d.requirements.end(),
                                  [&](const Item& item) { return item.path == path; });
  return found == d.requirements.end() ? nullptr : &*found;
}

bool can_adapt(const Draft& d) {
  bool some = false;
  for (std::size_t i = 0; i < d.requirements.size(); ++i) {
    const Requirement& r = d.run.problem.requirements[i];
    const SamplingOptions& points = d.run.sampling[i];
    if (r.data || is_integral(r) || r.region->dimension() == 0 || !points.adaptive) continue;
    if (points.method == "grid" || 2 * points.count > AdaptiveOptions().candidates) return false;
    some = true;
  }
  return some;
}

std::string second_stage(const Draft& d, bool adapt, double points, int windows) {
  const std::vector<NetworkOptions> networks = with_chosen_layers(d);
  const Model model(std::make_shared<const Problem>(d.run.problem), networks);
  const bool dense = double(model.parameter_count()) <= most_of_broyden;
  const double steps = std::clamp(budget / cost(d, networks, points) / windows, double(least_steps),
                                  double(most_steps));
  std::string text = fmt::format("optimizer = \"{}\"\nsteps = {}\nprecision = \"float64\"\n",
                                 dense ? "ssbroyden" : "lbfgs", long(steps / 100) * 100);
  if (adapt) text += fmt::format("sampling = {{ kind = \"rad\", every = {} }}\n", choice_every);
  return text;
}

std::string first_stage() {
  return fmt::format("optimizer = \"adam\"\nsteps = {}\nrate = 3e-3\n", warm_up);
}

bool is_automatic(const Node& stage) {
  const Node* optimizer = stage.at("optimizer");
  return optimizer && optimizer->kind == Node::string && optimizer->text == "auto";
}

PolicyChoice policy_choice(const Draft& d, const std::vector<Soft>& soft) {
  const Sizes sizes = sizes_of(d.run.problem);
  PolicyChoice choice{{}, {}, uneven_systems(d, sizes)};
  for (std::size_t k = 0; k < d.run.networks.size(); ++k)
    choice.networks.push_back(network_text(d, sizes, k));
  for (const char* kind : {"equation", "condition", "data"})
    choice.rest += requirement_text(d, sizes, soft, kind);
  choice.rest += "\n[[stage]]\n" + first_stage() + "\n[[stage]]\n" + second_stage(d, can_adapt(d)) +
                 "\n[run]\nauto = 1\ngain = { factor = 2, steps = 5000 }\n";
  return choice;
}

std::string stages_choice(const Draft& d) {
  std::string text, pending;
  for (const Item& item : d.stages) {
    pending += "\n[[stage]]\n";
    if (!is_automatic(*item.node)) continue;
    const bool last = item.index + 1 == d.stages.size();
    text += pending + (last ? second_stage(d, false) : first_stage());
    pending.clear();
  }
  return text.empty() ? "" : text + "\n[run]\nauto = 1\n";
}

}  // namespace pinn::config
