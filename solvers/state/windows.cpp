#include "solvers/state/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/problem/rewritten.h"
#include "solvers/state/choices.h"

namespace pinn {

int time_of(const Problem& problem) {
  for (std::size_t i = 0; i < problem.coordinates.size(); ++i)
    if (problem.coordinates[i].role == Role::time) return int(i);
  return -1;
}

std::size_t window_count(const Run& run) { return run.windows.edges.size() + 1; }

Interval window_times(const Run& run, std::size_t window) {
  const std::vector<double>& edges = run.windows.edges;
  const Coordinate& t = run.problem.coordinates[std::size_t(time_of(run.problem))];
  return {window == 0 ? t.lower : edges[window - 1],
          window < edges.size() ? edges[window] : t.upper};
}

std::size_t window_at(const Run& run, double time) {
  const std::vector<double>& edges = run.windows.edges;
  return std::size_t(std::ranges::lower_bound(edges, time) - edges.begin());
}

Windows::Windows(const Run& run, ThreadPool& pool, std::shared_ptr<StepCache> cache)
    : run_(run), pool_(pool), cache_(cache ? std::move(cache) : std::make_shared<StepCache>()) {
  open();
}

void Windows::open() {
  window_ = window_run(run_, now(), done_.empty() ? TrainedNetwork{} : done_.back(), pool_, cache_);
  std::shared_ptr<const TrainedNetwork> before;
  if (!done_.empty() && !run_.windows.outputs.empty())
    before = std::make_shared<const TrainedNetwork>(done_.back());
  model_ = std::make_shared<const Model>(std::make_shared<const Problem>(window_->problem),
                                         window_->networks, std::move(before));
}

void Windows::finish(std::vector<double> parameters) {
  done_.push_back({model_, std::move(parameters)});
  open();
}

std::vector<TrainedNetwork> Windows::networks(std::span<const double> parameters) const {
  std::vector<TrainedNetwork> all = done_;
  all.push_back({model_, {parameters.begin(), parameters.end()}});
  return all;
}

std::string Windows::text() const {
  const Interval times = window_times(run_, now());
  return fmt::format("window {} of {}, {} from {:g} to {:g}", now() + 1, count(),
                     run_.problem.coordinates[std::size_t(time_of(run_.problem))].name, times.lower,
                     times.upper);
}

RunFormulas::RunFormulas(const Run& run, std::vector<TrainedNetwork> networks,
                         std::vector<ExpressionPtr> formulas,
                         const std::shared_ptr<StepCache>& cache)
    : run_(run), networks_(std::move(networks)), count_(formulas.size()) {
  for (const ExpressionPtr& e : formulas)
    if (window_count(run) > 1 && asks_elsewhere(*e, time_of(run.problem)))
      throw ConfigError(
          {"not yet: a formula that asks for fields at other times, of windows of time",
           "each window has a network of its own", "ask at other places of the same time"});
  for (const TrainedNetwork& network : networks_)
    formulas_.push_back(
        std::make_unique<Formulas>(network.model, formulas, cache, device_of(run).device));
}

std::vector<std::vector<double>> RunFormulas::operator()(const PointSet& points, ThreadPool& pool) {
  if (window_count(run_) == 1) return (*formulas_[0])(networks_[0].parameters, points, pool);
  const std::size_t d = run_.problem.coordinates.size(), t = std::size_t(time_of(run_.problem));
  std::vector<std::vector<std::size_t>> of_window(window_count(run_));
  for (std::size_t n = 0; n < points.count; ++n)
    of_window[window_at(run_, points.x[n * d + t])].push_back(n);
  std::vector<std::vector<double>> all(count_, std::vector<double>(points.count, std::nan("")));
  for (std::size_t k = 0; k < networks_.size(); ++k) {
    PointSet some{of_window[k].size(), {}, {}, {}, {}};
    for (const std::size_t n : of_window[k]) {
      const auto take = [&](const std::vector<double>& from, std::vector<double>& to) {
        if (!from.empty())
          to.insert(to.end(), from.begin() + std::ptrdiff_t(n * d),
                    from.begin() + std::ptrdiff_t((n + 1) * d));
      };
      take(points.x, some.x);
      take(points.normals, some.normals);
    }
    const auto values = (*formulas_[k])(networks_[k].parameters, some, pool);
    for (std::size_t f = 0; f < count_; ++f)
      for (std::size_t i = 0; i < some.count; ++i) all[f][of_window[k][i]] = values[f][i];
  }
  return all;
}

}  // namespace pinn
