#include "autograd/ops/multi_index.h"
#include "solvers/problem/words.h"

#include <algorithm>
#include <array>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

namespace pinn {
namespace {

/// Functions that are not ops of one or two numbers.
constexpr std::array own = {
    Function{"where", 3, 3, "where(condition, a, b)"},
    Function{"d", 2, 3, "d(expression, x) or d(expression, x, 2)"},
    Function{"laplacian", 1, 1, "laplacian(expression)"},
    Function{"grad", 1, 1, "grad(expression)"},
    Function{"div", 1, max_coordinates,
             "div(a, b), one component per coordinate of space, or div(grad(u))"},
    Function{"dot", 2, 2, "dot((a, b), grad(u))"},
};

/// Ops that have a sign instead: - and ^ with a number (pow takes both exponents); and the product
/// that only slopes are made of.
bool has_sign(std::string_view name) {
  constexpr std::array signs = {"neg", "power", "add", "sub", "mul", "div", "masked"};
  return std::find(signs.begin(), signs.end(), name) != signs.end() ||
         !comparison_sign(name).empty();
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list(own.begin(), own.end());
    const auto add = [&](auto ops, int inputs) {
      for (int i = 0; i < ops.size; ++i)
        if (!has_sign(ops.names[i]))
          list.push_back({ops.names[i], inputs, inputs, {}, ops.says[i]});
    };
    add(Binary{}, 2);
    add(Unary{}, 1);
    return list;
  }();
  return all;
}

constexpr std::array promised = {"integral", "mean", "at"};
constexpr std::array words = {"n",       "N",        "pi",  "boundary", "interior",
                              "initial", "residual", "and", "or",       "jump"};

struct Comparison {
  std::string_view sign, op;
};
constexpr std::array comparisons = {Comparison{"<", "less"}, Comparison{"<=", "less_equal"},
                                    Comparison{">", "greater"}, Comparison{">=", "greater_equal"}};

template <class List> bool holds(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

const Function* find_function(std::string_view name) {
  for (const Function& f : functions())
    if (f.name == name) return &f;
  return nullptr;
}

std::string usage(const Function& f) {
  if (!f.usage.empty()) return std::string(f.usage);
  return std::string(f.name) + (f.most == 1 ? "(a)" : "(a, b)");
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& f : functions()) names.emplace_back(f.name);
  return names;
}

std::string functions_as_markdown() {
  std::string rows;
  for (const int inputs : {1, 2})
    for (const Function& f : functions())
      if (f.most == inputs && !f.says.empty())
        rows += "| `" + usage(f) + "` | " + std::string(f.says) + " |\n";
  return rows;
}

bool is_promised(std::string_view name) { return holds(promised, name); }

bool is_reserved(std::string_view name) {
  return holds(words, name) || is_promised(name) || name.starts_with("n_") || find_function(name);
}

std::string_view comparison_op(std::string_view sign) {
  for (const Comparison& c : comparisons)
    if (c.sign == sign) return c.op;
  return {};
}

std::string_view comparison_sign(std::string_view op) {
  for (const Comparison& c : comparisons)
    if (c.op == op) return c.sign;
  return {};
}

}  // namespace pinn
