#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/tape/tensor.h"

namespace pinn::test {

/// How a call is made.
enum class Setting {
  plain,
  no_grad,
  checkpoint,
  packed  ///< what it saves is doubled in store
};

/// One line of a program: an op by its name, on tensors by their numbers. It makes the next tensor,
/// but for changes in place and hooks, which make none.
struct Call {
  std::string op;
  std::vector<int> on = {};
  std::vector<std::int64_t> whole = {};  ///< axes, indices, a shape
  double number = 0;
  Setting setting = Setting::plain;
};

/// An input, with the values that a leaf starts from.
struct Start {
  Shape shape;
  std::vector<double> values;
};

/// A function from tensors to tensors, written for a second engine to read.
struct CallProgram {
  DType dtype = DType::float64;  ///< of the inputs
  std::vector<Start> inputs = {};
  std::vector<Call> calls = {};
  std::vector<int> results = {};
  double largest = 1;    ///< of all numbers on the way
  bool is_wild = false;  ///< with poles and infinities

  bool makes_only_derivatives() const;  ///< nothing detaches, stops or scales a gradient
};

/// Does one call: adds what it makes to `tensors`, or changes one of them.
void perform(const Call& call, std::vector<Tensor>& tensors);

/// The results at the inputs.
std::vector<Tensor> perform(const CallProgram& program, const std::vector<Tensor>& inputs);

/// A shape among the whole numbers of a call.
Shape shape_from(const std::vector<std::int64_t>& sizes, std::size_t begin = 0);

}  // namespace pinn::test
