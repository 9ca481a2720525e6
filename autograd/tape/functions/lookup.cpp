#include "autograd/tape/lookup.h"

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

constexpr const char* input_names[] = {"x", "y", "z", "w"};

/// y = f^(order)(x, ...); backward g times the derivative of one order more by each input.
class LookupNode : public SideNode {
 public:
  LookupNode(PointFunctionPtr function, const MultiIndex& order, int inputs)
      : function_(std::move(function)), order_(order), inputs_(inputs) {}
  const char* name() const override { return "lookup"; }
  const char* slot_name(int i) const override { return input_names[i]; }
  bool will_read(int) const override {
    for (int i = 0; i < inputs_; ++i)
      if (wanted(i)) return true;
    return false;
  }

 private:
  Tensor side(int i, const Tensor& g) override {
    const MultiIndex next = order_ + unit_index(i);
    if (function_->vanishes(next)) return zeros_like(g);
    std::vector<Tensor> x;
    for (int k = 0; k < inputs_; ++k) x.push_back(unpack(k));
    return g * lookup(function_, next, x);
  }

  PointFunctionPtr function_;
  MultiIndex order_;
  int inputs_;
};

/// The sum over inputs of the slope times their tangent; undefined where all slopes are 0.
Tensor tangent(const PointFunctionPtr& function, const MultiIndex& order,
               const std::vector<Tensor>& x) {
  Tensor sum;
  for (int i = 0; i < int(x.size()); ++i) {
    const Tensor dx = tangent_of(x[std::size_t(i)]);
    const MultiIndex next = order + unit_index(i);
    if (dx.defined() && !function->vanishes(next))
      sum = sum_of_defined(sum, dx * lookup(function, next, x));
  }
  return sum;
}

/// Inputs of one dtype and one shape.
std::vector<Tensor> fitted(const std::vector<Tensor>& x) {
  const Tensor* like = &x[0];
  Shape shape = x[0].shape();
  for (const Tensor& t : x) {
    if (like->is_number()) like = &t;
    shape = broadcast(shape, t.shape());
  }
  must_be_floating(*like, "lookup");
  std::vector<Tensor> all;
  for (const Tensor& t : x) {
    if (!t.is_number()) must_have_one_dtype("lookup", t, *like);
    const Tensor one = t.dtype() == like->dtype() ? t : cast(t, like->dtype());
    all.push_back(one.shape() == shape ? one : expand(one, shape));
  }
  return all;
}

}  // namespace

Tensor lookup(const PointFunctionPtr& function, const MultiIndex& order,
              const std::vector<Tensor>& given) {
  if (int(given.size()) != function->inputs())
    throw ShapeError({"'" + function->name() + "' is a function of " +
                          std::to_string(function->inputs()) + " numbers",
                      std::to_string(given.size()) + " tensors", "give it one tensor for each"});
  const std::vector<Tensor> x = fitted(given);
  Tensor y = primitive::lookup(function, order, x);
  LookupNode* node = nullptr;
  if (needs_recording(x)) {
    const Ref<LookupNode> made = make_node<LookupNode>(function, order, int(x.size()));
    node = made.get();
    Edges edges;
    for (const Tensor& t : x) edges.push_back(edge_of(t));
    node->set_edges(std::move(edges));
    set_history(y, made);
  }
  carry_tangent(y, x, [&] { return tangent(function, order, x); });
  for (int i = 0; node && i < int(x.size()); ++i) node->save(i, x[std::size_t(i)]);
  return y;
}

}  // namespace pinn
