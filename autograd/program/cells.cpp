#include "autograd/program/cells.h"

#include "autograd/core/error.h"

namespace pinn {

Shape inner_shape(const Value& v) { return is_row(v) ? v.shape.removed(0) : v.shape; }

int count_of(const Value& v) { return int(inner_shape(v).numel()); }

void refuse(const Value& v, const std::string& why) {
  throw EngineError({"a compiled step cannot do this: " + std::string(name_of(v.op)) + " " + why,
                     to_string(inner_shape(v)), "run eagerly, or write the formula differently"});
}

Cells broadcast_places(const Value& y, const Value& x, const Cells& p) {
  Shape from = inner_shape(x);
  if (is_row(y) && !is_row(x) && from.rank() == y.shape.rank()) from = from.removed(0);
  Cells all;
  for (const std::size_t i : broadcast_indices(inner_shape(y), from)) all.push_back(p[i]);
  return all;
}

Channels::Channels(const Value& v) {
  const Shape s = inner_shape(v);
  features = s.rank() > 0 ? int(s[s.rank() - 1]) : 1;
  channels = features > 0 ? int(s.numel()) / features : 1;
}

std::vector<int> by_features(int channels, int features) {
  std::vector<int> order;
  for (int f = 0; f < features; ++f)
    for (int c = 0; c < channels; ++c) order.push_back(c * features + f);
  return order;
}

Cells places_of_lanes(int first, int channels, int features) {
  Cells p(std::size_t(channels * features));
  for (int c = 0; c < channels; ++c)
    for (int f = 0; f < features; ++f)
      p[std::size_t(c * features + f)] = {Memory::lane, first + f * channels + c};
  return p;
}

}  // namespace pinn
