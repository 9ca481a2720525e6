#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/tape/functions.h"
#include "solvers/optimize/dense/triangle.h"
#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/methods/quasi_newton.h"

namespace pinn {
namespace {

/// Member of Broyden's class: H <- (H - q q^T / (y.q) + phi (y.q) v v^T) / tau + s s^T / (y.s),
/// with q = H y and v = s / (y.s) - q / (y.q).
struct Member {
  double phi, tau;
};

/// The choice by b = s^T B s / (y.s) and h = y^T H y / (y.s) in P dimensions, with B = H^-1.
/// Kiyani et al. (2025), their second variant; a = b h - 1 >= 0 by Cauchy and Schwarz.
Member self_scaled_broyden(double b, double h, double dimensions) {
  const double a = std::max(b * h - 1, std::numeric_limits<double>::epsilon());
  const double c = std::sqrt(a / (1 + a));
  const double rho_minus = std::min(1.0, h * (1 - c));
  const double theta_minus = (rho_minus - 1) / a;
  const double theta = std::max(theta_minus, std::min(1 / rho_minus, (1 - b) / b));
  const double sigma = 1 + theta * a;
  const double sigma_root = std::pow(std::abs(sigma), 1 / (1 - std::max(dimensions, 2.0)));
  const double rho_k = std::min(1.0, 1 / b);
  const double tau =
      theta <= 0 ? std::min(rho_k * sigma_root, sigma) : rho_k * std::min(sigma_root, 1 / theta);
  return {(1 - theta) / (1 + a * theta), tau};
}

struct SsBroyden : QuasiNewton {
  SsBroyden(const OptimizerOptions& options, const TrainedSize& size)
      : QuasiNewton(options),
        type_(options.curvature == "float32" ? DType::float32 : DType::float64),
        rows_(std::int64_t(size.parameters)),
        ranks_(*size.ranks) {}

  Tensor direction(const OptimizerMemory& memory, const Tensor& gradient,
                   ThreadPool* threads) const override {
    const auto known = memory.tensors.find("direction");
    if (known != memory.tensors.end()) return known->second;
    if (!has_learned(memory)) return vector_of(-array(gradient));
    return vector_of(
        -array(product(memory.tensors.at("inverse_hessian"), gradient, {threads, ranks_})));
  }

  bool has_learned(const OptimizerMemory& memory) const override {
    return memory.tensors.count("inverse_hessian") > 0;
  }

  /// One pass over H: the update of the move before, q = H y and H g. The new direction follows
  /// from the latter and the new update, which the next move's pass will apply.
  void learn(OptimizerMemory& memory, const Accepted& move, ThreadPool* threads) const override {
    const double curvature = dot(move.s, move.y);
    if (curvature <= std::numeric_limits<double>::epsilon() * norm(move.s) * norm(move.y)) {
      pass(memory, {}, threads);
      memory.tensors.erase("direction");
      return;
    }
    if (!has_learned(memory))
      memory.tensors["inverse_hessian"] = identity_triangle(rows_, type_, ranks_);
    const std::vector<Tensor> products = pass(memory, {move.y, move.gradient}, threads);
    const Tensor &q = products[0], &hg = products[1];
    const double yq = dot(move.y, q);
    if (!(yq > 0)) return forget(memory);  // rounding has spoiled H
    const double b = -move.step * move.step * move.slope / curvature, h = yq / curvature;
    const auto [phi, tau] = self_scaled_broyden(b, h, double(move.s.numel()));

    // The three rank-one terms, written in q and s.
    const double qq = (phi - 1) / (yq * tau), qs = -phi / (curvature * tau);
    const double ss = (phi * h / tau + 1) / curvature;
    const Tensor a = vector_of(qq * array(q) + qs * array(move.s)),
                 c = vector_of(qs * array(q) + ss * array(move.s));
    const double ag = dot(a, move.gradient), cg = dot(c, move.gradient);
    memory.tensors["update"] = update_of(1 / tau, q, a, move.s, c).vectors;
    memory.numbers["scale"] = 1 / tau;
    memory.tensors["direction"] =
        vector_of(-(array(hg) / tau + ag * array(q) + cg * array(move.s)));
  }

  void forget(OptimizerMemory& memory) const override {
    for (const char* name : {"inverse_hessian", "update", "direction"}) memory.tensors.erase(name);
    for (const char* name : {"scale", "previous_value"}) memory.numbers.erase(name);
  }

  void review(OptimizerMemory& memory) const override {
    pass(memory, {}, nullptr);
    memory.tensors.erase("direction");
    if (!has_learned(memory)) return;
    double& checked = memory.numbers["checked"];
    if (double(memory.moves) - checked < moves_between_checks) return;
    checked = double(memory.moves);
    if (!is_positive_definite(memory.tensors.at("inverse_hessian"), rows_, {nullptr, ranks_}))
      forget(memory);
  }

  std::string misfit_of_curvature(const OptimizerMemory& memory, std::int64_t parameters,
                                  std::map<std::string, Shape>& tensors,
                                  std::set<std::string>& numbers) const override {
    if (memory.tensors.count("direction") > 0 &&
        (!has_learned(memory) || memory.numbers.count("previous_value") == 0))
      return "it has a 'direction' without what that came from";
    if (memory.tensors.count("update") != memory.numbers.count("scale") ||
        memory.tensors.count("update") > memory.tensors.count("direction"))
      return "it has an 'update' without what goes with that";
    const std::vector<std::size_t> shares = triangle_shares(parameters, ranks_.count());
    const auto own = std::size_t(ranks_.rank());
    tensors["inverse_hessian"] = {std::int64_t(shares[own + 1] - shares[own])};
    tensors["direction"] = {parameters};
    tensors["update"] = {4, parameters};
    numbers.insert({"checked", "scale"});
    const auto checked = memory.numbers.find("checked");
    return checked == memory.numbers.end() || is_whole(checked->second, 0, double(memory.moves))
               ? ""
               : "its 'checked' is no number of a move";
  }

  double first_step(const OptimizerMemory& memory, double value, double slope,
                    const Tensor& gradient) const override {
    const auto known = memory.numbers.find("previous_value");
    const double previous =
        known == memory.numbers.end() ? value + norm(gradient) / 2 : known->second;
    const double step = 1.01 * 2 * (value - previous) / slope;
    return step > 0 ? std::min(1.0, step) : 1.0;
  }

 private:
  /// Products of H with some vectors, in the pass that applies the update which is left to do. If
  /// there is neither, there is nothing to do.
  std::vector<Tensor> pass(OptimizerMemory& memory, const std::vector<Tensor>& x,
                           ThreadPool* threads) const {
    const bool updating = memory.tensors.count("update") > 0;
    if (!updating && x.empty()) return {};
    Tensor& h = memory.tensors.at("inverse_hessian");
    if (h.dtype() != type_) h = cast(h, type_);  // a file gives float64
    if (!updating) return update_and_products(h, nullptr, x, {threads, ranks_});
    const Update update{memory.numbers.at("scale"), memory.tensors.at("update")};
    memory.tensors.erase("update");
    memory.numbers.erase("scale");
    return update_and_products(h, &update, x, {threads, ranks_});
  }

  const DType type_;
  const std::int64_t rows_;  ///< P
  Ranks& ranks_;             ///< each has some rows of H
  /// A check costs as much as the algebra of P/20 moves; rounding needs longer to spoil H, and a
  /// direction that leads uphill is found out anyway.
  static constexpr double moves_between_checks = 100;
};

std::unique_ptr<Optimizer> make_ssbroyden(const OptimizerOptions& options,
                                          const TrainedSize& size) {
  return std::make_unique<SsBroyden>(options, size);
}

/// A triangle, and the one in float64 that a check of it takes; of several ranks the largest share.
OptimizerNeeds needs_of_ssbroyden(const OptimizerOptions& options, const TrainedSize& size) {
  const std::vector<std::size_t> shares =
      triangle_shares(std::int64_t(size.parameters), size.ranks->count());
  double triangle = 0;
  for (std::size_t r = 0; r + 1 < shares.size(); ++r)
    triangle = std::max(triangle, double(shares[r + 1] - shares[r]));
  return {options.curvature == "float32" ? triangle / 2 : triangle, triangle, 13 * triangle};
}

}  // namespace

const OptimizerKind kinds::ssbroyden = {"ssbroyden", make_ssbroyden, needs_of_ssbroyden,
                                        "curvature", false,          "lbfgs"};

}  // namespace pinn
