#include <algorithm>
#include <bit>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"
#include "autograd/graph/pieces.h"
#include "autograd/graph/rules.h"

namespace pinn {
namespace {

/// A constant's element.
double element(const Value& c, std::size_t i) { return c.numbers[c.numbers.size() == 1 ? 0 : i]; }

/// An op on the numbers at one place, as tensors of v's type do it.
double on_numbers(const Value& v, const std::vector<double>& in) {
  if (!is_floating(v.dtype)) return in[0];
  const auto f = elementwise_of(v).value_or(Elementwise{});  // moved numbers stay as they are
  return visit_floating(v.dtype, [&]<class T>(T) {
    const auto x = [&](std::size_t i) { return i < in.size() ? T(in[i]) : T(0); };
    return double(applied<T>(f, x(0), x(1), x(2)));
  });
}

/// True if the op only puts elements elsewhere, so that equal ones stay equal.
bool moves_elements(Primitive op) {
  return op == Primitive::reshape || op == Primitive::transpose || op == Primitive::slice ||
         op == Primitive::gather;
}

/// Constants, as the inputs of an op; one that is not there is 0.
using Constants = std::vector<Value>;

std::vector<double> elementwise(const Value& v, const Constants& in) {
  std::vector<std::vector<std::size_t>> places;
  for (const Value& c : in) places.push_back(broadcast_indices(v.shape, c.shape));
  std::vector<double> numbers, here(in.size());
  for (std::size_t n = 0; n < std::size_t(v.shape.numel()); ++n) {
    for (std::size_t i = 0; i < in.size(); ++i) here[i] = element(in[i], places[i][n]);
    numbers.push_back(on_numbers(v, here));
  }
  return numbers;
}

std::vector<double> moved(const Value& v, const Constants& in) {
  if (v.op == Primitive::reshape) return in[0].numbers;
  std::vector<Shape> shapes;
  for (const Value& c : in) shapes.push_back(c.shape);
  std::vector<double> numbers;
  for (const Source& s : sources_of(v, v.shape, shapes))
    numbers.push_back(s.input < 0 ? 0 : element(in[std::size_t(s.input)], s.index));
  return numbers;
}

std::vector<double> summed(const Value& v, const Value& x) {
  std::vector<double> numbers(std::size_t(v.shape.numel()), 0);
  const std::vector<std::size_t> places = broadcast_indices(x.shape, v.shape);
  for (std::size_t n = 0; n < places.size(); ++n) numbers[places[n]] += element(x, n);
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
  if (moves_elements(v.op) || v.op == Primitive::embed || v.op == Primitive::concat)
    return moved(v, in);
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
