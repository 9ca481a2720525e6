#include "solvers/problem/values.h"

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

namespace pinn {

double op_value(std::string_view op, std::span<const double> in) {
  if (op == "where" && in.size() == 3) return in[0] != 0 ? in[1] : in[2];
  // pow of whole exponents are products, as they are in training: (-2)^3 is -8.
  if (op == "pow" && in.size() == 2) return op::Power::value(in[0], in[1]);
  if (const int id = find_unary(op); id >= 0 && in.size() == 1)
    return visit_unary(id, [&]<class Op>() { return value_of<Op>(in[0]); });
  if (const int id = find_binary(op); id >= 0 && in.size() == 2)
    return visit_binary(id, [&]<class Op>() { return Op::value(in[0], in[1]); });
  throw InternalError({"there is no op " + std::string(op), "op_value", "report this message"});
}

}  // namespace pinn
