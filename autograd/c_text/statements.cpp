#include "autograd/c_text/statements.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"

namespace pinn::c_text {

std::string literal(double x, DType dtype) {
  if (std::isnan(x)) return "NAN";
  if (std::isinf(x)) return x < 0 ? "(-INFINITY)" : "INFINITY";
  const bool single = dtype == DType::float32;
  std::string text = single ? fmt::format("{}", float(x)) : fmt::format("{}", x);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  if (single) text += "f";
  return std::signbit(x) ? "(" + text + ")" : text;
}

Num Statements::add(Node node, const std::string& key) {
  const auto [at, is_new] = known_.try_emplace(key, int(nodes_.size()));
  if (is_new) nodes_.push_back(std::move(node));
  return {this, at->second};
}

Num Statements::given(const std::string& name) { return add({name, "", "", {}}, name); }

Num Statements::named(const std::string& name, const std::string& expression) {
  return add({name, fmt::format("const real {} = {};", name, expression), "", {}}, expression);
}

Num Statements::make(const char* format, const std::vector<Num>& numbers,
                     const std::string& needs) {
  fmt::dynamic_format_arg_store<fmt::format_context> texts;
  std::vector<int> uses;
  for (const Num& x : numbers) {
    texts.push_back(text_of(x));
    if (x.in) uses.push_back(x.node);
  }
  const std::string expression = fmt::vformat(format, texts);
  const std::string name = fmt::format("v{}", nodes_.size());
  return add({name, fmt::format("const real {} = {};", name, expression), needs, uses}, expression);
}

Num Statements::one_of_two(const char* function, int which, const Num& x) {
  const std::size_t n = nodes_.size();
  const std::string call = fmt::format("{}({})", function, text_of(x));
  const Num both =
      add({fmt::format("{}", n),
           fmt::format("real v{0}, w{0}; {1}({2}, &v{0}, &w{0});", n, function, text_of(x)),
           function,
           {x.node}},
          call);
  const std::string name = (which == 0 ? "v" : "w") + nodes_[std::size_t(both.node)].name;
  return add({name, "", "", {both.node}}, name);
}

std::string Statements::text_of(const Num& x) const {
  return x.in ? nodes_[std::size_t(x.node)].name : literal(x.number, dtype_);
}

std::vector<bool> Statements::needed(const std::vector<Num>& results) const {
  std::vector<bool> is(nodes_.size());
  for (const Num& r : results)
    if (r.in) is[std::size_t(r.node)] = true;
  for (std::size_t n = nodes_.size(); n-- > 0;)
    for (const int use : nodes_[n].uses)
      if (is[n]) is[std::size_t(use)] = true;
  return is;
}

std::string Statements::text(const std::vector<Num>& results, const std::string& indent) const {
  const std::vector<bool> is = needed(results);
  std::string text;
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (is[n] && !nodes_[n].statement.empty()) text += indent + nodes_[n].statement + "\n";
  return text;
}

std::set<std::string> Statements::needs(const std::vector<Num>& results) const {
  const std::vector<bool> is = needed(results);
  std::set<std::string> all;
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (is[n] && !nodes_[n].needs.empty()) all.insert(nodes_[n].needs);
  return all;
}

namespace {

Statements& home(const Num& a, const Num& b) {
  Statements* const in = a.in ? a.in : b.in;
  if (!in)
    throw InternalError({"C text of numbers that are all known", "", "report this as a bug"});
  return *in;
}

bool both_known(const Num& a, const Num& b) { return !a.in && !b.in; }

/// A function of C's library, which has another name for float.
Num of_libm(const char* name, const std::vector<Num>& x) {
  Statements& s = home(x[0], x.back());
  const std::string function = std::string(name) + (s.dtype() == DType::float32 ? "f" : "");
  const std::string call = function + (x.size() == 2 ? "({}, {})" : "({})");
  return s.make(call.c_str(), x, name);
}

}  // namespace

Num operator+(const Num& a, const Num& b) {
  if (both_known(a, b)) return Num(a.number + b.number);
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return home(a, b).make("{} + {}", {a, b});
}
Num operator-(const Num& a, const Num& b) {
  if (both_known(a, b)) return Num(a.number - b.number);
  if (b.is(0)) return a;
  return home(a, b).make("{} - {}", {a, b});
}
Num operator*(const Num& a, const Num& b) {
  if (both_known(a, b)) return Num(a.number * b.number);
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  return home(a, b).make("{} * {}", {a, b});
}
Num operator/(const Num& a, const Num& b) {
  if (both_known(a, b)) return Num(a.number / b.number);
  if (b.is(1)) return a;
  return home(a, b).make("{} / {}", {a, b});
}
Num operator-(const Num& a) { return a.in ? a.in->make("-{}", {a}) : Num(-a.number); }
Num select(const Condition& c, const Num& a, const Num& b) {
  if (both_known(c.a, c.b)) {
    const double x = c.a.number, y = c.b.number;
    return (c.sign == "<" ? x < y : c.sign == "<=" ? x <= y : x == y) ? a : b;
  }
  return home(c.a, c.b).make(("{} " + c.sign + " {} ? {} : {}").c_str(), {c.a, c.b, a, b});
}
Num multiply_add(const Num& a, const Num& b, const Num& c) {
  if (both_known(a, b) || a.is(1) || b.is(1)) return a * b + c;
  return home(a, b).make("mul_add({}, {}, {})", {a, b, c}, "mul_add");
}

Num exp(const Num& x) { return home(x, x).make("exponential({})", {x}, "exponential"); }
Num tanh(const Num& x) { return home(x, x).one_of_two("tanh_sech2", 0, x); }
Num sech2(const Num& x) { return home(x, x).one_of_two("tanh_sech2", 1, x); }
Num sin(const Num& x) { return home(x, x).one_of_two("sine_cosine", 0, x); }
Num cos(const Num& x) { return home(x, x).one_of_two("sine_cosine", 1, x); }
Num abs(const Num& x) { return of_libm("fabs", {x}); }
Num sqrt(const Num& x) { return of_libm("sqrt", {x}); }
Num log(const Num& x) { return of_libm("log", {x}); }
Num log1p(const Num& x) { return home(x, x).make("log_1_plus({})", {x}, "log_1_plus"); }
Num tan(const Num& x) { return of_libm("tan", {x}); }
Num atan(const Num& x) { return of_libm("atan", {x}); }
Num sinh(const Num& x) { return of_libm("sinh", {x}); }
Num cosh(const Num& x) { return of_libm("cosh", {x}); }
Num erf(const Num& x) { return home(x, x).make("error_function({})", {x}, "error_function"); }
Num atan2(const Num& a, const Num& b) { return of_libm("atan2", {a, b}); }
Num pow(const Num& a, const Num& b) { return of_libm("pow", {a, b}); }

}  // namespace pinn::c_text
