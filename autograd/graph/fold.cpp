#include <algorithm>
#include <bit>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"
#include "autograd/graph/rules.h"

namespace pinn {
namespace {

using Index = Sizes;

/// A constant's element at an index of a larger shape that its own broadcasts to.
double element(const Value& c, const Shape& shape, const Index& at) {
  if (c.numbers.size() == 1) return c.numbers[0];
  const Sizes strides = contiguous_strides(c.shape);
  const int shift = shape.rank() - c.shape.rank();
  std::int64_t n = 0;
  for (int i = 0; i < c.shape.rank(); ++i)
    if (c.shape[i] != 1) n += at[i + shift] * strides[i];
  return c.numbers[n];
}

/// Calls f(index) for every index of a shape, in row-major order.
template <class F> void each(const Shape& shape, F&& f) {
  Index at{};
  for (std::int64_t n = shape.numel(); n > 0; --n) {
    f(at);
    for (int i = shape.rank() - 1; i >= 0 && ++at[i] == shape[i]; --i) at[i] = 0;
  }
}

/// An op on the numbers at one place, as tensors of v's type do it.
double on_numbers(const Value& v, const std::vector<double>& in) {
  if (!is_floating(v.dtype)) return in[0];
  const auto f = elementwise_of(v).value_or(Elementwise{});  // moved numbers stay as they are
  return visit_floating(v.dtype, [&]<class T>(T) {
    const auto x = [&](std::size_t i) { return i < in.size() ? T(in[i]) : T(0); };
    return double(applied<T>(f, x(0), x(1), x(2)));
  });
}

/// Whether the op only puts elements elsewhere, so that equal ones stay equal.
bool moves_elements(Primitive op) {
  return op == Primitive::reshape || op == Primitive::transpose || op == Primitive::slice ||
         op == Primitive::gather;
}

/// Constants, as the inputs of an op; one that is not there is 0.
using Constants = std::vector<Value>;

std::vector<double> elementwise(const Value& v, const Constants& in) {
  std::vector<double> numbers, here(in.size());
  each(v.shape, [&](const Index& at) {
    for (std::size_t i = 0; i < in.size(); ++i) here[i] = element(in[i], v.shape, at);
    numbers.push_back(on_numbers(v, here));
  });
  return numbers;
}

/// Where the element at an index of v's result stands in its input.
Index source(const Value& v, Index at) {
  if (v.op == Primitive::transpose) std::swap(at[v.axis], at[v.axis2]);
  if (v.op == Primitive::slice) at[v.axis] += v.begin;
  if (v.op == Primitive::gather) at[v.axis] = v.indices[at[v.axis]];
  return at;
}

std::vector<double> moved(const Value& v, const Value& x) {
  if (v.op == Primitive::reshape) return x.numbers;
  std::vector<double> numbers;
  each(v.shape, [&](const Index& at) { numbers.push_back(element(x, x.shape, source(v, at))); });
  return numbers;
}

std::vector<double> embedded(const Value& v, const Value& x) {
  std::vector<double> numbers;
  each(v.shape, [&](Index at) {
    at[v.axis] -= v.begin;
    const bool inside = at[v.axis] >= 0 && at[v.axis] < x.shape[v.axis];
    numbers.push_back(inside ? element(x, x.shape, at) : 0);
  });
  return numbers;
}

std::vector<double> concatenated(const Value& v, const Constants& in) {
  std::vector<double> numbers;
  each(v.shape, [&](Index at) {
    std::size_t part = 0;
    for (; at[v.axis] >= in[part].shape[v.axis]; ++part) at[v.axis] -= in[part].shape[v.axis];
    numbers.push_back(element(in[part], in[part].shape, at));
  });
  return numbers;
}

std::vector<double> summed(const Value& v, const Value& x) {
  std::vector<double> numbers(std::size_t(v.shape.numel()), 0);
  const Sizes strides = contiguous_strides(v.shape);
  const int shift = x.shape.rank() - v.shape.rank();
  each(x.shape, [&](const Index& at) {
    std::int64_t n = 0;
    for (int i = 0; i < v.shape.rank(); ++i)
      if (v.shape[i] != 1) n += at[i + shift] * strides[i];
    numbers[n] += element(x, x.shape, at);
  });
  if (v.dtype == DType::float32)
    for (double& y : numbers) y = float(y);
  return numbers;
}

bool all_equal(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](double x) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(numbers[0]);
  });
}

/// The one number that v holds everywhere, if its inputs do. Only so can a row be folded: the
/// number of points is open, and a sum over them is known only for zeros.
std::optional<double> uniform_result(const Value& v, const Constants& in) {
  std::vector<double> here;
  for (const Value& c : in) {
    if (c.numbers.size() != 1) return {};
    here.push_back(c.numbers[0]);
  }
  if (elementwise_of(v) || moves_elements(v.op)) return on_numbers(v, here);
  const bool zeros = std::all_of(here.begin(), here.end(), [](double x) { return x == 0; });
  const bool keeps_zeros =
      v.op == Primitive::sum_to || v.op == Primitive::embed || v.op == Primitive::concat;
  if (keeps_zeros && zeros) return 0.;
  if (v.op == Primitive::concat && all_equal(here)) return here[0];
  return {};
}

std::vector<double> result(const Value& v, const Constants& in) {
  if (v.op == Primitive::cast && !is_floating(v.dtype)) return {};
  if (const std::optional<double> number = uniform_result(v, in)) return {*number};
  const bool rows = is_row(v.shape) || std::any_of(in.begin(), in.end(),
                                                   [](const Value& c) { return is_row(c.shape); });
  if (rows) return {};
  if (elementwise_of(v)) return elementwise(v, in);
  if (moves_elements(v.op)) return moved(v, in[0]);
  if (v.op == Primitive::embed) return embedded(v, in[0]);
  if (v.op == Primitive::concat) return concatenated(v, in);
  if (v.op == Primitive::sum_to) return summed(v, in[0]);
  return {};
}

/// v's inputs if all of them are constants, else none.
Constants constants(const Graph& graph, const Value& v) {
  for (const int i : v.inputs)
    if (i >= 0 && graph.values[i].op != Primitive::constant) return {};
  Value absent;
  absent.numbers = {0};
  Constants in;
  for (const int i : v.inputs) in.push_back(i < 0 ? absent : graph.values[i]);
  return in;
}

}  // namespace

Graph folded(Graph graph) {
  return build::mapped(std::move(graph), [](Graph& out, Value v) {
    if (v.op != Primitive::constant)
      if (const Constants in = constants(out, v); !in.empty())
        if (std::vector<double> numbers = result(v, in); !numbers.empty()) {
          Value folded;
          folded.op = Primitive::constant;
          folded.shape = v.shape;
          folded.dtype = v.dtype;
          folded.numbers = std::move(numbers);
          v = std::move(folded);
        }
    if (v.op == Primitive::constant && all_equal(v.numbers)) v.numbers.resize(1);
    return out.add(std::move(v));
  });
}

}  // namespace pinn
