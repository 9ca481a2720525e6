#include "solvers/problem/parse.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "solvers/problem/expression.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

/// How tightly the outermost operator of a text holds, as in parse.cpp: a looser one needs
/// parentheses.
enum Binding { comparison = 1, additive, multiplicative, sign, power, atom };

struct Piece {
  std::string text;
  int binding = atom;
};

std::string enclosed(const Piece& piece, int least) {
  return piece.binding < least ? "(" + piece.text + ")" : piece.text;
}

struct Written {
  std::string_view op, sign;
  int binding, left, right;  ///< its own binding, and the least its sides must have
};
constexpr std::array infixes = {
    Written{"add", " + ", additive, additive, multiplicative},
    Written{"sub", " - ", additive, additive, multiplicative},
    Written{"mul", "*", multiplicative, multiplicative, sign},
    Written{"div", "/", multiplicative, multiplicative, sign},
    Written{"pow", "^", power, atom, sign},
    Written{"less", " < ", comparison, additive, additive},
    Written{"less_equal", " <= ", comparison, additive, additive},
    Written{"greater", " > ", comparison, additive, additive},
    Written{"greater_equal", " >= ", comparison, additive, additive},
};

class Printer {
 public:
  explicit Printer(const Scope& scope) : scope_(scope) {}

  Piece piece(const Expression& e) const {
    const Problem& p = scope_.problem;
    const std::size_t i = std::size_t(e.index);
    switch (e.kind) {
      case Kind::number:
        return number(e);
      case Kind::coordinate:
        return {p.coordinates[i].name};
      case Kind::field:
        return {p.fields[i].name};
      case Kind::unknown:
        return {p.unknowns[i].name};
      case Kind::column:
        return {scope_.columns.at(i)};
      case Kind::normal:
        return {"n_" + p.coordinates[i].name};
      case Kind::before:
        return {"initial(" + p.fields[i].name + ")"};
      case Kind::raw_output:
        return {"N"};
      case Kind::derivative:
        return derivative(e);
      case Kind::lookup:
        return lookup(e);
      case Kind::by_region:
        return by_region(e);
      case Kind::whole:
        return {e.name + "(" + piece(*e.inputs[0]).text + ")"};
      case Kind::elsewhere:
        return elsewhere(e);
      case Kind::bound:
        return {e.name};
      case Kind::integral:
        return {fmt::format("integral({}, {}, {}, {})", piece(*e.inputs[0]).text, e.name,
                            piece(*e.inputs[1]).text, piece(*e.inputs[2]).text)};
      case Kind::call:
        break;
    }
    return call(e);
  }

 private:
  static Piece number(const Expression& e) {
    if (!e.name.empty()) return {e.name};
    return {fmt::format("{}", e.number), std::signbit(e.number) ? sign : atom};
  }

  Piece call(const Expression& e) const {
    if (e.name == "neg") return {"-" + enclosed(piece(*e.inputs[0]), sign), sign};
    for (const Written& infix : infixes)
      if (infix.op == e.name)
        return {fmt::format("{}{}{}", enclosed(piece(*e.inputs[0]), infix.left), infix.sign,
                            enclosed(piece(*e.inputs[1]), infix.right)),
                infix.binding};
    std::string arguments;
    for (const ExpressionPtr& input : e.inputs)
      arguments += (arguments.empty() ? "" : ", ") + piece(*input).text;
    return {fmt::format("{}({})", e.name, arguments)};
  }

  /// { steel = a, air = b }, as a file gives a name a meaning in every region.
  Piece by_region(const Expression& e) const {
    std::string text;
    for (std::size_t r = 0; r < e.inputs.size(); ++r)
      text += fmt::format("{}{} = {}", r == 0 ? "" : ", ", e.partition->name(r),
                          piece(*e.inputs[r]).text);
    return {"{ " + text + " }"};
  }

  Piece elsewhere(const Expression& e) const {
    std::string text = "at(" + piece(*e.inputs[0]).text;
    std::size_t place = 1;
    for (std::size_t c = 0; c < scope_.problem.coordinates.size(); ++c)
      if (e.order[c] > 0)
        text += fmt::format(", {} = {}", scope_.problem.coordinates[c].name,
                            piece(*e.inputs[place++]).text);
    return {text + ")"};
  }

  /// Derivatives by inputs that are coordinates are d(a(x, y), x); of others no formula can say
  /// them alone, and a'1'1(u) is one taken twice by the first input.
  Piece lookup(const Expression& e) const {
    std::string name = e.name, arguments;
    std::vector<std::pair<std::string, int>> by;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
      const std::string argument = piece(*e.inputs[i]).text;
      arguments += (arguments.empty() ? "" : ", ") + argument;
      if (is_own_coordinate(e, i))
        by.emplace_back(argument, int(e.order[i]));
      else
        for (int k = 0; k < e.order[i]; ++k) name += fmt::format("'{}", i + 1);
    }
    std::string text = fmt::format("{}({})", name, arguments);
    for (const auto& [coordinate, times] : by)
      if (times > 0)
        text = times == 1 ? fmt::format("d({}, {})", text, coordinate)
                          : fmt::format("d({}, {}, {})", text, coordinate, times);
    return {text};
  }

  /// True if input i is a coordinate on which no other input depends.
  static bool is_own_coordinate(const Expression& e, std::size_t i) {
    if (e.inputs[i]->kind != Kind::coordinate) return false;
    for (std::size_t k = 0; k < e.inputs.size(); ++k)
      if (k != i && dependence(*e.inputs[k]).on(e.inputs[i]->index)) return false;
    return true;
  }

  /// u_xxt if that is the one way to read it and u no piece, else nested d(...), which the reader
  /// joins again.
  Piece derivative(const Expression& e) const {
    const Expression& of = *e.inputs[0];
    std::string text = piece(of).text;
    const auto& coordinates = scope_.problem.coordinates;
    if (of.kind == Kind::field && !text.ends_with(')')) {
      std::string name = text + "_";
      for (std::size_t c = 0; c < coordinates.size(); ++c)
        for (int k = 0; k < e.order[c]; ++k) name += coordinates[c].name;
      const auto all = readings(scope_, name);
      if (!meaning(scope_, name) && all.size() == 1 && all[0].order == e.order &&
          all[0].base.index == of.index)
        return {name};
    }
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      if (e.order[c] == 1) text = fmt::format("d({}, {})", text, coordinates[c].name);
      if (e.order[c] > 1)
        text = fmt::format("d({}, {}, {})", text, coordinates[c].name, int(e.order[c]));
    }
    return {text};
  }

  const Scope& scope_;
};

}  // namespace

std::string print(const Expression& expression, const Scope& scope) {
  if (expression.nodes > max_nodes) return "...";
  return Printer(scope).piece(expression).text;
}

}  // namespace pinn
