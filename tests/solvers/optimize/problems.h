#pragma once
#include <algorithm>
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

/// A sum of squares L = |R|^2, whose rows and Jacobian are written down: what is asked of them
/// counts, too.
struct CountedSquares : CountedObjective, LeastSquares {
  std::size_t parameters;
  explicit CountedSquares(std::size_t parameters) : parameters(parameters) {}
  /// R [rows] and J [rows, parameters], over zeros.
  virtual void write_rows(std::span<const double> x, std::span<double> r, std::span<double> j) = 0;

  LeastSquares* least_squares() override { return this; }

  void residual(std::span<const double> p, std::span<double> r) override {
    std::ranges::copy(rows_and_jacobian(p).r, r.begin());
  }
  void jacobian(std::span<const double> p, std::size_t, const Eater<double>& eat) override {
    const Both both = rows_and_jacobian(p);
    eat({0, rows(), both.j.data(), parameters});
  }
  void jacobian(std::span<const double> p, std::size_t, const Eater<float>& eat) override {
    const Both both = rows_and_jacobian(p);
    const std::vector<float> rounded(both.j.begin(), both.j.end());
    eat({0, rows(), rounded.data(), parameters});
  }
  void jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                     std::span<double> out) override {
    const Both both = rows_and_jacobian(p);
    std::copy_n(both.j.begin() + long(first * parameters), count * parameters, out.begin());
  }
  void jacobian_times(std::span<const double> p, std::span<const double> v,
                      std::span<double> out) override {
    const Both both = rows_and_jacobian(p);
    for (std::size_t i = 0; i < rows(); ++i) {
      out[i] = 0;
      for (std::size_t k = 0; k < parameters; ++k) out[i] += both.j[i * parameters + k] * v[k];
    }
  }
  void transposed_times(std::span<const double> p, std::span<const double> w,
                        std::span<double> product) override {
    transposed(rows_and_jacobian(p), w, product);
  }
  /// By differences of the gradient: exact for a quadratic.
  void hessian_times(std::span<const double> p, std::span<const double> v,
                     std::span<double> product) override {
    const double h = 1e-5;
    --evaluations;  // it counts as one
    std::vector<double> there[2];
    for (const int side : {0, 1}) {
      std::vector<double> x(p.begin(), p.end());
      for (std::size_t k = 0; k < parameters; ++k) x[k] += (side == 0 ? h : -h) * v[k];
      const Both both = rows_and_jacobian(x);
      there[side].resize(parameters);
      transposed(both, both.r, there[side]);
    }
    for (std::size_t k = 0; k < parameters; ++k) product[k] = (there[0][k] - there[1][k]) / h;
  }
  void gram(std::span<const double> p, std::span<double> k) override {
    const Both both = rows_and_jacobian(p);
    for (std::size_t a = 0; a < rows(); ++a)
      for (std::size_t b = 0; b < rows(); ++b) {
        double& sum = k[a * rows() + b] = 0;
        for (std::size_t i = 0; i < parameters; ++i)
          sum += both.j[a * parameters + i] * both.j[b * parameters + i];
      }
  }
  /// Kronecker factors of one vector.
  std::vector<KroneckerFactors> kronecker(std::span<const double> p) override {
    const Both both = rows_and_jacobian(p);
    KroneckerFactors factors{0,    1,   parameters,
                             true, {1}, std::vector<double>(parameters * parameters)};
    for (std::size_t a = 0; a < parameters; ++a)
      for (std::size_t i = 0; i < rows(); ++i)
        for (std::size_t b = 0; b < parameters; ++b)
          factors.g[a * parameters + b] += both.j[i * parameters + a] * both.j[i * parameters + b];
    return {factors};
  }

 private:
  struct Both {
    std::vector<double> r, j;
  };
  Both rows_and_jacobian(std::span<const double> x) {
    ++evaluations;
    Both both{std::vector<double>(rows(), 0), std::vector<double>(rows() * parameters, 0)};
    write_rows(x, both.r, both.j);
    return both;
  }
  void transposed(const Both& both, std::span<const double> w, std::span<double> product) const {
    for (std::size_t k = 0; k < parameters; ++k) {
      product[k] = 0;
      for (std::size_t i = 0; i < w.size(); ++i) product[k] += both.j[i * parameters + k] * w[i];
    }
  }
};

/// scale sum_i 100 (x_{i+1} - x_i^2)^2 + (target - x_i)^2, of which none is left at (1, ..., 1)
/// where that is the target.
struct Rosenbrock : CountedSquares {
  double scale, target = 1;
  explicit Rosenbrock(double scale = 1, std::size_t parameters = 10)
      : CountedSquares(parameters), scale(scale) {}
  std::size_t rows() const override { return 2 * (parameters - 1); }
  void write_rows(std::span<const double> x, std::span<double> r, std::span<double> j) override {
    const double root = std::sqrt(scale);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      double* const row = j.data() + 2 * i * parameters;
      r[2 * i] = root * 10 * (x[i + 1] - x[i] * x[i]);
      row[i + 1] = root * 10, row[i] = root * -20 * x[i];
      r[2 * i + 1] = root * (target - x[i]);
      row[parameters + i] = -root;
    }
  }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double sum = 0;
    for (double& slope : g) slope = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const double a = x[i + 1] - x[i] * x[i], b = target - x[i];
      sum += 100 * a * a + b * b;
      g[i] += scale * (-400 * a * x[i] - 2 * b);
      g[i + 1] += scale * 200 * a;
    }
    return scale * sum;
  }
};

/// 1/2 sum_i c_i (x_i - target)^2, with c_i from 1 to `condition` in geometric progression.
struct Quadratic : CountedSquares {
  double condition, target = 0;
  explicit Quadratic(double condition, std::size_t parameters = 10)
      : CountedSquares(parameters), condition(condition) {}
  std::size_t rows() const override { return parameters; }
  void write_rows(std::span<const double> x, std::span<double> r, std::span<double> j) override {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double c = std::pow(condition, double(i) / double(x.size() - 1));
      r[i] = std::sqrt(c / 2) * (x[i] - target);
      j[i * parameters + i] = std::sqrt(c / 2);
    }
  }
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
