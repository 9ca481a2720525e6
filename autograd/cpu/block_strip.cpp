#include "autograd/cpu/block_strip.h"

#include <algorithm>

#include "autograd/cpu/vector.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

namespace pinn::cpu {
namespace {

/// y = f(i) for every vector.
template <class T, class F> [[gnu::always_inline]] inline void each(T* y, std::size_t n, F&& f) {
  for (std::size_t i = 0; i < n; i += Vec<T>::size) f(i).store(y + i);
}

template <class Op, class T>
[[gnu::flatten]] void unary(const T* a, const T*, const T*, double parameter, T* y, std::size_t n) {
  each(y, n, [&](std::size_t i) { return value_of<Op>(Vec<T>::load(a + i), parameter); });
}

template <class Op, class T>
[[gnu::flatten]] void unary_pullback(const T* a, const T* b, const T* c, double parameter, T* y,
                                     std::size_t n) {
  if constexpr (!Op::uses_x) a = c;
  if constexpr (!Op::uses_y) b = c;
  each(y, n, [&](std::size_t i) {
    return slope_of<Op>(Vec<T>::load(a + i), Vec<T>::load(b + i), parameter) * Vec<T>::load(c + i);
  });
}

template <class Op, class T>
[[gnu::flatten]] void binary(const T* a, const T* b, const T*, double, T* y, std::size_t n) {
  each(y, n, [&](std::size_t i) { return Op::value(Vec<T>::load(a + i), Vec<T>::load(b + i)); });
}

template <class T> void where(const T* a, const T* b, const T* c, double, T* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = a[i] != 0 ? b[i] : c[i];
}

/// Eight partial sums: vectorizable, and in a fixed order.
template <class T> double sum(const T* a, std::size_t n) {
  double part[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) part[k] += double(a[i + k]);
  for (int k = 0; i < n; ++i, ++k) part[k] += double(a[i]);
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

}  // namespace

template <class T> StripKernel<T> strip_unary(int op) {
  return visit_unary(op, []<class Op>() -> StripKernel<T> { return unary<Op, T>; });
}
template <class T> StripKernel<T> strip_unary_pullback(int op) {
  return visit_unary(op, []<class Op>() -> StripKernel<T> { return unary_pullback<Op, T>; });
}
template <class T> StripKernel<T> strip_binary(int op) {
  return visit_binary(op, []<class Op>() -> StripKernel<T> { return binary<Op, T>; });
}
template <class T> StripKernel<T> strip_where() { return where<T>; }

template <class T>
void run_strips(const std::vector<StripOp<T>>& ops, const StripOperand<T>* operands,
                std::size_t rows, std::size_t length, std::size_t counted, double* sums) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < length; i += strip_length) {
      const std::size_t n = std::min(strip_length, length - i);
      const auto at = [&](int operand) {
        const StripOperand<T>& o = operands[operand];
        return o.data + r * o.stride + i * o.step;
      };
      for (const StripOp<T>& op : ops) {
        if (op.kernel)
          op.kernel(at(op.a), at(op.b), at(op.c), op.parameter, at(op.y), n);
        else if (i < counted)
          sums[op.y] += sum(at(op.a), std::min(n, counted - i));
      }
    }
}

template StripKernel<float> strip_unary<float>(int);
template StripKernel<double> strip_unary<double>(int);
template StripKernel<float> strip_unary_pullback<float>(int);
template StripKernel<double> strip_unary_pullback<double>(int);
template StripKernel<float> strip_binary<float>(int);
template StripKernel<double> strip_binary<double>(int);
template StripKernel<float> strip_where<float>();
template StripKernel<double> strip_where<double>();
template void run_strips<float>(const std::vector<StripOp<float>>&, const StripOperand<float>*,
                                std::size_t, std::size_t, std::size_t, double*);
template void run_strips<double>(const std::vector<StripOp<double>>&, const StripOperand<double>*,
                                 std::size_t, std::size_t, std::size_t, double*);

}  // namespace pinn::cpu
