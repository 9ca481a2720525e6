#include "data/reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/random.h"

namespace pinn {
namespace {

double deviation(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / double(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / double(values.size()));
}

std::string header(const Reference& reference) {
  std::string text = fmt::format("{}", fmt::join(reference.coordinates, ","));
  for (const auto& [name, values] : reference.fields) text += "," + name;
  return text + "\n";
}

}  // namespace

std::string observe(const Reference& reference, std::size_t count, double noise,
                    std::uint64_t seed) {
  const std::vector<double> points = reference.points(reference.coordinates);
  const std::size_t width = reference.coordinates.size();

  std::string text = header(reference);
  std::map<std::string, double> size;
  for (const auto& [name, values] : reference.fields) size[name] = noise * deviation(values);
  const Random places{seed, stream("observations", "points"), 0};
  for (std::size_t i = 0; i < count; ++i) {
    const auto point = std::size_t(places.uniform(i) * double(reference.count()));
    const auto first = points.begin() + std::ptrdiff_t(point * width);
    text += fmt::format("{}", fmt::join(first, first + std::ptrdiff_t(width), ","));
    for (const auto& [name, values] : reference.fields) {
      const Random errors{seed, stream(name, "noise"), 0};
      text += fmt::format(",{:.6g}", values[point] + size[name] * errors.normal(i));
    }
    text += "\n";
  }
  return text;
}

}  // namespace pinn
