#include "autograd/tape/custom_function.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/in_place/in_place.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"
#include "autograd/tape/rules.h"

namespace pinn {

class CustomNode : public Node {
 public:
  explicit CustomNode(CustomFunctionPtr function) : function_(std::move(function)) {
    call_.node_ = this;
  }
  const char* name() const override { return function_->name.c_str(); }

  /// Makes the outputs its own.
  void adopt(const std::vector<Tensor>& inputs, std::vector<Tensor>& made,
             const std::vector<int>& without) {
    Edges edges;
    for (const Tensor& x : inputs) edges.push_back(edge_of(x));
    set_edges(std::move(edges));
    for (std::size_t i = 0; i < made.size(); ++i) {
      const bool has_gradient = is_floating(made[i].dtype()) &&
                                std::find(without.begin(), without.end(), int(i)) == without.end();
      if (has_gradient)
        set_history(made[i], NodePtr(this));
      else
        add_output(made[i]);  // so that numbers of outputs and gradients agree
    }
  }
  void keep(const std::vector<Tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& t = tensors[i];
      save(int(i), t, t.defined() && t.node().get() == this);
    }
  }

  Gradients apply(const Gradients& grads) override {
    const auto defined = [](const Tensor& g) { return g.defined(); };
    if (std::none_of(grads.begin(), grads.end(), defined)) return {};
    for (int i = 0; i < int(edges().size()); ++i)
      if (wanted(i)) note_formula(*this, i);
    Gradients given = grads;
    for (std::size_t i = 0; function_->materialize && i < given.size(); ++i)
      if (!given[i].defined())
        given[i] = zeros(outputs()[i].shape, outputs()[i].dtype, outputs()[i].device);
    return function_->backward(call_, given);
  }

 private:
  CustomFunctionPtr function_;
  CustomCall call_;
};

void CustomCall::must_be_forward(const char* what) const {
  if (!node_) return;
  throw EngineError({std::string(what) + " belongs into forward, and was called in backward",
                     std::string("custom function '") + node_->name() + "'",
                     "say in forward what to keep, and what has no gradient"});
}

CustomNode& CustomCall::node(const char* what) const {
  if (node_) return *node_;
  throw EngineError({std::string(what) + " belongs into backward, and was called in forward",
                     "a custom function",
                     "compute in forward whatever may be wanted: only a pass knows what is"});
}

void CustomCall::save(const Tensor& t) {
  must_be_forward("save()");
  to_save_.push_back(t);
}
void CustomCall::not_differentiable(int output) {
  must_be_forward("not_differentiable()");
  not_differentiable_.push_back(output);
}
void CustomCall::mark_dirty(int input) {
  must_be_forward("mark_dirty()");
  dirty_.push_back(input);
}
Tensor CustomCall::saved(int i) const { return node("saved()").unpack(i); }
bool CustomCall::wanted(int i) const { return node("wanted()").wanted(i); }
bool CustomCall::wanted(int first, int last) const {
  for (int i = first; i < last; ++i)
    if (wanted(i)) return true;
  return false;
}

namespace {

/// Outputs as tensors of their own: not an input, and none twice.
void make_distinct(std::vector<Tensor>& made, const std::vector<Tensor>& inputs) {
  const auto is = [](const Tensor& t) {
    return [&t](const Tensor& other) { return other.body() == t.body(); };
  };
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto before = made.begin() + std::ptrdiff_t(i);
    const bool returned_input = std::any_of(inputs.begin(), inputs.end(), is(made[i]));
    if (returned_input || std::any_of(made.begin(), before, is(made[i])))
      made[i] = made[i].detach();
  }
}

/// Outputs have a history of their own, which that of a tensor with the same memory does not know;
/// but for those that are an input, by `sources`.
void note_shared_memory(const std::vector<Tensor>& made, const std::vector<Tensor>& inputs,
                        const std::vector<int>& sources) {
  const auto note = [](const Tensor& y, const Tensor& other) {
    if (!other.defined() || !y.body()->storage || other.body() == y.body()) return;
    if (other.body()->storage != y.body()->storage) return;
    y.body()->is_foreign = true;
    show(root_of(*other.body()), to_function);
  };
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (sources[i] >= 0) continue;
    for (const Tensor& x : inputs) note(made[i], x);
    for (const Tensor& z : made) note(made[i], z);
  }
  for (const Tensor& y : made) {
    y.body()->root = nullptr;
    y.body()->is_view = y.body()->is_unrecorded_view = false;
  }
}

void carry_tangents(const CustomFunction& function, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& made, const std::vector<int>& without) {
  if (!any_tangent(inputs)) return;
  if (!function.tangent)
    throw EngineError({"'" + function.name + "' has no rule for tangents",
                       "a custom function in forward mode", "give it one, or use reverse mode"});
  const NoTangents of_tangents;
  std::vector<Tensor> tangents;
  for (const Tensor& x : inputs) tangents.push_back(x.defined() ? tangent_of(x) : Tensor());
  const std::vector<Tensor> found = function.tangent(inputs, made, tangents);
  if (found.size() != made.size())
    throw EngineError({"the tangent rule of '" + function.name + "' returned " +
                           std::to_string(found.size()) + " tangents for " +
                           std::to_string(made.size()) + " outputs",
                       "", "return one per output, undefined ones for zero"});
  for (const int i : without)
    if (found.at(std::size_t(i)).defined())
      throw EngineError({"the tangent rule of '" + function.name + "' returned one for output " +
                             std::to_string(i) + ", which is not differentiable",
                         "", "leave it undefined"});
  for (std::size_t i = 0; i < made.size(); ++i) set_tangent(made[i], found[i]);
}

void must_be_complete(const CustomFunctionPtr& function, bool is_recorded) {
  if (!function)
    throw EngineError({"call() of no function", "a null CustomFunctionPtr", "make one first"});
  const bool has_forward(function->forward), has_backward(function->backward);
  if (has_forward && (has_backward || !is_recorded)) return;
  throw EngineError({"the custom function '" + function->name + "' has no " +
                         (has_forward ? "backward" : "forward"),
                     "call()", "give it one, or call it under NoGrad if it has no derivative"});
}

void must_have_outputs(const CustomFunction& function, const std::vector<Tensor>& made,
                       const std::vector<int>& named) {
  for (const int i : named)
    if (i < 0 || std::size_t(i) >= made.size())
      throw EngineError({"the custom function '" + function.name + "' has no output " +
                             std::to_string(i) + ", which not_differentiable() named",
                         std::to_string(made.size()) + " outputs", "count outputs from 0"});
}

std::uint64_t version_of(const Tensor& t) {
  return t.defined() && t.body()->storage ? std::uint64_t(t.body()->storage->version) : 0;
}

/// Errors: EngineError unless the inputs that changed are those that were marked, and each of these
/// is an output.
void must_have_marked(const CustomFunction& function, const std::vector<Tensor>& inputs,
                      const std::vector<std::uint64_t>& versions, const std::vector<Tensor>& made,
                      const std::vector<int>& dirty) {
  const auto refuse = [&](const std::string& what, int input, const char* fix) {
    throw EngineError({"the custom function '" + function.name + "' " + what,
                       "input " + std::to_string(input), fix});
  };
  for (const int i : dirty) {
    if (i < 0 || std::size_t(i) >= inputs.size())
      refuse("has no such input, which mark_dirty() named", i, "count inputs from 0");
    const auto is_it = [&](const Tensor& y) { return y.body() == inputs[std::size_t(i)].body(); };
    if (std::none_of(made.begin(), made.end(), is_it))
      refuse("did not return an input that it marked as dirty", i, "return it as an output");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_marked = std::find(dirty.begin(), dirty.end(), int(i)) != dirty.end();
    if (version_of(inputs[i]) != versions[i] && !is_marked)
      refuse("changed an input in place", int(i),
             "mark it with mark_dirty() in forward and return it, or change a clone()");
  }
}

/// Lets the outputs that are changed inputs be these again, with the history of the outputs.
void take_places(std::vector<Tensor>& made, const std::vector<int>& sources,
                 const std::vector<Tensor>& inputs) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (sources[i] < 0) continue;
    const Tensor& t = inputs[std::size_t(sources[i])];
    change_place(t, made[i], "a custom function");
    made[i] = t;
  }
}

/// For each output the dirty input that it is, else -1.
std::vector<int> sources_of(const std::vector<Tensor>& made, const std::vector<Tensor>& inputs,
                            const std::vector<int>& dirty) {
  std::vector<int> sources;
  for (const Tensor& y : made) {
    const auto it = std::find_if(dirty.begin(), dirty.end(),
                                 [&](int i) { return inputs[std::size_t(i)].body() == y.body(); });
    sources.push_back(it == dirty.end() ? -1 : *it);
  }
  return sources;
}

}  // namespace

std::vector<Tensor> call(const CustomFunctionPtr& function, const std::vector<Tensor>& inputs) {
  must_be_complete(function, needs_recording(inputs));
  CustomCall now;
  std::vector<std::uint64_t> versions;
  for (const Tensor& x : inputs) versions.push_back(version_of(x));
  std::vector<Tensor> made;
  {
    const NoGrad not_recorded;
    const NoTangents of_parts;
    made = function->forward(now, inputs);
  }
  must_have_outputs(*function, made, now.not_differentiable_);
  must_have_marked(*function, inputs, versions, made, now.dirty_);
  const std::vector<int> sources = sources_of(made, inputs, now.dirty_);
  for (const int i : now.dirty_)
    must_be_free_to_change(inputs[std::size_t(i)], "a custom function");
  make_distinct(made, inputs);
  note_shared_memory(made, inputs, sources);
  Ref<CustomNode> node;
  if (needs_recording(inputs)) {
    node = make_node<CustomNode>(function);
    node->adopt(inputs, made, now.not_differentiable_);
  }
  carry_tangents(*function, inputs, made, now.not_differentiable_);
  take_places(made, sources, inputs);
  if (node) node->keep(now.to_save_);
  return made;
}

}  // namespace pinn
