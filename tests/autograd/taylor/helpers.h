#pragma once
#include "autograd/taylor/jet.h"
#include "tests/autograd/tape/helpers.h"
#include "tests/autograd/tape/network.h"

namespace pinn::test {

inline constexpr std::int64_t points = 6;
inline const MultiIndex x{1}, y{0, 1}, xx{2};

// An op by name, on tensors and on jets alike.
template <class Op, class T> T call(const T& x, double parameter = 0) {
  return apply_unary(unary_id<Op>, x, parameter);
}
template <class Op, class T> T call(const T& x, const T& y) {
  return apply_binary(binary_id<Op>, x, y);
}

/// All derivatives by two coordinates up to a total order; the value comes first.
inline std::vector<MultiIndex> all_indices(int highest) {
  std::vector<MultiIndex> all;
  for (int total = 0; total <= highest; ++total)
    for (int i = total; i >= 0; --i) all.push_back({std::uint8_t(i), std::uint8_t(total - i)});
  return all;
}

/// d^a u by nested reverse passes; u and the coordinates are [points, 1].
inline Tensor partial(Tensor u, const std::vector<Tensor>& coordinates, const MultiIndex& a) {
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    for (int n = 0; n < a[i]; ++n) {
      if (!u.requires_grad()) return zeros(u.shape(), u.dtype());
      u = grad({u}, {coordinates[i]}, {ones(u.shape(), u.dtype())},
               {.create_graph = true, .materialize = true})[0];
    }
  return u;
}

/// Coordinates x, y of `points` points as columns that require a gradient.
inline std::vector<Tensor> columns(std::int64_t points, std::uint64_t stream,
                                   DType dtype = DType::float64) {
  return {variable({points, 1}, stream, dtype), variable({points, 1}, stream + 1, dtype)};
}

/// The same coordinates as jets of one feature each.
inline std::vector<Jet> coordinate_jets(const JetTablePtr& table,
                                        const std::vector<Tensor>& coordinates) {
  const Jet all = coordinate_jet(table, concat(coordinates, 1).detach());
  std::vector<Jet> jets;
  for (std::int64_t i = 0; i < std::int64_t(coordinates.size()); ++i)
    jets.push_back(features(all, i, i + 1));
  return jets;
}

/// A parameter [1, 1] as a jet that is the same at all points.
inline Jet parameter_jet(const JetTablePtr& table, const Tensor& p, std::int64_t points) {
  return constant_jet(table, expand(p, {points, 1}));
}

inline Jet evaluate(const Perceptron& net, Jet h) {
  for (std::size_t l = 0; l < net.w.size(); ++l) {
    h.data = linear(h.data, net.w[l], net.b[l]);
    if (l + 1 < net.w.size()) h = apply_unary(net.activation, h);
  }
  return h;
}

}  // namespace pinn::test
