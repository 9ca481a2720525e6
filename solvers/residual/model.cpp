#include "solvers/residual/model.h"

#include <cmath>

#include "autograd/core/error.h"
#include "solvers/problem/pieces.h"

namespace pinn {
namespace {

/// The coordinates that the fields of a network depend on.
std::vector<int> columns_of(const Problem& problem, int network) {
  for (const Field& f : problem.fields)
    if (f.network == network && !f.inputs.empty()) return f.inputs;
  std::vector<int> all;
  for (std::size_t i = 0; i < problem.coordinates.size(); ++i) all.push_back(int(i));
  return all;
}

std::vector<InputRange> inputs_of(const Problem& problem, const std::vector<int>& columns) {
  std::vector<InputRange> inputs;
  for (const int i : columns) {
    const Coordinate& c = problem.coordinates[std::size_t(i)];
    inputs.push_back({c.name, c.lower, c.upper, i});
  }
  return inputs;
}

/// Values of some coordinates, out of a list of those of all.
template <class List> List picked(const List& all, const std::vector<int>& columns) {
  List some;
  for (const int i : columns)
    if (std::size_t(i) < all.size()) some.push_back(all[std::size_t(i)]);
  return some;
}

/// Options written for all coordinates, cut down to those that a network sees.
NetworkOptions options_for(NetworkOptions options, const std::vector<int>& columns) {
  options.frequency = picked(options.frequency, columns);
  options.periodic = picked(options.periodic, columns);
  return options;
}

double logit(double s) { return std::log(s / (1 - s)); }
double inverse_softplus(double y) { return y + std::log(-std::expm1(-y)); }

}  // namespace

Model::Model(std::shared_ptr<const Problem> problem, const std::vector<NetworkOptions>& networks,
             std::shared_ptr<const TrainedNetwork> before)
    : problem_(std::move(problem)), before_(std::move(before)) {
  std::vector<int> outputs(networks.size(), 0);
  for (const Field& f : problem_->fields)
    sources_.push_back({std::size_t(f.network), outputs.at(std::size_t(f.network))++});
  for (std::size_t k = 0; k < networks.size(); ++k) {
    const std::vector<int> columns = columns_of(*problem_, int(k));
    auto network =
        make_network(options_for(networks[k], columns), inputs_of(*problem_, columns), outputs[k]);
    const std::size_t first = blocks_.size();
    for (ParameterBlock block : network->blocks()) {
      block.offset += std::int64_t(count_);
      blocks_.push_back(std::move(block));
    }
    count_ += std::size_t(network->parameter_count());
    networks_.push_back({std::move(network), first});
  }
  read_requirements();
  for (const Unknown& u : problem_->unknowns)
    blocks_.push_back({"unknown:" + u.name, {1}, std::int64_t(count_++), ParameterRole::unknown});
  for (const TrainedNetwork* b = before_.get(); b; b = b->model->before_.get())
    for (const ParameterBlock& block : b->model->blocks_)
      fixed_.push_back(
          {block, std::span<const double>(b->parameters)
                      .subspan(std::size_t(block.offset), std::size_t(block.shape.numel()))});
}

void Model::read_requirements() {
  pieces_.clear();
  for (const Requirement& r : problem_->requirements) pieces_.push_back(pieces_of(r));
  constants_ = ConstantInputs(*problem_, pieces_);
}

bool Model::take(const std::shared_ptr<const Problem>& other) {
  if (!same_but_for_constants(*problem_, *other)) return false;
  problem_ = other;
  read_requirements();
  return true;
}

std::vector<Tensor> Model::parameters_of(std::size_t k, const std::vector<Tensor>& all) const {
  const auto first = all.begin() + std::ptrdiff_t(networks_[k].first_block);
  return {first, first + std::ptrdiff_t(networks_[k].network->blocks().size())};
}

std::vector<ParameterBlock> Model::network_blocks() const {
  return {blocks_.begin(), blocks_.end() - std::ptrdiff_t(problem_->unknowns.size())};
}

std::pair<int, double> Model::start() const {
  for (std::size_t i = 0; i < problem_->coordinates.size(); ++i)
    if (const Coordinate& c = problem_->coordinates[i]; c.role == Role::time)
      return {int(i), c.lower};
  throw InternalError({"a problem without time was asked where that begins", "Model::start", ""});
}

std::vector<double> Model::initial_parameters(std::uint64_t seed) const {
  std::vector<double> p(count_, 0);
  std::size_t begin = 0;
  for (const ModelNetwork& one : networks_) {
    const auto count = std::size_t(one.network->parameter_count());
    one.network->initialize(std::span(p).subspan(begin, count), seed);
    begin += count;
  }
  std::size_t at = count_ - problem_->unknowns.size();
  for (const Unknown& u : problem_->unknowns) p[at++] = unknown_parameter(u, u.start);
  return p;
}

std::vector<double> Model::unknown_values(std::span<const double> parameters) const {
  std::vector<double> values;
  std::size_t at = count_ - problem_->unknowns.size();
  for (const Unknown& u : problem_->unknowns)
    values.push_back(unknown_value(u, full({1}, parameters[at++])).item());
  return values;
}

Tensor unknown_value(const Unknown& u, const Tensor& r) {
  const auto scaled = [&](double bound) { return u.log ? std::log(bound) : bound; };
  Tensor t = r;
  if (u.min && u.max)
    t = scaled(*u.min) + (scaled(*u.max) - scaled(*u.min)) * sigmoid(r);
  else if (u.min)
    t = scaled(*u.min) + softplus(r);
  else if (u.max)
    t = scaled(*u.max) - softplus(r);
  return u.log ? exp(t) : t;
}

double unknown_parameter(const Unknown& u, double value) {
  const bool outside = (u.min && value <= *u.min) || (u.max && value >= *u.max);
  if (outside || (u.log && value <= 0))
    throw ConfigError({"the unknown '" + u.name + "' starts at " + std::to_string(value) +
                           ", which is not inside its bounds",
                       "[problem.unknowns] " + u.name,
                       "start strictly between min and max, and above 0 on a log scale"});
  const auto scaled = [&](double v) { return u.log ? std::log(v) : v; };
  const double t = scaled(value);
  if (u.min && u.max) return logit((t - scaled(*u.min)) / (scaled(*u.max) - scaled(*u.min)));
  if (u.min) return inverse_softplus(t - scaled(*u.min));
  if (u.max) return inverse_softplus(scaled(*u.max) - t);
  return t;
}

}  // namespace pinn
