#pragma once
#include <cstddef>
#include <vector>

/// Elementwise work of the compiled step: a list of ops on rows, run strip by strip so that what
/// they hand on stays in L1. An op is called once per strip, never per element.
namespace pinn::cpu {

/// Numbers that a strip holds at most.
inline constexpr std::size_t strip_length = 256;

/// y[i] = f(a[i], b[i], c[i]) for i < n, a multiple of Vec<T>::size; y may be one of a, b, c.
template <class T>
using StripKernel = void (*)(const T* a, const T* b, const T* c, double parameter, T* y,
                             std::size_t n);

/// Kernels by the ops of Unary and Binary: f(a), f'(a) c given b = f(a), f(a, b), and where(a, b,
/// c), which is b where a is not 0, else c. What a formula does not read may be any operand.
template <class T> StripKernel<T> strip_unary(int op);
template <class T> StripKernel<T> strip_unary_pullback(int op);
template <class T> StripKernel<T> strip_binary(int op);
template <class T> StripKernel<T> strip_where();

/// operand y = kernel(operands a, b, c), or without a kernel sums[y] += the sum of operand a.
template <class T> struct StripOp {
  StripKernel<T> kernel;
  double parameter;
  int y, a, b, c;
};

/// Where an operand lies: element i of row r is data[r * stride + i * step]. Step 1 is an array;
/// step 0 stands for strip_length numbers that all strips share: a scalar repeated, or what one op
/// hands on to another.
template <class T> struct StripOperand {
  T* data;
  std::size_t stride, step;
};

/// Runs the ops on all strips of `rows` rows of `length` numbers, a multiple of Vec<T>::size. Sums
/// take the first `counted` numbers of each row, in float64 and in a fixed order.
template <class T>
void run_strips(const std::vector<StripOp<T>>& ops, const StripOperand<T>* operands,
                std::size_t rows, std::size_t length, std::size_t counted, double* sums);

}  // namespace pinn::cpu
