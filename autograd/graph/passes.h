#pragma once
#include <optional>
#include <span>

#include "autograd/graph/graph.h"

/// Passes make a graph that computes the same from one that computes more. All obey one law:
/// outputs before = outputs after, up to rounding, whatever the inputs and the number of points.
/// Shapes and dtypes of the outputs stay; a sum or a row may turn out to be a constant. Hand over a
/// graph that is no longer wanted: then its values are moved, and not copied.
namespace pinn {

/// Without the values that no output depends on, unused inputs among them.
Graph without_dead_values(Graph graph);

/// The graph with only the first of values that are equal because the same op makes them from the
/// same inputs. Inputs of one name are one.
Graph without_duplicates(Graph graph);

/// Elementwise ops and changes of shape with constant inputs become constants. Products and jets of
/// constants do not occur in practice and stay.
Graph folded(Graph graph);

/// Sums of arrays that are put together along an axis are put together from sums - the gradients of
/// an array's slices arrive as arrays of zeros around each and are added up -, and chains of such
/// sums, or of concats, at once: a rule would make an array for each link.
Graph with_chains_put_together(const Graph& graph);

/// A rule that knows a simpler way to a value: the position of one with the same elements, made of
/// older values or of values that the rule adds, or nothing when the rule does not apply.
struct Rewrite {
  const char* name;
  std::optional<int> (*apply)(Graph& graph, const Value& v);
};

/// Rules of arithmetic: neutral elements, zeros, signs, constant factors, late broadcasts.
std::span<const Rewrite> arithmetic_rewrites();
/// Rules of shapes: what cancels, merges, or puts together what was taken apart.
std::span<const Rewrite> shape_rewrites();
/// Rules of products, and of what is the same for all points: what needs no product, or a smaller
/// one.
std::span<const Rewrite> product_rewrites();

/// Each value by the first of these rules that applies.
Graph rewritten(Graph graph, std::span<const Rewrite> rules);

/// Fixed values first, otherwise in the order they were in.
Graph with_fixed_first(Graph graph);

/// Several products of one row with different weights as one product with the weights side by side,
/// and slices of it. The rows are neither copied nor read twice; the weights are put together once
/// per step. Fixed values come first.
Graph with_stacked_products(const Graph& graph);

/// All of the above. In rounds until nothing changes: folded, chains put together, rewritten by
/// arithmetic and by shapes, without duplicates, without dead values, fixed values first; then
/// products are stacked, and the rounds go on. A round is linear in the length of the graph, and
/// there are a few.
Graph optimized(const Graph& graph);

/// Counts of what the passes of this thread have looked at, for tests of how their work grows.
struct PassCounts {
  std::int64_t pieces = 0;    ///< that an array is put together from
  std::int64_t compared = 0;  ///< pairs of values that might be the same
};
PassCounts& pass_counts();

/// True if two graphs are the same, value by value.
bool same(const Graph& a, const Graph& b);
/// True if two values are made in the same way; constants must agree bit by bit.
bool same(const Value& a, const Value& b);

}  // namespace pinn
