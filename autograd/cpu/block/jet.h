#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "autograd/cpu/block/jet_small.h"
#include "autograd/cpu/block/jet_strip.h"
#include "autograd/cpu/block/jet_wide.h"
#include "autograd/ops/jet_table.h"

/// Functions and products of jets in the compiled step. A jet is an array [feature][channel][point]
/// as in product.h; the number of points is a multiple of Vec<T>::size.
namespace pinn::cpu {

/// y = f^(k)(h) of an op of Unary, and its reverse sweep: cpu::jet and cpu::jet_pullback in this
/// layout. Made once, when a program is planned; immutable. The table must outlive it.
template <class T> class BlockJet {
 public:
  /// `pulls_back`: pullback is going to be called.
  ///
  ///   errors   EngineError when k + order of the table, and one more for pullback, exceeds
  ///            max_derivative
  BlockJet(int op, double parameter, int k, const JetTable& table, bool pulls_back = true);

  /// How many numbers value and pullback need for themselves, aligned to a vector.
  std::size_t scratch() const;

  /// True if value can keep the slope f'(h_0), or what gives it with y_0, so that pullback needs no
  /// function of h_0 again.
  bool keeps_slope() const { return small_.kept_pullback != nullptr; }

  /// y = f^(k)(h); `slope` is [feature][point], or null when nothing is to be kept.
  void value(std::size_t features, std::size_t points, BlockRows<const T> h, BlockRows<T> y,
             T* scratch, BlockRows<T> slope = {}) const;

  /// Inputs of pullback: the argument, and what value made of it if it kept the slope.
  struct Saved {
    BlockRows<const T> h, y = {}, slope = {};
  };

  /// hbar = the transposed product of ybar with the jet f^(k+1)(h); hbar may be ybar.
  void pullback(std::size_t features, std::size_t points, const Saved& saved,
                BlockRows<const T> ybar, BlockRows<T> hbar, T* scratch) const;

 private:
  void find_small_kernels(int op);
  void any_value(const SmallValue<T>& jet, T* scratch) const;
  void any_pullback(const SmallPullback<T>& jet, T* scratch) const;

  const JetTable& table_;
  int k_;
  double parameter_;
  SeriesKernel<T> value_series_, slope_series_;
  StripComposition<T> value_, slope_;  ///< for tables that are neither small nor wide
  std::optional<WideJet<T>> wide_;
  SmallKernels<T> small_ = {};
  std::vector<T> small_weights_;
};

/// y_k = sum_{i,j} w[i,j,k] a_i b_j.
template <class T>
void block_jet_mul(const JetTable& table, std::size_t features, std::size_t points,
                   BlockRows<const T> a, BlockRows<const T> b, BlockRows<T> y);

/// y_i = sum_{j,k} w[i,j,k] g_k b_j.
template <class T>
void block_jet_mul_transposed(const JetTable& table, std::size_t features, std::size_t points,
                              BlockRows<const T> g, BlockRows<const T> b, BlockRows<T> y);

}  // namespace pinn::cpu
