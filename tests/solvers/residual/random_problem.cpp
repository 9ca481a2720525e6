#include "tests/solvers/residual/random_problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "models/kinds.h"
#include "tests/dice.h"

namespace pinn::test {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t number) : number_(number), dice_(number) {}
  RandomProblem written();

 private:
  enum class At { inside, boundary, data };

  void declare();
  void constrain();
  void require(At at);
  void wrap();
  NetworkOptions network();
  PointSet points_of(const Requirement& r);

  std::string formula(int depth, At at, bool smooth = false);
  std::string leaf(At at);
  std::string field();
  std::string call(const std::string& a);
  std::string pair(int depth, At at, bool smooth);
  std::string derivative();
  std::string number() { return fmt::format("{:.2f}", 0.3 + dice_.uniform()); }
  bool chance(double p) { return dice_.uniform() < p; }

  std::uint64_t number_;
  Dice dice_;
  std::shared_ptr<Problem> p_;
  std::string text_;
};

void Writer::declare() {
  std::vector<std::string> coordinates{"x"}, fields{"u"};
  if (chance(0.6)) coordinates.push_back("y");
  if (chance(0.4)) coordinates.push_back("t");
  if (chance(0.4)) fields.push_back("v");
  p_ = problem(coordinates, fields, {});
  p_->requirements.clear();
  if (chance(0.3)) p_->unknowns.push_back({"k", 0.7, 0.1, 2.0, chance(0.5)});
  if (chance(0.2)) p_->fields[0].scale = 1.5;
}

/// u = something + something that is exact at the start * N
void Writer::constrain() {
  Warnings warnings;
  const Scope scope{*p_, Scope::Use::output};
  const std::string c = p_->coordinates.back().name;
  const std::string t = dice_.one_of<std::string>({fmt::format("sin({0}) + (1 - {0}^2)*N", c),
                                                   fmt::format("x*{} + N*exp(-{}^2)", number(), c),
                                                   "tanh(N)", fmt::format("{}*N", number())});
  text_ += "u is " + t + "\n";
  p_->outputs[0] = parse_expression(text(t), scope, warnings);
}

std::string Writer::field() { return p_->fields.size() > 1 && chance(0.4) ? "v" : "u"; }

/// A field's derivative of up to four orders, or that of something made of it, of up to two.
std::string Writer::derivative() {
  const int n = int(p_->coordinates.size());
  if (chance(0.25)) {
    const std::string x = p_->coordinates[std::size_t(dice_.below(n))].name;
    return fmt::format("d({}, {}{})", formula(1, At::inside, true), x, chance(0.4) ? ", 2" : "");
  }
  std::string name = field() + "_";
  const int order = 1 + int(dice_.below(chance(0.3) ? 4 : 2));
  for (int i = 0; i < order; ++i) name += p_->coordinates[std::size_t(dice_.below(n))].name;
  return name;
}

std::string Writer::leaf(At at) {
  if (at == At::data && chance(0.3)) return dice_.one_of<std::string>({"seen", "other"});
  if (at == At::boundary && chance(0.3)) return chance(0.5) ? "n_x" : field() + "_n";
  if (!p_->unknowns.empty() && chance(0.2)) return "k";
  if (chance(0.15)) return number();
  if (chance(0.3))
    return p_->coordinates[std::size_t(dice_.below(std::int64_t(p_->coordinates.size())))].name;
  return field();
}

/// A function of one number, kept where it is finite and not steep.
std::string Writer::call(const std::string& a) {
  const std::string f(unary_name(int(dice_.below(Unary::size))));
  if (f == "neg") return "-(" + a + ")";
  if (f == "power") return "(" + a + dice_.one_of<std::string>({")^2", ")^3"});
  if (f == "log" || f == "sqrt") return f + "(1.5 + sin(" + a + "))";
  if (f == "recip") return "recip(2 + cos(" + a + "))";
  if (f == "exp" || f == "sinh" || f == "cosh" || f == "tan" || f == "square")
    return f + "(0.7*sin(" + a + "))";
  return f + "(" + a + ")";
}

std::string Writer::pair(int depth, At at, bool smooth) {
  const std::string a = formula(depth - 1, at, smooth), b = formula(depth - 1, at, smooth);
  switch (dice_.below(smooth ? 5 : 9)) {
    case 0:
      return "(" + a + " + " + b + ")";
    case 1:
      return "(" + a + " - " + b + ")";
    case 2:
      return a + "*" + b;
    case 3:
      return a + "/(2 + cos(" + b + "))";
    case 4:
      return "pow(1.5 + sin(" + a + "), sin(" + b + "))";
    case 5:
      return "min(" + a + ", " + b + ")";
    case 6:
      return "max(" + a + ", " + b + ")";
    case 7:
      return "atan2(" + a + ", 2 + cos(" + b + "))";
    default:
      return fmt::format("where({} {} {}, {}, {})", leaf(at),
                         dice_.one_of<std::string>({"<", "<=", ">", ">="}), number(), a, b);
  }
}

std::string Writer::formula(int depth, At at, bool smooth) {
  if (depth == 0) return smooth ? field() : leaf(at);
  if (smooth)
    return chance(0.5) ? dice_.one_of<std::string>({"sin(", "tanh(", "exp(0.3*"}) +
                             formula(depth - 1, at, true) + ")"
                       : pair(depth, at, true);
  if (chance(0.35)) return derivative();
  if (chance(0.35)) return call(formula(depth - 1, at));
  return pair(depth, at, false);
}

void Writer::require(At at) {
  Requirement r;
  r.name = "requirement " + std::to_string(p_->requirements.size());
  Scope scope{*p_};
  scope.has_normal = at == At::boundary;
  if (at == At::data) {
    scope.columns = {"seen", "other"};
    r.data.emplace();
    r.data->columns = scope.columns;
    r.data->sigma = chance(0.5) ? 1 : 0.3;
  }
  Warnings warnings;
  for (std::int64_t k = 1 + dice_.below(2); k-- > 0;) {
    const std::string t = "u + " + formula(3, at);
    text_ += t + "\n";
    r.residuals.push_back(
        {t, parse_residual(text(t), scope, warnings), number() < "0.8" ? 1 : 2.5, text(t)});
  }
  p_->requirements.push_back(r);
}

void Writer::wrap() {
  Requirement r;
  r.name = "wrap";
  r.periodic = Periodicity{0, int(dice_.below(3))};
  p_->requirements.push_back(r);
  text_ += "wrap\n";
}

NetworkOptions Writer::network() {
  NetworkOptions options;
  options.layers.clear();
  options.activation.clear();
  for (std::int64_t k = 1 + dice_.below(3); k-- > 0;) {
    options.layers.push_back(1 + int(dice_.below(9)));
    options.activation.push_back(
        dice_.one_of<std::string>({"tanh", "sin", "cos", "sigmoid", "softplus", "silu", "gelu",
                                   "erf", "gaussian", "atan", "sech2", "square", "relu", "abs"}));
    text_ += fmt::format("{} {}, ", options.layers.back(), options.activation.back());
  }
  const std::vector<std::string> kinds = network_kind_names();
  if (number_ % 2 == 1) options.kind = kinds[number_ / 2 % kinds.size()];
  if (options.kind != "mlp") {  // layers that meet are of one width
    std::ranges::fill(options.layers, options.layers[0]);
    text_ += options.kind + " ";
  }
  if (chance(0.2)) options.fourier = {2, {1.0}, 3};
  if (p_->requirements.back().name != "wrap" && chance(0.2))  // else both ends agree but for noise
    options.periodic = std::vector<bool>(p_->coordinates.size(), true);
  return options;
}

PointSet Writer::points_of(const Requirement& r) {
  PointSet set = spread(*p_, std::size_t(1 + dice_.below(chance(0.2) ? 300 : 40)));
  const std::size_t n = p_->coordinates.size();
  for (std::size_t i = 0; i < set.count; ++i) {
    if (r.periodic) set.x[i * n] = p_->coordinates[0].lower;
    for (std::size_t k = 0; k < n; ++k) set.normals.push_back(k == 0 ? 0.6 : 0.8 - double(i % 2));
    if (r.data)
      for (int k = 0; k < 2; ++k) set.columns.push_back(2 * dice_.uniform() - 1);
  }
  return set;
}

RandomProblem Writer::written() {
  declare();
  if (chance(0.2)) constrain();
  require(At::inside);
  if (chance(0.3)) require(At::boundary);
  if (chance(0.3)) require(At::data);
  if (chance(0.2)) wrap();
  const NetworkOptions options = network();
  RandomProblem made;
  made.loss.model = std::make_shared<const Model>(p_, options);
  for (const Requirement& r : p_->requirements) {
    made.loss.points.push_back(points_of(r));
    made.loss.options.derivatives.push_back(chance(0.15) ? Derivatives::reverse
                                                         : Derivatives::taylor);
  }
  made.loss.options.block = chance(0.4) ? 16 * std::size_t(1 + dice_.below(8)) : 0;
  made.parameters = made.loss.model->initial_parameters(std::uint64_t(dice_.below(1000)));
  for (double& x : made.parameters) x += 0.1 * (dice_.uniform() - 0.5);
  Warnings warnings;
  for (int k = 0; k < 2; ++k) {
    const std::string t = formula(2, At::inside);
    made.formulas.push_back(parse_expression(text(t), Scope{*p_}, warnings));
    text_ += "\nformula " + t;
  }
  made.text = text_;
  return made;
}

}  // namespace

RandomProblem random_problem(std::uint64_t number) { return Writer(number).written(); }

}  // namespace pinn::test
