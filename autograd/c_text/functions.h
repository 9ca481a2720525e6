#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/c_text/statements.h"
#include "autograd/core/numbers.h"
#include "autograd/program/program.h"

namespace pinn::c_text {

/// C functions that a written file is made of, as far as it needs them: exponentials, sines and
/// products, written so that compilers make vectors of the loops around them.
class Library {
 public:
  explicit Library(DType dtype) : dtype_(dtype) {}

  /// Takes a function of that name in, and what it is made of; or one of C's library.
  void need(const std::string& name);
  /// Their text, each after what it is made of.
  const std::string& text() const { return text_; }
  /// Functions of C's mathematics library that are called.
  const std::set<std::string>& libm() const { return libm_; }

 private:
  DType dtype_;
  std::set<std::string> known_, libm_;
  std::string text_;
};

/// True for sines and cosines, whose arguments are brought near zero, a lane at a time.
bool turns(const Elementwise& f);

/// C text of a table of a program, a function of that name (data/tables/c_text.h), and the functions
/// of C's mathematics library that it calls. Errors: ConfigError where it has none.
using TableWriter = std::function<std::pair<std::string, std::vector<std::string>>(
    const PointFunction& table, const std::string& name)>;

/// C functions of a program's instructions, each written once however often it is called. Lanes of
/// n points follow on each other; n is at most `block`.
class Functions {
 public:
  Functions(DType dtype, TableWriter tables)
      : dtype_(dtype), table_text_(std::move(tables)), library_(dtype) {}

  /// NAME(n, operands ..., y) for one lane: y = f(a, b, c). `kinds` says of each operand whether it
  /// is a lane ("l"), a number ("v") or is not there ("-").
  std::string elementwise(const Elementwise& f, const std::string& kinds);
  /// NAME(n, x, y) for one lane: y = x, a number.
  std::string fill();
  /// NAME(count, n, h, features apart, y, features apart), in lanes: y = f^(derivative)(h).
  std::string jet(const Instruction& i, const JetTable& table);
  /// NAME(count, n, a, apart, b, apart, y, apart): y = a b.
  std::string jet_mul(const JetTable& table);
  /// NAME(n, x, y) for the lanes of a table's inputs, one after another.
  std::string lookup(const PointFunction& source, const MultiIndex& order);

  Library& library() { return library_; }
  std::string text() const { return library_.text() + tables_ + text_; }

 private:
  std::string add(const std::string& name, const std::string& rest);
  std::string one_loop(const Statements& s, const Num& result, const std::string& indent);

  DType dtype_;
  TableWriter table_text_;
  Library library_;
  std::string text_, tables_;
  std::map<std::string, std::string> names_;                 ///< by all that follows the name
  std::map<std::string, int> used_;                          ///< names, and how often
  std::map<const PointFunction*, std::string> table_names_;  ///< functions of tables
};

/// C text in which @ stands behind numbers and names of functions: for one dtype nothing, for the
/// other f.
std::string in_dtype(std::string_view text, DType dtype);

}  // namespace pinn::c_text
