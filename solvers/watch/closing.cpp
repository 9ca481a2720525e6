// The last lines of a run, which everyone reads: what it found, how far off it is, what speaks for
// that, and where to look.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "solvers/results/results.h"
#include "solvers/watch/summary.h"

namespace pinn {
namespace {

constexpr std::size_t few = 4;  ///< quantities that are told one by one; else the worst of them

/// "u 2.6e-10, v 3.1e-09", or "the worst of 20: u 2.6e-10". `before` says which of two is better.
template <class All, class Text, class Before>
std::string listed_errors(const All& all, const Text& text, const Before& before) {
  if (all.size() > few)
    return fmt::format("the worst of {}: {}", all.size(),
                       text(*std::ranges::max_element(all, before)));
  std::string line;
  for (const auto& e : all) line += (line.empty() ? "" : ", ") + text(e);
  return line;
}

/// Line of all estimates, or of the worst: a bound is the worst, for nobody knows how far off that
/// field is; one that is told absolutely is the best, for it is about 0.
std::string estimates_line(const std::vector<EstimatedError>& all) {
  const auto text = [](const EstimatedError& e) {
    if (e.zero) return fmt::format("{} about {:.1e} absolute", e.field, e.absolute);
    return fmt::format("{} {} {:.1e}", e.field, e.at_least ? "at least" : "about", e.relative);
  };
  const auto badness = [](const EstimatedError& e) {
    return std::tuple(!e.zero, e.at_least, e.zero ? e.absolute : e.relative);
  };
  return listed_errors(all, text, [&](const EstimatedError& a, const EstimatedError& b) {
    return badness(a) < badness(b);
  });
}

std::string distances_line(const std::vector<Distance>& all) {
  const auto text = [](const Distance& d) {
    if (std::isnan(d.l2)) return fmt::format("{} no finite number at {}", d.name, d.where);
    return fmt::format("{} {:.2e}{}", d.name, d.l2, d.absolute ? " absolute" : "");
  };
  const auto badness = [](const Distance& d) {
    return std::tuple(std::isnan(d.l2), !d.absolute, std::isnan(d.l2) ? 0 : d.l2);
  };
  return listed_errors(
      all, text, [&](const Distance& a, const Distance& b) { return badness(a) < badness(b); });
}

std::string error_line(const TrainResult& result) {
  const EstimatedErrors& estimates = result.trust.estimates;
  if (!result.errors.empty())
    return fmt::format("error: {} (relative L2, against the reference)",
                       distances_line(result.errors));
  if (estimates.fields.empty())
    return fmt::format("error: not estimated{}{}", estimates.absent.empty() ? "" : ": ",
                       estimates.absent);
  return fmt::format("error: {} (relative L2, estimated)", estimates_line(estimates.fields));
}

/// Evidence for the errors, or against them.
std::string trust_of_estimates(const TrainResult& result) {
  const EstimatedErrors& estimates = result.trust.estimates;
  if (estimates.fields.empty())
    return result.errors.empty() || estimates.absent.empty()
               ? ""
               : fmt::format("no estimate: {}; ", estimates.absent);
  const auto bound = std::ranges::find_if(estimates.fields, &EstimatedError::at_least);
  const double explained =
      std::ranges::min(estimates.fields, {}, &EstimatedError::explained).explained;
  const std::string why =
      bound != estimates.fields.end()
          ? fmt::format("no number, for {}", bound->why)
          : fmt::format("it accounts for {:.0f} % of the residual", 100 * explained);
  if (result.errors.empty()) return why + "; ";
  return fmt::format("estimated {}, {}; ", estimates_line(estimates.fields), why);
}

std::string residual_line(const TrainResult& result) {
  std::string text =
      fmt::format("held-out residual {}{:.1e}",
                  result.windows.size() > 1 ? "of the last window " : "", result.loss);
  double ratio = 0;
  for (const TermResult& term : result.terms)
    if (term.held_out > 0) ratio = std::max(ratio, term.held_out / term.training);
  const bool several = result.terms.size() > 1;
  if (std::isinf(ratio))
    return text + (several ? ", in a term that has none where training saw it"
                           : ", and none where training saw it");
  if (ratio > 0)
    text += fmt::format(", {}{:.2g} times what training saw", several ? "at most " : "", ratio);
  return text;
}

/// Why the network of the last step is not the result, with its errors beside those of the result.
std::string last_text(const TrainResult& result) {
  if (!result.last) return "";
  std::string text = fmt::format(
      "the result is the network of step {}: that of the last step, {}, has a larger held-out "
      "residual, {:.2e}",
      result.step, result.last->step, result.last->loss);
  for (const Distance& d : result.last->errors)
    text += fmt::format(", and the error {:.2e} of {}", d.l2, d.name);
  return text + "\n";
}

/// The page first, and what is beside it.
std::string look_line(const TrainResult& result) {
  std::string beside;
  for (const std::string& file : result.files)
    beside += (beside.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
  if (result.page.empty())
    return fmt::format("look:  {}{}{}", result.folder, beside.empty() ? "" : ": ", beside);
  return fmt::format("look:  {}{}{}", result.page, beside.empty() ? "" : "; beside it ", beside);
}

}  // namespace

std::string closing(const TrainResult& result) {
  std::string text = last_text(result);
  for (std::size_t k = 0; k < result.unknowns.size(); ++k)
    text += fmt::format("{} = {:.8g}{}\n", result.unknowns[k].first, result.unknowns[k].second,
                        standard_error_text(result.trust.unknowns, k));
  text += noise_text(result.trust);
  for (const FoundValue& v : result.values) text += value_text(v) + "\n";
  return text + error_line(result) + "\ntrust: " + trust_of_estimates(result) +
         residual_line(result) + "\n" + look_line(result) + "\n";
}

}  // namespace pinn
