#include "tests/autograd/torch/special_points.h"

#include <limits>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

namespace pinn::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// The points of a type, with numbers so small that they have lost digits, and the largest.
std::vector<double> points(DType dtype) {
  const bool is_double = dtype == DType::float64;
  const double small = is_double ? 5e-324 : 1.401298464324817e-45;
  const double large =
      is_double ? std::numeric_limits<double>::max() : double(std::numeric_limits<float>::max());
  return {0.0,   -0.0,   1,     -1,     0.5,      -2,        20,       -800,
          small, -small, large, -large, infinity, -infinity, no_number};
}

/// A program of one call on plain numbers; those that are constants are detached.
CallProgram program_of(Call call, DType dtype, const std::vector<double>& at, int constant = -1) {
  CallProgram program{.dtype = dtype};
  for (const double v : at) program.inputs.push_back({.shape = {}, .values = {v}});
  for (int i = 0; i < int(at.size()); ++i) call.on.push_back(i);
  const int inputs = int(at.size());
  if (constant >= 0) {
    program.calls.push_back({.op = "detach", .on = {constant}});
    call.on[std::size_t(constant)] = inputs;
  }
  program.calls.push_back(call);
  program.results = {inputs + (constant >= 0)};
  return program;
}

void add_unary(std::vector<CallProgram>& all, DType dtype) {
  static const std::vector<double> exponents = {0, 1, 2, 3, -1, -2, 0.5, 1.5, 2.5, -0.5, 80};
  for (const double x : points(dtype))
    for (int id = 0; id < Unary::size; ++id) {
      const Call call{.op = std::string(unary_name(id))};
      if (call.op != "power") all.push_back(program_of(call, dtype, {x}));
      if (call.op == "power")
        for (const double p : exponents)
          all.push_back(program_of({.op = "power", .number = p}, dtype, {x}));
    }
}

void add_binary(std::vector<CallProgram>& all, DType dtype) {
  for (const double x : points(dtype))
    for (const double y : points(dtype)) {
      for (int id = 0; id < Binary::size; ++id)
        for (const int constant : {-1, 0, 1})
          all.push_back(program_of({.op = std::string(binary_name(id))}, dtype, {x, y}, constant));
      for (const double mask : {0.0, 1.0, no_number})
        all.push_back(program_of({.op = "where"}, dtype, {mask, x, y}));
    }
}

}  // namespace

std::vector<CallProgram> programs_at_special_points() {
  std::vector<CallProgram> all;
  for (const DType dtype : {DType::float64, DType::float32}) {
    add_unary(all, dtype);
    add_binary(all, dtype);
  }
  return all;
}

}  // namespace pinn::test
