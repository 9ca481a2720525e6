#include "autograd/c_text/functions.h"

#include <fmt/format.h>

#include "autograd/ops/jet_formulas.h"

namespace pinn::c_text {
namespace {

/// Channels of a jet in lanes behind a pointer.
std::vector<Num> channels_of(Statements& s, const std::string& jet, const std::string& value,
                             int channels) {
  std::vector<Num> all = {s.named(jet + "0", value + "[p]")};
  for (int c = 1; c < channels; ++c)
    all.push_back(
        s.named(fmt::format("{}{}", jet, c),
                c == 1 ? fmt::format("{}[n + p]", jet) : fmt::format("{}[{} * n + p]", jet, c)));
  return all;
}

/// "    y[p] = v3;" and so on.
std::string stored(const Statements& s, const std::vector<Num>& y, const std::string& indent) {
  std::string text;
  for (std::size_t c = 0; c < y.size(); ++c)
    text += c == 0 ? fmt::format("{}y[p] = {};\n", indent, s.text_of(y[c]))
                   : fmt::format("{}y[{} * n + p] = {};\n", indent, c, s.text_of(y[c]));
  return text;
}

/// Text that brings the argument of a sine near zero.
constexpr const char* turned =
    "real buffer[block];\n{0}const real* const {1} = near_zero(n, {2}, buffer);\n";

}  // namespace

bool turns(const Elementwise& f) {
  const bool one = f.kind == Elementwise::unary || f.kind == Elementwise::unary_pullback;
  return one && (f.op == unary_id<op::Sin> || f.op == unary_id<op::Cos>);
}

std::string Functions::add(const std::string& name, const std::string& rest) {
  const auto [at, is_new] = names_.try_emplace(rest, name);
  if (!is_new) return at->second;
  if (const int times = ++used_[name]; times > 1) at->second += fmt::format("_{}", times);
  text_ += fmt::format("\nstatic void {}{}", at->second, rest);
  return at->second;
}

std::string Functions::elementwise(const Elementwise& f, const std::string& kinds) {
  Statements s(dtype_);
  const bool turned_here = turns(f) && kinds[0] == 'l';
  std::string parameters = "(int n";
  std::vector<Num> x;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string name(1, "abc"[k]);
    if (kinds[k] == 'l') parameters += fmt::format(", const real* restrict {}", name);
    if (kinds[k] == 'v') parameters += fmt::format(", real {}", name);
    x.push_back(kinds[k] == 'l' ? s.named("x" + name, (turned_here && k == 0 ? "z" : name) + "[p]")
                : kinds[k] == 'v' ? s.given(name)
                                  : Num(0));
  }
  const Num y = visit_elementwise(
      f, [&]<class F>() -> Num { return F::value(x[0], x[1], x[2], f.parameter); });
  for (const std::string& need : s.needs({y})) library_.need(need);
  std::string rest = parameters + ", real* restrict y) {\n";
  if (turned_here) {
    library_.need("near_zero");
    rest += "  " + fmt::format(turned, "  ", "z", "a");
  }
  rest += "  APART for (int p = 0; p < n; ++p) {\n" + s.text({y}, "    ") + stored(s, {y}, "    ");
  std::string name(name_of_op(f));
  if (f.kind == Elementwise::unary_pullback) name += "_pullback";
  return add(name + "_" + kinds.substr(0, kinds.find('-')), rest + "  }\n}\n");
}

std::string Functions::fill() {
  return add("fill", "(int n, real x, real* y) {\n  for (int p = 0; p < n; ++p) y[p] = x;\n}\n");
}

std::string Functions::jet(const Instruction& i, const JetTable& table) {
  Statements s(dtype_);
  const bool turned_here = turns(i.function);
  const std::vector<Num> h = channels_of(s, "h", turned_here ? "z" : "h", table.size());
  const std::vector<Num> y = jet_of(i.function, i.derivative, table, h);
  for (const std::string& need : s.needs(y)) library_.need(need);
  std::string rest =
      "(int count, int n, const real* restrict h, int hs, real* restrict y, int ys) {\n"
      "  for (int k = 0; k < count; ++k, h += hs * n, y += ys * n) {\n";
  if (turned_here) {
    library_.need("near_zero");
    rest += "    " + fmt::format(turned, "    ", "z", "h");
  }
  rest +=
      "    APART for (int p = 0; p < n; ++p) {\n" + s.text(y, "      ") + stored(s, y, "      ");
  return add(fmt::format("jet_{}", name_of_op(i.function)), rest + "    }\n  }\n}\n");
}

std::string Functions::jet_mul(const JetTable& table) {
  Statements s(dtype_);
  const std::vector<Num> a = channels_of(s, "a", "a", table.size()),
                         b = channels_of(s, "b", "b", table.size());
  const std::vector<Num> y = product_of(table, a, b);
  for (const std::string& need : s.needs(y)) library_.need(need);
  return add("jet_mul",
             "(int count, int n, const real* restrict a, int as, const real* restrict b, int bs,\n"
             "    real* restrict y, int ys) {\n"
             "  for (int k = 0; k < count; ++k, a += as * n, b += bs * n, y += ys * n) {\n"
             "    APART for (int p = 0; p < n; ++p) {\n" +
                 s.text(y, "      ") + stored(s, y, "      ") + "    }\n  }\n}\n");
}

std::string Functions::lookup(const PointFunction& source, const MultiIndex& order) {
  const auto [at, is_new] =
      table_names_.try_emplace(&source, fmt::format("table_{}", table_names_.size()));
  if (is_new) {
    const auto [text, libm] = table_text_(source, at->second);
    tables_ += text;
    for (const std::string& function : libm) library_.need(function);
  }
  std::string orders, places;
  for (int k = 0; k < source.inputs(); ++k) {
    orders += fmt::format("{}{}", k == 0 ? "" : ", ", int(order[std::size_t(k)]));
    places += fmt::format("{}x[{} * n + p]", k == 0 ? "" : ", ", k);
  }
  return add("look_up", fmt::format("(int n, const real* x, real* y) {{\n"
                                    "  static const int order[] = {{{}}};\n"
                                    "  for (int p = 0; p < n; ++p) {{\n"
                                    "    const double at[] = {{{}}};\n"
                                    "    y[p] = (real){}(order, at);\n  }}\n}}\n",
                                    orders, places, at->second));
}

}  // namespace pinn::c_text
