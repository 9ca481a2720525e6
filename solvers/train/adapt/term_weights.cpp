#include "solvers/train/adapt/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pinn {
namespace {

using Numbers = std::vector<double>;

double sum(const Numbers& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Weights in inverse proportion to some sizes, as running means.
Numbers by_sizes(double memory, const Numbers& weights, const Numbers& sizes) {
  const double all = sum(sizes);
  Numbers next = weights;
  for (std::size_t i = 0; i < next.size(); ++i)
    if (sizes[i] > 0) next[i] = memory * weights[i] + (1 - memory) * all / sizes[i];
  return next;
}

/// factors_i exp(x_i), scaled to the mean 1.
Numbers softmax(const Numbers& x, const Numbers& factors) {
  const double most = *std::max_element(x.begin(), x.end());
  Numbers shares;
  for (std::size_t i = 0; i < x.size(); ++i) shares.push_back(factors[i] * std::exp(x[i] - most));
  const double all = sum(shares);
  if (!(all > 0)) return Numbers(x.size(), 1);
  for (double& s : shares) s *= double(x.size()) / all;
  return shares;
}

Numbers softmax(const Numbers& x) { return softmax(x, Numbers(x.size(), 1)); }

/// b(s): the terms that fell least since they were `before` weigh most.
Numbers by_progress(const Numbers& now, const Numbers& before, double temperature) {
  Numbers x;
  for (std::size_t i = 0; i < now.size(); ++i)
    x.push_back(before[i] > 0 ? now[i] / (temperature * before[i]) : 1 / temperature);
  return softmax(x);
}

Numbers relobralo(const WeightingOptions& o, const TermFigures& terms, const Random& random) {
  const bool look_back = random.uniform(0) < o.lookback;
  const Numbers from_first = by_progress(terms.losses, terms.first, o.temperature);
  const Numbers from_before = by_progress(terms.losses, terms.before, o.temperature);
  Numbers next;
  for (std::size_t i = 0; i < from_first.size(); ++i)
    next.push_back(o.memory * (look_back ? terms.weights[i] : from_first[i]) +
                   (1 - o.memory) * from_before[i]);
  return next;
}

Numbers softadapt(const WeightingOptions& o, const TermFigures& terms) {
  Numbers changes;
  double all = 0;
  for (std::size_t i = 0; i < terms.losses.size(); ++i) {
    changes.push_back(terms.losses[i] - terms.before[i]);
    all += std::fabs(changes[i]);
  }
  for (double& s : changes) s = all > 0 ? o.beta * s / all : 0;
  return o.by_loss ? softmax(changes, terms.losses) : softmax(changes);
}

Numbers balance(const WeightingOptions& o, const TermFigures& terms) {
  Numbers parts;
  for (std::size_t i = 0; i < terms.losses.size(); ++i)
    parts.push_back(terms.weights[i] * terms.losses[i]);
  const double mean = sum(parts) / double(parts.size());
  Numbers next;
  for (std::size_t i = 0; i < parts.size(); ++i)
    next.push_back(terms.weights[i] * std::pow(mean / (parts[i] + 1e-8), o.power));
  const double scale = double(next.size()) / sum(next);
  if (!(sum(next) > 0)) return terms.weights;  // of losses that are all 0
  for (double& w : next) w *= scale;
  return next;
}

/// All terms by the kind's formula.
Numbers by_formula(const WeightingOptions& options, const TermFigures& terms,
                   const Random& random) {
  if (asks_gradients(options.kind)) return by_sizes(options.memory, terms.weights, terms.gradients);
  if (asks_jacobian(options.kind)) return by_sizes(options.memory, terms.weights, terms.traces);
  if (options.kind == "balance") return balance(options, terms);
  if (terms.before.empty()) return terms.weights;  // the first look
  if (options.kind == "relobralo") return relobralo(options, terms, random);
  return softadapt(options, terms);
}

/// The terms that are other than rounding beside the largest: what a hard constraint makes exact
/// has no size that a weight could follow.
std::vector<std::size_t> beyond_rounding(const WeightingOptions& options,
                                         const TermFigures& terms) {
  const bool by_gradient = asks_gradients(options.kind);
  const Numbers& sizes = by_gradient                   ? terms.gradients
                         : asks_jacobian(options.kind) ? terms.traces
                                                       : terms.losses;
  const double least = *std::ranges::max_element(sizes) * (by_gradient ? 1e-12 : 1e-24);
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > least) which.push_back(i);
  return which;
}

Numbers picked(const Numbers& values, const std::vector<std::size_t>& which) {
  Numbers some;
  for (const std::size_t i : which)
    if (i < values.size()) some.push_back(values[i]);
  return some;
}

}  // namespace

std::vector<std::string> weighting_kinds() {
  return {"grad_norm", "ntk", "relobralo", "softadapt", "balance"};
}

double default_memory(const std::string& kind) { return kind == "relobralo" ? 0.999 : 0.9; }

long default_every(const std::string& kind) {
  return asks_gradients(kind) || asks_jacobian(kind) ? 1000 : 1;
}

bool asks_gradients(const std::string& kind) { return kind == "grad_norm"; }
bool asks_jacobian(const std::string& kind) { return kind == "ntk"; }

std::vector<double> next_weights(const WeightingOptions& options, const TermFigures& terms,
                                 const Random& random) {
  const std::vector<std::size_t> which = beyond_rounding(options, terms);
  if (which.empty()) return terms.weights;
  const Numbers some = by_formula(
      options,
      {picked(terms.weights, which), picked(terms.losses, which), picked(terms.before, which),
       picked(terms.first, which), picked(terms.gradients, which), picked(terms.traces, which)},
      random);
  Numbers next = terms.weights;
  for (std::size_t i = 0; i < which.size(); ++i) next[which[i]] = some[i];
  return next;
}

}  // namespace pinn
