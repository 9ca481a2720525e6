#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/ops/jet_table.h"
#include "autograd/ops/unary.h"
#include "tests/autograd/ops/derivatives.h"

/// One jet, a number per channel, as its definition has it: by whole products of the table, term by
/// term. The oracle of all that is faster.
namespace pinn::test {

using Numbers = std::vector<double>;

/// (a b)_k = sum w[i,j,k] a_i b_j
inline Numbers multiplied(const JetTable& table, const Numbers& a, const Numbers& b) {
  Numbers y(a.size());
  for (const JetTable::Term& p : table.terms())
    y[std::size_t(p.k)] += p.weight * a[std::size_t(p.i)] * b[std::size_t(p.j)];
  return y;
}

/// y_i = sum w[i,j,k] g_k b_j
inline Numbers multiplied_transposed(const JetTable& table, const Numbers& g, const Numbers& b) {
  Numbers y(g.size());
  for (const JetTable::Term& p : table.terms())
    y[std::size_t(p.i)] += p.weight * g[std::size_t(p.k)] * b[std::size_t(p.j)];
  return y;
}

/// f^(k)(h) = sum_m f^(k+m)(h_0) n^m / m!, with n = h - h_0
template <class Op>
Numbers composed(const JetTable& table, int k, const Numbers& h, double parameter) {
  double f[max_derivative + 1];
  derivatives<Op, max_derivative>(h[0], f, parameter);
  Numbers n = h, power(h.size()), y(h.size());
  n[0] = 0;
  power[0] = 1;
  double factorial = 1;
  for (int m = 0; m <= table.order(); ++m) {
    if (m > 0) factorial *= m;
    for (std::size_t i = 0; i < h.size(); ++i) y[i] += f[k + m] / factorial * power[i];
    power = multiplied(table, power, n);
  }
  return y;
}

}  // namespace pinn::test
