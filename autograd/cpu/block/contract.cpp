#include "autograd/cpu/block/product.h"

#include <algorithm>

#include "autograd/cpu/block/contract_direct.h"
#include "autograd/cpu/block/contract_interleaved.h"

namespace pinn::cpu {
namespace {

using namespace direct;
using namespace interleaved;

/// How many rows of g go the interleaved way. The copy costs as much as 4 rows of x.
std::size_t interleaved_rows(std::size_t k, std::size_t n) {
  return k < 32 ? 0 : n / panel_rows * panel_rows;
}

}  // namespace

template <class T> std::size_t contract_scratch(std::size_t columns) {
  return std::min(columns, panel_columns<T>) * panel_rows;
}

template <class T> std::size_t contract_partial(std::size_t k, std::size_t n) {
  const std::size_t interleaved = interleaved_rows(k, n), rest = n - interleaved;
  if (rest == 0) return k * n;
  const std::size_t a = std::max(k, rest), b = std::min(k, rest);
  return k * interleaved + with_tile(a, b, [&](auto rows, auto others) {
           return parts_of(a, rows) * parts_of(b, others) * rows * others * Vec<T>::size;
         });
}

template <class T> void block_contract(const BlockContract<T>& p) {
  const std::size_t interleaved = interleaved_rows(p.k, p.n);
  contract_interleaved(p, interleaved);
  if (p.sums) move_interleaved(p.k, p.n, interleaved, p.partial, p.sums);
  const Rows<T> x = {p.x, p.x_stride, p.k, p.n};
  const Rows<T> g = {p.g + interleaved * p.g_stride, p.g_stride, p.n - interleaved, 1};
  contract_directly(x, g, p.columns, p.partial + p.k * interleaved,
                    p.sums ? p.sums + interleaved : nullptr);
}

template <class T> void move_contract(std::size_t k, std::size_t n, T* partial, double* sums) {
  const std::size_t interleaved = interleaved_rows(k, n);
  move_interleaved(k, n, interleaved, partial, sums);
  move_directly(Rows<T>{nullptr, 0, k, n}, Rows<T>{nullptr, 0, n - interleaved, 1},
                partial + k * interleaved, sums + interleaved);
}

/// Adds `rows` rows to their partial sums, side by side: one sum alone would wait for each
/// addition.
template <int rows, class T>
void add_columns(std::size_t points, const T* g, std::size_t g_stride, T* partial) {
  constexpr std::size_t size = Vec<T>::size;
  Vec<T> sum[rows];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) sum[r] = Vec<T>::load(partial + r * size);
  for (std::size_t c = 0; c < points; c += size)
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) sum[r] = sum[r] + Vec<T>::load(g + r * g_stride + c);
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) sum[r].store(partial + r * size);
}

template <class T>
void block_column_sum(std::size_t n, std::size_t points, const T* g, std::size_t g_stride,
                      T* partial) {
  constexpr std::size_t side = 4;
  std::size_t j = 0;
  for (; j + side <= n; j += side)
    add_columns<side>(points, g + j * g_stride, g_stride, partial + j * Vec<T>::size);
  for (; j < n; ++j) add_columns<1>(points, g + j * g_stride, g_stride, partial + j * Vec<T>::size);
}

template <class T> void move_column_sum(std::size_t n, T* partial, double* sums, std::size_t step) {
  constexpr std::size_t lanes = Vec<T>::size;
  for (std::size_t j = 0; j < n; j += lanes) {
    const std::size_t rows = std::min(lanes, n - j);
    Vec<T> sum[lanes];
    for (std::size_t r = 0; r < rows; ++r) sum[r] = Vec<T>::load(partial + (j + r) * lanes);
    const Vec<T> result = sum_groups<int(lanes)>(sum);
    for (std::size_t r = 0; r < rows; ++r) sums[(j + r) * step] += double(result[int(r)]);
  }
  std::fill_n(partial, n * lanes, T(0));
}

template std::size_t contract_scratch<float>(std::size_t);
template std::size_t contract_scratch<double>(std::size_t);
template std::size_t contract_partial<float>(std::size_t, std::size_t);
template std::size_t contract_partial<double>(std::size_t, std::size_t);
template void block_contract<float>(const BlockContract<float>&);
template void block_contract<double>(const BlockContract<double>&);
template void move_contract<float>(std::size_t, std::size_t, float*, double*);
template void move_contract<double>(std::size_t, std::size_t, double*, double*);
template void block_column_sum<float>(std::size_t, std::size_t, const float*, std::size_t, float*);
template void block_column_sum<double>(std::size_t, std::size_t, const double*, std::size_t,
                                       double*);
template void move_column_sum<float>(std::size_t, float*, double*, std::size_t);
template void move_column_sum<double>(std::size_t, double*, double*, std::size_t);

}  // namespace pinn::cpu
