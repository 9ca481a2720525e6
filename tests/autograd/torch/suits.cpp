#include "tests/autograd/torch/suits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "autograd/tape/functions.h"

namespace pinn::test {
namespace {

using Numbers = std::vector<double>;

bool all(const Tensor& x, const std::function<bool(double)>& is_good) {
  const Numbers values = x.values();
  return std::all_of(values.begin(), values.end(), is_good);
}

bool are_positive(const Tensor& x) {
  return all(x, [](double v) { return v >= 0.1; });
}
bool are_off_0(const Tensor& x) {
  return all(x, [](double v) { return std::fabs(v) >= 0.1; });
}
/// Far enough from 0 to be on one side of it in both engines.
bool are_off_kink(const Tensor& x) {
  return all(x, [](double v) { return std::fabs(v) >= 1e-3; });
}
bool are_small(const Tensor& x) {
  return all(x, [](double v) { return std::fabs(v) <= 4; });
}

bool power_suits(const Tensor& x, double p) {
  if (p != std::floor(p)) return are_positive(x);
  return p >= 0 || are_off_0(x);
}

bool angle_suits(const Tensor& y, const Tensor& x) {
  return all(square(x) + square(y), [](double v) { return v >= 0.1; }) && are_off_kink(y);
}

}  // namespace

bool suits_wild(const Call& call, const std::vector<Tensor>& on, bool exact) {
  static const std::set<std::string> bend = {"relu", "abs", "sign", "step"}, part = {"min", "max"},
                                     other = {"pow", "power", "atan2", "masked", "sech2"};
  const std::string& op = call.op;
  const bool chooses = bend.contains(op) || part.contains(op) || is_comparison(op);
  if (chooses && std::isnan(largest_of(on[0]) + largest_of(on.back()))) return false;
  if (bend.contains(op)) return exact || are_off_kink(on[0]);
  if (part.contains(op) || is_comparison(op)) return exact || are_off_kink(on[0] - on[1]);
  if (op.starts_with("mean") && on[0].numel() == 0) return false;
  return !other.contains(op) && (op != "where" || exact || are_off_kink(on[0]));
}

bool suits(const Call& call, const std::vector<Tensor>& on, bool exact) {
  static const std::set<std::string> grow = {"exp", "sinh", "cosh"};
  const std::string& op = call.op;
  if (op == "sqrt" || op == "log") return are_positive(on[0]);
  if (op == "recip") return are_off_0(on[0]);
  if (op == "div" || op == "div in place") return are_off_0(on[1]);
  if (op == "power") return power_suits(on[0], call.number);
  if (op == "pow")  // an exponent of 0 has no mixed derivative in PyTorch
    return are_positive(on[0]) && are_small(on[1]) && are_off_0(on[1]);
  if (op == "atan2") return angle_suits(on[0], on[1]);
  if (op == "tan") return are_off_0(cos(on[0]));
  if (op == "masked") return exact || are_off_kink(on[1]);
  if (grow.contains(op)) return are_small(on[0]);
  return op == "sech2" || suits_wild(call, on, exact);
}

bool is_comparison(const std::string& op) {
  return op == "less" || op == "less_equal" || op == "greater" || op == "greater_equal";
}

bool keeps_exact(const std::string& op) {
  static const std::set<std::string> inexact = {
      "recip", "power", "sqrt",      "exp",         "log",      "sin",      "cos",
      "tan",   "atan",  "sinh",      "cosh",        "erf",      "gaussian", "tanh",
      "sech2", "gelu",  "silu",      "sigmoid",     "softplus", "div",      "pow",
      "atan2", "mean",  "mean over", "div in place"};
  return !inexact.contains(op);
}

bool broadcast_together(const Shape& a, const Shape& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const std::int64_t x = a[a.rank() - i], y = b[b.rank() - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

double largest_of(const Tensor& x) {
  double largest = 0;
  for (const double v : x.values()) largest = v != v ? v : std::max(largest, std::fabs(v));
  return largest;
}

}  // namespace pinn::test
