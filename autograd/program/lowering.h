#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "autograd/graph/graph.h"
#include "autograd/program/program.h"

namespace pinn {

/// Where one element of a value stands. Lanes are numbered as they come up, each written once;
/// arena.cpp gives them their places in the end.
struct Place {
  Memory memory = Memory::none;
  int at = 0;
  bool operator==(const Place&) const = default;
};

/// The elements of a value at one point (or of a value without points) in row-major order.
using Places = std::vector<Place>;

/// Turns graph values into instructions on lanes that are each written once.
class Lowering {
 public:
  explicit Lowering(const Graph& graph) : graph_(graph) {}
  /// The program with as many lanes as values; see assign_arena.
  Program run();

 private:
  // What each op comes to; one function per kind of op.
  Places lower(const Value& v);
  Places input(const Value& v);
  Places constant(const Value& v);
  Places rearranged(const Value& v);
  Places embedded(const Value& v);
  Places joined(const Value& v);
  Places pointwise(const Value& v);
  Places summed(const Value& v);
  Places product(const Value& v);
  Places contraction(const Value& v);
  /// x [m, k] times w [k, n] where neither differs from point to point: a few numbers.
  Places small_product(const Places& x, int m, int k, const Places& w, int n);
  Places jet(const Value& v);
  /// Lets the pullback of a jet that is made in the same step read what that one computed.
  void keep_slopes(Instruction& pullback);

  // Elementwise instructions: `out[i] = op(a[i], b[i], c[i])` for all i, folded where it can be.
  Places elementwise(const Instruction& op, const Places& a, const Places& b, const Places& c,
                     const std::vector<int>& order);
  std::optional<Place> simplified(const Instruction& op, const Place& a, const Place& b,
                                  const Place& c);
  void emit_runs(const Instruction& op, const Places& out, const Places& a, const Places& b,
                 const Places& c);

  // Memory.
  Place number(double x);
  std::optional<double> constant_at(const Place& p) const;
  Places new_places(Memory memory, int count);
  /// The first lane of a block [features][channels] with these elements; copied there if they do
  /// not stand so.
  int regular_block(const Places& p, int channels, int features);
  Weights weights_of(const Places& w, int k, int n);
  int table_of(const JetTablePtr& table);

  const Places& of(const Value& v, int i) const {
    return places_[std::size_t(v.inputs[std::size_t(i)])];
  }
  const Value& input_of(const Value& v, int i) const {
    return graph_.values[std::size_t(v.inputs[std::size_t(i)])];
  }

  const Graph& graph_;
  Program program_;
  std::vector<Places> places_;
  std::map<std::uint64_t, int> numbers_;   ///< constants by their bits
  std::unordered_map<int, double> known_;  ///< fixed elements that are constants
};

/// Drops what no output needs, gives lanes that are never alive together the same place, and
/// chooses the block size.
void assign_arena(Program& program);

}  // namespace pinn
