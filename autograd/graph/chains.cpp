#include <map>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"
#include "autograd/graph/pieces.h"

namespace pinn {
namespace {

constexpr int add_id = binary_id<op::Add>;

/// Use of a value: how often, and by which value last.
struct Use {
  int count = 0, by = -1;
};

std::vector<Use> uses_of(const Graph& graph) {
  std::vector<Use> uses(graph.values.size());
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    for (const int from : graph.values[i].inputs)
      if (from >= 0) uses[from] = {uses[from].count + 1, int(i)};
  for (const int i : graph.outputs) uses[i].count += 2;  // it is not for another value alone
  return uses;
}

/// The axis along which each value is put together, itself or as a sum of such values; or -1.
std::vector<int> axes_of_assembly(const Graph& graph) {
  std::vector<int> axes(graph.values.size(), -1);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    if (v.op == Primitive::embed || v.op == Primitive::concat) axes[i] = v.axis;
    if (!match::is_binary<op::Add>(v)) continue;
    const int a = v.inputs[0], b = v.inputs[1];
    if (axes[a] == axes[b] && graph.values[a].shape == graph.values[b].shape) axes[i] = axes[a];
  }
  return axes;
}

/// Which values are but a part of the next one: sums of sums, concats of concats.
std::vector<bool> parts_of_the_next(const Graph& graph, const std::vector<int>& axes) {
  const std::vector<Use> uses = uses_of(graph);
  std::vector<bool> is_part(graph.values.size(), false);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (uses[i].count != 1 || axes[i] < 0) continue;
    const Value &v = graph.values[i], &next = graph.values[uses[i].by];
    const bool concats = v.op == Primitive::concat && next.op == Primitive::concat;
    const bool sums = match::is_binary<op::Add>(v) && match::is_binary<op::Add>(next);
    is_part[i] = (concats || sums) && axes[uses[i].by] == axes[i];
  }
  return is_part;
}

/// Pieces that an array is put together from, by where they begin.
struct Assembled {
  std::map<std::int64_t, Piece> pieces;
  std::int64_t covered = 0;
};

bool fit(const Assembled& a, const Assembled& b) {
  const auto &few = a.pieces.size() < b.pieces.size() ? a : b, &many = &few == &a ? b : a;
  for (const auto& [begin, p] : few.pieces) {
    auto next = many.pieces.lower_bound(begin);
    if (next != many.pieces.end() && next->first == begin) {
      if (next->second.size != p.size) return false;
      continue;
    }
    if (next != many.pieces.end() && next->first < p.end()) return false;
    if (next != many.pieces.begin() && std::prev(next)->second.end() > begin) return false;
  }
  return true;
}

/// The pieces of both, those of one window added; the shorter list goes into the longer one.
Assembled sum_of(Graph& out, Assembled a, Assembled b) {
  const bool swapped = a.pieces.size() < b.pieces.size();
  if (swapped) std::swap(a, b);
  for (const auto& [begin, q] : b.pieces) {
    const auto [at, is_new] = a.pieces.try_emplace(begin, q);
    int& p = at->second.value;
    if (is_new)
      a.covered += q.size;
    else
      p = build::binary(out, add_id, swapped ? q.value : p, swapped ? p : q.value);
  }
  return a;
}

/// One run of the pass.
class Chains {
 public:
  explicit Chains(const Graph& graph)
      : graph_(graph),
        axes_(axes_of_assembly(graph)),
        is_part_(parts_of_the_next(graph, axes_)),
        now_(graph.values.size(), -1) {}

  Graph shortened() {
    for (int i = 0; i < int(graph_.values.size()); ++i) {
      const Value& v = graph_.values[i];
      if (v.op == Primitive::concat) {
        if (!is_part_[i]) now_[i] = flat_concat(v);
      } else if (axes_[i] >= 0 && match::is_binary<op::Add>(v)) {
        sum(i);
      } else {
        now_[i] = renamed(v);
      }
    }
    for (const int i : graph_.outputs) out_.outputs.push_back(now_[i]);
    return std::move(out_);
  }

 private:
  int renamed(Value v) {
    for (int& i : v.inputs)
      if (i >= 0) i = now_[i];
    return out_.add(std::move(v));
  }

  int flat_concat(Value v) {
    std::vector<int> parts, open(v.inputs.rbegin(), v.inputs.rend());
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      const std::vector<int>& own = graph_.values[i].inputs;
      if (is_part_[i])
        open.insert(open.end(), own.rbegin(), own.rend());
      else
        parts.push_back(now_[i]);
    }
    v.inputs = std::move(parts);
    return out_.add(std::move(v));
  }

  void sum(int i) {
    const Value& v = graph_.values[i];
    const int x = v.inputs[0], y = v.inputs[1];
    std::optional<Assembled> a = taken(x), b = taken(y);
    const std::int64_t size = v.shape[axes_[i]];
    if (!a || !b || !fit(*a, *b) || (a->covered == size && b->covered == size)) {
      const int left = a ? value_of(x, *a) : now_[x], right = b ? value_of(y, *b) : now_[y];
      now_[i] = build::binary(out_, add_id, left, right);
    } else if (Assembled both = sum_of(out_, std::move(*a), std::move(*b)); is_part_[i]) {
      open_.emplace(i, std::move(both));
    } else {
      now_[i] = put_together(i, both);
    }
  }

  /// Pieces that a term is put together from; nothing if it is not.
  std::optional<Assembled> taken(int i) {
    if (auto sum = open_.extract(i)) return std::move(sum.mapped());
    const auto pieces = pieces_of(out_, now_[i]);
    if (!pieces) return {};
    Assembled made;
    for (const Piece& p : pieces->all) {
      if (p.size == 0) continue;
      made.pieces.emplace(p.begin, p);
      made.covered += p.size;
    }
    return made;
  }

  int value_of(int i, const Assembled& pieces) {
    return now_[i] >= 0 ? now_[i] : put_together(i, pieces);
  }

  int put_together(int i, const Assembled& from) {
    Pieces pieces{axes_[i], {}};
    for (const auto& [begin, p] : from.pieces) pieces.all.push_back(p);
    return pinn::put_together(out_, pieces, graph_.values[i].shape, graph_.values[i].dtype);
  }

  const Graph& graph_;
  std::vector<int> axes_;
  std::vector<bool> is_part_;
  std::vector<int> now_;           ///< where values stand in out_; -1 for what is not there
  std::map<int, Assembled> open_;  ///< sums that the next one takes over
  Graph out_;
};

}  // namespace

Graph with_chains_put_together(const Graph& graph) { return Chains(graph).shortened(); }

}  // namespace pinn
