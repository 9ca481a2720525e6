#include "solvers/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>

#include "solvers/problem/expression.h"
#include "solvers/problem/pieces.h"
#include "solvers/report/drawing.h"

namespace pinn::pages {
namespace {

using Kind = Expression::Kind;

constexpr int longest_formula = 400;  ///< nodes that people read
constexpr int longest_line = 70;      ///< letters, beside which there is room for words
constexpr int widest = 80;            ///< letters of a page's width; in percent, how small
constexpr int smallest = 60;          ///< letters get that are more

struct Greek {
  std::string_view name, letter;
};
constexpr std::array greek = {
    Greek{"alpha", "α"}, Greek{"beta", "β"},    Greek{"gamma", "γ"},  Greek{"delta", "δ"},
    Greek{"eps", "ε"},   Greek{"epsilon", "ε"}, Greek{"zeta", "ζ"},   Greek{"eta", "η"},
    Greek{"theta", "θ"}, Greek{"kappa", "κ"},   Greek{"lambda", "λ"}, Greek{"mu", "μ"},
    Greek{"nu", "ν"},    Greek{"xi", "ξ"},      Greek{"pi", "π"},     Greek{"rho", "ρ"},
    Greek{"sigma", "σ"}, Greek{"tau", "τ"},     Greek{"phi", "φ"},    Greek{"chi", "χ"},
    Greek{"psi", "ψ"},   Greek{"omega", "ω"},   Greek{"Gamma", "Γ"},  Greek{"Delta", "Δ"},
    Greek{"Theta", "Θ"}, Greek{"Lambda", "Λ"},  Greek{"Sigma", "Σ"},  Greek{"Phi", "Φ"},
    Greek{"Psi", "Ψ"},   Greek{"Omega", "Ω"}};

std::string identifier(std::string_view text) {
  for (const Greek& g : greek)
    if (g.name == text) return fmt::format("<mi>{}</mi>", g.letter);
  return fmt::format("<mi>{}</mi>", escaped(text));
}
std::string number_element(std::string_view text) { return fmt::format("<mn>{}</mn>", text); }
std::string sign(std::string_view text) { return fmt::format("<mo>{}</mo>", text); }
std::string row(std::string_view content) { return fmt::format("<mrow>{}</mrow>", content); }
/// How many letters of a text are seen, its signs of references as one each.
int letters(std::string_view html) {
  int count = 0;
  char until = 0;
  for (const char c : html) {
    if (until != 0) {
      if (c == until) until = 0;
    } else if (c == '<') {
      until = '>';
    } else {
      if (c == '&') until = ';';
      count += (c & 0xc0) != 0x80;
    }
  }
  return count;
}
/// In parentheses, which are as high as the content where that is high by its making.
std::string enclosed(std::string_view content) {
  bool high = false;
  for (const char* tag : {"<mfrac", "<msup", "<msqrt", "<mtable", "<msubsup"})
    high = high || content.find(tag) != content.npos;
  const char* stretch = high ? "" : " stretchy=\"false\"";
  return fmt::format("<mrow><mo{}>(</mo>{}<mo{}>)</mo></mrow>", stretch, content, stretch);
}

/// How tightly the outermost operator holds.
enum Binding { comparison = 1, additive, multiplicative, power, atom };

struct Piece {
  std::string text;
  int binding = atom;
  bool is_number = false;  ///< begins with a digit
};

std::string at_least(const Piece& piece, int binding) {
  return piece.binding < binding ? enclosed(piece.text) : row(piece.text);
}

class Typesetter {
 public:
  Typesetter(const Problem& problem, const std::vector<std::string>& columns)
      : problem_(problem), columns_(columns) {}

  Piece piece(const Expression& e) const {
    const std::size_t i = std::size_t(e.index);
    switch (e.kind) {
      case Kind::number:
        return number(e);
      case Kind::coordinate:
        return {mathml_name(problem_.coordinates[i].name)};
      case Kind::field:
        return {mathml_name(problem_.fields[i].name)};
      case Kind::unknown:
        return {mathml_name(problem_.unknowns[i].name)};
      case Kind::column:
        return {mathml_name(i < columns_.size() ? columns_[i] : "data")};
      case Kind::normal:
        return {indexed("<mi>n</mi>", mathml_name(problem_.coordinates[i].name))};
      case Kind::before:
        return {indexed(mathml_name(problem_.fields[i].name), "<mn>0</mn>")};
      case Kind::raw_output:
        return {"<mi>N</mi>"};
      case Kind::derivative:
        return derivative(e);
      case Kind::lookup:
        return lookup(e);
      case Kind::by_region:
        return by_region(e);
      case Kind::whole:
        return whole(e);
      case Kind::elsewhere:
        return elsewhere(e);
      case Kind::bound:
        return {mathml_name(e.name)};
      case Kind::integral:
        return integral(e);
      case Kind::call:
        break;
    }
    return call(e);
  }

  /// Equations of what vanishes in every region.
  std::string equations_by_region(const Expression& e) const {
    std::vector<std::pair<std::string, std::string>> rows;
    for (std::size_t r = 0; r < e.inputs.size(); ++r)
      rows.emplace_back(equation(*e.inputs[r]), in_region(*e.partition, r));
    return cases(rows);
  }
  /// Equation of a difference, one side less the other; in lines where it is long.
  std::string equation(const Expression& e) const {
    const std::string left = row(piece(*e.inputs[0]).text) + sign("=");
    const std::string right = row(piece(*e.inputs[1]).text);
    if (letters(left) + letters(right) <= longest_line) return left + right;
    std::string begin = left, rows;
    int longest = 0;
    for (const std::string& line : lines_of(*e.inputs[1])) {
      rows += fmt::format("<mtr><mtd>{}</mtd><mtd>{}</mtd></mtr>", begin, row(line));
      begin.clear();
      longest = std::max(longest, letters(left) + letters(line));
    }
    const std::string table = "<mtable class=\"lines\">" + rows + "</mtable>";
    if (longest <= widest) return table;
    return fmt::format("<mrow style=\"font-size:{}%\">{}</mrow>",
                       std::max(smallest, 100 * widest / longest), table);
  }

 private:
  static std::string indexed(const std::string& base, const std::string& index) {
    return fmt::format("<msub>{}{}</msub>", row(base), row(index));
  }
  static std::string raised(const std::string& base, const std::string& exponent) {
    return fmt::format("<msup>{}{}</msup>", row(base), row(exponent));
  }

  /// A number as nobody writes it, which a computation gave, with six digits behind its point and
  /// a sign that there are more.
  static std::string shortened(const std::string& text) {
    const std::size_t point = text.find('.'), end = std::min(text.find('e'), text.size());
    if (point == text.npos || end - point <= 9) return text;
    std::size_t last = point + 1;
    while (last < end && text[last] == '0' && text.substr(0, point) == "0") ++last;
    return text.substr(0, last + 6) + "…" + text.substr(end);
  }

  Piece number(const Expression& e) const {
    if (!e.name.empty()) return {mathml_name(e.name)};
    const double turns = std::fabs(e.number) / std::numbers::pi;
    const std::string minus = std::signbit(e.number) ? sign("−") : "";
    if (turns > 0 && turns <= 16 && turns == std::round(turns))
      return {minus + (turns == 1 ? "" : number_element(fmt::format("{}", turns))) + "<mi>π</mi>",
              minus.empty() ? turns == 1 ? atom : power : additive, turns != 1 && minus.empty()};
    std::string text = shortened(fmt::format("{:.12g}", std::fabs(e.number)));
    if (const std::size_t at = text.find('e'); at != text.npos) {
      const int exponent = std::stoi(text.substr(at + 1));
      text =
          number_element(text.substr(0, at)) + sign("·") +
          raised("<mn>10</mn>", exponent < 0 ? sign("−") + number_element(std::to_string(-exponent))
                                             : number_element(std::to_string(exponent)));
    } else {
      text = number_element(text);
    }
    if (!minus.empty()) return {minus + text, additive, false};
    return {text, atom, true};
  }

  /// The formula without its sign where it begins with one; null where it does not.
  static ExpressionPtr unsigned_part(const Expression& e) {
    if (e.kind == Kind::number && e.name.empty() && std::signbit(e.number))
      return make_number(-e.number);
    if (e.kind == Kind::call && e.name == "neg") return e.inputs[0];
    if (e.kind == Kind::call && e.name == "mul")
      if (const ExpressionPtr positive = unsigned_part(*e.inputs[0]))
        return with_inputs(e, {positive, e.inputs[1]});
    return nullptr;
  }

  Piece product(const Expression& e) const {
    if (const ExpressionPtr positive = unsigned_part(*e.inputs[0])) {
      const ExpressionPtr rest = with_inputs(e, {positive, e.inputs[1]});
      return {sign("−") + piece(*rest).text, additive};
    }
    const Piece a = piece(*e.inputs[0]), b = piece(*e.inputs[1]);
    const std::string times = b.is_number ? sign("·") : "<mo>&#x2062;</mo>";
    return {at_least(a, multiplicative) + times + at_least(b, power), multiplicative, a.is_number};
  }

  /// Second part of a sum, with the sign before it.
  std::string added(const Expression& e) const {
    const Expression& to = *e.inputs[1];
    if (e.name == "sub") return sign("−") + at_least(piece(to), multiplicative);
    if (const ExpressionPtr positive = unsigned_part(to))
      return sign("−") + at_least(piece(*positive), multiplicative);
    return sign("+") + at_least(piece(to), additive);
  }

  /// A sum as terms in lines, each as long as it may be.
  std::vector<std::string> lines_of(const Expression& e) const {
    const bool is_sum = e.kind == Kind::call && (e.name == "add" || e.name == "sub");
    if (!is_sum) return {at_least(piece(e), additive)};
    std::vector<std::string> lines = lines_of(*e.inputs[0]);
    const std::string next = added(e);
    if (letters(lines.back()) + letters(next) <= longest_line)
      lines.back() += next;
    else
      lines.push_back(next);
    return lines;
  }

  Piece call(const Expression& e) const {
    const auto one = [&](int least) { return at_least(piece(*e.inputs[0]), least); };
    const auto two = [&](int least) { return at_least(piece(*e.inputs[1]), least); };
    const std::string& op = e.name;
    if (op == "add" || op == "sub") return {one(additive) + added(e), additive};
    if (op == "neg") return {sign("−") + one(multiplicative), additive};
    if (op == "mul") return product(e);
    if (op == "div") return {fmt::format("<mfrac>{}{}</mfrac>", one(0), two(0)), power};
    if (op == "recip") return {fmt::format("<mfrac><mn>1</mn>{}</mfrac>", one(0)), power};
    if (op == "pow" || op == "power") return {raised(one(atom), two(0)), power};
    if (op == "square") return {raised(one(atom), "<mn>2</mn>"), power};
    if (op == "exp") return {raised("<mi>e</mi>", one(0)), power};
    if (op == "sqrt") return {fmt::format("<msqrt>{}</msqrt>", one(0))};
    if (op == "abs") return {sign("|") + one(0) + sign("|")};
    for (const auto& [name, text] : {std::pair("less", "&lt;"), std::pair("less_equal", "≤"),
                                     std::pair("greater", "&gt;"), std::pair("greater_equal", "≥")})
      if (op == name) return {one(additive) + sign(text) + two(additive), comparison};
    if (op == "where")
      return {cases({{at_least(piece(*e.inputs[1]), 0), one(0)},
                     {at_least(piece(*e.inputs[2]), 0), "<mtext>else</mtext>"}})};
    std::string arguments;
    for (const ExpressionPtr& input : e.inputs)
      arguments += (arguments.empty() ? "" : sign(",")) + piece(*input).text;
    return {fmt::format("<mi>{}</mi><mo>&#x2061;</mo>{}", escaped(op), enclosed(arguments)), power};
  }

  static std::string cases(const std::vector<std::pair<std::string, std::string>>& rows) {
    std::string table;
    for (const auto& [value, where] : rows)
      table += fmt::format("<mtr><mtd>{}</mtd><mtd>{}</mtd></mtr>", value, where);
    return row(sign("{") + "<mtable columnalign=\"left\">" + table + "</mtable>");
  }

  static std::string in_region(const Partition& partition, std::size_t region) {
    return fmt::format("<mtext>in {}</mtext>", escaped(partition.name(region)));
  }

  Piece by_region(const Expression& e) const {
    std::vector<std::pair<std::string, std::string>> rows;
    for (std::size_t r = 0; r < e.inputs.size(); ++r)
      rows.emplace_back(piece(*e.inputs[r]).text, in_region(*e.partition, r));
    return {cases(rows)};
  }

  Piece lookup(const Expression& e) const {
    std::string name = mathml_name(e.name), arguments, order;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
      const std::string argument = piece(*e.inputs[i]).text;
      arguments += (arguments.empty() ? "" : sign(",")) + argument;
      for (int k = 0; k < e.order[i]; ++k) order += argument;
    }
    if (!order.empty()) name = indexed(name, order);
    return {name + "<mo>&#x2061;</mo>" + enclosed(arguments), power};
  }

  Piece derivative(const Expression& e) const {
    std::string order;
    for (std::size_t c = 0; c < problem_.coordinates.size(); ++c)
      for (int k = 0; k < e.order[c]; ++k) order += mathml_name(problem_.coordinates[c].name);
    return {indexed(at_least(piece(*e.inputs[0]), atom), order), atom};
  }

  Piece whole(const Expression& e) const {
    const std::string of = piece(*e.inputs[0]).text;
    if (e.name == "integral") return {sign("∫") + enclosed(of) + "<mi>d</mi><mi>V</mi>", power};
    return {fmt::format("<mi>{}</mi><mo>&#x2061;</mo>{}", escaped(e.name), enclosed(of)), power};
  }

  Piece integral(const Expression& e) const {
    return {fmt::format("<msubsup><mo>∫</mo>{}{}</msubsup>{}<mi>d</mi>{}",
                        row(piece(*e.inputs[1]).text), row(piece(*e.inputs[2]).text),
                        at_least(piece(*e.inputs[0]), multiplicative), mathml_name(e.name)),
            multiplicative};
  }

  Piece elsewhere(const Expression& e) const {
    std::string places;
    std::size_t place = 1;
    for (std::size_t c = 0; c < problem_.coordinates.size(); ++c)
      if (e.order[c] > 0)
        places += (places.empty() ? "" : sign(",")) + mathml_name(problem_.coordinates[c].name) +
                  sign("=") + piece(*e.inputs[place++]).text;
    return {indexed(at_least(piece(*e.inputs[0]), atom) + sign("|"), places), atom};
  }

  const Problem& problem_;
  const std::vector<std::string> columns_;
};

/// True if a residual was written with an equals sign, and not only with "<=".
bool has_sides(const std::string& text, const Expression& e) {
  std::size_t at = text.find('=');
  while (at != text.npos && at > 0 && (text[at - 1] == '<' || text[at - 1] == '>'))
    at = text.find('=', at + 1);
  return at != text.npos && e.kind == Kind::call && e.name == "sub";
}

std::string math(const std::string& content) {
  return "<math display=\"block\">" + row(content) + "</math>";
}

}  // namespace

std::string mathml_name(std::string_view name) {
  if (name.starts_with("side(") && name.ends_with(')')) {  // a field of one piece
    const std::size_t comma = name.rfind(", ");
    return fmt::format("<msub>{}<mtext>{}</mtext></msub>", mathml_name(name.substr(5, comma - 5)),
                       escaped(name.substr(comma + 2, name.size() - comma - 3)));
  }
  std::size_t letters = 0;
  while (letters < name.size() && std::isalpha(static_cast<unsigned char>(name[letters])))
    ++letters;
  if (letters == 0 || letters == name.size()) return identifier(name);
  std::string_view index = name.substr(letters);
  if (index[0] == '_') index.remove_prefix(1);
  if (index.size() > 1 && index[0] == '[' && index.back() == ']')
    index = index.substr(1, index.size() - 2);
  if (index.empty()) return identifier(name);
  const bool counts = std::ranges::all_of(index, [](unsigned char c) { return std::isdigit(c); });
  return fmt::format("<msub>{}<{}>{}</{}></msub>", identifier(name.substr(0, letters)),
                     counts ? "mn" : "mtext", escaped(index), counts ? "mn" : "mtext");
}

std::string mathml(const Expression& formula, const Problem& problem,
                   const std::vector<std::string>& columns) {
  return math(Typesetter(problem, columns).piece(formula).text);
}

std::string mathml_content(const Expression& formula, const Problem& problem) {
  return Typesetter(problem, {}).piece(formula).text;
}

std::string mathml_equation(const std::string& text, const Expression& e, const Problem& problem,
                            const std::vector<std::string>& columns) {
  if (e.nodes > longest_formula) return fmt::format("<code>{}</code>", escaped(text));
  const Typesetter type(problem, columns);
  if (e.kind == Kind::by_region && has_sides(text, *e.inputs[0]))
    return math(type.equations_by_region(e));
  if (!has_sides(text, e)) return math(type.piece(e).text + sign("=") + "<mn>0</mn>");
  return math(type.equation(e));
}

}  // namespace pinn::pages
