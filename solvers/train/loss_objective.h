#pragma once
#include <algorithm>

#include "solvers/optimize/optimizer.h"
#include "solvers/residual/loss/loss.h"

namespace pinn {

/// The loss as an optimizer sees it; remembers where it was asked last and the answer, term by
/// term. One per set of points: after a redraw make a new one.
class LossObjective : public Objective, private Descent {
 public:
  explicit LossObjective(Loss& loss) : loss_(loss) {}

  double value(const Tensor& p) override {
    return remember(p, loss_.value(p.data<double>())).total;
  }
  double value_and_gradient(const Tensor& p, Tensor& gradient) override {
    return remember(p, loss_.value_and_gradient(p.data<double>(), gradient.data<double>())).total;
  }

  /// The loss's own, whose answers are remembered likewise.
  Descent* descent() override { return loss_.descent() ? this : nullptr; }

  LeastSquares* least_squares() override { return &loss_.squares(); }
  ThreadPool* threads() override { return &loss_.threads(); }

  /// The latest answer: not always at the parameters a move ended with. Empty before the first.
  const Loss::Result& latest() const { return latest_; }
  /// The loss at p, evaluated only if p is not where it was asked last: a function of p alone.
  const Loss::Result& at(const Tensor& p) {
    const std::span<const double> now = p.data<double>();
    if (!std::equal(now.begin(), now.end(), asked_.begin(), asked_.end())) value(p);
    return latest_;
  }

 private:
  const Loss::Result& remember(const Tensor& p, Loss::Result result) {
    const std::span<const double> now = p.data<double>();
    asked_.assign(now.begin(), now.end());
    latest_ = std::move(result);
    return latest_;
  }

  std::size_t size() const override { return loss_.descent()->size(); }
  void put(std::span<const double> p, const std::vector<std::span<const double>>& memories,
           std::span<const double> previous) override {
    loss_.descent()->put(p, memories, previous);
  }
  Last run(std::span<const DescentMove> moves, const DescentLimits& limits,
           std::span<double> p) override {
    Last last = loss_.descent()->run(moves, limits, p);
    loss_.count_moves(last.moves);
    latest_ = {last.loss, last.terms};
    asked_.clear();  // where the last move began, which is not known here
    return last;
  }
  void read(const std::vector<std::span<double>>& memories, std::span<double> previous) override {
    loss_.descent()->read(memories, previous);
  }

  Loss& loss_;
  std::vector<double> asked_;
  Loss::Result latest_;
};

}  // namespace pinn
