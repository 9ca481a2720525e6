#include "data/geometry/gauss.h"

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

namespace pinn {
namespace {

/// Legendre's polynomial of a degree on (-1, 1), and its slope.
std::pair<long double, long double> legendre(int degree, long double x) {
  long double before = 1, now = x;
  for (int k = 2; k <= degree; ++k)
    before = std::exchange(now, ((2 * k - 1) * x * now - (k - 1) * before) / k);
  return {now, degree * (x * now - before) / (x * x - 1)};
}

/// The zeros of Legendre's polynomial, by Newton's method from those of its asymptote.
GaussRule made(int count) {
  GaussRule rule{std::vector<double>(std::size_t(count), 0.5),
                 std::vector<double>(std::size_t(count), 1.0)};
  if (count == 1) return rule;
  for (int k = 0; k < count; ++k) {
    long double x =
        std::cos(std::numbers::pi_v<long double> * (count - k - 0.25L) / (count + 0.5L));
    for (int step = 0; step < 20; ++step) {
      const auto [p, slope] = legendre(count, x);
      x -= p / slope;
      if (std::fabs(p / slope) < 1e-18L) break;
    }
    const long double slope = legendre(count, x).second;
    rule.nodes[std::size_t(k)] = double((1 + x) / 2);
    rule.weights[std::size_t(k)] = double(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace

const GaussRule& gauss_rule(int count) {
  static std::mutex mutex;
  static std::map<int, GaussRule> rules;  // which stay where they are
  const std::lock_guard lock(mutex);
  const auto known = rules.find(count);
  return known != rules.end() ? known->second : rules.emplace(count, made(count)).first->second;
}

}  // namespace pinn
