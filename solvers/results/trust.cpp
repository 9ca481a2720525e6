#include "solvers/results/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pinn {
namespace {

std::string noise_text(const DataNoise& noise) {
  if (noise.freedom == 0)
    return fmt::format("the noise of '{}', {:.2g} by its sigma", noise.term, noise.deviation);
  return fmt::format("the noise of '{}', estimated as {:.2g} with {:.0f} degrees of freedom",
                     noise.term, noise.deviation, noise.freedom);
}

}  // namespace

WorstPlace worst_place(const std::vector<Slices>& all) {
  constexpr double outstanding = 10;  // times the residual of the rest
  WorstPlace worst{.times = outstanding};
  for (const Slices& of : all)
    for (std::size_t s = 0; s < of.residuals.size(); ++s) {
      double rest = 0, others = 0;
      for (std::size_t i = 0; i < of.residuals.size(); ++i)
        if (i != s && !std::isnan(of.residuals[i]))
          rest += of.residuals[i] * of.residuals[i], ++others;
      const double times = of.residuals[s] / std::sqrt(rest / others);
      if (others > 0 && times > worst.times) worst = {&of, s, times};
    }
  return worst;
}

std::string standard_error_text(const StandardErrors& errors, std::size_t unknown) {
  if (unknown >= errors.values.size()) return "";
  const double error = errors.values[unknown];
  return std::isnan(error) ? ", which the loss leaves open" : fmt::format(" +- {:.1e}", error);
}

std::string noise_text(const Trust& trust) {
  const StandardErrors& errors = trust.unknowns;
  if (!errors.absent.empty()) return fmt::format("no standard errors: {}\n", errors.absent);
  if (errors.noise.empty()) return "";
  std::string text = "standard errors (+-) are of ";
  for (std::size_t k = 0; k < errors.noise.size(); ++k)
    text += (k > 0 ? ", " : "") + noise_text(errors.noise[k]);
  return text + "\n";
}

namespace {

/// How many times as large a residual is in one quarter as in another.
double unevenness(const Slices& of) {
  double least = INFINITY, most = 0;
  for (const double residual : of.residuals) {
    if (std::isnan(residual)) continue;
    least = std::min(least, residual);
    most = std::max(most, residual);
  }
  return most > 0 ? most / least : 1;
}

/// All in their order; of many the most uneven ones.
std::vector<Slices> told(std::vector<Slices> all) {
  constexpr std::size_t many = 24, few = 6;
  if (all.size() <= many) return all;
  std::stable_sort(all.begin(), all.end(),
                   [](const Slices& a, const Slices& b) { return unevenness(a) > unevenness(b); });
  all.resize(few);
  return all;
}

}  // namespace

std::string slices_text(const Trust& trust) {
  std::string text;
  const std::vector<Slices> some = told(trust.slices);
  for (const Slices& of : some) {
    text += text.empty() ? "residuals at held-out points, in quarters of each coordinate\n" : "";
    text += fmt::format("  {} along {} ", of.term, of.coordinate);
    for (const double residual : of.residuals)  // NaN: no point is there
      text += std::isnan(residual) ? " -" : fmt::format(" {:.1e}", residual);
    text += "\n";
  }
  if (some.size() < trust.slices.size())
    text += fmt::format("  these are the most uneven of {}\n", trust.slices.size());
  const WorstPlace worst = worst_place(trust.slices);
  if (!worst.where) return text;
  const Slices& of = *worst.where;
  const double width = (of.upper - of.lower) / double(of.residuals.size());
  const double from = of.lower + double(worst.slice) * width;
  return text + fmt::format(
                    "  the worst place: {:.4g} < {} < {:.4g}, where '{}' is {:.0f} times "
                    "what it is elsewhere\n",
                    from, of.coordinate, from + width, of.term, worst.times);
}

std::string estimates_text(const Trust& trust) {
  const EstimatedErrors& estimates = trust.estimates;
  std::string text;
  if (!estimates.absent.empty()) text = fmt::format("no estimated error: {}\n", estimates.absent);
  for (const EstimatedError& e : estimates.fields) {
    text += fmt::format("estimated error of {}: ", e.field);
    if (e.zero)
      text += fmt::format("about {:.1e}, absolute, for the field is about 0\n", e.absolute);
    else if (e.at_least)
      text += fmt::format("at least {:.1e} (relative L2); no number, for {}\n", e.relative, e.why);
    else
      text += fmt::format(
          "about {:.1e} (relative L2; it accounts for {:.0f} % of the squared residual)\n",
          e.relative, 100 * e.explained);
  }
  return text;
}

}  // namespace pinn
