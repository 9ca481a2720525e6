#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autograd/core/numbers.h"

namespace pinn::onnx {

class Nodes;

/// Numbers that are computed alike for every point: rows of a value of `in`, or a literal.
struct Num {
  Nodes* in = nullptr;  ///< null: a literal
  int value = -1;
  double number = 0;

  Num() = default;
  explicit Num(double x) : number(x) {}
  Num(Nodes* n, int v) : in(n), value(v) {}
  bool is(double x) const { return !in && number == x; }
  /// True if both are the same number, by how it is made.
  bool same(const Num& other) const {
    return in == other.in && value == other.value && number == other.number;
  }
};

/// Types of elements, by the numbers that ONNX has for them.
enum class Element { float32 = 1, int64 = 7, float64 = 11 };

/// A value of a graph, [rows, points] or, where it is the same at all points, [rows, 1]: what a
/// node makes of others, what is given, or numbers.
struct Value {
  std::string op = {};           ///< of ONNX; empty: given, or the numbers in `bytes`
  std::vector<int> inputs = {};  ///< of the node
  std::string attribute = {};    ///< its only one, if it has one
  std::int64_t setting = 0;
  int rows = 1;
  bool wide = false;  ///< has points
  Element element = Element::float64;
  std::vector<std::int64_t> shape = {};  ///< of numbers
  std::string bytes = {};                ///< of numbers, the low end of each first
  std::string name = {};                 ///< of what is given, and of results

  auto operator<=>(const Value&) const = default;
};

/// An ONNX graph of numbers in float64 or float32: values in an order in which they can be computed.
/// Those that are made in the same way are one.
class Nodes {
 public:
  explicit Nodes(DType dtype)
      : element_(dtype == DType::float32 ? Element::float32 : Element::float64) {}

  /// A row whose numbers are given by this name, [points].
  Num input(const std::string& name);
  /// Makes one row a result of this name, [points].
  void output(const std::string& name, const Num& x);

  /// Result of an op of ONNX; `rows`: so many, if it is not done element by element.
  Num make(const std::string& op, const std::vector<Num>& x, int rows = 0);
  /// Numbers [rows, columns], and a column whose numbers, if they are all the same, are a literal.
  Num matrix(const std::vector<double>& x, std::size_t rows);
  Num column(const std::vector<double>& x);
  /// Some rows of a value.
  Num rows_of(const Num& x, const std::vector<std::int64_t>& rows);
  /// Rows of some values, one after the other.
  Num stacked(std::vector<Num> x);
  Num cast(const Num& x, Element to);
  /// Those numbers of x that stand at `index`, which is whole.
  Num looked_up(const std::vector<double>& x, const Num& index);

  const std::vector<Value>& values() const { return values_; }
  Element element() const { return element_; }

 private:
  Num add(Value value);
  Num numbers(const std::vector<double>& x, const std::vector<std::int64_t>& shape);
  Num integers(const std::vector<std::int64_t>& x);
  /// Value of a literal.
  Num tensor(const Num& x);
  Num widened(const Num& x);

  Element element_;
  std::vector<Value> values_;
  std::map<Value, int> known_;
  Num shape_;  ///< [1, points]
};

}  // namespace pinn::onnx
