#include "autograd/ops/jet_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;

namespace {

using Jet = std::vector<double>;
using pinn::test::larger;

struct Equation {
  std::string name;
  std::vector<MultiIndex> singles;
  std::vector<Channel> operators;
  int channels, apart;  ///< with operator channels, and with single derivatives only
};

const MultiIndex x{1}, y{0, 1}, t{0, 1}, xx{2}, xxx{3}, xxxx{4}, tt{0, 2};

Channel laplacian(int coordinates) {
  Channel form;
  for (int i = 0; i < coordinates; ++i) form[unit_index(i) + unit_index(i)] = 1;
  return form;
}

/// Ten equations, one of them twice, and the channels they need; counts by hand.
std::vector<Equation> equations() {
  const double nu = 0.00318;
  const MultiIndex T{0, 0, 1}, X{2, 0, 0}, Y{0, 2, 0};  // in the plane with time
  return {
      {"Burgers", {x}, {{{t, 1}, {xx, -nu}}}, 3, 4},
      {"heat", {}, {{{t, 1}, {xx, -0.25}}}, 3, 4},
      {"wave", {}, {{{tt, 1}, {xx, -4}}}, 4, 5},
      {"Navier-Stokes", {x, y}, {{{T, 1}, {X, -nu}, {Y, -nu}}}, 4, 6},
      {"Korteweg-de Vries", {x}, {{{t, 1}, {xxx, 0.000484}}}, 4, 5},
      {"Kuramoto-Sivashinsky", {x}, {{{t, 1}, {xx, 0.39}, {xxxx, 0.0015}}}, 5, 6},
      {"beam", {}, {{{tt, 1}, {xxxx, 1}}}, 6, 7},
      {"biharmonic", {}, {{{xxxx, 1}, {MultiIndex{2, 2}, 2}, {MultiIndex{0, 4}, 1}}}, 11, 13},
      {"Poisson 5-D", {}, {laplacian(5)}, 7, 11},
      {"Poisson 100-D", {}, {laplacian(100)}, 102, 201},
      {"Gray-Scott", {}, {{{T, 1}, {X, -0.2}, {Y, -0.2}}, {{T, 1}, {X, -0.1}, {Y, -0.1}}}, 5, 6}};
}

/// The same derivatives, each in a channel of its own.
std::shared_ptr<const JetTable> table_apart(const Equation& e) {
  std::vector<MultiIndex> singles = e.singles;
  for (const auto& form : e.operators)
    for (const auto& [a, c] : form) singles.push_back(a);
  return jet_table(singles);
}

Jet random_jet(const JetTable& table, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Jet a(std::size_t(table.size()));
  for (double& c : a) c = normal(generator);
  return a;
}

Jet multiply(const JetTable& table, const Jet& a, const Jet& b) {
  Jet y(a.size());
  for (const auto& p : table.terms()) y[p.k] += p.weight * a[p.i] * b[p.j];
  return y;
}

/// A jet of single derivatives as seen through other channels.
Jet collapse(const JetTable& from, const JetTable& to, const Jet& a) {
  Jet b;
  for (const auto& channel : to.channels()) {
    double sum = 0;
    for (const auto& r : from.read(channel)) sum += r.weight * a[r.channel];
    b.push_back(sum);
  }
  return b;
}

double distance(const Jet& a, const Jet& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = larger(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_CASE("operator channels save what they should in ten equations", "[ops][jets]") {
  for (const auto& e : equations()) {
    INFO(e.name);
    CHECK(jet_table(e.singles, e.operators)->size() == e.channels);
    CHECK(table_apart(e)->size() == e.apart);
  }
}

TEST_CASE("the product of jets is associative and commutative and has a one", "[ops][jets]") {
  for (const auto& e : equations()) {
    const auto table = jet_table(e.singles, e.operators);
    const Jet a = random_jet(*table, 1), b = random_jet(*table, 2), c = random_jet(*table, 3);
    Jet one(a.size());
    one[0] = 1;

    INFO(e.name);
    CHECK(distance(multiply(*table, multiply(*table, a, b), c),
                   multiply(*table, a, multiply(*table, b, c))) < 1e-12);
    CHECK(distance(multiply(*table, a, b), multiply(*table, b, a)) < 1e-14);
    CHECK(distance(multiply(*table, a, one), a) == 0);
  }
}

TEST_CASE("an operator of a product is the combination of the single derivatives", "[ops][jets]") {
  for (const auto& e : equations()) {
    const auto table = jet_table(e.singles, e.operators), apart = table_apart(e);
    const Jet a = random_jet(*apart, 1), b = random_jet(*apart, 2);

    const Jet whole = multiply(*table, collapse(*apart, *table, a), collapse(*apart, *table, b));

    INFO(e.name);
    CHECK(distance(whole, collapse(*apart, *table, multiply(*apart, a, b))) < 1e-12);
  }
}

// Products: 1 of the value, 2 of each first derivative, 2 of the Laplacian and a square for each
// coordinate.
TEST_CASE("the Laplacian of d coordinates takes d + 2 channels and 3 d + 3 products",
          "[ops][jets]") {
  for (int d = 2; d <= max_coordinates; ++d) {
    const auto table = jet_table({}, {laplacian(d)});
    CHECK(table->size() == d + 2);
    CHECK(table->terms().size() == std::size_t(3 * d + 3));
    CHECK(table->power(2).terms.size() == std::size_t(d));
  }
}

// (D_ij stands for d_i d_j.) The rule written out over all pairs of all indices, none left out.
TEST_CASE("the sparse table of all second derivatives is Leibniz' rule over all pairs",
          "[ops][jets]") {
  constexpr int d = 12;
  std::vector<MultiIndex> all;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j <= i; ++j) all.push_back(unit_index(i) + unit_index(j));
  const auto table = jet_table(all);
  std::map<std::array<int, 3>, double> sparse, dense;
  for (const auto& p : table->terms()) sparse[{p.i, p.j, p.k}] += p.weight;
  const auto index = [&](int c) { return table->channels()[std::size_t(c)].begin()->first; };
  for (int i = 0; i < table->size(); ++i)
    for (int j = 0; j < table->size(); ++j) {
      const MultiIndex a = index(i), b = index(j);
      const int k = table->find(a + b);
      const bool same = order(a) == 1 && a == b;  // d_i^2 (u v) has d_i u d_i v twice
      if (k >= 0) dense[{i, j, k}] = same ? 2 : 1;
    }
  CHECK(sparse == dense);
}

TEST_CASE("Leibniz' rule: (uv)_xx = u v_xx + 2 u_x v_x + u_xx v", "[ops][jets]") {
  const auto table = jet_table({xx});

  const Jet y = multiply(*table, {2, 3, 5}, {7, 11, 13});

  CHECK(y == Jet{2 * 7, 2 * 11 + 3 * 7, 2 * 13 + 2 * 3 * 11 + 5 * 7});
}

TEST_CASE("the transposed products are the products, sorted by what they go to", "[ops][jets]") {
  for (const auto& e : equations()) {
    const auto table = jet_table(e.singles, e.operators);
    const Jet g = random_jet(*table, 1), a = random_jet(*table, 2), b = random_jet(*table, 3);
    Jet transposed(g.size());
    for (const auto& p : table->transposed()) transposed[p.k] += p.weight * g[p.i] * b[p.j];
    const Jet ab = multiply(*table, a, b);
    const auto dot = [](const Jet& u, const Jet& v) {
      return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
    };

    INFO(e.name);
    CHECK(dot(g, ab) == Approx(dot(a, transposed)));
    CHECK(std::is_sorted(table->transposed().begin(), table->transposed().end(),
                         [](const auto& p, const auto& q) { return p.k < q.k; }));
  }
}

TEST_CASE("the powers of a nilpotent jet end after the order of the table", "[ops][jets]") {
  for (const auto& e : equations()) {
    const auto table = jet_table(e.singles, e.operators);
    Jet n = random_jet(*table, 4);
    n[0] = 0;
    Jet by_products = n, by_powers = n;
    for (int m = 2; m <= table->order(); ++m) {
      by_products = multiply(*table, by_products, n);
      Jet next(n.size());
      for (const auto& p : table->power(m).terms) next[p.k] += p.weight * by_powers[p.i] * n[p.j];
      by_powers = next;

      INFO(e.name << ", power " << m);
      CHECK(distance(by_products, by_powers) < 1e-12);
      for (int k = 0; k < table->size(); ++k) {
        const auto& filled = table->power(m).channels;
        if (std::find(filled.begin(), filled.end(), k) == filled.end()) CHECK(by_products[k] == 0);
      }
    }
    CHECK(distance(multiply(*table, by_products, n), Jet(n.size())) == 0);
  }
}

TEST_CASE("a derivative is found by its index, an operator by its parts", "[ops][jets]") {
  const Channel heat = {{t, 1}, {xx, -0.25}};
  const auto table = jet_table({}, {heat});

  CHECK(table->find({}) == 0);
  CHECK(table->find(x) == 1);
  CHECK(table->find(t) == -1);
  const auto reads = table->read({{x, 3}, {t, 1}, {xx, -0.25}});
  REQUIRE(reads.size() == 2);
  CHECK(reads[0].channel == 1);
  CHECK(reads[0].weight == 3);
  CHECK(reads[1].channel == 2);
  CHECK(reads[1].weight == 1);
}

TEST_CASE("an operator's part that is needed alone stays a channel", "[ops][jets]") {
  const auto table = jet_table({t}, {{{t, 1}, {xx, -0.25}}});

  CHECK(table->find(t) >= 0);
  CHECK(table->find(xx) >= 0);  // what is left of the operator is one derivative
  CHECK(table->size() == 4);
}

TEST_CASE("channels stand in the order of reading: value, x, t, xx", "[ops][jets]") {
  CHECK(channels({xx, t}, {}) ==
        std::vector<Channel>{single({}), single(x), single(t), single(xx)});
}

TEST_CASE("no derivative at all is a jet of the value alone", "[ops][jets]") {
  const auto table = jet_table({});
  CHECK(table->size() == 1);
  CHECK(table->order() == 0);
  CHECK(table->terms().size() == 1);
}

TEST_CASE("tables are equal when their channels are", "[ops][jets]") {
  const auto a = jet_table({x}, {{{t, 1}, {xx, -0.25}}}),
             b = jet_table({}, {{{xx, -0.25}, {t, 1}}});
  const auto c = jet_table({}, {{{xx, -0.5}, {t, 1}}});

  CHECK(*a == *b);
  CHECK(a->hash() == b->hash());
  CHECK_FALSE(*a == *c);
  CHECK(a->hash() != c->hash());
}

TEST_CASE("channels that make no algebra are refused", "[ops][jets][errors]") {
  const auto refused = [](std::vector<Channel> channels, const std::string& why) {
    try {
      JetTable table(channels);
    } catch (const EngineError& e) {
      CHECK(e.report.what == why);
      return true;
    }
    return false;
  };
  CHECK(refused({}, "the first channel is not the value"));
  CHECK(refused({single(x)}, "the first channel is not the value"));
  CHECK(refused({single({}), single(xx)}, "a derivative below another one has no channel"));
  CHECK(refused({single({}), single(x), single(x)}, "a derivative has two channels"));
  CHECK(refused({single({}), single(x), single(xx), {{xx, 2}, {xxx, 1}}},
                "an operator channel holds a derivative that lies below another one"));
}

TEST_CASE("what the channels do not hold cannot be read", "[ops][jets][errors]") {
  CHECK_THROWS_AS(jet_table({x})->read(single(xx)), EngineError);
}
