// The policy for one coordinate along which fields make very many waves or have fronts: what it is
// worth stands in docs/auto.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "configs/choice.h"
#include "configs/choice/course.h"
#include "configs/reading/pieces.h"

namespace pinn::config {
namespace {

constexpr double very_many_waves = 60, most_waves = 2000;  ///< radians over half of the interval
constexpr double uneven_slopes = 4, steep = 30;
constexpr double waves_of_window = 3, steepness_of_window = 10;
constexpr double most_windows_chosen = 200;
constexpr double enough = 1e-10, enough_waves = 1e-14;  ///< of a loss whose terms are of size 1
constexpr double points_per_wave = 10;
constexpr double usual_points = 1000, most_points = 20000;

/// Limits on the spectrum of a course: what is less is no matter; a wave is 12 radians wide in it.
constexpr double least_power = 1e-3;
constexpr int width_of_wave = 12, most_width = 20, most_bands = 12;
constexpr int most_pairs = 48, most_pairs_of_band = 12, least_pairs_of_band = 4;

/// Tables of what a file has to leave open for any of this.
bool leaves_open(const Draft& d) {
  for (const char* key : {"hard", "output", "periodic"})
    if (networks_say(d.tree, key)) return false;
  return !d.tree.at("windows");
}

/// How many windows of time one network each should follow; 1: it is one interval.
int windows_for(const Draft& d, const Course& course) {
  const Coordinate& along = d.run.problem.coordinates[0];
  if (along.role != Role::time || course.from != along.lower) return 1;
  double count = 1;
  if (course.unevenness() > uneven_slopes && course.steepness() > steep)
    count = course.steepness() / steepness_of_window;
  if (!course.linear && course.waves() > very_many_waves)
    count = std::max(count, course.waves() / waves_of_window);
  return int(std::ceil(std::min(count, most_windows_chosen)));
}

/// Frequencies from and to, in radians over half of the interval.
using Band = std::pair<double, double>;

/// The bands that the fields are made of.
std::vector<Band> bands_of(const Course& course) {
  const std::vector<double> power = course.spectrum();
  std::vector<Band> bands;
  for (std::size_t k = 0; k < power.size(); ++k) {
    if (power[k] < least_power) continue;
    const double at = double(k);
    if (!bands.empty() && at - bands.back().second <= width_of_wave / 2.0)
      bands.back().second = at;
    else
      bands.emplace_back(at, at);
  }
  return bands;
}

/// Wide bands cut, so that each is an even share of the frequencies that are needed.
std::vector<Band> cut(const std::vector<Band>& bands) {
  double width = most_width;
  std::vector<Band> all;
  do {
    all.clear();
    for (const auto& [from, to] : bands) {
      const int parts = std::max(1, int(std::ceil((to - from) / width)));
      for (int k = 0; k < parts; ++k)
        all.emplace_back(from + (to - from) * k / parts, from + (to - from) * (k + 1) / parts);
    }
    width *= 1.5;
  } while (all.size() > most_bands && all.size() > bands.size());
  return all;
}

FourierOptions features_of(const Course& course) {
  FourierOptions features;
  for (const auto& [from, to] : cut(bands_of(course))) {
    features.scale.push_back(std::max<double>(to - from, width_of_wave) / 4);
    features.center.push_back((from + to) / 2);
  }
  features.features = std::clamp(most_pairs / std::max(1, int(features.center.size())),
                                 least_pairs_of_band, most_pairs_of_band);
  return features;
}

std::string text_of(const FourierOptions& features) {
  const auto list = [](const std::vector<double>& numbers, const char* form) {
    std::vector<std::string> all;
    for (const double v : numbers) all.push_back(fmt::format(fmt::runtime(form), v));
    return fmt::format("[{}]", fmt::join(all, ", "));
  };
  return fmt::format("fourier = {{ features = {}, scale = {}, center = {} }}\n", features.features,
                     list(features.scale, "{:.2g}"), list(features.center, "{:.4g}"));
}

/// Fields as a middle and what the network adds, of order one.
std::string form_text(const Draft& d, const Course& course, std::size_t network) {
  std::string text;
  for (int f = 0; f < int(course.fields.size()); ++f) {
    const Field& field = d.run.problem.fields[std::size_t(f)];
    if (field.network != int(network)) continue;
    const double exact = (course.lowest(f) + course.highest(f)) / 2;
    const double half = (course.highest(f) - course.lowest(f)) / 2;
    const double by = half > 1e-9 * std::fabs(exact) ? half : std::max(1e-9, std::fabs(exact));
    const double digit = std::pow(10, std::floor(std::log10(by)) - 1);
    const double middle = std::round(exact / digit) * digit;
    const bool centered = std::fabs(middle) < half / 10;
    text += output_line(field,
                        fmt::format("{}{:.2g}*N", centered ? "" : fmt::format("{:.12g} + ", middle),
                                    by / field.scale));
  }
  return text;
}

/// How many residuals a table of the file writes.
std::size_t residuals_written(const Node& table) {
  const Node* residual = table.at("residual");
  return !residual                       ? 0
         : residual->kind == Node::array ? residual->items.size()
         : residual->kind == Node::table ? residual->entries.size()
                                         : 1;
}

/// The largest term of each residual of order one along the course; conditions above equations. One
/// weight where what is written stands for more residuals than there are texts.
std::string weight_text(const Requirement& r, const Course& course, std::size_t written) {
  std::vector<double> weights;
  const bool equation = r.kind == Requirement::Kind::equation;
  for (const Residual& residual : r.residuals) {
    double size = 0;
    if (equation)
      for (const ExpressionPtr& term : summands(residual.expression))
        size = std::max(size, course.size(term));
    else
      size = course.size(residual.expression);
    if (!(size > 0)) size = 1;
    weights.push_back((equation ? 1 : condition_weight) / (size * size));
  }
  if (weights.size() == 1 || weights.size() != written)
    return fmt::format("{:.2g}", std::ranges::min(weights));
  return fmt::format("[{:.2g}]", fmt::join(weights, ", "));
}

std::string tables_text(const Draft& d, const Course& course, const std::string& kind,
                        long points) {
  const Node* tables = d.tree.at(kind);
  std::string text;
  for (std::size_t i = 0; tables && i < tables->items.size(); ++i) {
    text += fmt::format("\n[[{}]]\n", kind);
    const Item* item = item_at(d, fmt::format("{}.{}", kind, i + 1));
    if (!item) continue;
    const Requirement& r = d.run.problem.requirements[item->index];
    if (r.region->dimension() > 0 && !d.counted)
      text += fmt::format("points = {{ count = {} }}\n", points);
    text += fmt::format("weight = {}\n", weight_text(r, course, residuals_written(*item->node)));
  }
  return text;
}

}  // namespace

std::string course_choice(const Draft& d) {
  if (!leaves_open(d)) return {};
  const std::optional<Course> course = course_of(d.run.problem);
  if (!course) return {};
  const Coordinate& along = d.run.problem.coordinates[0];
  const int windows = windows_for(d, *course);
  const double waves = course->waves();
  if (windows == 1 &&
      !(waves > very_many_waves && waves <= most_waves && !bands_of(*course).empty()))
    return {};
  const long points = windows > 1
                          ? long(usual_points)
                          : long(std::clamp(points_per_wave * waves, usual_points, most_points));
  std::string text = fmt::format(
      "# followed roughly from {0} = {1:g}: {2:.0f} radians over half of {0}, and the steepest "
      "change takes 1/{3:.0f} of it\n# conditions stay in the loss\n",
      along.name, course->from, waves, course->steepness());
  Draft after = d;
  std::vector<NetworkText> networks;
  for (std::size_t k = 0; k < after.run.networks.size(); ++k) {
    networks.push_back({layers_text(d, k), form_text(d, *course, k)});
    const Node* table = network_table(d, k);
    if (windows > 1 || (table && table->at("fourier"))) continue;
    after.run.networks[k].fourier = features_of(*course);
    networks.back().keys += text_of(after.run.networks[k].fourier);
  }
  text += network_tables(d, networks) + tables_text(d, *course, "equation", points) +
          tables_text(d, *course, "condition", 1);
  if (windows > 1) text += fmt::format("\n[windows]\ncount = {}\ncarry = false\n", windows);
  text += "\n[[stage]]\n" + first_stage() + "\n[[stage]]\n" +
          second_stage(after, can_adapt(d), double(points), windows) +
          "\n[run]\nauto = 1\ngain = { factor = 2, steps = 5000 }\n";
  text += fmt::format("stop_below = {:.0e}\n", windows > 1 ? enough : enough_waves);
  return text;
}

}  // namespace pinn::config
