#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"
#include "autograd/tape/tensor.h"

/// Tools for the tangent rules of ops; users find forward mode in forward_mode.h.
namespace pinn {

/// The derivative a tensor carries along a direction while its dual level is open. Tensors and the
/// slots of nodes share it, so that leaving the level clears it everywhere.
struct Tangent {
  Tensor value;
  std::uint64_t level = 0;
};

/// The tangent of t in the dual level open on this thread; undefined where it is zero.
Tensor tangent_of(const Tensor& t);

/// Gives t a tangent, expanded to its shape; an undefined one takes it away.
void set_tangent(const Tensor& t, const Tensor& tangent);

/// True if a rule must be asked: one of these (undefined ones do not count) has a tangent.
bool any_tangent(std::initializer_list<const Tensor*> inputs);
bool any_tangent(const std::vector<Tensor>& inputs);

/// Ops in its scope carry no tangents, and are not recorded where the level does not record: rules
/// run in it, since the tangents of a tangent are not wanted.
class NoTangents {
 public:
  NoTangents();
  ~NoTangents();
  NoTangents(const NoTangents&) = delete;

 private:
  bool before_;
  RecordingGuard recording_;
};

/// The tangent that a rule made. It may have been handed on as it is, with a history that counts
/// for nothing where nothing is recorded.
inline Tensor as_recorded(const Tensor& tangent) {
  return tangent.requires_grad() && !recording() ? tangent.detach() : tangent;
}

/// Gives y, made of these inputs, the tangent that rule() says: called only when one of them has
/// one. A rule reads tangent_of() its inputs, skips what is undefined, and is made of recorded ops.
/// It comes before the node saves y, so that the slot has the tangent as well.
template <class Inputs, class Rule>
void carry_tangent(const Tensor& y, const Inputs& inputs, const Rule& rule) {
  if (!any_tangent(inputs)) return;
  const NoTangents of_tangents;
  set_tangent(y, as_recorded(rule()));
}
template <class Rule>
void carry_tangent(const Tensor& y, std::initializer_list<const Tensor*> inputs, const Rule& rule) {
  carry_tangent<std::initializer_list<const Tensor*>, Rule>(y, inputs, rule);
}

/// Lets `to`, another handle on what `from` is, have the same tangent.
void share_tangent(const Tensor& from, const Tensor& to);

/// a + b, where an undefined one is zero.
Tensor sum_of_defined(const Tensor& a, const Tensor& b);

/// dx w + x dw of a bilinear product(x, w); what is not there costs nothing.
template <class Product>
Tensor bilinear_tangent(const Product& product, const Tensor& x, const Tensor& w) {
  const Tensor dx = tangent_of(x), dw = tangent_of(w);
  return sum_of_defined(dx.defined() ? product(dx, w) : Tensor(),
                        dw.defined() ? product(x, dw) : Tensor());
}

/// Errors: EngineError unless x is floating.
void must_be_floating(const Tensor& x, const char* op);

/// A node of one output that makes the gradient of each input by itself.
class SideNode : public Node {
 public:
  Gradients apply(const Gradients& grads) override {
    Gradients out(edges().size());
    for (int i = 0; grads[0].defined() && i < int(out.size()); ++i) {
      if (!wanted(i)) continue;
      note_formula(*this, i);
      out[std::size_t(i)] = side(i, grads[0]);
    }
    return out;
  }

 private:
  /// The gradient of input i, from that of the output.
  virtual Tensor side(int i, const Tensor& g) = 0;
};

/// A bilinear product: what each side's derivative needs is the other.
class BilinearNode : public SideNode {
 public:
  void keep(const Tensor& x, const Tensor& w) {
    if (w.requires_grad()) save(0, x);
    if (x.requires_grad()) save(1, w);
  }
  const char* slot_name(int i) const override { return i == 0 ? "x" : "w"; }
  bool will_read(int slot) const override { return wanted(1 - slot); }
};

/// A linear map of one tensor: its gradient is the adjoint map, given as a function.
template <class Adjoint> class LinearMapNode : public SideNode {
 public:
  LinearMapNode(const char* name, const Adjoint& adjoint) : name_(name), adjoint_(adjoint) {}
  const char* name() const override { return name_; }

 private:
  Tensor side(int, const Tensor& g) override { return adjoint_(g); }
  const char* name_;
  Adjoint adjoint_;
};

/// Makes a view of memory that nobody else has, as of a copy, a tensor of its own: what it is a
/// view of would have neither its history nor its tangent when a part of it changes.
void stand_alone(const Tensor& view);

/// map(x), recorded: `map` is linear and runs without history, `adjoint` is made of recorded
/// functions. A tangent goes through the map as the value does.
template <class Map, class Adjoint>
Tensor linear_map(const char* name, const Tensor& x, const Map& map, const Adjoint& adjoint) {
  Tensor y = map(x);
  if (y.body()->is_view && y.body()->storage != x.body()->storage) stand_alone(y);
  if (needs_recording({&x})) record(make_node<LinearMapNode<Adjoint>>(name, adjoint), {&x}, y);
  carry_tangent(y, {&x}, [&] { return linear_map(name, tangent_of(x), map, adjoint); });
  return y;
}

}  // namespace pinn
