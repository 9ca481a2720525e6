#include "solvers/problem/evaluate.h"

#include <unordered_map>
#include <unordered_set>

#include "autograd/core/error.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/pieces.h"

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

using Kind = Expression::Kind;

namespace {

/// Nodes whose values a value needs, in order: a derivative needs none of the field that it is of.
std::vector<const Expression*> valued(const Expression& expression) {
  std::vector<const Expression*> all = in_order(expression);
  std::unordered_set<const Expression*> needed = {&expression};
  for (auto e = all.rbegin(); e != all.rend(); ++e)
    if (needed.contains(*e) && (*e)->kind != Kind::derivative)
      for (const ExpressionPtr& input : (*e)->inputs) needed.insert(input.get());
  std::erase_if(all, [&](const Expression* e) { return !needed.contains(e); });
  return all;
}

}  // namespace

Evaluator::Evaluator(const Expression& expression) {
  std::unordered_map<const Expression*, std::size_t> at;
  const ExpressionPtr carried_out = with_derivatives_carried_out(expression);
  for (const Expression* e : valued(carried_out ? *carried_out : expression)) {
    Line line{e->kind, e->number, e->index, e->order};
    if (e->kind == Kind::derivative) line.index = e->inputs[0]->index;
    if (e->kind == Kind::by_region) {
      line.partition = e->partition;
      for (const ExpressionPtr& input : e->inputs) line.regions.push_back(at.at(input.get()));
    } else if (is_pointwise(*e)) {
      if (e->kind == Kind::call) line.operation = operation(e->name, e->inputs.size());
      line.table = e->table;
      line.inputs = e->inputs.size();
      for (std::size_t i = 0; i < line.inputs; ++i) line.from[i] = at.at(e->inputs[i].get());
    }
    at[e] = lines_.size();
    lines_.push_back(line);
  }
}

namespace {

[[noreturn]] void fail_at_points(Expression::Kind kind) {
  if (kind == Expression::Kind::before)
    throw InternalError({"a network of another window is asked for where there is none",
                         "Evaluator", "ask the tensor evaluators"});
  throw InternalError({"an integral, or at(...), cannot be evaluated at a point", "Evaluator",
                       "ask the tensor evaluators, or use substitute_fields"});
}

}  // namespace

double Evaluator::value(const Line& line, const PointValues& at,
                        const std::vector<double>& values) const {
  const std::size_t i = std::size_t(line.index);
  switch (line.kind) {
    case Kind::number:
      return line.number;
    case Kind::coordinate:
      return at.coordinates[i];
    case Kind::unknown:
      return at.unknowns[i];
    case Kind::column:
      return at.columns[i];
    case Kind::normal:
      return at.normal[i];
    case Kind::raw_output:
      return at.raw_output;
    case Kind::before:
    case Kind::whole:
    case Kind::elsewhere:
    case Kind::bound:
    case Kind::integral:
      fail_at_points(line.kind);
    case Kind::field:
    case Kind::derivative:
      if (!at.field)
        throw InternalError({"a field is asked for where none is known", "Evaluator",
                             "give PointValues a field, or use substitute_fields"});
      return at.field(line.index, line.order);
    case Kind::by_region:
      return values[line.regions[std::size_t(line.partition->at(at.coordinates))]];
    case Kind::call:
    case Kind::lookup:
      break;
  }
  std::array<double, 4> inputs{};
  for (std::size_t k = 0; k < line.inputs; ++k) inputs[k] = values[line.from[k]];
  if (line.table) return (*line.table)(std::span(inputs).first(line.inputs), line.order);
  return line.operation(inputs.data());
}

double Evaluator::operator()(const PointValues& at) const {
  std::vector<double> values;
  values.reserve(lines_.size());
  for (const Line& line : lines_) values.push_back(value(line, at, values));
  return values.back();
}

double evaluate(const Expression& expression, const PointValues& at) {
  return Evaluator(expression)(at);
}

}  // namespace pinn
