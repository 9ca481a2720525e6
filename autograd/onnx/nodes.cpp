#include "autograd/onnx/nodes.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace pinn::onnx {
namespace {

template <class T> std::string bytes_of(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

}  // namespace

Num Nodes::add(Value value) {
  const auto [at, is_new] = known_.try_emplace(value, int(values_.size()));
  if (is_new) values_.push_back(std::move(value));
  return {this, at->second};
}

Num Nodes::input(const std::string& name) {
  const Num given = add({.wide = true, .element = element_, .name = name});
  const Num row = make("Reshape", {given, integers({1, -1})}, 1);
  if (!shape_.in) shape_ = make("Shape", {row});
  return row;
}

void Nodes::output(const std::string& name, const Num& x) {
  add({.op = "Reshape",
       .inputs = {widened(x).value, integers({-1}).value},
       .wide = true,
       .name = name});
}

Num Nodes::make(const std::string& op, const std::vector<Num>& x, int rows) {
  Value value{.op = op};
  for (const Num& one : x) {
    value.inputs.push_back(tensor(one).value);
    const Value& input = values_[std::size_t(value.inputs.back())];
    value.rows = std::max(value.rows, input.rows);
    value.wide = value.wide || input.wide;
  }
  if (rows > 0) value.rows = rows;
  return add(std::move(value));
}

Num Nodes::numbers(const std::vector<double>& x, const std::vector<std::int64_t>& shape) {
  return add({.rows = shape.empty() ? 1 : int(shape[0]),
              .element = element_,
              .shape = shape,
              .bytes = element_ == Element::float64
                           ? bytes_of(x)
                           : bytes_of(std::vector<float>(x.begin(), x.end()))});
}

Num Nodes::matrix(const std::vector<double>& x, std::size_t rows) {
  return numbers(x, {std::int64_t(rows), std::int64_t(x.size() / rows)});
}

Num Nodes::column(const std::vector<double>& x) {
  const bool same = std::ranges::all_of(x, [&](double one) { return one == x[0]; });
  return same ? Num(x[0]) : matrix(x, x.size());
}

Num Nodes::rows_of(const Num& x, const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> all(std::size_t(values_[std::size_t(x.value)].rows));
  std::iota(all.begin(), all.end(), 0);
  return rows == all ? x : make("Gather", {x, integers(rows)}, int(rows.size()));
}

Num Nodes::stacked(std::vector<Num> x) {
  if (x.size() == 1) return x[0];
  Value value{.op = "Concat", .attribute = "axis", .rows = 0};
  for (const Num& one : x) value.wide = value.wide || values_[std::size_t(one.value)].wide;
  for (const Num& one : x) {
    value.inputs.push_back((value.wide ? widened(one) : one).value);
    value.rows += values_[std::size_t(one.value)].rows;
  }
  return add(std::move(value));
}

Num Nodes::cast(const Num& x, Element to) {
  const Value& of = values_[std::size_t(x.value)];
  return add({.op = "Cast",
              .inputs = {x.value},
              .attribute = "to",
              .setting = std::int64_t(to),
              .rows = of.rows,
              .wide = of.wide});
}

Num Nodes::looked_up(const std::vector<double>& x, const Num& index) {
  if (!index.in) return Num(x.at(std::size_t(index.number)));
  return make("Gather", {numbers(x, {std::int64_t(x.size())}), cast(index, Element::int64)},
              values_[std::size_t(index.value)].rows);
}

Num Nodes::integers(const std::vector<std::int64_t>& x) {
  return add({.element = Element::int64, .shape = {std::int64_t(x.size())}, .bytes = bytes_of(x)});
}

Num Nodes::tensor(const Num& x) { return x.in ? x : numbers({x.number}, {}); }

Num Nodes::widened(const Num& x) {
  const Num wide = tensor(x);
  return values_[std::size_t(wide.value)].wide ? wide : make("Expand", {wide, shape_});
}

}  // namespace pinn::onnx
