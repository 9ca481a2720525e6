// Hard constraints that are not as smooth as what is asked of their fields.
#include <fmt/format.h>

#include <algorithm>

#include "solvers/problem/differentiate.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/smoothness.h"

namespace pinn {
namespace {

constexpr double largest_output = 10;  ///< of the network, for which forms are looked at

/// The problem with the network's output as one more coordinate, and nothing asked.
Problem with_output_as_coordinate(const Problem& problem) {
  Problem wider;
  wider.coordinates = problem.coordinates;
  wider.coordinates.push_back({"N", -largest_output, largest_output, Role::parameter, ""});
  wider.fields = problem.fields;
  wider.unknowns = problem.unknowns;
  wider.functions = problem.functions;
  wider.regions = problem.regions;
  wider.domain = problem.domain;
  return wider;
}

/// The most that a field is differentiated in all.
int highest_total(const FieldUses& uses, int field) {
  int highest = 0;
  for (const FieldUses::Use& use : uses.of(field))
    for (const MultiIndex& index : use.orders) highest = std::max(highest, order(index));
  return highest;
}

/// How often a form is differentiated by each coordinate and by N; -1 where it is not.
std::vector<int> orders_of_form(const Problem& problem, const FieldUses& uses, int field) {
  std::vector<int> orders = asked_orders(problem, uses, field);
  orders.push_back(highest_total(uses, field));
  for (int& n : orders)
    if (n == 0) n = -1;
  return orders;
}

/// The part of the domain in which a field lives that is a piece of another; null: all of it.
Smoothness::Where place_of(const Problem& problem, int field) {
  if (!problem.pieces || problem.fields[std::size_t(field)].piece_of.empty()) return nullptr;
  return [&problem, field](const std::vector<double>& x) {
    return std::ranges::all_of(problem.pieces->fields, [&](const PiecewiseField& f) {
      const auto& partition = *problem.pieces->partitions[std::size_t(f.partition)];
      return std::ranges::find(f.fields, field) == f.fields.end() ||
             f.fields[std::size_t(partition.at(x))] == field;
    });
  };
}

std::string fix_of(const RoughPlace& rough, bool by_output) {
  if (by_output)
    return "write exp(N), softplus(N) or N^2 for what is not to be negative, a + (b - "
           "a)*sigmoid(N) "
           "for what lies between a and b: they have all derivatives";
  if (rough.table && rough.table->options().interpolation != Interpolation::cubic)
    return "write interpolation = \"cubic\" for up to two derivatives; or leave the table out of "
           "the form, and ask for its values by a [[condition]]";
  return "leave it out of the form, and ask for the value by a [[condition]]; or write a smooth "
         "formula, such as sqrt(a^2 + 1e-4) for abs(a) and softplus(50*a)/50 for relu(a)";
}

}  // namespace

std::vector<Report> rough_forms(const Problem& problem) {
  std::vector<Report> reports;
  if (std::ranges::all_of(problem.outputs, [](const ExpressionPtr& e) { return !e; })) return {};
  const Problem wider = with_output_as_coordinate(problem);
  const FieldUses uses(problem);
  const int output = int(problem.coordinates.size());
  const ExpressionPtr n = make_leaf(Expression::Kind::coordinate, output);
  for (std::size_t f = 0; f < problem.outputs.size(); ++f) {
    if (!problem.outputs[f]) continue;
    const Smoothness smoothness(wider, place_of(problem, int(f)));
    const auto by_output = [&](const RoughPlace& r) {
      return std::ranges::find(r.part_of, output) != r.part_of.end();
    };
    const auto rough = smoothness(
        substitute_fields(problem.outputs[f], {}, n), orders_of_form(problem, uses, int(f)),
        [&](const RoughPlace& r) {  // where N gives no value the loss tells
          return !by_output(r) || r.kind == RoughPlace::Kind::jump;
        });
    if (!rough) continue;
    reports.push_back(
        {fmt::format("the form of {} is not as smooth as what is asked of it: {}, which no point "
                     "would see",
                     problem.fields[f].name, rough_text(wider, *rough)),
         "network.output." + problem.fields[f].name, fix_of(*rough, by_output(*rough))});
  }
  return reports;
}

}  // namespace pinn
