#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "autograd/program/cells.h"

namespace pinn {

/// Turns graph values into instructions on lanes that are each written once.
class Lowering {
 public:
  explicit Lowering(const Graph& graph) : graph_(graph) {}
  /// The program with as many lanes as values; see assign_arena.
  Program run();

 private:
  // Lowering of each op; one function per kind of op.
  Cells lower(const Value& v);
  Cells input(const Value& v);
  Cells constant(const Value& v);
  Cells moved(const Value& v);
  Cells pointwise(const Value& v);
  Cells summed(const Value& v);
  /// Adds elements to sums over the points.
  void add_over_points(Cells from, const Cells& sums);
  Cells product(const Value& v);
  Cells contraction(const Value& v);
  /// True for each channel [features] that differs from point to point; all do unless many do not.
  std::vector<bool> moving_channels(const Cells& x, const Channels& of) const;
  /// The channels that move, or those that do not.
  static Cells channels_of(const Cells& x, int features, const std::vector<bool>& moving,
                           bool which);
  /// The sums over the points of the still channels' products.
  Cells still_contraction(const Value& v, const std::vector<bool>& moving);
  /// x [m, k] times w [k, n] where neither differs from point to point: a few numbers.
  Cells small_product(const Cells& x, int m, int k, const Cells& w, int n);
  void add_bias(Cells& y, const Shape& jets, const Cells& bias);
  Cells jet(const Value& v);
  /// Values of a point function: once per step where its inputs are fixed, else on lanes.
  Cells lookup(const Value& v);
  /// A jet times a jet where neither differs from point to point: what is made of the result may
  /// have to be known before the points are, as weights and what is rounded have.
  Cells small_jet_product(const Value& v);

  // Rounded rows are packed once the value itself is used no more, and unpacked where the rounded
  // one is used first; in between they fill fewer lanes.
  Cells rounded(const Value& v);
  void pack(int rounded_value);
  void unpack(int rounded_value);
  /// Lets the pullback of a jet that is made in the same step read what that one computed.
  void keep_slopes(Instruction& pullback);

  // Elementwise instructions: `out[i] = op(a[i], b[i], c[i])` for all i, folded where it can be.
  Cells elementwise(const Elementwise& f, const Cells& a, const Cells& b, const Cells& c,
                    const std::vector<int>& order);
  std::optional<Cell> simplified(const Elementwise& f, const Cell& a, const Cell& b, const Cell& c);
  void emit_runs(const Instruction& op, const Cells& out, const Cells& a, const Cells& b,
                 const Cells& c);

  // Memory.
  Cell number(double x);
  std::optional<double> constant_at(const Cell& p) const;
  Cells new_places(Memory memory, int count);
  /// The first lane of a block [features][channels] with these elements; copied there if they do
  /// not stand so.
  int regular_lanes(const Cells& p, int channels, int features);
  Weights weights_of(const Cells& w, int k, int n);
  int table_of(const JetTablePtr& table);
  int source_of(const PointFunctionPtr& source);

  const Cells& of(const Value& v, int i) { return places_of(v.inputs[std::size_t(i)]); }
  const Cells& places_of(int value) {
    if (packed_.count(value) > 0) unpack(value);
    return places_[std::size_t(value)];
  }
  const Value& input_of(const Value& v, int i) const {
    return graph_.values[std::size_t(v.inputs[std::size_t(i)])];
  }

  const Graph& graph_;
  Program program_;
  std::vector<Cells> places_;
  std::vector<int> last_use_;  ///< of each value, by ops that do not round it
  std::map<int, Instruction>
      packed_;  ///< rounded rows that no instruction used yet, and how to unpack them
  std::map<std::uint64_t, int> numbers_;   ///< constants by their bits
  std::unordered_map<int, double> known_;  ///< fixed elements that are constants
};

/// Drops what no output needs, gives lanes that are never alive together the same place, and
/// chooses the block size.
void assign_arena(Program& program);

}  // namespace pinn
