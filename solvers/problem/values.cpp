#include "solvers/problem/values.h"

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

namespace pinn {

Operation operation(std::string_view op, std::size_t inputs) {
  if (op == "where" && inputs == 3)
    return [](const double* in) { return in[0] != 0 ? in[1] : in[2]; };
  // a whole exponent means products: (-2)^3 is -8, and x^3 can be differentiated at 0
  if (op == "pow" && inputs == 2)
    return [](const double* in) { return op::Power::value(in[0], in[1]); };
  if (const int id = find_unary(op); id >= 0 && inputs == 1)
    return visit_unary(id, []<class Op>() -> Operation {
      return [](const double* in) { return value_of<Op>(in[0]); };
    });
  if (const int id = find_binary(op); id >= 0 && inputs == 2)
    return visit_binary(id, []<class Op>() -> Operation {
      return [](const double* in) { return Op::value(in[0], in[1]); };
    });
  throw InternalError(
      {"there is no op '" + std::string(op) + "' of " + std::to_string(inputs) + " numbers",
       "an expression", "make expressions with build.h"});
}

double op_value(std::string_view op, std::span<const double> inputs) {
  return operation(op, inputs.size())(inputs.data());
}

}  // namespace pinn
