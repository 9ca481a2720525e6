#pragma once
#include <string>
#include <vector>

#include "autograd/graph/pieces.h"
#include "autograd/program/program.h"

/// Places of the elements of graph values, and their order.
namespace pinn {

/// Place of one element of a value. Lanes are numbered as they come up, each written once;
/// arena.cpp gives them their places in the end.
struct Cell {
  Memory memory = Memory::none;
  int at = 0;
  bool operator==(const Cell&) const = default;
};

/// The elements of a value at one point (or of a value without points) in row-major order.
using Cells = std::vector<Cell>;

inline bool is_row(const Value& v) { return v.extent == Extent::row; }
/// The shape of the elements at one point, and their number.
Shape inner_shape(const Value& v);
int count_of(const Value& v);

/// Throws the EngineError for what a program cannot do.
[[noreturn]] void refuse(const Value& v, const std::string& why);

/// As many places as y has elements at a point, x repeated where it is broadcast. A fixed x has
/// the shape of all of y but may lack its points.
Cells broadcast_places(const Value& y, const Value& x, const Cells& p);

/// [channels, features] at a point: what a jet or the operand of a product is made of.
struct Channels {
  explicit Channels(const Value& v);
  int channels, features;
};
/// Positions of [channels, features], feature by feature.
std::vector<int> by_features(int channels, int features);
/// The lanes of a block as the elements of [channels, features].
Cells places_of_lanes(int first, int channels, int features);

}  // namespace pinn
