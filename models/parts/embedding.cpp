#include "models/parts/embedding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numbers>
#include <numeric>

#include "autograd/core/random.h"
#include "autograd/ops/unary.h"

namespace pinn {
Embedding::Embedding(const NetworkOptions& options, std::vector<InputRange> inputs)
    : inputs_(std::move(inputs)), periodic_(options.periodic), fourier_(options.fourier) {
  periodic_.resize(inputs_.size(), false);
  draw();
}

std::vector<int> Embedding::parts() const {
  std::vector<int> parts;
  for (const bool is_periodic : periodic_) parts.push_back(is_periodic ? 2 : 1);
  return parts;
}

int Embedding::plain_features() const {
  const std::vector<int> all = parts();
  return std::accumulate(all.begin(), all.end(), 0);
}

int Embedding::features() const {
  if (fourier_.features == 0) return plain_features();
  return 2 * fourier_.features * int(fourier_.scale.size());
}

void Embedding::draw() {
  if (fourier_.features == 0) return;
  const Random random{fourier_.seed, stream("network", "fourier features"), 0};
  const std::int64_t pairs = features() / 2;
  for (std::int64_t j = 0; j < plain_features() * pairs; ++j) {
    const std::size_t scale = std::size_t(j % pairs) / std::size_t(fourier_.features);
    const double around = fourier_.center.empty() ? 0 : fourier_.center[scale];
    b_.push_back(around + fourier_.scale[scale] * random.normal(std::uint64_t(j)));
  }
}

Jet Embedding::operator()(const Jet& coordinates) const {
  std::vector<Jet> columns;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const double a = inputs_[i].lower, b = inputs_[i].upper;
    const std::int64_t at = inputs_[i].column < 0 ? std::int64_t(i) : inputs_[i].column;
    const Jet x = pinn::features(coordinates, at, at + 1);
    if (periodic_[i]) {
      const Jet angle = 2 * std::numbers::pi / (b - a) * (-a + x);
      columns.push_back(apply_unary(unary_id<op::Cos>, angle));
      columns.push_back(apply_unary(unary_id<op::Sin>, angle));
    } else {
      columns.push_back(2 / (b - a) * (-0.5 * (a + b) + x));
    }
  }
  const Jet plain = concat(columns);
  if (fourier_.features == 0) return plain;
  const Tensor b =
      from_values(b_, {plain_features(), features() / 2}, plain.data.dtype(), plain.data.device());
  const Jet phase{plain.table, matmul(plain.data, b)};
  return concat({apply_unary(unary_id<op::Cos>, phase), apply_unary(unary_id<op::Sin>, phase)});
}

std::vector<std::pair<std::string, std::string>> Embedding::facts() const {
  std::string inputs, periodic;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    inputs += fmt::format("{}{} in [{}, {}]", inputs.empty() ? "" : ", ", inputs_[i].name,
                          inputs_[i].lower, inputs_[i].upper);
    if (periodic_[i]) periodic += (periodic.empty() ? "" : ", ") + inputs_[i].name;
  }
  std::vector<std::pair<std::string, std::string>> facts{{"inputs", inputs}};
  if (!periodic.empty()) facts.emplace_back("periodic", periodic);
  if (fourier_.features == 0) return facts;
  facts.emplace_back("fourier.features", std::to_string(fourier_.features));
  facts.emplace_back("fourier.scale", fmt::format("{}", fmt::join(fourier_.scale, ", ")));
  if (!fourier_.center.empty())
    facts.emplace_back("fourier.center", fmt::format("{}", fmt::join(fourier_.center, ", ")));
  facts.emplace_back("fourier.seed", std::to_string(fourier_.seed));
  return facts;
}

}  // namespace pinn
