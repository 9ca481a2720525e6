#include "autograd/cpu/eager/kernels.h"

#include <cmath>
#include <random>
#include <vector>

#include "autograd/core/error.h"
#include "tests/autograd/cpu/eager/naive_jet.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::cpu;
using pinn::test::larger;
using test::composed;
using test::multiplied;
using test::Numbers;

namespace {

/// Tables of orders 1 to 4, with and without operator channels.
std::vector<std::shared_ptr<const JetTable>> tables() {
  const MultiIndex x{1}, t{0, 1}, xx{2}, xxxx{4}, xxyy{2, 2}, yyyy{0, 4};
  return {jet_table({}),
          jet_table({x, t}),
          jet_table({t, xx}),
          jet_table({x}, {{{t, 1}, {xx, -0.3}}}),
          jet_table({x, t}, {{{xx, 0.4}, {MultiIndex{0, 2}, 1}}}),
          jet_table({MultiIndex{2, 1}}),
          jet_table({}, {{{xxxx, 1}, {xxyy, 2}, {yyyy, 1}}})};
}

/// Values in an op's interval, derivatives of size one.
struct Sample {
  std::shared_ptr<const JetTable> table;
  std::size_t points, features;
  Numbers make(unsigned seed, double from = -1, double to = 1) const {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> value(from, to), rest(-1, 1);
    Numbers h(points * table->size() * features);
    for (std::size_t i = 0; i < h.size(); ++i)
      h[i] = i / features % table->size() == 0 ? value(generator) : rest(generator);
    return h;
  }
  template <class F> void for_each_element(F f) const {
    for (std::size_t q = 0; q < points; ++q)
      for (std::size_t j = 0; j < features; ++j) f(q * table->size() * features + j);
  }
};

/// One element's jet out of an array.
Numbers element(const Sample& s, const Numbers& h, std::size_t at) {
  Numbers one;
  for (int c = 0; c < s.table->size(); ++c) one.push_back(h[at + c * s.features]);
  return one;
}

double largest(const Numbers& a) {
  double m = 1;
  for (const double v : a) m = larger(m, std::abs(v));
  return m;
}

Numbers apply_jet(int op, double parameter, int k, const Sample& s, const Numbers& h) {
  Numbers y(h.size());
  jet(op, parameter, k, *s.table, DType::float64, s.points, s.features, h.data(), y.data());
  return y;
}

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

const double p = 2.5;

}  // namespace

TEMPLATE_LIST_TEST_CASE("a function of a jet is its Taylor series in n", "[cpu][jets]", Unary) {
  using Op = TestType;
  for (const auto& table : tables())
    for (const int k : {0, 1, 2}) {
      const Sample s{table, 5, 7};
      const Numbers h = s.make(1, Op::from, Op::to);

      const Numbers y = apply_jet(unary_id<Op>, p, k, s, h);

      s.for_each_element([&](std::size_t at) {
        const Numbers exact = composed<Op>(*table, k, element(s, h, at), p);
        const Numbers got = element(s, y, at);
        for (std::size_t c = 0; c < exact.size(); ++c) {
          INFO(Op::name << ", derivative " << k << ", channel " << c << " of " << exact.size());
          CHECK(std::abs(got[c] - exact[c]) <= 1e-13 * largest(exact));
        }
      });
    }
}

TEST_CASE("jets have any number of points and features", "[cpu][jets]") {
  for (const std::size_t points : {0, 1, 3, 40})
    for (const std::size_t features : {1, 2, 8, 16, 20, 33}) {
      const Sample s{tables()[3], points, features};
      const Numbers h = s.make(2);

      const Numbers y = apply_jet(unary_id<op::Tanh>, 0, 0, s, h);

      s.for_each_element([&](std::size_t at) {
        const Numbers exact = composed<op::Tanh>(*s.table, 0, element(s, h, at), 0);
        const Numbers got = element(s, y, at);
        for (std::size_t c = 0; c < exact.size(); ++c)
          CHECK(got[c] == Approx(exact[c]).margin(1e-14));
      });
    }
}

TEST_CASE("a jet in float32 agrees with the one in float64", "[cpu][jets]") {
  for (const auto& table : tables()) {
    const Sample s{table, 5, 20};
    const Numbers h = s.make(3), y = apply_jet(unary_id<op::Tanh>, 0, 0, s, h);
    const std::vector<float> single(h.begin(), h.end());
    std::vector<float> result(h.size());

    jet(unary_id<op::Tanh>, 0, 0, *table, DType::float32, 5, 20, single.data(), result.data());

    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK(std::abs(result[i] - y[i]) <= 1e-5 * std::max(1.0, std::abs(y[i])));
  }
}

TEMPLATE_LIST_TEST_CASE("the pullback is the transpose of the derivative", "[cpu][jets]", Unary) {
  using Op = TestType;
  for (const auto& table : tables())
    for (const int k : {0, 1}) {
      const Sample s{table, 4, 5};
      const double room = 0.05 * (Op::to - Op::from);
      const Numbers h = s.make(1, Op::from + room, Op::to - room), ybar = s.make(2), dh = s.make(3);
      Numbers hbar(h.size()), dy(h.size());
      const auto moved = [&](double step) {
        Numbers there = h;
        for (std::size_t i = 0; i < h.size(); ++i) there[i] += step * dh[i];
        return apply_jet(unary_id<Op>, p, k, s, there);
      };

      jet_pullback(unary_id<Op>, p, k, *table, DType::float64, 4, 5, h.data(), ybar.data(),
                   hbar.data());
      const double e = 1e-4;
      const Numbers up = moved(e), down = moved(-e), up2 = moved(2 * e), down2 = moved(-2 * e);
      for (std::size_t i = 0; i < h.size(); ++i)
        dy[i] = (8 * (up[i] - down[i]) - (up2[i] - down2[i])) / (12 * e);

      INFO(Op::name << ", derivative " << k << ", channels " << table->size());
      CHECK(std::abs(dot(hbar, dh) - dot(ybar, dy)) <= 1e-8 * largest(dy) * h.size());
    }
}

TEST_CASE("the pullback is the transposed product with the jet of the slope", "[cpu][jets]") {
  for (const auto& table : tables()) {
    const Sample s{table, 5, 9};
    const Numbers h = s.make(1), ybar = s.make(2);
    Numbers fused(h.size()), apart(h.size());

    jet_pullback(unary_id<op::Tanh>, 0, 0, *table, DType::float64, 5, 9, h.data(), ybar.data(),
                 fused.data());
    const Numbers slope = apply_jet(unary_id<op::Tanh>, 0, 1, s, h);
    jet_mul(*table, true, DType::float64, 5, 9, ybar.data(), 9, slope.data(), apart.data());

    CHECK(fused == apart);
  }
}

TEST_CASE("f' as a derivative and f' as an op are the same jet", "[cpu][jets]") {
  for (const auto& table : tables()) {
    const Sample s{table, 5, 9};
    const Numbers h = s.make(1);

    const Numbers a = apply_jet(unary_id<op::Sin>, 0, 1, s, h);
    const Numbers b = apply_jet(unary_id<op::Cos>, 0, 0, s, h);

    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).margin(1e-13));
  }
}

TEST_CASE("a product of jets is the table's, also with one feature for all", "[cpu][jets]") {
  for (const auto& table : tables())
    for (const auto& [fa, fb] : {std::pair(5, 5), std::pair(1, 5), std::pair(5, 1), std::pair(1, 1),
                                 std::pair(16, 1), std::pair(1, 40)}) {
      const std::size_t features = std::max(fa, fb);
      const Sample s{table, 6, features}, as{table, 6, std::size_t(fa)},
          bs{table, 6, std::size_t(fb)};
      const Numbers a = as.make(1), b = bs.make(2), g = s.make(3);
      Numbers y(g.size()), abar(g.size());

      jet_mul(*table, false, DType::float64, 6, fa, a.data(), fb, b.data(), y.data());
      jet_mul(*table, true, DType::float64, 6, features, g.data(), fb, b.data(), abar.data());

      double transposed = 0;
      for (std::size_t q = 0; q < 6; ++q)
        for (std::size_t j = 0; j < features; ++j) {
          const auto own = [&](const Sample& o) {
            return q * table->size() * o.features + (o.features == 1 ? 0 : j);
          };
          const Numbers ea = element(as, a, own(as)),
                        exact = multiplied(*table, ea, element(bs, b, own(bs)));
          const Numbers got = element(s, y, own(s));
          for (std::size_t c = 0; c < exact.size(); ++c)
            CHECK(got[c] == Approx(exact[c]).margin(1e-14));
          transposed += dot(ea, element(s, abar, own(s)));
        }
      CHECK(transposed == Approx(dot(g, y)).margin(1e-11));
    }
}

TEST_CASE("a jet's result does not depend on where it stands", "[cpu][jets]") {
  const std::size_t features = GENERATE(5, 21);  // less and more than a vector
  const Sample s{tables()[2], 13, features};
  const Numbers h = s.make(1), y = apply_jet(unary_id<op::Silu>, 0, 0, s, h);
  const std::size_t point = s.table->size() * s.features;

  for (std::size_t q = 0; q < s.points; ++q) {
    Numbers alone(point);
    jet(unary_id<op::Silu>, 0, 0, *s.table, DType::float64, 1, s.features, &h[q * point],
        alone.data());
    for (std::size_t i = 0; i < point; ++i) CHECK(alone[i] == y[q * point + i]);
  }
  s.for_each_element([&](std::size_t at) {
    const Sample single{s.table, 1, 1};
    CHECK(apply_jet(unary_id<op::Silu>, 0, 0, single, element(s, h, at)) == element(s, y, at));
  });
}

TEST_CASE("an operator channel of f(h) is the combination of single ones", "[cpu][jets]") {
  const Channel form = {{MultiIndex{0, 1}, 1}, {MultiIndex{2}, -0.3}};
  const auto apart = jet_table({MultiIndex{0, 1}, MultiIndex{2}}), table = jet_table({}, {form});
  const Sample s{apart, 1, 1};
  const Numbers h = s.make(1);
  const auto collapse = [&](const Numbers& full) {
    Numbers y = {full[0], full[apart->find({1})], 0};
    for (const auto& r : apart->read(form)) y[2] += r.weight * full[r.channel];
    return y;
  };

  const Numbers whole = apply_jet(unary_id<op::Tanh>, 0, 0, {table, 1, 1}, collapse(h));

  const Numbers exact = collapse(apply_jet(unary_id<op::Tanh>, 0, 0, s, h));
  for (int c = 0; c < 3; ++c) CHECK(whole[c] == Approx(exact[c]));
}

TEST_CASE("relu passes or stops a whole jet, whatever it holds", "[cpu][jets]") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto table = jet_table({MultiIndex{2}});
  const Numbers h = {2, inf, -3};
  const Numbers y = apply_jet(unary_id<op::Relu>, 0, 0, {table, 1, 1}, h);

  CHECK(y == h);  // no inf^2 times a second derivative of 0
}

TEST_CASE("what jets cannot do is refused with its reason", "[cpu][jets][errors]") {
  const auto table = jet_table({MultiIndex{4}});
  double h[5] = {}, y[5] = {};
  int whole[5] = {};

  CHECK_THROWS_WITH(jet(unary_id<op::Tanh>, 0, 4, *table, DType::float64, 1, 1, h, y),
                    Catch::Contains("derivative 8 of tanh is asked for; jets have 7"));
  CHECK_THROWS_WITH(jet(unary_id<op::Tanh>, 0, 0, *table, DType::int32, 1, 1, whole, whole),
                    Catch::Contains("a jet of int32 numbers"));
  CHECK_THROWS_WITH(jet_mul(*table, false, DType::float64, 1, 2, h, 3, h, y),
                    Catch::Contains("jets of 2 and 3 features"));
}
