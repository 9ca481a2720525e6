#include "solvers/train/trained_part.h"

#include <algorithm>

#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/evaluate/residuals.h"

namespace pinn {
namespace {

bool names(const Stage& stage, const std::string& name) {
  return std::ranges::find(stage.train, name) != stage.train.end();
}

Tensor zeros(std::size_t count) {
  return from_values(std::vector<double>(count, 0), {std::int64_t(count)});
}

/// How many rows a residual of requirement r has: of integrals one, at the ends of an interval as
/// many as there are ends, whatever number of points is asked for.
std::size_t row_count(const Run& run, const Requirement& requirement, std::size_t r) {
  if (requirement.data) return std::size_t(requirement.data->count);
  if (is_integral(requirement)) return 1;
  if (r >= run.sampling.size()) return 0;
  const bool isolated = requirement.region && requirement.region->dimension() == 0;
  return isolated ? points_of(run, r, "points", 0).count : std::size_t(run.sampling[r].count);
}

}  // namespace

std::vector<std::string> trainable_names(const Problem& problem,
                                         const std::vector<NetworkOptions>& networks) {
  std::vector<std::string> all = {"network"};
  for (const NetworkOptions& one : networks)
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
    add(names(stage, "network") || names(stage, one.network->name()),
        std::size_t(one.network->parameter_count()));
  for (const Unknown& u : unknowns) add(names(stage, u.name), 1);
  if (which.size() == model.parameter_count()) which.clear();
  return which;
}

TrainedSize trained_size(const Run& run, const Stage& stage, const Model& model, Ranks& ranks) {
  TrainedSize size;
  size.ranks = &ranks;
  size.random = {run.options.seed, stream(stage.name, "optimizer")};
  const std::vector<std::size_t> which = trained_parameters(stage, model);
  for (const ParameterBlock& block : model.blocks()) {
    const std::size_t at = std::size_t(block.offset);
    if (!which.empty() && !std::ranges::binary_search(which, at)) continue;
    const std::size_t columns =
        block.shape.rank() == 0 ? 1 : std::size_t(block.shape[block.shape.rank() - 1]);
    const std::size_t count = std::size_t(block.shape.numel());
    size.matrices.push_back({size.parameters, count / columns, columns});
    size.parameters += count;
  }
  const Problem& problem = model.problem();
  for (std::size_t r = 0; r < problem.requirements.size(); ++r) {
    const Requirement& requirement = problem.requirements[r];
    const std::size_t points = row_count(run, requirement, r);
    const bool batch = stage.batch > 0 && points > std::size_t(stage.batch);
    size.rows +=
        (batch ? std::size_t(stage.batch) : points) * terms_of(requirement, problem).size();
  }
  return size;
}

PartObjective::PartObjective(Objective& whole, std::vector<std::size_t> which,
                             const Tensor& parameters)
    : whole_(whole),
      which_(std::move(which)),
      parameters_(from_values(parameters.data<double>(), parameters.shape())),
      gradient_(zeros(std::size_t(parameters.numel()))),
      squares_(whole, which_, parameters_) {}

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

// The tensor is the objective's own: parameters that stay are in it, the others are put in.
std::span<const double> PartSquares::all(std::span<const double> p) {
  const std::span<double> all = parameters_.data<double>();
  for (std::size_t i = 0; i < which_.size(); ++i) all[which_[i]] = p[i];
  return all;
}

std::vector<double> PartSquares::spread(std::span<const double> v) const {
  std::vector<double> all(std::size_t(parameters_.numel()), 0);
  for (std::size_t i = 0; i < which_.size(); ++i) all[which_[i]] = v[i];
  return all;
}

void PartSquares::pick(std::span<const double> all, std::span<double> part) const {
  for (std::size_t i = 0; i < which_.size(); ++i) part[i] = all[which_[i]];
}

void PartSquares::residual(std::span<const double> p, std::span<double> r) {
  whole_.least_squares()->residual(all(p), r);
}

template <class T>
void PartSquares::some_columns(std::span<const double> p, std::size_t most, const Eater<T>& eat) {
  const Eater<T> pick_columns = [&](const JacobianRows<T>& rows) {
    std::vector<T> some(rows.count * which_.size());
    for (std::size_t i = 0; i < rows.count; ++i)
      for (std::size_t k = 0; k < which_.size(); ++k)
        some[i * which_.size() + k] = rows.row(i)[which_[k]];
    eat({rows.first, rows.count, some.data(), which_.size()});
  };
  whole_.least_squares()->jacobian(all(p), most, pick_columns);
}

void PartSquares::jacobian(std::span<const double> p, std::size_t most, const Eater<double>& eat) {
  some_columns(p, most, eat);
}
void PartSquares::jacobian(std::span<const double> p, std::size_t most, const Eater<float>& eat) {
  some_columns(p, most, eat);
}

void PartSquares::jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                                std::span<double> rows) {
  constexpr std::size_t at_once = 64;  // of the whole's rows, which may be far longer
  const std::size_t width = std::size_t(parameters_.numel());
  std::vector<double> whole;
  for (std::size_t begin = 0; begin < count; begin += at_once) {
    const std::size_t some = std::min(at_once, count - begin);
    whole.resize(some * width);
    whole_.least_squares()->jacobian_rows(all(p), first + begin, some, whole);
    for (std::size_t i = 0; i < some; ++i)
      pick(std::span(whole).subspan(i * width, width),
           rows.subspan((begin + i) * which_.size(), which_.size()));
  }
}

void PartSquares::jacobian_times(std::span<const double> p, std::span<const double> v,
                                 std::span<double> rows) {
  whole_.least_squares()->jacobian_times(all(p), spread(v), rows);
}

void PartSquares::transposed_times(std::span<const double> p, std::span<const double> w,
                                   std::span<double> product) {
  std::vector<double> whole(std::size_t(parameters_.numel()));
  whole_.least_squares()->transposed_times(all(p), w, whole);
  pick(whole, product);
}

void PartSquares::hessian_times(std::span<const double> p, std::span<const double> v,
                                std::span<double> product) {
  std::vector<double> whole(std::size_t(parameters_.numel()));
  whole_.least_squares()->hessian_times(all(p), spread(v), whole);
  pick(whole, product);
}

/// K of some columns of J, from its rows: the whole J's parts of it by layers are not told apart.
void PartSquares::gram(std::span<const double> p, std::span<double> k) {
  const std::size_t n = rows(), width = which_.size();
  std::vector<double> j(n * width);
  jacobian_rows(p, 0, n, j);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < width; ++i) sum += j[a * width + i] * j[b * width + i];
      k[a * n + b] = k[b * n + a] = sum;
    }
}

std::vector<KroneckerFactors> PartSquares::kronecker(std::span<const double> p) {
  std::vector<KroneckerFactors> some;
  for (KroneckerFactors& factors : whole_.least_squares()->kronecker(all(p))) {
    const auto at = std::ranges::lower_bound(which_, factors.offset);
    if (at == which_.end() || *at != factors.offset) continue;
    factors.offset = std::size_t(at - which_.begin());
    some.push_back(std::move(factors));
  }
  return some;
}

void PartObjective::put(const Tensor& part, Tensor& parameters) const {
  for (std::size_t i = 0; i < which_.size(); ++i)
    parameters.data<double>()[which_[i]] = part.data<double>()[i];
}

}  // namespace pinn
