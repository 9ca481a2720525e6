#include <limits>

#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "tests/autograd/taylor/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double largest_number = std::numeric_limits<double>::max();
constexpr double smallest_number = std::numeric_limits<double>::denorm_min();
constexpr double nan_number = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> special_numbers = {0.0,
                                             -0.0,
                                             1,
                                             -1,
                                             0.5,
                                             -2,
                                             20,
                                             -800,
                                             smallest_number,
                                             -smallest_number,
                                             largest_number,
                                             -largest_number,
                                             infinite,
                                             -infinite,
                                             nan_number};

/// A function of one number with its name, on tensors and on jets.
struct OneNumber {
  std::string name;
  std::function<Tensor(const Tensor&)> of;
  std::function<Jet(const Jet&)> of_jet;
};

std::vector<OneNumber> functions_of_one_number() {
  std::vector<OneNumber> all;
  const auto add = [&](const std::string& name, int id, double p) {
    all.push_back({name, [id, p](const Tensor& x) { return apply_unary(id, x, p); },
                   [id, p](const Jet& x) { return apply_unary(id, x, p); }});
  };
  for (int id = 0; id < Unary::size; ++id)
    if (id != unary_id<op::Power>) add(std::string(unary_name(id)), id, 0);
  for (const double p : {0., 1., 2., 3., -1., -2., 0.5, 1.5, 2.5, -0.5, 80.})
    add("power " + std::to_string(p), unary_id<op::Power>, p);
  return all;
}

bool are_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         std::fabs(a - b) <= 1e-13 * (std::fabs(a) + std::fabs(b)) + 1e-300;
}

const GradOptions recorded_zeros{.create_graph = true, .materialize = true};

/// True where the op is one of jets, and neither a channel of zeros meets an infinity nor an
/// exponent that changes a base without a logarithm. The jet of a coordinate knows no negative
/// zero.
bool suits_jets(int id, double x, double y) {
  const auto is_usual = [](double v) {
    return v == 0 ? !std::signbit(v) : std::fabs(v) > 1e-150 && std::fabs(v) < 1e150;
  };
  return is_usual(x) && is_usual(y) && id != binary_id<op::Masked> &&
         (id != binary_id<op::Pow> || x > 0);
}

double number_or_0(const Tensor& t) { return t.defined() ? t.item() : 0; }

}  // namespace

TEST_CASE("every op of one number has one slope at a special point", "[autograd][taylor]") {
  const JetTablePtr table = jet_table({{2}});
  for (const OneNumber& f : functions_of_one_number())
    for (const double at : special_numbers) {
      const Tensor x = full({1, 1}, at).set_requires_grad(), one = ones({1, 1});
      const Tensor y = f.of(x), slope = grad(y, x, recorded_zeros);
      const Jet jet = f.of_jet(coordinate_jet(table, x.detach()));
      const TensorFunction g = [&](const auto& in) { return f.of(in[0]); };
      INFO(f.name << " at " << at);
      CHECK(are_same(jet.channel(0).item(), y.item()));
      CHECK(are_same(jet.channel(table->find({1})).item(), slope.item()));
      CHECK(are_same(number_or_0(jvp(g, {x.detach()}, {one}).tangent), slope.item()));

      if (!(std::fabs(at) < 1e150)) continue;  // squares leave the range of numbers
      const double second = slope.requires_grad() ? grad(slope, x, recorded_zeros).item() : 0;
      const Hvp h = hvp([&](const Tensor& t) { return f.of(t); }, x.detach(), one);
      CHECK(are_same(h.product.item(), second));
      if (std::isfinite(slope.item()))  // else the jet multiplies it by x'' = 0
        CHECK(are_same(jet.channel(table->find({2})).item(), second));
    }
}

TEST_CASE("every op of two numbers has one slope by each at a special point",
          "[autograd][taylor]") {
  const JetTablePtr table = jet_table({{1}, {0, 1}});
  for (int id = 0; id < Binary::size; ++id)
    for (const double x : special_numbers)
      for (const double y : special_numbers) {
        const std::vector<Tensor> at = {full({1, 1}, x).set_requires_grad(),
                                        full({1, 1}, y).set_requires_grad()};
        const std::vector<Jet> jets = coordinate_jets(table, at);
        const TensorFunction f = [&](const auto& in) { return apply_binary(id, in[0], in[1]); };
        const Tensor z = f(at);
        const Jet jet = apply_binary(id, jets[0], jets[1]);
        const bool has_jet = suits_jets(id, x, y);
        INFO(binary_name(id) << " at " << x << ", " << y);
        if (has_jet) CHECK(are_same(jet.channel(0).item(), z.item()));
        if (!z.requires_grad()) continue;
        for (const std::size_t by : {0, 1}) {
          const double slope = grad(z, at[by], {.retain_graph = true}).item();
          std::vector<Tensor> along(2);
          along[by] = ones({1, 1});
          MultiIndex channel{};
          channel[by] = 1;
          INFO("by number " << by);
          CHECK(are_same(number_or_0(jvp(f, {at[0].detach(), at[1].detach()}, along).tangent),
                         slope));
          if (has_jet && std::isfinite(slope))
            CHECK(are_same(jet.channel(table->find(channel)).item(), slope));
        }
      }
}
