#include "autograd/tape/forward_mode.h"

#include <algorithm>
#include <atomic>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/rules.h"

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

namespace {

/// State of a thread's dual level, which every op asks for.
struct Level {
  std::uint64_t number = 0;  ///< 0: none is open
  bool carries = false;      ///< ops pass tangents on
  bool records = true;       ///< and record how
};

Level& level() {
  static thread_local Level value;
  return value;
}

/// The tangents given in the level, to be cleared with it.
struct LevelTangents {
  std::vector<std::weak_ptr<Tangent>> tangents;
  std::size_t tidy_at = 64;  ///< how many make it worth while to forget dead ones

  void add(const std::shared_ptr<Tangent>& t) {
    if (tangents.size() >= tidy_at) {
      std::erase_if(tangents, [](const auto& known) { return known.expired(); });
      tidy_at = std::max<std::size_t>(64, 2 * tangents.size());
    }
    tangents.push_back(t);
  }
};

LevelTangents& given() {
  static thread_local LevelTangents value;
  return value;
}

bool carries(const Tensor& t, const Level& now) {
  if (!t.defined()) return false;
  const Tangent* tangent = current(t).tangent.get();
  return tangent && tangent->level == now.number;
}

}  // namespace

DualLevel::DualLevel(bool record) {
  static std::atomic<std::uint64_t> count{0};
  Level& now = level();
  if (now.number != 0)
    throw EngineError({"a dual level was opened inside another one", "DualLevel",
                       "leave the outer level first; for second derivatives take grad() of a jvp, "
                       "jvp() of a grad, or jets"});
  now.number = ++count;
  now.carries = true;
  now.records = record;
}

// Slots share tangents with tensors: cleared here, they cannot keep the graph that holds them.
DualLevel::~DualLevel() {
  level() = Level();
  for (const std::weak_ptr<Tangent>& t : std::exchange(given(), LevelTangents()).tangents)
    if (const auto alive = t.lock()) alive->value = Tensor();
}

bool dual_level_open() { return level().number != 0; }

NoTangents::NoTangents()
    : before_(std::exchange(level().carries, false)), recording_(recording() && level().records) {}
NoTangents::~NoTangents() { level().carries = before_; }

Tensor tangent_of(const Tensor& t) {
  const Level& now = level();
  return now.number != 0 && carries(t, now) ? t.body()->tangent->value : Tensor();
}

void set_tangent(const Tensor& t, const Tensor& tangent) {
  const Level& now = level();
  t.body()->tangent = nullptr;
  if (!tangent.defined() || now.number == 0) return;
  t.body()->tangent =
      std::make_shared<Tangent>(Tangent{expand(cast(tangent, t.dtype()), t.shape()), now.number});
  given().add(t.body()->tangent);
}

bool any_tangent(std::initializer_list<const Tensor*> inputs) {
  const Level& now = level();
  return now.carries && std::any_of(inputs.begin(), inputs.end(),
                                    [&](const Tensor* t) { return carries(*t, now); });
}

bool any_tangent(const std::vector<Tensor>& inputs) {
  const Level& now = level();
  return now.carries && std::any_of(inputs.begin(), inputs.end(),
                                    [&](const Tensor& t) { return carries(t, now); });
}

void share_tangent(const Tensor& from, const Tensor& to) {
  if (from.defined() && current(from).tangent) to.body()->tangent = from.body()->tangent;
}

Tensor sum_of_defined(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return a + b;
}

}  // namespace pinn
