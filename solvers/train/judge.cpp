#include "solvers/train/judge.h"

#include "solvers/train/point_sets.h"

namespace pinn {

Judge::Judge(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
             ThreadPool& pool)
    : model_(model),
      pool_(pool),
      held_out_(model, loss, pool),
      reference_(run, model_, loss.cache) {
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    held_out_.set_points(r, held_out_points(run, r));
  for (const int f : reference_.fields())
    fields_.push_back(run.problem.fields[std::size_t(f)].name);
}

std::vector<double> Judge::errors(std::span<const double> p) {
  return reference_.known() ? reference_(p, pool_) : std::vector<double>();
}

}  // namespace pinn
