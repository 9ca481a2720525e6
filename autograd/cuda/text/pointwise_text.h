#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "autograd/cuda/text/phases.h"

namespace pinn::cuda {

/// Numbers that pointwise instructions read from fixed memory: constants become literals, runs of
/// other numbers get places in StepArguments::numbers.
class Numbers {
 public:
  explicit Numbers(const Program& program);

  struct Run {
    int at, stride, count;  ///< in fixed memory
    int to;                 ///< in numbers
  };
  const std::vector<Run>& runs() const { return runs_; }
  int size() const { return size_; }

  /// Element `element` of `count` that an operand has, plus `stride` times the number of the
  /// thread, as text.
  std::string read(const Operand& o, int count, int element, int stride);

 private:
  std::map<int, double> known_;
  std::map<std::tuple<int, int, int>, int> at_;
  std::vector<Run> runs_;
  int size_ = 0;
};

/// The type of an op, "pinn::op::LessEqual" of "less_equal".
std::string type_name_of(std::string_view op);
/// A number as text, with all of its digits.
std::string literal(double x);

/// A pointwise phase as statements of a function in which `lanes` is the place of its point `p` in
/// lane 0, `arena` that of point 0, `points` how far it is from one lane to the next, `thread` the
/// thread's number among those of the point, and T the number type. One comment per instruction.
std::string pointwise_text(const Phase& phase, const Program& program, Numbers& numbers,
                           int indent);
/// f(a, b, c) as text.
std::string elementwise_text(const Elementwise& f, const std::string& a, const std::string& b,
                             const std::string& c);
/// The packed lanes of a pack or an unpack, as text of the same function.
std::string packed_lanes_text(const Instruction& i);
/// "jet tanh, 20 features of 4 channels".
std::string title(const Instruction& i);

}  // namespace pinn::cuda
