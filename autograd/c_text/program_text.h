#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "autograd/c_text/functions.h"

namespace pinn::c_text {

/// Programs of rows alone as C99, in float64 or float32 whatever the lanes of a program are: the
/// instructions of the body become calls of loops over a block of points, what fixed memory holds
/// becomes numbers of one constant array.
class ProgramsText {
 public:
  ProgramsText(DType dtype, TableWriter tables)
      : dtype_(dtype), functions_(dtype, std::move(tables)) {}

  /// Adds `static void NAME(int n, const real* x, real* y)`, which gives y [outputs][n] at points x
  /// [inputs][n], the columns of the program's one row input. n is a multiple of 8 in float64, of
  /// 16 in float32, and at most `block`.
  ///
  ///   fixed    fixed memory with what the prologue makes of it
  ///   errors   ConfigError by name for an instruction that has no C text
  void add(const std::string& name, const Program& program, std::span<const double> fixed);

  /// Types, `block`, and all functions.
  std::string text() const;
  /// Functions of C's mathematics library that are called.
  const std::set<std::string>& libm() { return functions_.library().libm(); }
  /// Bytes of the largest function's lanes, which stand on the stack.
  std::size_t stack() const { return stack_; }
  int block() const { return 320 / int(size_of(dtype_)); }

 private:
  std::string instruction(const Instruction& i, const Program& program,
                          std::span<const double> fixed);
  std::string elementwise(const Instruction& i, std::span<const double> fixed);
  std::string product(const Instruction& i, const Program& program, std::span<const double> fixed);
  std::string outputs(const Program& program, std::span<const double> fixed);
  /// Index of numbers in the array.
  std::size_t place(const std::vector<double>& numbers);

  DType dtype_;
  Functions functions_;
  std::vector<double> numbers_;
  std::map<std::vector<double>, std::size_t> places_;
  std::string text_;
  std::size_t stack_ = 0;
};

}  // namespace pinn::c_text
