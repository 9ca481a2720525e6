#include <algorithm>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"
#include "autograd/graph/pieces.h"
#include "autograd/graph/rules.h"

namespace pinn {
namespace {

using namespace match;
using Found = std::optional<int>;

/// True if v and its input are made by one op.
bool twice(const Graph& g, const Value& v, Primitive op) {
  return v.op == op && input(g, v, 0).op == op;
}

/// An op that gives back its input.
Found unchanged(Graph& g, const Value& v) {
  switch (v.op) {
    case Primitive::cast:
      return input(g, v, 0).dtype == v.dtype ? Found(v.inputs[0]) : Found();
    case Primitive::transpose:
      return v.axis == v.axis2 ? Found(v.inputs[0]) : Found();
    case Primitive::sum_to:
    case Primitive::reshape:
    case Primitive::slice:
    case Primitive::expand:
    case Primitive::embed:
      return input(g, v, 0).shape == v.shape ? Found(v.inputs[0]) : Found();
    case Primitive::concat:
      return v.inputs.size() == 1 ? Found(v.inputs[0]) : Found();
    default:
      return {};
  }
}

/// Keeps only the last shape of two in a row: reshape, sum_to, expand.
Found last_shape(Graph& g, const Value& v) {
  if (!twice(g, v, Primitive::reshape) && !twice(g, v, Primitive::sum_to) &&
      !twice(g, v, Primitive::expand))
    return {};
  return build::redone(g, v, {input(g, v, 0).inputs[0]});
}

/// x^T^T -> x
Found transposed_back(Graph& g, const Value& v) {
  if (!twice(g, v, Primitive::transpose)) return {};
  const Value& x = input(g, v, 0);
  if (std::minmax(v.axis, v.axis2) != std::minmax(x.axis, x.axis2)) return {};
  return x.inputs[0];
}

/// There and back through float64 nothing is lost; through float32 it is.
Found cast_back(Graph& g, const Value& v) {
  if (!twice(g, v, Primitive::cast)) return {};
  const Value& wide = input(g, v, 0);
  if (wide.dtype != DType::float64 || input(g, wide, 0).dtype != v.dtype) return {};
  return wide.inputs[0];
}

/// A slice of a slice is one slice, an embedded embed one embed.
Found window_of_window(Graph& g, const Value& v) {
  if (!twice(g, v, Primitive::slice) && !twice(g, v, Primitive::embed)) return {};
  const Value& x = input(g, v, 0);
  if (x.axis != v.axis) return {};
  Value window = v;
  window.begin += x.begin;
  return build::redone(g, window, {x.inputs[0]});
}

/// A slice of what was put together along its axis is put together from fewer or smaller pieces.
Found slice_of_pieces(Graph& g, const Value& v) {
  if (v.op != Primitive::slice) return {};
  const std::int64_t end = v.begin + v.shape[v.axis];
  const auto whole = pieces_of(g, v.inputs[0], v.begin, end);
  if (!whole || whole->axis != v.axis) return {};
  Pieces part{v.axis, {}};
  for (const Piece& p : whole->all) {
    const std::int64_t from = std::max(p.begin, v.begin), to = std::min(p.end(), end);
    if (from >= to) continue;
    const int value = build::sliced(g, p.value, v.axis, from - p.begin, to - from);
    part.all.push_back({from - v.begin, to - from, value});
  }
  return put_together(g, part, v.shape, v.dtype);
}

/// The axis of `to` that is axis a of `from` when elements are read in order; -1 if a reshape from
/// the one to the other does not keep it.
int kept_axis(const Shape& from, int a, const Shape& to) {
  std::int64_t before = 1, n = 1;
  for (int i = 0; i < a; ++i) before *= from[i];
  for (int i = 0; i < to.rank(); n *= to[i++])
    if (n == before && to[i] == from[a]) return i;
  return -1;
}

/// Puts together after a reshape what is put together along an axis that the reshape keeps: so
/// pieces meet that are to be added.
Found reshape_of_pieces(Graph& g, const Value& v) {
  if (v.op != Primitive::reshape) return {};
  const Value whole = input(g, v, 0);
  if (whole.op != Primitive::embed && whole.op != Primitive::concat) return {};
  const int axis = kept_axis(whole.shape, whole.axis, v.shape);
  if (axis < 0) return {};
  std::vector<int> parts;
  for (const int i : whole.inputs) {
    const std::int64_t size = g.values[i].shape[whole.axis];
    parts.push_back(build::reshaped(g, i, with_size(v.shape, axis, size)));
  }
  if (whole.op == Primitive::concat) return build::concatenated(g, parts, axis);
  return build::embedded(g, parts[0], v.shape, axis, whole.begin);
}

/// And what is sliced along such an axis may be sliced before.
Found slice_of_reshape(Graph& g, const Value& v) {
  if (v.op != Primitive::slice || input(g, v, 0).op != Primitive::reshape) return {};
  const int x = input(g, v, 0).inputs[0];
  const int axis = kept_axis(input(g, v, 0).shape, v.axis, g.values[x].shape);
  if (axis < 0) return {};
  return build::reshaped(g, build::sliced(g, x, axis, v.begin, v.shape[v.axis]), v.shape);
}

/// Broadcasting adds and drops leading axes of size 1 by itself, so a reshape need not. (Of two
/// shapes of as many elements one broadcasts to the other only if such axes are all they differ
/// in.)
Found leading_ones(Graph& g, const Value& v) {
  if (v.op != Primitive::reshape && v.op != Primitive::expand) return {};
  const Value& x = input(g, v, 0);
  if (v.op == Primitive::reshape && x.op == Primitive::sum_to && broadcasts_to(v.shape, x.shape))
    return build::summed(g, x.inputs[0], v.shape);
  if (v.op == Primitive::expand && x.op == Primitive::reshape &&
      broadcasts_to(input(g, x, 0).shape, x.shape))
    return build::expanded(g, x.inputs[0], v.shape);
  return {};
}

/// A concat among the parts of a concat gives its own parts.
Found concat_of_concat(Graph& g, const Value& v) {
  if (v.op != Primitive::concat) return {};
  std::vector<int> parts;
  for (const int i : v.inputs) {
    const Value& part = g.values[i];
    if (part.op == Primitive::concat && part.axis == v.axis)
      parts.insert(parts.end(), part.inputs.begin(), part.inputs.end());
    else
      parts.push_back(i);
  }
  if (parts == v.inputs) return {};
  return build::concatenated(g, parts, v.axis);
}

/// Slices that lie side by side in one array, and in that order in a concat, are one slice.
Found concat_of_neighbors(Graph& g, const Value& v) {
  if (v.op != Primitive::concat) return {};
  const auto joins = [&](int a, int b) {
    const Value &x = g.values[a], &y = g.values[b];
    return x.op == Primitive::slice && y.op == Primitive::slice && x.axis == v.axis &&
           y.axis == v.axis && x.inputs == y.inputs && x.begin + x.shape[v.axis] == y.begin;
  };
  std::vector<int> parts;
  for (const int i : v.inputs) {
    if (parts.empty() || !joins(parts.back(), i)) {
      parts.push_back(i);
      continue;
    }
    const Value& first = g.values[parts.back()];
    const int source = first.inputs[0];
    const std::int64_t size = first.shape[v.axis] + g.values[i].shape[v.axis];
    parts.back() = build::sliced(g, source, v.axis, first.begin, size);
  }
  if (parts.size() == v.inputs.size()) return {};
  return build::concatenated(g, parts, v.axis);
}

/// Indices that count up are a slice.
Found gather_of_range(Graph& g, const Value& v) {
  if (v.op != Primitive::gather || v.indices.empty()) return {};
  for (std::size_t i = 1; i < v.indices.size(); ++i)
    if (v.indices[i] != v.indices[i - 1] + 1) return {};
  return build::sliced(g, v.inputs[0], v.axis, v.indices[0], v.shape[v.axis]);
}

constexpr Rewrite of_shapes[] = {
    {"unchanged", unchanged},
    {"last shape", last_shape},
    {"transposed back", transposed_back},
    {"cast back", cast_back},
    {"window of window", window_of_window},
    {"slice of pieces", slice_of_pieces},
    {"reshape of pieces", reshape_of_pieces},
    {"slice of reshape", slice_of_reshape},
    {"leading ones", leading_ones},
    {"concat of concat", concat_of_concat},
    {"concat of neighbors", concat_of_neighbors},
    {"gather of a range", gather_of_range},
};

}  // namespace

std::span<const Rewrite> shape_rewrites() { return of_shapes; }

}  // namespace pinn
