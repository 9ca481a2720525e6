#include <algorithm>
#include <vector>

#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/methods/quasi_newton.h"

namespace pinn {
namespace {

struct Lbfgs : QuasiNewton {
  using QuasiNewton::QuasiNewton;

  Tensor direction(const OptimizerMemory& memory, const Tensor& gradient,
                   ThreadPool*) const override {
    Tensor d = vector_of(-array(gradient));
    if (!has_learned(memory)) return d;
    const long pairs = count(memory);
    std::vector<double> alpha(pairs), curvature(pairs);
    for (long age = 0; age < pairs; ++age) {  // from the newest pair to the oldest
      const ArrayMap s = row(memory, "steps", age), y = row(memory, "changes", age);
      curvature[age] = dot(s, y);
      alpha[age] = dot(s, array(d)) / curvature[age];
      array(d) -= alpha[age] * y;
    }
    const ArrayMap newest_y = row(memory, "changes", 0);
    array(d) *= curvature[0] / dot(newest_y, newest_y);
    for (long age = pairs - 1; age >= 0; --age) {
      const ArrayMap s = row(memory, "steps", age), y = row(memory, "changes", age);
      array(d) += (alpha[age] - dot(y, array(d)) / curvature[age]) * s;
    }
    return d;
  }

  bool has_learned(const OptimizerMemory& memory) const override {
    return memory.numbers.count("pairs") > 0;
  }

  void learn(OptimizerMemory& memory, const Accepted& move, ThreadPool*) const override {
    if (dot(move.s, move.y) <= 1e-10 * norm(move.s) * norm(move.y)) return;
    const std::int64_t size = move.s.numel();
    for (const char* name : {"steps", "changes"})
      if (!memory.tensors.count(name)) memory.tensors[name] = zeros({options_.history, size});
    const long rows = memory.tensors.at("steps").size(0), pairs = count(memory);
    memory.numbers["newest"] = pairs > 0 ? (newest(memory) + 1) % rows : 0;
    memory.numbers["pairs"] = std::min(pairs + 1, rows);
    row(memory, "steps", 0) = array(move.s);
    row(memory, "changes", 0) = array(move.y);
  }

  void forget(OptimizerMemory& memory) const override {
    memory.numbers.erase("pairs");
    memory.numbers.erase("newest");
  }
  void review(OptimizerMemory& memory) const override { forget(memory); }

  /// As many rows as the history that the stage began with.
  std::string misfit_of_curvature(const OptimizerMemory& memory, std::int64_t parameters,
                                  std::map<std::string, Shape>& tensors,
                                  std::set<std::string>& numbers) const override {
    const auto steps = memory.tensors.find("steps");
    const std::size_t held = memory.tensors.count("steps"), pairs = memory.numbers.count("pairs");
    if (held != memory.tensors.count("changes") || pairs != memory.numbers.count("newest") ||
        pairs > held)
      return "it lacks a part of its pairs";
    if (held == 0) return "";
    const std::int64_t rows = steps->second.rank() == 2 ? steps->second.size(0) : 0;
    if (rows == 0) return "its 'steps' are no rows";
    tensors["steps"] = tensors["changes"] = {rows, parameters};
    numbers.insert({"pairs", "newest"});
    if (pairs == 0) return "";
    return is_whole(memory.numbers.at("pairs"), 1, double(rows)) &&
                   is_whole(memory.numbers.at("newest"), 0, double(rows - 1))
               ? ""
               : "its 'pairs' or 'newest' is no number of a row";
  }

  double first_step(const OptimizerMemory& memory, double, double,
                    const Tensor& gradient) const override {
    return has_learned(memory) ? 1 : std::min(1.0, 1 / absolute_sum(gradient));
  }

 private:
  static double dot(const ArrayMap& a, const ArrayMap& b) {
    return pinn::dot(a.data(), b.data(), a.size());
  }
  static double dot(const Tensor& a, const Tensor& b) { return pinn::dot(a, b); }
  static long count(const OptimizerMemory& memory) {
    const auto found = memory.numbers.find("pairs");
    return found == memory.numbers.end() ? 0 : long(found->second);
  }
  static long newest(const OptimizerMemory& memory) { return long(memory.numbers.at("newest")); }

  /// The row of the pair that is `age` pairs older than the newest.
  static ArrayMap row(const OptimizerMemory& memory, const char* name, long age) {
    const Tensor& all = memory.tensors.at(name);
    const long rows = all.size(0), size = all.size(1), at = (newest(memory) - age + rows) % rows;
    return {all.data<double>().data() + at * size, size};
  }
};

std::unique_ptr<Optimizer> make_lbfgs(const OptimizerOptions& options, const TrainedSize&) {
  return std::make_unique<Lbfgs>(options);
}

OptimizerNeeds needs_of_lbfgs(const OptimizerOptions& options, const TrainedSize& size) {
  const double p = double(size.parameters);
  return {(2 * options.history + 1) * p, 0, 10 * options.history * p};
}

}  // namespace

const OptimizerKind kinds::lbfgs = {"lbfgs", make_lbfgs, needs_of_lbfgs, "history", false, nullptr};

}  // namespace pinn
