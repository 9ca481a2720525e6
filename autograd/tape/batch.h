#pragma once
#include <memory>

#include "autograd/ops/jet_table.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/tensor.h"

/// Many gradients in one pass: a batched tensor stands for `size` tensors of its shape, and what a
/// pass does with gradients is done to all of them at once. Derivative formulas and the engine do
/// not notice: only primitives do, each of which has a rule here for batched arguments. Since
/// formulas are linear in the gradient, at most one factor of any product is batched.
namespace pinn {

/// Outer products of the rows of x [rows, ..., k] and g [rows, ..., n], summed over all axes but
/// the first: what a dense layer's weights get from each row, [rows, k, n]. Kept as the factors,
/// which are smaller than what they make.
struct OuterProduct {
  Tensor x, g;
};

/// Content of a batched tensor: `elements` [size, shape...] if defined, plus the products.
struct Batch {
  Tensor elements;
  std::vector<OuterProduct> products;
};

Tensor batched(Batch batch);
/// The tensor whose slices along a first axis are the members.
inline Tensor batched(const Tensor& elements) { return batched(Batch{elements, {}}); }

/// Null if t is not batched.
inline const Batch* batch_of(const Tensor& t) { return t.body()->batch.get(); }
/// The shape of `size` members of this shape. Errors: EngineError for four axes, one too many.
Shape members_shape(std::int64_t size, const Shape& shape);
/// The members of t as one tensor [size, shape...].
Tensor members(const Tensor& t);
/// The members; the same one `size` times if t is not batched.
Tensor members(const Tensor& t, std::int64_t size);

/// True if a primitive on these tensors (undefined ones do not count) follows the rules below.
inline bool any_batched(std::initializer_list<const Tensor*> inputs) {
  for (const Tensor* t : inputs)
    if (t->defined() && batch_of(*t)) return true;
  return false;
}

/// A pass in its scope keeps what each row contributes to a sum over rows: gradients of tensors all
/// rows share come out batched, one member per row, while those of rows stay as they are.
class PerRow {
 public:
  explicit PerRow(std::int64_t rows);
  ~PerRow();
  PerRow(const PerRow&) = delete;

 private:
  std::int64_t before_;
};
/// True if a sum of t to this shape, or over all leading axes, is over the rows of such a pass.
/// Errors: EngineError when t has another number of rows.
bool sums_rows(const Tensor& t, const Shape& shape);
bool sums_rows(const Tensor& t);
/// Errors: EngineError when such a pass, of more than one row, would take rows out of a tensor or
/// put them into one.
void must_keep_rows(int axis);

namespace batch {

// The primitives (primitives.h), one argument of which is batched.
Tensor unary(int id, double parameter, const Tensor& x);
Tensor unary_pullback(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g);
Tensor binary(int id, const Tensor& x, const Tensor& y);
Tensor ternary(int id, const Tensor& mask, const Tensor& x, const Tensor& y);
Tensor cast(const Tensor& x, DType dtype);
Tensor sum_to(const Tensor& x, const Shape& shape);
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor transpose(const Tensor& x, int a, int b);
Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end);
Tensor expand(const Tensor& x, const Shape& shape);
Tensor embed(const Tensor& x, const Shape& shape, int axis, std::int64_t begin);
Tensor concat(const std::vector<Tensor>& parts, int axis);
Tensor gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices);
Tensor matmul(const Tensor& x, const Tensor& w);
Tensor contract(const Tensor& x, const Tensor& g);
Tensor jet_pullback(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h,
                    const Tensor& ybar);
Tensor jet_mul(const JetTablePtr& table, bool transposed, const Tensor& a, const Tensor& b);

/// sum_to where rows stay apart: a batched tensor, one member per row.
Tensor sum_each_row(const Tensor& x, const Shape& shape);

}  // namespace batch

/// grad() for many seeds at once: what GradOptions::batched asks for.
std::vector<Tensor> batched_grad(const std::vector<Tensor>& outputs,
                                 const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& seeds, GradOptions options);

// Derivatives of a residual sample by sample, for second-order optimizers: the rows of its
// Jacobian, for the work of one gradient. As many matrix products run as in a single pass; what
// the weights of a dense layer get from one sample is an outer product of two small vectors, with
// derivative channels c the sum over c (Dangel, Kunstner and Hennig, BackPACK, ICLR 2020).
//
// The first axis of all tensors of rows counts the samples, in one order, and row b of the
// residual depends on row b of each only. Errors: EngineError for a residual that is not [samples]
// or [samples, 1], for parameters that are rows themselves, for samples seen to mix, inside a dual
// level.

/// d residual[b] / d parameter for all b: [samples, shape of the parameter], without history; zeros
/// for a parameter that does not matter. Parameters may have three axes. The graph is freed unless
/// `retain_graph`.
std::vector<Tensor> per_sample_gradients(const Tensor& residual,
                                         const std::vector<Tensor>& parameters,
                                         bool retain_graph = false);

/// The same times seed[b], before outer products are formed: what x and g give row b of a dense
/// layer's weights is sum_c x_c g_c^T. Nothing is defined for a parameter that does not matter.
std::vector<Batch> per_sample_parts(const Tensor& residual, const std::vector<Tensor>& parameters,
                                    const Tensor& seed, bool retain_graph = false);

}  // namespace pinn
