#include "tests/autograd/torch/ways.h"

#include <functional>

#include "autograd/core/error.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/modes.h"

namespace pinn::test {
namespace {

using Tensors = std::vector<Tensor>;

/// Small numbers, all exact, some 0: element i is ((i step + start) mod modulus - half) / 4.
Tensor pattern(const Tensor& like, int start, int step, int modulus) {
  std::vector<double> values(std::size_t(like.numel()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = ((int(i) * step + start) % modulus - modulus / 2) / 4.0;
  return from_values(values, like.shape(), like.dtype());
}
Tensor seed(const Tensor& like, std::size_t i) { return pattern(like, 3 * int(i), 7, 11); }
Tensor direction(const Tensor& like, std::size_t i) { return pattern(like, 2 * int(i) + 1, 5, 9); }

/// One program, gone through in every way.
class Ways {
 public:
  explicit Ways(const CallProgram& program) : program_(program) {}

  Tensors value() const { return perform(program_, inputs(false)); }

  Tensors gradient() const {
    const Tensors x = inputs(true);
    return pulled(perform(program_, x), x, {});
  }

  Tensors second() const {
    const Tensors x = inputs(true);
    return pulled(pulled(perform(program_, x), x, {.create_graph = true}), x, {}, direction);
  }

  Tensors tangent() const {
    const DualLevel level;
    return tangents(perform(program_, duals(inputs(false))));
  }

  Tensors forward_over_reverse() const {
    const DualLevel level(false);
    Tensors x = duals(inputs(false));
    for (Tensor& t : x) t.set_requires_grad();
    return tangents(pulled(perform(program_, x), x, {}));
  }

  Tensors reverse_over_forward() const {
    const DualLevel level;
    const Tensors x = inputs(true);
    return pulled(tangents(perform(program_, duals(x))), x, {});
  }

 private:
  using Seed = Tensor (*)(const Tensor&, std::size_t);

  Tensors inputs(bool requires_grad) const {
    Tensors x;
    for (const Start& start : program_.inputs)
      x.push_back(
          from_values(start.values, start.shape, program_.dtype).set_requires_grad(requires_grad));
    return x;
  }

  static Tensors duals(const Tensors& inputs) {
    Tensors x;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      x.push_back(make_dual(inputs[i], direction(inputs[i], i)));
    return x;
  }

  /// Zeros where there is none.
  static Tensors tangents(const Tensors& y) {
    Tensors t;
    for (const Tensor& each : y) {
      t.push_back(tangent_of(each));
      if (!t.back().defined()) t.back() = zeros_like(each);
    }
    return t;
  }

  /// The gradients by x of those of y that have one.
  static Tensors pulled(const Tensors& y, const Tensors& x, GradOptions options,
                        Seed seed_of = seed) {
    Tensors outputs, seeds, none;
    for (std::size_t i = 0; i < y.size(); ++i)
      if (y[i].requires_grad()) {
        outputs.push_back(y[i]);
        seeds.push_back(seed_of(y[i], i));
      }
    options.materialize = true;
    if (!outputs.empty()) return grad(outputs, x, seeds, options);
    for (const Tensor& each : x) none.push_back(zeros_like(each));
    return none;
  }

  const CallProgram& program_;
};

}  // namespace

std::vector<Found> found_by_all_ways(const CallProgram& program) {
  const std::pair<const char*, Tensors (Ways::*)() const> all[] = {
      {"value", &Ways::value},
      {"gradient", &Ways::gradient},
      {"reverse over reverse", &Ways::second},
      {"tangent", &Ways::tangent},
      {"forward over reverse", &Ways::forward_over_reverse},
      {"reverse over forward", &Ways::reverse_over_forward}};
  std::vector<Found> found;
  for (const auto& [name, way] : all) {
    found.push_back({.way = name});
    try {
      found.back().tensors = (Ways(program).*way)();
    } catch (const Error& e) {
      found.back().refused = e.report.what;
    }
  }
  return found;
}

}  // namespace pinn::test
