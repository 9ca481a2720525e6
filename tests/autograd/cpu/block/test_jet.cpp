#include "autograd/cpu/block/jet.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "autograd/core/error.h"
#include "autograd/cpu/eager/kernels.h"
#include "autograd/ops/unary.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cpu;

namespace {

/// Tables of many coordinates: the Laplacian with a first derivative in it, and all second
/// derivatives.
std::vector<std::shared_ptr<const JetTable>> wide_tables() {
  Channel form{{unit_index(14), -0.7}};
  for (int i = 0; i < 14; ++i) form[unit_index(i) + unit_index(i)] = 0.3 + 0.1 * i;
  std::vector<MultiIndex> all;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) all.push_back(unit_index(i) + unit_index(j));
  return {jet_table({}, {form}), jet_table(all)};
}

/// Values; first derivatives; Burgers with single channels and with an operator; the Laplacian; a
/// mixed derivative; orders 3 and 4; many coordinates.
std::vector<std::shared_ptr<const JetTable>> tables() {
  const MultiIndex x{1}, t{0, 1}, xx{2}, tt{0, 2}, xt{1, 1}, xxx{3};
  const auto wide = wide_tables();
  return {wide[0],
          wide[1],
          jet_table({}),
          jet_table({x, t}),
          jet_table({t, xx}),
          jet_table({x}, {{{t, 1}, {xx, -0.3}}}),
          jet_table({}, {{{xx, 0.4}, {tt, 1}}}),
          jet_table({x, xt, xx}),
          jet_table({t, xxx}),
          jet_table({}, {{{MultiIndex{4}, 1}, {MultiIndex{2, 2}, 2}, {MultiIndex{0, 4}, 1}}})};
}

constexpr double p = 2.5;  // the exponent of power

/// A jet in both layouts: [point][channel][feature] and rows with a gap between them.
template <class T> struct Jet {
  std::size_t points, channels, features, stride = points * channels + 1;
  std::vector<T> eager = std::vector<T>(points * channels * features);
  std::vector<T> block = std::vector<T>(stride * features);

  /// f(point, channel, feature, place in eager, place in block)
  template <class F> void each(F&& f) const {
    for (std::size_t q = 0; q < points; ++q)
      for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t j = 0; j < features; ++j)
          f(q, c, (q * channels + c) * features + j, j * stride + c * points + q);
  }
  BlockRows<const T> rows() const { return {block.data(), stride}; }
  BlockRows<T> rows() { return {block.data(), stride}; }
  void randomize(unsigned seed, double from = -1, double to = 1) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> value(from, to), rest(-1, 1);
    each([&](std::size_t, std::size_t c, std::size_t at, std::size_t to) {
      eager[at] = block[to] = T(c == 0 ? value(generator) : rest(generator));
    });
  }
  /// Equal to `units` roundings of the largest channel of a point and feature.
  bool agrees(double units) const {
    bool good = true;
    each([&](std::size_t q, std::size_t, std::size_t at, std::size_t to) {
      double largest = 1;
      for (std::size_t c = 0; c < channels; ++c)
        largest = std::max(largest,
                           std::abs(double(eager[(q * channels + c) * features + at % features])));
      const double difference = std::abs(double(eager[at]) - double(block[to]));
      good = good && difference <= units * std::numeric_limits<T>::epsilon() * largest;
    });
    return good;
  }
};

template <class T>
Jet<T> jet_like(const JetTable& table, std::size_t points, std::size_t features) {
  return {points, std::size_t(table.size()), features};
}

template <class T> std::vector<Vec<T>> scratch_of(const BlockJet<T>& f) {
  return std::vector<Vec<T>>(f.scratch() / Vec<T>::size + 1);
}
template <class T> T* begin(std::vector<Vec<T>>& scratch) {
  return reinterpret_cast<T*>(scratch.data());
}

/// Every op and table, with numbers of vectors that do and do not fill strips.
template <class T, class F> void each_case(F&& f) {
  for (int op = 0; op < Unary::size; ++op)
    for (const auto& table : tables())
      for (const int k : {0, 1})
        visit_unary(op, [&]<class Op>() {
          const std::size_t vectors = op % 2 ? 5 : 2;
          auto h = jet_like<T>(*table, vectors * Vec<T>::size, 3);
          h.randomize(1, Op::from, Op::to);
          INFO(Op::name << ", derivative " << k << ", " << table->size() << " channels of order "
                        << table->order());
          f(op, k, *table, h);
        });
}

}  // namespace

TEMPLATE_TEST_CASE("a block jet and its pullback equal the eager ones for every op and table",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  each_case<T>([](int op, int k, const JetTable& table, const Jet<T>& h) {
    Jet<T> y = h, ybar = h, hbar = h;
    ybar.randomize(2);
    const BlockJet<T> f(op, p, k, table);
    auto scratch = scratch_of(f);

    f.value(h.features, h.points, h.rows(), y.rows(), begin(scratch));
    f.pullback(h.features, h.points, {h.rows()}, std::as_const(ybar).rows(), hbar.rows(),
               begin(scratch));

    jet(op, p, k, table, dtype_of<T>, h.points, h.features, h.eager.data(), y.eager.data());
    jet_pullback(op, p, k, table, dtype_of<T>, h.points, h.features, h.eager.data(),
                 ybar.eager.data(), hbar.eager.data());
    const double cancelled = table.order() > 2 ? 8 : 1;  // terms are larger than their sum
    CHECK(y.agrees(16 * cancelled));
    CHECK(hbar.agrees(32 * cancelled));
  });
}

TEMPLATE_TEST_CASE("a block pullback with a kept slope equals the one without",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  int keeping = 0;
  each_case<T>([&](int op, int k, const JetTable& table, const Jet<T>& h) {
    const BlockJet<T> f(op, p, k, table);
    if (!f.keeps_slope()) return;
    ++keeping;
    Jet<T> y = h, ybar = h, hbar = h;
    auto slope = Jet<T>{h.points, 1, h.features};
    ybar.randomize(2);
    auto scratch = scratch_of(f);

    f.value(h.features, h.points, h.rows(), y.rows(), begin(scratch), slope.rows());
    f.pullback(h.features, h.points,
               {h.rows(), std::as_const(y).rows(), std::as_const(slope).rows()},
               std::as_const(ybar).rows(), hbar.rows(), begin(scratch));

    jet_pullback(op, p, k, table, dtype_of<T>, h.points, h.features, h.eager.data(),
                 ybar.eager.data(), hbar.eager.data());
    CHECK(hbar.agrees(table.order() > 2 ? 256 : 32));
  });
  CHECK(keeping > 0);
}

TEST_CASE("a block pullback may overwrite its argument", "[autograd][cpu][jets]") {
  each_case<double>([](int op, int k, const JetTable& table, const Jet<double>& h) {
    const BlockJet<double> f(op, p, k, table);
    Jet<double> ybar = h, hbar = h, in_place = h;
    ybar.randomize(2);
    in_place.randomize(2);
    auto scratch = scratch_of(f);

    f.pullback(h.features, h.points, {h.rows()}, std::as_const(ybar).rows(), hbar.rows(),
               begin(scratch));
    f.pullback(h.features, h.points, {h.rows()}, std::as_const(in_place).rows(), in_place.rows(),
               begin(scratch));

    CHECK(in_place.block == hbar.block);
  });
}

TEMPLATE_TEST_CASE("what a block jet makes of a point does not depend on how many there are",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  constexpr std::size_t all = 14 * Vec<T>::size;  // vectors go by fours, threes, twos and alone
  const auto table =
      GENERATE(0, 1) == 0 ? jet_table({MultiIndex{0, 1}, MultiIndex{2}}) : wide_tables()[0];
  for (int op = 0; op < Unary::size; ++op) {
    const BlockJet<T> f(op, p, 0, *table);
    auto scratch = scratch_of(f);
    // y, then hbar, of the first points of one feature
    const auto jets_of = [&](std::size_t points) {
      const std::size_t channels = std::size_t(table->size());
      std::vector<T> h(channels * points), y(h.size()), ybar(h.size());
      for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t q = 0; q < points; ++q) {
          h[c * points + q] = T(0.3 + 0.1 * double(c) + 0.5 * double(q) / double(all));
          ybar[c * points + q] = T(1 - 0.2 * double(c));
        }
      f.value(1, points, {h.data(), 0}, {y.data(), 0}, begin(scratch));
      f.pullback(1, points, {{h.data(), 0}}, {ybar.data(), 0}, {ybar.data(), 0}, begin(scratch));
      y.insert(y.end(), ybar.begin(), ybar.end());
      return y;
    };
    const std::vector<T> whole = jets_of(all);
    for (std::size_t points = Vec<T>::size; points < all; points += Vec<T>::size) {
      const std::vector<T> some = jets_of(points);
      bool equal = true;
      for (std::size_t i = 0; i < some.size(); ++i)
        equal = equal && some[i] == whole[i / points * all + i % points];
      INFO("op " << op << ", " << points << " points");
      CHECK(equal);
    }
  }
}

TEMPLATE_TEST_CASE("block products of jets equal the eager ones, also with one feature for all",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  for (const auto& table : tables())
    for (const std::size_t b_features : {1, 3}) {
      auto a = jet_like<T>(*table, 3 * Vec<T>::size, 3), y = a, g = a;
      auto b = jet_like<T>(*table, 3 * Vec<T>::size, b_features);
      a.randomize(1);
      b.randomize(2);
      const BlockRows<const T> bs = {b.block.data(), b_features == 1 ? 0 : b.stride};
      const auto as = std::as_const(a).rows();

      block_jet_mul<T>(*table, 3, a.points, as, bs, y.rows());
      block_jet_mul_transposed<T>(*table, 3, a.points, as, bs, g.rows());

      jet_mul(*table, false, dtype_of<T>, a.points, 3, a.eager.data(), b_features, b.eager.data(),
              y.eager.data());
      jet_mul(*table, true, dtype_of<T>, a.points, 3, a.eager.data(), b_features, b.eager.data(),
              g.eager.data());
      CHECK(y.agrees(8));
      CHECK(g.agrees(8));
    }
}

TEST_CASE("a block jet refuses an order that no series kernel has", "[autograd][cpu][errors]") {
  const auto table = jet_table({MultiIndex{7}});
  CHECK_THROWS_AS(BlockJet<double>(unary_id<op::Tanh>, 0, 0, *table), EngineError);
}

TEST_CASE("the highest derivative that there is has a value where nothing is pulled back",
          "[autograd][cpu][jets]") {
  const auto table = jet_table({MultiIndex{}});
  const int k = max_derivative;
  std::vector<double> x(2 * Vec<double>::size), y(x.size()), expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + 0.01 * double(i);
  for (const int op : {unary_id<op::Tanh>, unary_id<op::Sin>, unary_id<op::Exp>}) {
    const BlockJet<double> f(op, 0, k, *table, false);
    auto scratch = scratch_of(f);
    f.value(1, x.size(), {x.data(), x.size()}, {y.data(), y.size()}, begin(scratch));
    jet(op, 0, k, *table, DType::float64, x.size(), 1, x.data(), expected.data());
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == Approx(expected[i]).epsilon(1e-9));
    CHECK_THROWS_WITH(BlockJet<double>(op, 0, k, *table), Catch::Contains("jets have 7"));
  }
}
