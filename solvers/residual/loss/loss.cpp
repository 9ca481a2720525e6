#include "solvers/residual/loss/loss.h"

#include <algorithm>
#include <cmath>

#include "solvers/residual/loss/loss_squares.h"

namespace pinn {

Loss::Loss(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool)
    : pool_(pool),
      parts_(std::make_unique<PartTable>(std::move(model), options, pool)),
      evaluation_(std::make_unique<Evaluation>(*parts_, options, pool)),
      squares_(std::make_unique<LossSquares>(*parts_, *evaluation_, options.dtype)) {}

Loss::~Loss() = default;

void Loss::forget_points() {
  descent_.reset();
  evaluation_->forget_points();
  squares_->forget_points();
}

void Loss::set_points(std::size_t r, PointSet points) {
  parts_->require_fit(r, points);
  forget_points();
  parts_->set_points(r, std::move(points));
}
void Loss::drop_points(std::size_t r) {
  forget_points();
  parts_->drop_points(r);
}
void Loss::set_weights(std::span<const double> weights) {
  parts_->set_weights(weights);
  descent_.reset();
}
void Loss::set_point_weights(std::size_t r, std::span<const double> weights) {
  parts_->set_point_weights(r, weights);
  descent_.reset();
}
void Loss::set_directions(std::span<const double> vectors) {
  descent_.reset();
  parts_->set_directions(vectors);
}

const std::vector<LossTerm>& Loss::terms() const { return parts_->terms(); }
std::size_t Loss::points() const { return parts_->points(); }
std::size_t Loss::points(std::size_t r) const { return parts_->points(r); }
std::size_t Loss::rows(std::size_t r) const { return parts_->rows(r); }
std::size_t Loss::point_weights(std::size_t r) const { return parts_->point_weights(r); }
const Loss::Work& Loss::work() const { return evaluation_->work(); }
LeastSquares& Loss::squares() { return *squares_; }

Loss::Result Loss::value(std::span<const double> p) { return loss(false, p, {}); }

Loss::Result Loss::value_and_gradient(std::span<const double> p, std::span<double> gradient) {
  return loss(true, p, gradient);
}

Loss::Result Loss::loss(bool with_gradient, std::span<const double> p, std::span<double> gradient) {
  Result result;
  result.terms.resize(terms().size());
  evaluation_->run(
      {with_gradient ? Sweep::gradient : Sweep::value, p, {}, result.terms, gradient, {}});
  for (std::size_t r = 0; r < parts_->requirements(); ++r)
    for (std::size_t k = parts_->first_term(r); k < parts_->first_term(r + 1); ++k) {
      result.terms[k] /= double(rows(r));
      result.total += terms()[k].weight * result.terms[k];
    }
  return result;
}

std::vector<double> Loss::largest(std::span<const double> p) {
  scratch_.resize(parts_->rows());
  squares_->residual(p, scratch_);
  std::vector<double> all;
  for (std::size_t r = 0, at = 0; r < parts_->requirements(); ++r) {
    const std::size_t points = rows(r);
    for (std::size_t k = parts_->first_term(r); k < parts_->first_term(r + 1); ++k, at += points) {
      double most = 0;
      for (const double row : std::span(scratch_).subspan(at, points))
        most = std::max(most, std::fabs(row));
      const double root = std::sqrt(terms()[k].weight / double(points));
      all.push_back(root > 0 ? most / root : std::nan(""));
    }
  }
  return all;
}

Descent* Loss::descent() {
  if (!descent_) {
    evaluation_->find_tasks(Sweep::gradient);
    std::vector<LossPart*> parts;
    for (std::size_t i = 0; i < parts_->size(); ++i)
      if ((*parts_)[i].points() > 0) parts.push_back(&(*parts_)[i]);
    descent_ = descent_of(parts, parts_->model());
  }
  return descent_.get();
}

void Loss::count_moves(std::size_t moves) { evaluation_->count(double(moves), Sweep::gradient); }

}  // namespace pinn
