#include "solvers/residual/model.h"

#include <cmath>

#include "autograd/core/error.h"

namespace pinn {
namespace {

std::vector<InputRange> inputs_of(const Problem& problem) {
  std::vector<InputRange> inputs;
  for (const Coordinate& c : problem.coordinates) inputs.push_back({c.name, c.lower, c.upper});
  return inputs;
}

double logit(double s) { return std::log(s / (1 - s)); }
double inverse_softplus(double y) { return y + std::log(-std::expm1(-y)); }

}  // namespace

Model::Model(std::shared_ptr<const Problem> problem, const NetworkOptions& options,
             std::shared_ptr<const TrainedNetwork> before)
    : problem_(std::move(problem)),
      network_(options, inputs_of(*problem_), int(problem_->fields.size())),
      blocks_(network_.blocks()),
      count_(std::size_t(network_.parameter_count())),
      before_(std::move(before)) {
  for (const Unknown& u : problem_->unknowns)
    blocks_.push_back({"unknown:" + u.name, {1}, std::int64_t(count_++)});
  for (const TrainedNetwork* b = before_.get(); b; b = b->model->before_.get())
    for (const ParameterBlock& block : b->model->blocks_)
      fixed_.push_back(
          {block, std::span<const double>(b->parameters)
                      .subspan(std::size_t(block.offset), std::size_t(block.shape.numel()))});
}

std::pair<int, double> Model::start() const {
  for (std::size_t i = 0; i < problem_->coordinates.size(); ++i)
    if (const Coordinate& c = problem_->coordinates[i]; c.role == Role::time)
      return {int(i), c.lower};
  throw InternalError({"a problem without time was asked where that begins", "Model::start", ""});
}

std::vector<double> Model::initial_parameters(std::uint64_t seed) const {
  std::vector<double> p(count_, 0);
  network_.initialize(p, seed);
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
