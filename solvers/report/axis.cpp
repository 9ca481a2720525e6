#include "solvers/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pinn::pages {
namespace {

std::string superscript(int n) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) text += digits[c - '0'];
  return text;
}

/// A number with the sign of mathematics, which is as wide as a plus.
std::string with_minus(const std::string& text) {
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

/// The largest of 1, 2, 5 times a power of ten that is at most so much.
double round_step(double most) {
  const double power = std::pow(10, std::floor(std::log10(most)));
  for (const double k : {5.0, 2.0})
    if (k * power <= most * (1 + 1e-9)) return k * power;
  return power;
}

std::vector<Tick> linear_ticks(double lower, double upper, int about) {
  std::vector<Tick> ticks;
  double step = round_step((upper - lower) / about);
  if ((upper - lower) / step > 1.6 * about) step = round_step(2.5 * step);
  const double largest = std::max(std::fabs(lower), std::fabs(upper));
  const bool is_short = largest < 1e5 && step >= 1e-4;
  const int decimals = std::max(0, int(-std::floor(std::log10(step) + 1e-9)));
  for (double k = std::ceil(lower / step - 1e-9); k * step <= upper + 1e-9 * step; ++k) {
    const double value = k == 0 ? 0 : k * step;
    const int digits = k == 0 ? 1 : 1 + int(std::log10(std::fabs(k) + 0.5));  // of its multiple
    ticks.push_back({value, is_short ? with_minus(fmt::format("{:.{}f}", value, decimals))
                                     : number_text(value, digits + 1)});
  }
  return ticks;
}

std::vector<Tick> powers_of_ten(double lower, double upper, int about) {
  std::vector<Tick> ticks;
  const int first = int(std::ceil(std::log10(lower) - 1e-9));
  const int last = int(std::floor(std::log10(upper) + 1e-9));
  const int step = std::max(1, (last - first) / about + 1);
  for (int k = first; k <= last; ++k)
    if (k % step == 0) ticks.push_back({std::pow(10, k), "10" + superscript(k)});
  return ticks;
}

}  // namespace

double Scale::share(double value) const {
  if (!logarithmic) return (value - lower) / (upper - lower);
  return value > 0 ? std::log(value / lower) / std::log(upper / lower) : NAN;
}

std::vector<Tick> Scale::ticks(int about) const {
  if (!logarithmic) return linear_ticks(lower, upper, about);
  std::vector<Tick> ticks = powers_of_ten(lower, upper, about);
  if (ticks.size() >= 2) return ticks;
  ticks.clear();
  for (int k = int(std::floor(std::log10(lower))); k <= int(std::log10(upper)) + 1; ++k)
    for (const double part : {1.0, 2.0, 5.0})
      if (const double v = part * std::pow(10, k); v >= lower && v <= upper)
        ticks.push_back({v, number_text(v, 1)});
  return ticks.size() >= 2 ? ticks : linear_ticks(lower, upper, about);
}

Scale scale_of(const std::vector<double>& values, bool logarithmic, double room) {
  double lower = INFINITY, upper = -INFINITY;
  for (const double v : values) {
    if (!std::isfinite(v) || (logarithmic && v <= 0)) continue;
    lower = std::min(lower, v);
    upper = std::max(upper, v);
  }
  if (lower > upper) return {logarithmic ? 0.1 : 0, 1, logarithmic};
  if (logarithmic) {
    const double factor = std::pow(std::max(upper / lower, 1.5), room);
    return {lower / factor, upper * factor, true};
  }
  const double size = std::max(std::fabs(lower), std::fabs(upper));
  double width = upper - lower;
  if (width <= 1e-12 * size || width == 0) width = size > 0 ? 0.2 * size : 1;
  const double beyond = room * width + (upper > lower ? 0 : width / 2);
  return {lower - beyond, upper + beyond, false};
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  const double size = std::fabs(value);
  std::string text;
  if (value == 0 || (size >= 1e-3 && size < 1e5)) {
    text =
        fmt::format("{:.{}g}", value, std::max(digits, size >= 1 ? int(std::log10(size)) + 1 : 1));
  } else {
    text = fmt::format("{:.{}e}", value, digits - 1);
    const std::size_t e = text.find('e');
    const int power = std::stoi(text.substr(e + 1));
    const std::string factor = fmt::format("{:.{}g}", std::stod(text.substr(0, e)), digits);
    text = (factor == "1" ? "" : factor == "-1" ? "-" : factor + "·") + "10" + superscript(power);
  }
  return with_minus(text);
}

namespace {

constexpr double letter_width = 7.4;  ///< pixels

bool begins_letter(char c) { return (c & 0xC0) != 0x80; }  // of UTF-8

}  // namespace

double about_wide(std::string_view words) {
  return letter_width * double(std::ranges::count_if(words, begins_letter));
}

double about_wide(const std::vector<Tick>& ticks) {
  double widest = 0;
  for (const Tick& t : ticks) widest = std::max(widest, about_wide(t.text));
  return widest;
}

std::string shortened(std::string words, double room) {
  if (about_wide(words) <= room) return words;
  double left = room / letter_width - 1;  // letters, beside the one that stands for the others
  const auto end =
      std::ranges::find_if(words, [&](char c) { return begins_letter(c) && --left < 0; });
  return words.erase(std::size_t(end - words.begin())) + "…";
}

}  // namespace pinn::pages
