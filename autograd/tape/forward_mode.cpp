#include "autograd/tape/forward_mode.h"

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/linear_map.h"
#include "autograd/tape/modes.h"

namespace pinn {

Tensor make_dual(const Tensor& x, const Tensor& tangent) {
  if (!dual_level_open())
    throw EngineError(
        {"make_dual needs an open dual level", describe(x), "open one: const DualLevel level;"});
  if (!is_floating(x.dtype()))
    throw EngineError(
        {"only floating tensors have tangents", describe(x), "cast() it to float64 or float32"});
  if (!(tangent.shape() == x.shape()) || tangent.dtype() != x.dtype())
    throw EngineError({"a tangent must have the shape and dtype of its tensor",
                       describe(tangent) + " for " + describe(x), "reshape or cast it"});
  if (tangent_of(tangent).defined())
    throw EngineError({"the tangent of a tensor is dual itself", describe(tangent),
                       "dual levels do not nest: pass tangent.detach()"});
  const Tensor dual = linear_map(
      "make_dual", x, [](const Tensor& t) { return t.detach(); },
      [](const Tensor& g) { return g; });
  set_tangent(dual, tangent);
  dual.body()->is_foreign = true;
  show(root_of(*x.body()), to_strangers);
  return dual;
}

Jvp jvp(const TensorFunction& f, const std::vector<Tensor>& inputs,
        const std::vector<Tensor>& tangents) {
  if (tangents.size() != inputs.size())
    throw EngineError({"jvp: " + std::to_string(inputs.size()) + " inputs but " +
                           std::to_string(tangents.size()) + " tangents",
                       "", "give one tangent per input, undefined ones where it is zero"});
  const DualLevel level;
  std::vector<Tensor> duals = inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (tangents[i].defined()) duals[i] = make_dual(inputs[i], tangents[i]);
  const Tensor y = f(duals);
  return {y, tangent_of(y)};
}

Hvp hvp(const std::function<Tensor(const Tensor&)>& f, const Tensor& x, const Tensor& v) {
  const DualLevel level(false);
  const EnableGrad record;
  const Tensor at = make_dual(x.detach(), v.detach()).set_requires_grad();
  const Tensor g = grad({f(at)}, {at}, {}, {.materialize = true})[0];
  const Tensor product = tangent_of(g);
  return {g.detach(), product.defined() ? product.detach() : zeros_like(x)};
}

}  // namespace pinn
