#include "solvers/train/run/trained_part.h"

#include <algorithm>

namespace pinn {
namespace {

bool names(const Stage& stage, const std::string& name) {
  return std::ranges::find(stage.train, name) != stage.train.end();
}

Tensor zeros(std::size_t count) {
  return from_values(std::vector<double>(count, 0), {std::int64_t(count)});
}

}  // namespace

std::vector<std::string> trainable_names(const Problem& problem, const NetworkOptions& networks) {
  std::vector<std::string> all = {"network"};
  for (const NetworkOptions& one : all_networks(networks))
    if (!one.name.empty()) all.push_back(one.name);
  for (const Unknown& u : problem.unknowns) all.push_back(u.name);
  return all;
}

std::vector<std::size_t> trained_parameters(const Stage& stage, const Model& model) {
  std::vector<std::size_t> which;
  if (stage.train.empty()) return which;
  const std::vector<Unknown>& unknowns = model.problem().unknowns;
  std::size_t at = 0;
  const auto add = [&](bool trained, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++at)
      if (trained) which.push_back(at);
  };
  for (const ModelNetwork& one : model.networks())
    add(names(stage, "network") || names(stage, one.network.name()),
        std::size_t(one.network.parameter_count()));
  for (const Unknown& u : unknowns) add(names(stage, u.name), 1);
  if (which.size() == model.parameter_count()) which.clear();
  return which;
}

std::size_t trained_count(const Stage& stage, const Model& model) {
  const std::size_t some = trained_parameters(stage, model).size();
  return some == 0 ? model.parameter_count() : some;
}

PartObjective::PartObjective(Objective& whole, std::vector<std::size_t> which,
                             const Tensor& parameters)
    : whole_(whole),
      which_(std::move(which)),
      parameters_(from_values(parameters.data<double>(), parameters.shape())),
      gradient_(zeros(std::size_t(parameters.numel()))) {}

double PartObjective::value(const Tensor& p) {
  put(p, parameters_);
  return whole_.value(parameters_);
}

double PartObjective::value_and_gradient(const Tensor& p, Tensor& gradient) {
  put(p, parameters_);
  const double value = whole_.value_and_gradient(parameters_, gradient_);
  const Tensor part = part_of(gradient_);
  std::ranges::copy(part.data<double>(), gradient.data<double>().begin());
  return value;
}

Tensor PartObjective::part_of(const Tensor& parameters) const {
  Tensor part = zeros(which_.size());
  for (std::size_t i = 0; i < which_.size(); ++i)
    part.data<double>()[i] = parameters.data<double>()[which_[i]];
  return part;
}

void PartObjective::put(const Tensor& part, Tensor& parameters) const {
  for (std::size_t i = 0; i < which_.size(); ++i)
    parameters.data<double>()[which_[i]] = part.data<double>()[i];
}

}  // namespace pinn
