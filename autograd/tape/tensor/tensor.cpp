#include "autograd/tape/tensor.h"

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/cuda/storage.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

/// Copies n values between types.
template <class From, class To> void convert(const From* from, To* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = To(from[i]);
}

/// Lets go of a tensor. Gradients that die of it only join the list, so that the depth of the stack
/// does not grow where each tensor is the gradient of another.
void release(Tensor t) {
  static thread_local std::vector<Tensor>* list = nullptr;
  if (list) return list->push_back(std::move(t));
  std::vector<Tensor> dying;
  list = &dying;
  t = Tensor();
  while (!dying.empty()) {
    t = std::move(dying.back());
    dying.pop_back();
    t = Tensor();
  }
  list = nullptr;
}

}  // namespace

void Tensor::fail_undefined() {
  throw EngineError({"an undefined tensor was used", "",
                     "check defined() first: an undefined gradient means zero"});
}

TensorBody::TensorBody() { add_to(Tally::tensors, 1); }
TensorBody::~TensorBody() {
  add_to(Tally::tensors, -1);
  if (grad.defined()) release(std::move(grad));
}
std::int64_t live_tensors() { return total(Tally::tensors); }

void must_be_concrete(const Tensor& t, const char* what) {
  if (t.storage_id()) return;
  throw EngineError({std::string(what) + ": a traced or batched tensor has no elements of its own",
                     describe(t),
                     "leave decisions on values to where(), and read outputs after the run"});
}

void fail_mixed(const char* op, const Tensor& x, const Tensor& y) {
  throw EngineError({std::string(op) + ": the tensors have different dtypes",
                     describe(x) + " and " + describe(y), "cast() one of them"});
}

std::shared_ptr<Storage> make_storage(std::size_t bytes, Device device) {
  return device.is_cpu() ? make_storage(bytes) : cuda::make_storage(cuda::gpu(device), bytes);
}

Tensor allocate(const Shape& shape, DType dtype, Device device) {
  // Four sizes below 2^14 make a tensor that is possible for sure; a negative one is not below.
  const std::int64_t bits = shape[0] | shape[1] | shape[2] | shape[3];
  if (std::uint64_t(bits) >> 14) must_be_possible(shape);
  auto body = std::allocate_shared<TensorBody>(PieceAllocator<TensorBody>{});
  body->shape = shape;
  std::int64_t numel = 1;  // contiguous_strides(shape), written where they stay
  for (int i = shape.rank() - 1; i >= 0; --i) {
    body->strides[std::size_t(i)] = numel;
    numel *= shape[i];
  }
  body->dtype = dtype;
  body->storage = make_storage(std::size_t(numel) * size_of(dtype), device);
  body->is_inference = inference_mode();
  if (const Trace* trace = Trace::current()) body->trace = trace->number();
  return Tensor(std::move(body));
}

namespace {

/// Another handle on the elements of t, which need not be noted.
Tensor share(const Tensor& t, const Shape& shape, const Sizes& strides, std::int64_t offset) {
  auto body = std::allocate_shared<TensorBody>(PieceAllocator<TensorBody>{});
  body->storage = t.body()->storage;
  body->batch = t.body()->batch;
  body->shape = shape;
  body->strides = strides;
  body->offset = offset;
  body->dtype = t.dtype();
  body->is_number = t.is_number();
  body->trace = t.body()->trace;
  body->value = t.body()->value;
  body->is_inference = t.body()->is_inference;
  return Tensor(std::move(body));
}

}  // namespace

void show(TensorBody& b, Shown to) {
  if (!(b.shown.load(std::memory_order_relaxed) & to))
    b.shown.fetch_or(to, std::memory_order_relaxed);
}

// A view keeps its root alive, and with it the graph behind it: one that is not recorded must not.
// Leaves that require a gradient do not change while that is recorded, so their views need not
// follow; and a leaf is to die with its handles.
Tensor alias(const Tensor& t, const Shape& shape, const Sizes& strides, std::int64_t offset) {
  Tensor made = share(t, shape, strides, offset);
  TensorBody &view = *made.body(), &base = current(t);
  view.is_view = true;
  view.is_unrecorded_view = base.is_unrecorded_view || (base.requires_grad && !recording());
  view.is_foreign = base.is_foreign;
  if (!base.storage) return made;
  const bool may_follow = !view.is_unrecorded_view && !base.is_foreign;
  const bool is_root = !base.is_view && (base.node || !base.requires_grad);
  if (!may_follow || !(base.root || is_root)) {
    show(root_of(base), to_strangers);
    return made;
  }
  view.root = base.root ? base.root : t.shared_body();
  view.changes = view.root->changes.load();
  show(*view.root, to_views);
  return made;
}

Tensor at_its_place(const Tensor& t) {
  const TensorBody& from = current(t);
  Tensor made = share(t, from.shape, from.strides, from.offset);
  TensorBody& body = *made.body();
  body.requires_grad = from.requires_grad;
  body.output_number = from.output_number;
  body.node = from.node;
  body.tangent = from.tangent;
  return made;
}

Device device_without_storage(const TensorBody& body) {
  if (!body.batch) return Device::cpu;
  const Batch& batch = *body.batch;
  return (batch.elements.defined() ? batch.elements : batch.products[0].x).device();
}

bool owned_alone(const Tensor& t) {
  const TensorBody& body = *t.body();
  const bool keeps_root = body.root && body.root.use_count() == 1;  // which keeps the storage
  return t.shared_body().use_count() == 1 && body.storage.use_count() == 1 + keeps_root &&
         t.is_contiguous();  // a traced one has no storage: its use_count is 0
}

Tensor::Tensor(double number) : Tensor(allocate({}, DType::float64, Device::cpu)) {
  *static_cast<double*>(raw()) = number;
  body_->is_number = true;
}

std::int64_t Tensor::size(int axis) const { return shape()[normalized_axis(axis, rank())]; }

bool Tensor::is_contiguous() const {
  const Sizes expected = contiguous_strides(shape());
  for (int i = 0; i < rank(); ++i)
    if (shape()[i] != 1 && strides()[i] != expected[i]) return false;
  return true;
}

template <class T> std::span<T> Tensor::data() const {
  if (!device().is_cpu())
    throw EngineError({"the memory of a tensor was asked for, and it is not the host's",
                       describe(*this), "read values(), or copy it with to(Device::cpu) first"});
  if (dtype_of<T> != dtype() || !is_contiguous())
    throw EngineError(
        {"the memory of a tensor was asked for as contiguous " + std::string(name_of(dtype_of<T>)),
         describe(*this), "cast or clone it first"});
  return {static_cast<T*>(raw()), std::size_t(numel())};
}
template std::span<double> Tensor::data<double>() const;
template std::span<float> Tensor::data<float>() const;
template std::span<std::int32_t> Tensor::data<std::int32_t>() const;
template std::span<bool> Tensor::data<bool>() const;

double Tensor::item() const {
  if (numel() != 1)
    throw ShapeError(
        {"item() needs a tensor of one element", describe(*this), "reduce it, or read values()"});
  const Tensor here = device().is_cpu() ? *this : detach().to(Device::cpu);
  return visit_dtype(dtype(),
                     [&](auto t) { return double(*static_cast<decltype(t)*>(here.raw())); });
}

std::vector<double> Tensor::values() const {
  const Tensor t = contiguous_data(device().is_cpu() ? *this : detach().to(Device::cpu));
  std::vector<double> out(static_cast<std::size_t>(numel()));
  visit_dtype(dtype(), [&](auto z) {
    convert(static_cast<const decltype(z)*>(t.raw()), out.data(), numel());
  });
  return out;
}

Tensor& Tensor::set_requires_grad(bool on) {
  checked();
  if (on && !is_floating(dtype()))
    throw EngineError(
        {"only floating tensors have gradients", describe(*this), "cast it to float64 or float32"});
  if (on && body_->is_inference)
    throw EngineError({"an inference tensor cannot require a gradient", describe(*this),
                       "clone() it outside the InferenceMode"});
  if (!is_leaf())
    throw EngineError(
        {"requires_grad can only be changed on a leaf", describe(*this), "detach() it first"});
  if (on && body_->root) show(*body_->root, to_leaf);
  body_->requires_grad = on;
  return *this;
}

const Tensor& Tensor::grad() const {
  const TensorBody& body = checked();
  if (body.node && !body.retains_grad && !body.grad.defined())
    warn("grad() of a tensor that is no leaf is never set\n  where: " + describe(*this) +
         ", made by '" + body.node->name() +
         "'\n  fix:   call retain_grad() on it before backward(), or ask grad() for its gradient");
  return body.grad;
}

void Tensor::set_grad(const Tensor& g) {
  checked();
  if (g.defined() && !(g.shape() == shape()))
    throw ShapeError({"a gradient must have the shape of its tensor",
                      describe(g) + " for " + describe(*this), "reshape it"});
  if (!g.defined()) return void(body_->grad = g);
  const Tensor made = g.is_number() ? cast(g, dtype()).to(device()).clone() : g;
  must_have_one_dtype("set_grad", *this, made);
  kernels::common_device("set_grad", {this, &made});
  body_->grad = made;
}

const void* Tensor::storage_id() const { return checked().storage.get(); }

Tensor Tensor::detach() const {
  const TensorBody& b = checked();
  return share(*this, b.shape, b.strides, b.offset);
}

void Tensor::detach_in_place() {
  TensorBody& b = checked();
  if (b.is_view)
    throw EngineError(
        {"a view cannot be detached in place", describe(*this), "use what detach() returns"});
  if (b.shown & to_views) show(b, to_old_views);
  b.node = nullptr;
  b.output_number = 0;
  b.requires_grad = b.retains_grad = false;
}

Tensor empty(const Shape& shape, DType dtype, Device device) {
  return allocate(shape, dtype, device);
}

Tensor full(const Shape& shape, double value, DType dtype, Device device) {
  if (shape.rank() > 0 && shape[0] == any_points) return expand(full({}, value, dtype), shape);
  Tensor t = allocate(shape, dtype, device);
  kernels::fill(value, t);
  return t;
}

Tensor from_values(std::span<const double> values, const Shape& shape, DType dtype, Device device) {
  must_be_possible(shape);
  if (std::int64_t(values.size()) != shape.numel())
    throw ShapeError({std::to_string(values.size()) + " values do not fill a tensor",
                      to_string(shape), "give one value per element"});
  const Tensor t = allocate(shape, dtype, Device::cpu);
  visit_dtype(dtype, [&](auto z) {
    convert(values.data(), static_cast<decltype(z)*>(t.raw()), t.numel());
  });
  return t.to(device);
}

Tensor randn(const Shape& shape, const Random& random, DType dtype, Device device) {
  must_be_possible(shape);
  std::vector<double> values(std::size_t(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return from_values(values, shape, dtype, device);
}

std::string describe(const Tensor& t) {
  if (!t.defined()) return "undefined";
  const std::string place = t.device().is_cpu() ? "" : " on " + name_of(t.device());
  return name_of(t.dtype()) + (" " + to_string(t.shape())) + place;
}

}  // namespace pinn
