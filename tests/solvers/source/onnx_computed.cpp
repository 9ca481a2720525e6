#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "tests/solvers/source/onnx_model.h"

namespace pinn::test {
namespace {

using Tensors = std::vector<const OnnxTensor*>;

void must(bool holds, const OnnxNode& node, const char* what) {
  if (!holds) throw std::runtime_error(fmt::format("{} {}: {}", node.op, node.output, what));
}

std::int64_t length(const OnnxTensor& t, std::size_t from_last) {
  return t.shape.size() > from_last ? t.shape[t.shape.size() - 1 - from_last] : 1;
}

/// A number of a tensor of up to two axes, repeated along those of length 1.
double element(const OnnxTensor& t, std::int64_t row, std::int64_t column) {
  const std::int64_t r = length(t, 1) == 1 ? 0 : row, c = length(t, 0) == 1 ? 0 : column;
  return t.x[std::size_t(r * length(t, 0) + c)];
}

/// The common shape of some.
std::vector<std::int64_t> common(const OnnxNode& node, const Tensors& in) {
  std::vector<std::int64_t> shape;
  for (const OnnxTensor* t : in)
    if (t->shape.size() > shape.size()) shape.assign(t->shape.size(), 1);
  for (std::size_t from_last = 0; from_last < shape.size(); ++from_last)
    for (const OnnxTensor* t : in) {
      std::int64_t& n = shape[shape.size() - 1 - from_last];
      const std::int64_t own = length(*t, from_last);
      must(own == n || own == 1 || n == 1, node, "shapes do not fit");
      if (own != 1) n = own;
    }
  return shape;
}

OnnxTensor with_shape(OnnxType type, const std::vector<std::int64_t>& shape) {
  OnnxTensor y{type, shape, {}};
  y.x.resize(std::size_t(length(y, 1) * length(y, 0)));
  return y;
}

/// f of the elements at (row, column), one of each.
template <class F> OnnxTensor each(const OnnxNode& node, OnnxType type, const Tensors& in, F f) {
  OnnxTensor y = with_shape(type, common(node, in));
  for (std::int64_t r = 0; r < length(y, 1); ++r)
    for (std::int64_t c = 0; c < length(y, 0); ++c)
      y.x[std::size_t(r * length(y, 0) + c)] = f(r, c);
  return y;
}

OnnxTensor product(const OnnxNode& node, const Tensors& in) {
  const OnnxTensor &a = *in[0], &b = *in[1];
  must(a.shape.size() == 2 && b.shape.size() == 2 && a.shape[1] == b.shape[0], node, "shapes");
  OnnxTensor y = with_shape(a.type, {a.shape[0], b.shape[1]});
  for (std::int64_t r = 0; r < a.shape[0]; ++r)
    for (std::int64_t c = 0; c < b.shape[1]; ++c) {
      double& sum = y.x[std::size_t(r * b.shape[1] + c)];
      for (std::int64_t k = 0; k < a.shape[1]; ++k) sum += element(a, r, k) * element(b, k, c);
    }
  return y;
}

OnnxTensor reshaped(const OnnxNode& node, const Tensors& in) {
  OnnxTensor y = *in[0];
  y.shape.clear();
  std::int64_t known = 1;
  for (const double n : in[1]->x) known *= n < 0 ? 1 : std::int64_t(n);
  for (const double n : in[1]->x)
    y.shape.push_back(n < 0 ? std::int64_t(y.x.size()) / known : std::int64_t(n));
  must(with_shape(y.type, y.shape).x.size() == y.x.size(), node, "shapes");
  return y;
}

/// Rows of a matrix, or numbers of a vector.
OnnxTensor gathered(const OnnxNode& node, const Tensors& in) {
  const OnnxTensor &x = *in[0], &at = *in[1];
  const bool rows = x.shape.size() == 2;
  OnnxTensor y{x.type, at.shape, {}};
  if (rows) y.shape = {std::int64_t(at.x.size()), x.shape[1]};
  must(at.type == OnnxType::int64, node, "types");
  for (const double i : at.x) {
    must(i >= 0 && i < double(x.shape[0]), node, "there is no such row");
    for (std::int64_t c = 0; c < (rows ? x.shape[1] : 1); ++c)
      y.x.push_back(rows ? element(x, std::int64_t(i), c) : x.x[std::size_t(i)]);
  }
  return y;
}

OnnxTensor stacked(const OnnxNode& node, const Tensors& in) {
  OnnxTensor y{in[0]->type, {0, length(*in[0], 0)}, {}};
  must(node.attributes.at("axis") == 0, node, "axis");
  for (const OnnxTensor* t : in) {
    must(t->type == y.type && length(*t, 0) == y.shape[1], node, "parts do not fit");
    y.shape[0] += t->shape[0];
    y.x.insert(y.x.end(), t->x.begin(), t->x.end());
  }
  return y;
}

/// Operators that work element by element. Those with `single` onnxruntime has in float32 alone.
struct Unary {
  double (*f)(double);
  bool single;
};
const std::map<std::string, Unary>& unary() {
  static const std::map<std::string, Unary> all = {
      {"Neg", {[](double x) { return -x; }, false}},
      {"Abs", {std::fabs, false}},
      {"Exp", {std::exp, false}},
      {"Log", {std::log, false}},
      {"Floor", {std::floor, false}},
      {"Sqrt", {std::sqrt, false}},
      {"Sin", {std::sin, false}},
      {"Tanh", {std::tanh, false}},
      {"Cos", {std::cos, true}},  // in float64 since 2025
      {"Atan", {std::atan, true}},
      {"Erf", {std::erf, true}}};
  return all;
}
using Binary = std::function<double(double, double)>;
const std::map<std::string, Binary>& binary() {
  static const std::map<std::string, Binary> all = {
      {"Add", std::plus<>()},
      {"Sub", std::minus<>()},
      {"Mul", std::multiplies<>()},
      {"Div", std::divides<>()},
      {"Pow", [](double a, double b) { return std::pow(a, b); }},
      {"Min", [](double a, double b) { return std::fmin(a, b); }},
      {"Max", [](double a, double b) { return std::fmax(a, b); }},
      {"Less", std::less<>()},
      {"LessOrEqual", std::less_equal<>()},
      {"Equal", std::equal_to<>()}};
  return all;
}

OnnxTensor pointwise(const OnnxNode& node, const Tensors& in) {
  const OnnxTensor& a = *in[0];
  if (node.op == "Where") {
    must(a.type == OnnxType::boolean && in[1]->type == in[2]->type, node, "types");
    return each(node, in[1]->type, in,
                [&](auto r, auto c) { return element(*in[element(a, r, c) != 0 ? 1 : 2], r, c); });
  }
  if (const auto f = unary().find(node.op); f != unary().end()) {
    must(a.type == OnnxType::float32 || !f->second.single, node, "in float32 alone");
    return each(node, a.type, in, [&](auto r, auto c) { return f->second.f(element(a, r, c)); });
  }
  const auto f = binary().find(node.op);
  must(f != binary().end(), node, "is not known here");
  must(in.size() == 2 && a.type == in[1]->type, node, "types");
  const bool compares = node.op.starts_with("Less") || node.op == "Equal";
  return each(node, compares ? OnnxType::boolean : a.type, in,
              [&](auto r, auto c) { return f->second(element(a, r, c), element(*in[1], r, c)); });
}

OnnxTensor applied(const OnnxNode& node, const Tensors& in) {
  if (node.op == "MatMul") return product(node, in);
  if (node.op == "Reshape") return reshaped(node, in);
  if (node.op == "Gather") return gathered(node, in);
  if (node.op == "Concat") return stacked(node, in);
  if (node.op == "Shape")
    return {OnnxType::int64, {2}, {double(length(*in[0], 1)), double(length(*in[0], 0))}};
  if (node.op == "Cast") {
    OnnxTensor y = *in[0];
    y.type = OnnxType(node.attributes.at("to"));
    return y;
  }
  if (node.op != "Expand") return pointwise(node, in);
  const OnnxTensor to =
      with_shape(in[0]->type, {std::int64_t(in[1]->x[0]), std::int64_t(in[1]->x[1])});
  return each(node, to.type, {in[0], &to}, [&](auto r, auto c) { return element(*in[0], r, c); });
}

}  // namespace

std::vector<std::vector<double>> computed(const OnnxModel& model,
                                          const std::vector<std::vector<double>>& columns) {
  std::map<std::string, OnnxTensor> known = model.numbers;
  const auto round = [](OnnxTensor& t) {
    if (t.type == OnnxType::float32)
      for (double& x : t.x) x = double(float(x));
  };
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    OnnxTensor& t = known[model.inputs[i].name];
    t = {model.inputs[i].type, {std::int64_t(columns.at(i).size())}, columns[i]};
    round(t);
  }
  for (const OnnxNode& node : model.nodes) {
    Tensors in;
    for (const std::string& name : node.inputs) {
      must(known.contains(name), node, "an input is not there yet");
      in.push_back(&known.at(name));
    }
    must(!known.contains(node.output), node, "is made twice");
    OnnxTensor y = applied(node, in);
    round(y);
    known[node.output] = std::move(y);
  }
  std::vector<std::vector<double>> all;
  for (const OnnxInfo& output : model.outputs) all.push_back(known.at(output.name).x);
  return all;
}

}  // namespace pinn::test
