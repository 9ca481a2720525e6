#include "solvers/watch/judge.h"

#include <fmt/format.h>

#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/results/results.h"

namespace pinn {
namespace {

constexpr double alarming = 10;     ///< times the residual at the training points
constexpr double rounding = 1e-20;  ///< of the loss that a run begins with

/// Beyond all numbers, or none: NaN.
double number_or_nan(double value) { return std::isfinite(value) ? value : NAN; }

}  // namespace

void keep_figures(BestModel& best, const Run& run, const std::vector<Distance>& errors,
                  const std::vector<FoundValue>& values) {
  best.errors.clear();
  best.values.clear();
  for (const Distance& d : errors) best.errors[d.name] = number_or_nan(d.l2);
  for (const FoundValue& v : values) {
    best.values[v.name] = number_or_nan(v.value);
    if (has_reference(run, v.name)) best.errors[v.name] = number_or_nan(v.error);
  }
}

Judge::Judge(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
             ThreadPool& pool)
    : run_(run),
      model_(model),
      pool_(pool),
      loss_(model, loss, pool),
      reference_(run, model_, loss.cache),
      values_(run, record_nodes),
      cache_(loss.cache) {
  take_held_out_points();
  for (const Requirement& r : run.problem.requirements)
    drawn_.insert(drawn_.end(), terms_of(r, run.problem).size(), !r.data);
}

void Judge::take_held_out_points() {
  for (std::size_t r = 0; r < run_.problem.requirements.size(); ++r)
    loss_.set_points(r, held_out_points(run_, r));
}

Verdict Judge::operator()(std::span<const double> p) {
  return {loss_.value(p), loss_.largest(p),
          reference_.known() ? reference_(p, pool_) : std::vector<Distance>(),
          values_({{model_, {p.begin(), p.end()}}}, pool_, cache_)};
}

Loss::Result Judge::training(std::span<const double> p, const std::vector<Draw>& draws) {
  for (std::size_t r = 0; r < draws.size(); ++r)
    loss_.set_points(
        r, points_in_use(run_, r,
                         {.count = draws[r].count, .x = draws[r].x, .normals = draws[r].normals}));
  Loss::Result result = loss_.value(p);
  take_held_out_points();
  return result;
}

Gap Judge::gap(const Loss::Result& training, const Loss::Result& held_out) const {
  Gap gap;
  double widest = 0;
  for (std::size_t k = 0; k < drawn_.size(); ++k) {
    if (!drawn_[k]) continue;
    const double there = terms()[k].weight * training.terms[k];
    const double here = terms()[k].weight * held_out.terms[k];
    gap.training += there;
    gap.held_out += here;
    if (here - there <= widest) continue;
    widest = here - there;
    gap.worst = terms()[k].name;
  }
  return gap;
}

bool learned_by_heart(const Gap& gap, double scale) {
  return gap.held_out > alarming * gap.training && gap.held_out > rounding * scale;
}

Report report(const Gap& gap, std::int64_t step) {
  return {
      fmt::format("the residual is {:.1e} at held-out points and {:.1e} at the training points: "
                  "these are learned by heart, and the network is wrong between them",
                  gap.held_out, gap.training),
      fmt::format("step {}, most of it in '{}'", step, gap.worst),
      "take more points, redraw them (points = { count = N, redraw = 500 }), or a smaller "
      "network"};
}

}  // namespace pinn
