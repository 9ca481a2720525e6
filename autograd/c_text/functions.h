#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "autograd/c_text/library.h"
#include "autograd/c_text/statements.h"
#include "autograd/program/program.h"

namespace pinn::c_text {

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

}  // namespace pinn::c_text
