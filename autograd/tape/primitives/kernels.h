#pragma once
#include "autograd/core/arrays.h"
#include "autograd/ops/float_format.h"
#include "autograd/ops/jet_table.h"
#include "autograd/tape/body.h"

/// The loops that primitives are made of, on the device that holds their result y: on a GPU they
/// are begun, and run after what was begun there before. Tensors here have elements, and fit.
namespace pinn::kernels {

/// The device of an op on these tensors, of which one is on a GPU. Undefined ones do not count, and
/// plain numbers give way. Errors: EngineError where devices differ.
Device common_gpu(const char* op, std::initializer_list<const Tensor*> inputs);
/// The same, at little cost where all are on the CPU.
inline Device common_device(const char* op, std::initializer_list<const Tensor*> inputs) {
  for (const Tensor* t : inputs)
    if (t->defined() && !t->device().is_cpu()) return common_gpu(op, inputs);
  return Device::cpu;
}
Device common_device(const char* op, const std::vector<Tensor>& inputs);

/// y = x in the memory of another device; both contiguous.
void transfer(const Tensor& x, const Tensor& y);

// ---- elementwise; x contiguous where not said otherwise
void fill(double value, const Tensor& y);
void unary(int id, double parameter, const Tensor& x, const Tensor& y);
/// x and y may be undefined where the slope does not read them.
void unary_pullback(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g,
                    const Tensor& dx);
/// Operands have any strides and broadcast; on a GPU they may be plain numbers of the CPU.
void binary(int id, const Tensor& x, const Tensor& y, const Tensor& z);
void ternary(int id, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& y);

// ---- moving elements; x has any strides
/// y = x in y's dtype; y is contiguous.
void copy(const Tensor& x, const Tensor& y);
/// y = x, or += x; y has any strides that show no element twice.
void copy_into(const Tensor& x, const Tensor& y);
void add_into(const Tensor& x, const Tensor& y);
/// x is contiguous.
void gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices, const Tensor& y);
/// y = sum of x over the axes that y, broadcast to x, repeats.
void sum_to(const Tensor& x, const Tensor& y);

// ---- smaller float types (autograd/ops/float_format.h), contiguous
/// Codes of x and their scale, FloatFormat::bytes_packed of them.
void encode(const FloatFormat& format, const Tensor& x, Storage& codes);
void decode(const FloatFormat& format, Storage& codes, const Tensor& x);

// ---- products
void product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b,
             const Tensor& y);

// ---- jets, all contiguous
void jet(int id, double parameter, int k, const JetTable& table, const Tensor& h, const Tensor& y);
void jet_pullback(int id, double parameter, int k, const JetTable& table, const Tensor& h,
                  const Tensor& ybar, const Tensor& hbar);
void jet_mul(const JetTable& table, bool transposed, const Tensor& a, const Tensor& b,
             const Tensor& y);

}  // namespace pinn::kernels
