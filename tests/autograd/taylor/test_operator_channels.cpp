#include "tests/autograd/taylor/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

struct Equation {
  const char* name;
  std::vector<MultiIndex> singles;
  std::vector<Channel> operators;
  int channels;
};

const MultiIndex yy{0, 2}, xy{1, 1}, xxx{3}, xxxx{4}, xxyy{2, 2}, yyyy{0, 4};
const std::vector<Equation> equations = {
    {"heat", {}, {{{y, 1}, {xx, -0.25}}}, 3},
    {"Burgers", {x}, {{{y, 1}, {xx, -0.01}}}, 3},
    {"wave", {}, {{{yy, 1}, {xx, -4}}}, 4},
    {"Laplacian", {}, {{{xx, 1}, {yy, 1}}}, 4},
    {"Korteweg-de Vries", {x}, {{{y, 1}, {xxx, 0.5}}}, 4},
    {"beam", {}, {{{yy, 1}, {xxxx, 1}}}, 6},
    {"biharmonic", {}, {{{xxxx, 1}, {xxyy, 2}, {yyyy, 1}}}, 11},
    {"two operators", {}, {{{xx, 1}, {yy, 2}}, {{xy, 3}, {yy, -1}}}, 5}};

template <class T> T function(const T& u, const T& v) {
  return call<op::Tanh>(0.7 * u - v + u * v) * call<op::Sin>(0.5 + v) +
         call<op::Silu>(u * u - 0.3 * v) / (2.0 + call<op::Square>(v));
}

/// sum of weight times channel, as the table says.
Tensor read(const Jet& jet, const Channel& form) {
  Tensor sum;
  for (const Read& r : jet.table->read(form)) {
    const Tensor part = r.weight * jet.channel(r.channel);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

}  // namespace

TEST_CASE("operator channels equal combinations of single channels", "[autograd][taylor]") {
  const Equation& e = equations[std::size_t(GENERATE(range(0, int(equations.size()))))];
  INFO(e.name);
  const JetTablePtr together = jet_table(e.singles, e.operators), apart = jet_table(all_indices(4));
  const std::vector<Tensor> at = columns(points, 1);
  const auto a = coordinate_jets(together, at), b = coordinate_jets(apart, at);

  const Jet short_jet = function(a[0], a[1]), long_jet = function(b[0], b[1]);

  CHECK(together->size() == e.channels);
  for (const Channel& form : e.operators) {
    const Tensor expected = read(long_jet, form);
    CHECK(distance(read(short_jet, form), expected) <= 1e-13 * (1 + largest(expected)));
  }
  for (const MultiIndex& i : e.singles)
    CHECK(distance(read(short_jet, single(i)), read(long_jet, single(i))) <= 1e-13);
}

TEST_CASE("gradients through operator channels equal those through single channels",
          "[autograd][taylor]") {
  const Equation& e = equations[std::size_t(GENERATE(range(0, int(equations.size()))))];
  INFO(e.name);
  const Tensor p = full({1, 1}, 1.3).set_requires_grad();
  const std::vector<Tensor> at = columns(points, 1);
  const auto slope = [&](const JetTablePtr& table) {
    const auto jets = coordinate_jets(table, at);
    const Jet u = function(parameter_jet(table, p, points) * jets[0], jets[1]);
    Tensor loss = sum(square(u.channel(0)));
    for (const Channel& form : e.operators) loss = loss + sum(square(read(u, form)));
    return grad(loss, p).item();
  };

  const double expected = slope(jet_table(all_indices(4)));
  CHECK(slope(jet_table(e.singles, e.operators)) == Approx(expected).epsilon(1e-12));
}

TEST_CASE("a coordinate has unit first derivatives, in operator channels their coefficient",
          "[autograd][taylor]") {
  const JetTablePtr table = jet_table({x}, {{{y, 2.5}, {xx, -1}}});
  const Tensor at = normal({3, 2}, 1);

  const Jet c = coordinate_jet(table, at);

  CHECK(c.data.shape() == Shape{3, table->size(), 2});
  CHECK(distance(c.channel(0), at) == 0);
  CHECK(c.channel(table->find(x)).values() == std::vector<double>{1, 0, 1, 0, 1, 0});
  CHECK(read(c, {{y, 2.5}, {xx, -1}}).values() == std::vector<double>{0, 2.5, 0, 2.5, 0, 2.5});
}
