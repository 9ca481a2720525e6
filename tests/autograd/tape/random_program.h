#pragma once
#include <string>
#include <vector>

#include "autograd/tape/tensor.h"

namespace pinn::test {

/// Act of a line of a program. The first kinds make a tensor, the last ones change one.
enum class Act {
  fresh,  ///< numbers of its own, which require no gradient
  unary,
  binary,
  slice,
  select,
  transpose,
  reshape,
  expand,
  concat,
  clone,
  detach,
  same,  ///< another handle
  add_in_place,
  sub_in_place,
  mul_in_place,
  div_in_place,
  copy_in_place,
  read,  ///< its weighted sum goes into the result
};

/// How a line's tensor is made; the numbers are the same each time, but for those of gradients
/// that a hook scales.
enum class Manner {
  plain,
  checkpoint,  ///< and multiplied by a number inside
  custom,      ///< with a derivative written by hand
  packed,      ///< under hooks on saved tensors
  inference,   ///< in an InferenceMode, then cloned
  scaled       ///< with a hook that doubles its gradient
};

/// One line; its operands are tensors by the order in which they were made.
struct Line {
  Act act;
  int a = 0;
  int b = -1;  ///< none, or of an in-place change: the number instead
  int kind = 0;
  int axis = 0, other_axis = 0;
  std::int64_t begin = 0, end = 0;
  double number = 1;
  Shape shape = {};  ///< of what it makes
  bool in_no_grad = false;
  Manner manner = Manner::plain;
};

/// A function of one vector of `inputs` elements. Its first tensors are the vector and two views of
/// it.
struct RandomProgram {
  static constexpr std::int64_t inputs = 4;
  std::vector<Line> lines;
  bool has_no_grad = false;  ///< some lines are not recorded
  bool has_scaled = false;   ///< some gradients are not derivatives
};

/// How programs are made.
struct Habits {
  bool changes = true;   ///< some lines change tensors in place
  bool manners = false;  ///< some lines are done in a special manner
  int lines = 12;
};

/// The same program for the same number.
RandomProgram random_program(std::uint64_t number, const Habits& habits = {});

/// The elements of the fresh tensor with this number, and the weights of a read one.
std::vector<double> numbers_of(double number, std::int64_t count);

/// The lines, for messages.
std::string text_of(const RandomProgram& program);

/// Unary ops by kind: a value and its first two derivatives.
struct Smooth {
  const char* name;
  double (*f)(double), (*df)(double), (*ddf)(double);
  Tensor (*of)(const Tensor&), (*slope)(const Tensor&);
};
const std::vector<Smooth>& smooth_ops();

}  // namespace pinn::test
