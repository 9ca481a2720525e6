#pragma once
#include <cmath>

#include "solvers/optimize/optimizer.h"

namespace pinn {

/// An objective that counts its evaluations.
struct CountedObjective : Objective {
  long evaluations = 0;
  double value(const Tensor& p) override {
    Tensor gradient = empty(p.shape());
    return value_and_gradient(p, gradient);
  }
  double value_and_gradient(const Tensor& p, Tensor& gradient) override {
    ++evaluations;
    return evaluate(p.data<double>(), gradient.data<double>());
  }
  virtual double evaluate(std::span<const double> x, std::span<double> g) = 0;
};

/// scale sum_i 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2, least at (1, ..., 1).
struct Rosenbrock : CountedObjective {
  double scale;
  explicit Rosenbrock(double scale = 1) : scale(scale) {}
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double sum = 0;
    for (double& slope : g) slope = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
      sum += 100 * a * a + b * b;
      g[i] += scale * (-400 * a * x[i] - 2 * b);
      g[i + 1] += scale * 200 * a;
    }
    return scale * sum;
  }
};

/// 1/2 sum_i c_i (x_i - target)^2, with c_i from 1 to `condition` in geometric progression.
struct Quadratic : CountedObjective {
  double condition, target = 0;
  explicit Quadratic(double condition) : condition(condition) {}
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double c = std::pow(condition, double(i) / double(x.size() - 1)), d = x[i] - target;
      g[i] = c * d;
      sum += 0.5 * c * d * d;
    }
    return sum;
  }
};

}  // namespace pinn
