#pragma once
#include <cstddef>
#include <vector>

#include "autograd/cpu/block/jet_small.h"
#include "autograd/ops/jet_table.h"

namespace pinn::cpu {

/// The jets of many coordinates in the compiled step: up to second order, with more channels than
/// registers hold. Every channel is read from its place and written to it once; cross terms are a
/// list for each channel, so the work grows with their number, and nothing is copied.
template <class T> class WideJet {
 public:
  /// True if a table suits this: below so many channels the strips of jet_strip.h are as good.
  static bool fits(const JetTable& table);

  /// Errors: what fits() does not hold for is not to be asked.
  explicit WideJet(const JetTable& table);

  /// y_0 = f, y_k = f' h_k + f''/2 sum w[i,j,k] h_i h_j.
  void value(const SmallValue<T>& jet) const;
  /// hbar_0 = sum_k ybar_k s_k, hbar_i = f' ybar_i + sum w[i,j,k] s_j ybar_k, with the slopes
  /// s_0 = f', s_k = f'' h_k + f'''/2 sum w[i,j,k] h_i h_j.
  void pullback(const SmallPullback<T>& jet) const;

 private:
  /// A cross term of channel k, seen from k as w h_i h_j, or from i as w s_j ybar_k.
  struct Term {
    std::size_t a, b;
    T weight;
  };
  /// Those of channel k are first[k] ... first[k + 1] - 1.
  struct Terms {
    std::vector<std::size_t> first;
    std::vector<Term> all;
  };

  template <int n> void value_at(const SmallValue<T>& jet, std::size_t at) const;
  template <int n> void pullback_at(const SmallPullback<T>& jet, std::size_t at) const;

  std::size_t channels_;
  Terms into_, from_;
};

}  // namespace pinn::cpu
