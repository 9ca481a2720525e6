#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/ops/unary.h"

/// Numbers as C text. The formulas of ops (autograd/ops) and the algebra of jets are templates over
/// the number type: applied to Num they write the statements of a C function.
namespace pinn::c_text {

/// A number as a C literal with all of its digits.
std::string literal(double x, DType dtype);

class Statements;

/// A number of a function that is being written: a literal, or a variable of `in`.
struct Num {
  Statements* in = nullptr;  ///< null: a literal
  int node = -1;
  double number = 0;

  Num() = default;
  explicit Num(double x) : number(x) {}
  Num(Statements* s, int n) : in(s), node(n) {}
  bool is(double x) const { return !in && number == x; }
};

/// A comparison of two numbers.
struct Condition {
  std::string sign;
  Num a, b;
};

/// Statements of a function, each with a variable of its own. An expression that was written before
/// is the variable it was written to; what no result needs is left out in the end.
class Statements {
 public:
  explicit Statements(DType dtype) : dtype_(dtype) {}

  /// A variable that is there.
  Num given(const std::string& name);
  /// A variable called `name` with the value of a C expression.
  Num named(const std::string& name, const std::string& expression);
  /// `format` with the numbers in the places of its {}.
  Num make(const char* format, const std::vector<Num>& numbers, const std::string& needs = "");
  /// Result 0 or 1 of a function that gives two of a number.
  Num one_of_two(const char* function, int which, const Num& x);

  std::string text_of(const Num& x) const;
  /// The statements that these numbers need, each on a line after `indent`.
  std::string text(const std::vector<Num>& results, const std::string& indent) const;
  /// Functions of the library (library.h) and of C's that these numbers need.
  std::set<std::string> needs(const std::vector<Num>& results) const;
  DType dtype() const { return dtype_; }

 private:
  struct Node {
    std::string name, statement, needs;
    std::vector<int> uses;
  };
  Num add(Node node, const std::string& key);
  std::vector<bool> needed(const std::vector<Num>& results) const;

  DType dtype_;
  std::vector<Node> nodes_;
  std::map<std::string, int> known_;  ///< by expression
};

Num operator+(const Num& a, const Num& b);
Num operator-(const Num& a, const Num& b);
Num operator*(const Num& a, const Num& b);
Num operator/(const Num& a, const Num& b);
Num operator-(const Num& a);
inline Condition operator<(const Num& a, const Num& b) { return {"<", a, b}; }
inline Condition operator<=(const Num& a, const Num& b) { return {"<=", a, b}; }
inline Condition operator==(const Num& a, const Num& b) { return {"==", a, b}; }
Num select(const Condition& c, const Num& a, const Num& b);
/// a b + c
Num multiply_add(const Num& a, const Num& b, const Num& c);

// Functions that formulas call, found by argument. Those of the library are fast in loops.
Num exp(const Num& x);
Num tanh(const Num& x);
Num sech2(const Num& x);
Num sin(const Num& x);
Num cos(const Num& x);
Num abs(const Num& x);
Num sqrt(const Num& x);
Num log(const Num& x);
Num log1p(const Num& x);  ///< from 0 to 1, as softplus asks for it
Num tan(const Num& x);
Num atan(const Num& x);
Num sinh(const Num& x);
Num cosh(const Num& x);
Num erf(const Num& x);
Num atan2(const Num& a, const Num& b);
Num pow(const Num& a, const Num& b);

}  // namespace pinn::c_text

template <> inline constexpr bool pinn::is_number<pinn::c_text::Num> = true;

/// One call that gives tanh as well.
template <> inline pinn::c_text::Num pinn::op::Sech2::value(pinn::c_text::Num x) {
  return pinn::c_text::sech2(x);
}
