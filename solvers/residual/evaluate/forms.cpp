#include "solvers/residual/evaluate/forms.h"

#include <algorithm>

#include "solvers/problem/expression.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/constant_inputs.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

/// The number that multiplies the rest of a product, and the constants that vary which do.
struct Scaled {
  double factor;
  ExpressionPtr varying;  ///< their product; null: 1
  ExpressionPtr of;
};

ExpressionPtr times(const ExpressionPtr& a, const ExpressionPtr& b) {
  return a ? make_call("mul", {a, b}) : b;
}

/// A product with one factor less taken apart.
bool take_factor(Scaled& product) {
  const Expression& e = *product.of;
  if (e.kind != Kind::call) return false;
  const std::vector<ExpressionPtr>& in = e.inputs;
  const bool divides = e.name == "div";
  if (e.name == "neg") {
    product.factor = -product.factor;
    product.of = in[0];
    return true;
  }
  if (!divides && e.name != "mul") return false;
  const bool first = !divides && in[0]->kind == Kind::number;
  const ExpressionPtr number = first ? in[0] : in[1];
  if (number->kind != Kind::number) return false;
  if (number->varies)
    product.varying =
        divides ? make_call("div", {product.varying ? product.varying : make_number(1), number})
                : times(product.varying, number);
  else
    product.factor = divides ? product.factor / number->number : product.factor * number->number;
  product.of = first ? in[1] : in[0];
  return true;
}

bool is_derivative_of_field(const Expression& e) {
  return e.kind == Kind::derivative && e.inputs[0]->kind == Kind::field;
}

/// The terms of the outermost sums, each with its factor; without recursion.
std::vector<Scaled> terms(const ExpressionPtr& residual) {
  std::vector<Scaled> open{{1, nullptr, residual}}, done;
  while (!open.empty()) {
    const double outer = open.back().factor;
    Scaled top{1, open.back().varying, open.back().of};
    open.pop_back();
    while (take_factor(top)) {
    }
    top.factor *= outer;
    const Expression& e = *top.of;
    if (e.kind == Kind::call && (e.name == "add" || e.name == "sub")) {
      open.push_back({e.name == "sub" ? -top.factor : top.factor, top.varying, e.inputs[1]});
      open.push_back({top.factor, top.varying, e.inputs[0]});
    } else {
      done.push_back(top);
    }
  }
  return done;
}

ExpressionPtr plus(const ExpressionPtr& sum, const Scaled& term) {
  ExpressionPtr scaled = times(term.varying, term.of);
  if (term.factor != 1) scaled = make_call("mul", {make_number(term.factor), scaled});
  return sum ? make_call("add", {sum, scaled}) : scaled;
}

/// Derivatives that `forms` hold and `singles` do not.
JetTablePtr table_of(const std::vector<SplitResidual>& residuals, bool with_forms,
                     const Requirement& requirement, const Problem& problem) {
  if (!with_forms) return table_for(needs(requirement, problem));
  std::vector<MultiIndex> singles{MultiIndex{}};
  std::vector<Channel> operators;
  for (const SplitResidual& r : residuals) {
    if (r.rest)
      for (const Need& need : needs(*r.rest)) singles.push_back(need.index);
    for (const Form& form : r.forms)
      if (std::find(operators.begin(), operators.end(), form.terms) == operators.end())
        operators.push_back(form.terms);
  }
  return jet_table(singles, operators);
}

}  // namespace

SplitResidual split(const ExpressionPtr& residual) {
  SplitResidual out;
  std::vector<Scaled> linear;
  const auto form_of = [&](const Scaled& term) {
    return std::ranges::find_if(out.forms, [&](const Form& f) {
      return f.field == term.of->inputs[0]->index && same(f.factor, term.varying);
    });
  };
  for (const Scaled& term : terms(residual)) {
    if (!is_derivative_of_field(*term.of)) {
      out.rest = plus(out.rest, term);
      continue;
    }
    linear.push_back(term);
    auto form = form_of(term);
    if (form == out.forms.end())
      form = out.forms.insert(form, Form{term.of->inputs[0]->index, {}, term.varying});
    form->terms[term.of->order] += term.factor;
  }
  // A form of one derivative is that derivative: leave it to the rest.
  for (const Scaled& term : linear)
    if (form_of(term)->terms.size() < 2) out.rest = plus(out.rest, term);
  std::erase_if(out.forms, [](const Form& f) { return f.terms.size() < 2; });
  return out;
}

namespace {

/// The coefficient of all second derivatives by coordinates in space; 0 where they differ.
double coefficient_of_laplacian(const Form& form, const std::vector<int>& space) {
  double found = 0;
  for (const int c : space) {
    const auto term = form.terms.find(unit_index(c) + unit_index(c));
    if (term == form.terms.end() || (c != space[0] && term->second != found)) return 0;
    found = term->second;
  }
  return found;
}

/// The coordinates in space that nothing is differentiated by but Laplacians.
std::vector<int> free_coordinates(const std::vector<SplitResidual>& residuals,
                                  const std::vector<int>& space) {
  std::vector<bool> taken(std::size_t(max_coordinates), false);
  const auto take = [&](const MultiIndex& a) {
    for (std::size_t c = 0; c < taken.size(); ++c) taken[c] = taken[c] || a[c] > 0;
  };
  for (const SplitResidual& r : residuals) {
    if (r.rest)
      for (const Need& need : needs(*r.rest)) take(need.index);
    for (const Form& form : r.forms)
      for (const auto& [a, c] : form.terms) take(a);
  }
  std::vector<int> free;
  for (const int c : space)
    if (!taken[std::size_t(c)]) free.push_back(c);
  return free;
}

}  // namespace

ChannelPlan plan_drawn_channels(const Requirement& requirement, const Problem& problem,
                                int directions) {
  const ChannelPlan exact = plan_channels(requirement, problem);
  const std::vector<int> space = space_coordinates(problem);
  const std::size_t k = std::size_t(std::max(directions, 0));
  if (k == 0 || space.size() <= k || exact.residuals.empty()) return exact;
  ChannelPlan drawn{nullptr, exact.residuals, {}};
  std::vector<std::pair<Form*, double>> laplacians;
  for (SplitResidual& r : drawn.residuals)
    for (Form& form : r.forms)
      if (const double c = coefficient_of_laplacian(form, space); c != 0) {
        for (const int i : space) form.terms.erase(unit_index(i) + unit_index(i));
        laplacians.emplace_back(&form, c);
      }
  drawn.along = free_coordinates(drawn.residuals, space);
  if (laplacians.empty() || drawn.along.size() < k) return exact;
  drawn.along.resize(k);
  for (const auto& [form, c] : laplacians)
    for (const int i : drawn.along)
      form->terms[unit_index(i) + unit_index(i)] = c * double(space.size()) / double(k);
  drawn.table = table_of(drawn.residuals, true, requirement, problem);
  return drawn;
}

ChannelPlan plan_channels(const Requirement& requirement, const Problem& problem) {
  ChannelPlan plan{table_of({}, false, requirement, problem), {}};
  if (requirement.periodic) return plan;
  std::vector<SplitResidual> residuals;
  for (const Residual& r : requirement.residuals) residuals.push_back(split(r.expression));
  const JetTablePtr smaller = table_of(residuals, true, requirement, problem);
  if (smaller->size() < plan.table->size()) plan = {smaller, std::move(residuals)};
  return plan;
}

}  // namespace pinn
