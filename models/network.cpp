#include "models/options.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "autograd/tape/save_on.h"
#include "models/network.h"

namespace pinn {

std::vector<std::string> initialization_names() {
  return {"glorot_normal", "glorot_uniform", "he_normal",
          "he_uniform",    "lecun_normal",   "lecun_uniform"};
}

Initialization::Initialization(const std::string& name) {
  const std::size_t split = name.find('_');
  const std::string family = name.substr(0, split);
  const std::string kind = split == std::string::npos ? "" : name.substr(split + 1);
  const bool known = (family == "glorot" || family == "he" || family == "lecun") &&
                     (kind == "normal" || kind == "uniform");
  if (!known)
    throw ConfigError({"there is no initialization '" + name + "'", "[network] initialization",
                       "use glorot, he or lecun, followed by _normal or _uniform"});
  numerator_ = family == "lecun" ? 1 : 2;
  by_out_ = family == "glorot";
  normal_ = kind == "normal";
}

double Initialization::operator()(const Random& random, std::uint64_t index, std::int64_t in,
                                  std::int64_t out) const {
  const double deviation = std::sqrt(numerator_ / double(by_out_ ? in + out : in));
  return deviation *
         (normal_ ? random.normal(index) : std::sqrt(3.0) * (2 * random.uniform(index) - 1));
}

namespace {

int activation_id(const std::string& name) {
  const int id = find_unary(name);
  const std::vector<std::string> names = activation_names();
  if (id < 0 || std::find(names.begin(), names.end(), name) == names.end()) {
    std::string all;
    for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
    throw ConfigError(
        {"there is no activation '" + name + "'", "[network] activation", "use one of " + all});
  }
  return id;
}

void must_fit(bool fits, const std::string& what, const std::string& key, const std::string& fix) {
  if (!fits) throw ConfigError({what, "[network] " + key, fix});
}

bool is_set(const std::vector<bool>& flags, std::size_t i) { return i < flags.size() && flags[i]; }

}  // namespace

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (int id = 0; id < Unary::size; ++id)
    if (visit_unary(id, []<class Op>() { return activates<Op>; }))
      names.emplace_back(unary_name(id));
  std::sort(names.begin(), names.end());
  return names;
}

Network::Network(const NetworkOptions& options, std::vector<InputRange> inputs, int outputs)
    : options_(options), inputs_(std::move(inputs)), outputs_(outputs) {
  const std::size_t hidden = options_.layers.size();
  const std::vector<std::string>& names = options_.activation;
  must_fit(names.size() == 1 || names.size() == hidden,
           std::to_string(names.size()) + " activations for " + std::to_string(hidden) +
               " hidden layers",
           "activation", "give one for all, or one per hidden layer");
  must_fit(std::all_of(options_.layers.begin(), options_.layers.end(), [](int w) { return w > 0; }),
           "a hidden layer has no units", "layers", "give widths of at least 1");
  must_fit(
      options_.frequency.size() <= inputs_.size() && options_.periodic.size() <= inputs_.size(),
      "more frequencies or periods than coordinates", "frequency",
      "give one per coordinate at most");
  must_fit(options_.fourier.features == 0 || !options_.fourier.scale.empty(),
           "Fourier features without a scale", "fourier.scale", "give one or more deviations");
  must_fit(options_.fourier.features == 0 || options_.fourier.center.empty() ||
               options_.fourier.center.size() == options_.fourier.scale.size(),
           "Fourier features with other centers than deviations", "fourier.center",
           "give one per deviation");
  Initialization{options_.initialization};  // an unknown name is an error here already
  draw_fourier();
  for (std::size_t l = 0; l < hidden; ++l)
    activations_.push_back(activation_id(names[names.size() == 1 ? 0 : l]));
  std::int64_t in = features();
  for (const int width : options_.layers) {
    add_layer(in, width);
    in = width;
  }
  add_layer(in, outputs_);
}

int Network::plain_features() const {
  int plain = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) plain += is_set(options_.periodic, i) ? 2 : 1;
  return plain;
}

int Network::features() const {
  if (options_.fourier.features == 0) return plain_features();
  return 2 * options_.fourier.features * int(options_.fourier.scale.size());
}

void Network::draw_fourier() {
  if (options_.fourier.features == 0) return;
  const Random random{options_.fourier.seed, stream("network", "fourier features"), 0};
  const std::int64_t pairs = features() / 2;
  for (std::int64_t j = 0; j < plain_features() * pairs; ++j) {
    const std::size_t scale = std::size_t(j % pairs) / std::size_t(options_.fourier.features);
    const double around = options_.fourier.center.empty() ? 0 : options_.fourier.center[scale];
    fourier_.push_back(around + options_.fourier.scale[scale] * random.normal(std::uint64_t(j)));
  }
}

void Network::add_layer(std::int64_t in, std::int64_t out) {
  const std::string number = std::to_string(blocks_.size() / 2);
  const std::string prefix = options_.name.empty() ? "" : options_.name + ".";
  blocks_.push_back({prefix + "W" + number, {in, out}, count_});
  count_ += in * out;
  blocks_.push_back({prefix + "b" + number, {out}, count_});
  count_ += out;
}

Jet Network::embed(const Jet& coordinates) const {
  std::vector<Jet> columns;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const double a = inputs_[i].lower, b = inputs_[i].upper;
    const std::int64_t at = inputs_[i].column < 0 ? std::int64_t(i) : inputs_[i].column;
    const Jet x = pinn::features(coordinates, at, at + 1);
    if (is_set(options_.periodic, i)) {
      const Jet angle = 2 * std::numbers::pi / (b - a) * (-a + x);
      columns.push_back(apply_unary(unary_id<op::Cos>, angle));
      columns.push_back(apply_unary(unary_id<op::Sin>, angle));
    } else {
      columns.push_back(2 / (b - a) * (-0.5 * (a + b) + x));
    }
  }
  const Jet plain = concat(columns);
  if (options_.fourier.features == 0) return plain;
  const Tensor b = from_values(fourier_, {plain_features(), features() / 2}, plain.data.dtype(),
                               plain.data.device());
  const Jet phase{plain.table, matmul(plain.data, b)};
  return concat({apply_unary(unary_id<op::Cos>, phase), apply_unary(unary_id<op::Sin>, phase)});
}

Jet Network::operator()(const Jet& embedded, const std::vector<Tensor>& parameters,
                        int layers_per_checkpoint) const {
  const std::size_t all = activations_.size() + 1;
  if (layers_per_checkpoint <= 0) return layers(embedded, parameters, 0, all);
  Jet h = embedded;
  for (std::size_t first = 0, last; first < all; first = last) {
    last = std::min(all, first + std::size_t(layers_per_checkpoint));
    const std::vector<Tensor> own(parameters.begin() + std::ptrdiff_t(2 * first),
                                  parameters.begin() + std::ptrdiff_t(2 * last));
    h.data = checkpoint(
        [this, table = h.table, own, first, last](const std::vector<Tensor>& in) {
          return layers({table, in[0]}, own, first, last).data;
        },
        {h.data});
  }
  return h;
}

/// Layers first ... last - 1, whose parameters these are.
Jet Network::layers(Jet h, const std::vector<Tensor>& parameters, std::size_t first,
                    std::size_t last) const {
  for (std::size_t l = first; l < last; ++l) {
    const std::size_t w = 2 * (l - first);
    h.data = linear(h.data, parameters[w], parameters[w + 1]);
    if (l < activations_.size()) h = apply_unary(activations_[l], h);
  }
  return h;
}

void Network::initialize(std::span<double> parameters, std::uint64_t seed) const {
  const Initialization draw(options_.initialization);
  for (std::size_t k = 0; k < blocks_.size(); k += 2) {
    const ParameterBlock& w = blocks_[k];
    const Random random{seed, stream(w.name, "initialization"), 0};
    for (std::int64_t i = 0; i < w.shape.numel(); ++i)
      parameters[std::size_t(w.offset + i)] =
          draw(random, std::uint64_t(i), w.shape[0], w.shape[1]);
    const ParameterBlock& b = blocks_[k + 1];
    std::fill_n(parameters.begin() + b.offset, b.shape.numel(), 0.0);
  }
  const bool plain = std::all_of(options_.frequency.begin(), options_.frequency.end(),
                                 [](double f) { return f == 1; });
  if (plain || options_.fourier.features > 0) return;
  const ParameterBlock& w = blocks_[0];
  std::int64_t row = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const double factor = i < options_.frequency.size() ? options_.frequency[i] : 1;
    for (int part = 0; part < (is_set(options_.periodic, i) ? 2 : 1); ++part, ++row)
      for (std::int64_t j = 0; j < w.shape[1]; ++j)
        parameters[std::size_t(w.offset + row * w.shape[1] + j)] *= factor;
  }
  const Random random{seed, stream(blocks_[1].name, "initialization"), 0};
  for (std::int64_t j = 0; j < blocks_[1].shape.numel(); ++j)
    parameters[std::size_t(blocks_[1].offset + j)] =
        std::numbers::pi * (2 * random.uniform(std::uint64_t(j)) - 1);
}

std::vector<Tensor> block_tensors(const Tensor& flat, const std::vector<ParameterBlock>& blocks) {
  std::vector<Tensor> tensors;
  for (const ParameterBlock& b : blocks)
    tensors.push_back(
        reshape(slice(flat, 0, b.offset, b.offset + b.shape.numel()), b.shape).detach());
  return tensors;
}

}  // namespace pinn
