#include "solvers/train/adapt/weights.h"

#include <algorithm>
#include <cmath>

namespace pinn {
namespace {

void rba(const PointwiseOptions& options, std::span<const double> r, std::size_t terms,
         PointFactors& memory) {
  std::vector<double> most(terms, 0);
  for (std::size_t i = 0; i < r.size(); ++i)
    most[i % terms] = std::max(most[i % terms], std::fabs(r[i]));
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double share = most[i % terms] > 0 ? std::fabs(r[i]) / most[i % terms] : 0;
    memory.factors[i] = options.memory * memory.factors[i] + options.rate * share;
  }
}

/// Adam (Kingma & Ba, 2015) uphill, without its epsilon: small residuals count as large
/// ones do, and the square of one that is 0 is never divided by.
void self_adaptive(const PointwiseOptions& options, std::span<const double> r, std::size_t terms,
                   PointFactors& memory) {
  constexpr double beta1 = 0.9, beta2 = 0.999;
  memory.first.resize(r.size());
  memory.second.resize(r.size());
  const double moves = double(++memory.moves), points = double(r.size() / terms);
  const double scale1 = 1 - std::pow(beta1, moves), scale2 = 1 - std::pow(beta2, moves);
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double slope = 2 * memory.factors[i] * r[i] * r[i] / points;
    memory.first[i] = beta1 * memory.first[i] + (1 - beta1) * slope;
    memory.second[i] = beta2 * memory.second[i] + (1 - beta2) * slope * slope;
    if (memory.second[i] > 0)
      memory.factors[i] +=
          options.rate * (memory.first[i] / scale1) / std::sqrt(memory.second[i] / scale2);
  }
}

}  // namespace

std::vector<std::string> pointwise_kinds() { return {"rba", "self_adaptive"}; }

double default_rate(const std::string& kind) { return kind == "rba" ? 0.01 : 0.005; }

void change_factors(const PointwiseOptions& options, std::span<const double> r, std::size_t terms,
                    PointFactors& memory) {
  if (options.kind == "rba") return rba(options, r, terms, memory);
  self_adaptive(options, r, terms, memory);
}

std::vector<double> causal_weights(const CausalOptions& options, std::span<const double> time,
                                   std::span<const double> squares) {
  const std::size_t chunks = std::size_t(options.chunks);
  const auto chunk_of = [&](double t) {
    return std::min(chunks - 1, std::size_t(std::max(0.0, t * double(chunks))));
  };
  std::vector<double> sums(chunks, 0), counts(chunks, 0);
  for (std::size_t i = 0; i < time.size(); ++i) {
    sums[chunk_of(time[i])] += squares[i];
    ++counts[chunk_of(time[i])];
  }
  std::vector<double> of_chunk;
  double before = 0;
  for (std::size_t k = 0; k < chunks; ++k) {
    of_chunk.push_back(std::exp(-options.tolerance * before));
    if (counts[k] > 0) before += sums[k] / counts[k];
  }
  std::vector<double> weights;
  for (const double t : time) weights.push_back(of_chunk[chunk_of(t)]);
  return weights;
}

}  // namespace pinn
