#include "tests/autograd/taylor/helpers.h"
#include "tests/golden/golden.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A derivative of an output at a point, to 30 digits.
struct Partial {
  std::size_t point;
  int output;
  MultiIndex index;
  double value;
};

/// A parameter and the gradients of both losses by it; o counts outputs of layer l, i its inputs.
struct Parameter {
  bool is_weight;
  std::size_t layer;
  int o, i;
  double value, residual, biharmonic;
};

/// The network of tests/golden/mlp.txt and what 60-digit arithmetic says of it.
struct Golden {
  std::vector<std::pair<double, double>> points;
  std::vector<Partial> partials;
  std::vector<Parameter> parameters;
  std::map<std::string, double> losses;

  Golden() {
    for (const auto& line : golden_lines("mlp.txt")) {
      const auto number = [&](std::size_t k) { return std::stod(line[k]); };
      const auto whole = [&](std::size_t k) { return std::stoi(line[k]); };
      if (line[0] == "partial") {
        const std::pair at(number(1), number(2));
        if (points.empty() || points.back() != at) points.push_back(at);
        partials.push_back({points.size() - 1,
                            whole(3),
                            {std::uint8_t(whole(4)), std::uint8_t(whole(5))},
                            number(6)});
      } else if (line[0] == "loss") {
        losses[line[1]] = number(2);
      } else {
        parameters.push_back({line[0] == "weight", std::size_t(whole(1)), whole(2), whole(3),
                              number(4), number(5), number(6)});
      }
    }
  }
};

const std::vector<std::int64_t> widths{2, 6, 6, 3};

struct GoldenNetwork {
  std::vector<Tensor> w, b;  // w [in, out]

  GoldenNetwork(const Golden& golden, DType dtype) {
    for (std::size_t l = 0; l < 3; ++l) {
      Tensor weights = zeros({widths[l], widths[l + 1]}), biases = zeros({widths[l + 1]});
      for (const Parameter& p : golden.parameters) {
        if (p.layer != l) continue;
        (p.is_weight ? weights : biases)
            .data<double>()[std::size_t(p.is_weight ? p.i * widths[l + 1] + p.o : p.o)] = p.value;
      }
      w.push_back(cast(weights, dtype).set_requires_grad());
      b.push_back(cast(biases, dtype).set_requires_grad());
    }
  }
  Tensor operator()(Tensor h) const {
    for (std::size_t l = 0; l < 3; ++l) {
      h = matmul(h, w[l]) + b[l];
      if (l < 2) h = tanh(h);
    }
    return h;
  }
  Jet operator()(Jet h) const {
    for (std::size_t l = 0; l < 3; ++l) {
      h.data = linear(h.data, w[l], b[l]);
      if (l < 2) h = call<op::Tanh>(h);
    }
    return h;
  }
  std::vector<Tensor> parameters() const { return {w[0], w[1], w[2], b[0], b[1], b[2]}; }
};

/// Any derivative of any output, [points, 1], by either way.
using Derivative = std::function<Tensor(int output, const MultiIndex&)>;

std::vector<Tensor> golden_columns(const Golden& golden, DType dtype) {
  Tensor x = zeros({std::int64_t(golden.points.size()), 1}), y = zeros(x.shape());
  for (std::size_t p = 0; p < golden.points.size(); ++p) {
    x.data<double>()[p] = golden.points[p].first;
    y.data<double>()[p] = golden.points[p].second;
  }
  return {cast(x, dtype).set_requires_grad(), cast(y, dtype).set_requires_grad()};
}

Derivative by_taylor(const GoldenNetwork& net, const std::vector<Tensor>& xy) {
  const JetTablePtr table = jet_table(all_indices(4));
  const Jet u = net(coordinate_jet(table, concat(xy, 1).detach()));
  return [=](int o, const MultiIndex& a) { return features(u, o, o + 1).channel(table->find(a)); };
}

Derivative by_reverse(const GoldenNetwork& net, const std::vector<Tensor>& xy) {
  const Tensor u = net(concat(xy, 1));
  return [=](int o, const MultiIndex& a) { return partial(slice(u, 1, o, o + 1), xy, a); };
}

Tensor residual_loss(const Derivative& d) {
  return mean(square(d(0, {2}) + d(0, {0, 2}) + d(0, {}) * d(1, {1}) - d(2, {})));
}
Tensor biharmonic_loss(const Derivative& d) {
  return mean(square(d(0, {4}) + 2.0 * d(0, {2, 2}) + d(0, {0, 4})));
}

/// |found - expected| <= tolerance |expected|, over all partials of one order.
void check_partials(const Golden& golden, const Derivative& d, double tolerance) {
  for (int total = 0; total <= 4; ++total) {
    double worst = 0, size = 0;
    for (const Partial& p : golden.partials) {
      if (order(p.index) != total) continue;
      worst = larger(worst, std::fabs(d(p.output, p.index).values()[p.point] - p.value));
      size = larger(size, std::fabs(p.value));
    }
    INFO("order " << total);
    CHECK(size > 0);
    CHECK(worst <= tolerance * size);
  }
}

/// All 81 gradients of a loss, norm-wise.
void check_gradients(const Golden& golden, const GoldenNetwork& net, const Tensor& loss,
                     double Parameter::*expected, double tolerance) {
  const std::vector<Tensor> g =
      grad({loss}, net.parameters(), {}, {.retain_graph = true, .materialize = true});
  REQUIRE(golden.parameters.size() == 81);
  double worst = 0, size = 0;
  for (const Parameter& p : golden.parameters) {
    const Tensor& block = g[p.is_weight ? p.layer : 3 + p.layer];
    const auto at = std::size_t(p.is_weight ? p.i * widths[p.layer + 1] + p.o : p.o);
    worst = larger(worst, std::fabs(block.values()[at] - p.*expected));
    size = larger(size, std::fabs(p.*expected));
  }
  CHECK(worst <= tolerance * size);
}

}  // namespace

TEST_CASE("FWD-03 all derivatives of the golden network to order 4, both ways",
          "[autograd][taylor]") {
  const Golden golden;
  const GoldenNetwork net(golden, DType::float64);
  const auto xy = golden_columns(golden, DType::float64);
  REQUIRE(golden.partials.size() == 4 * 3 * 15);

  check_partials(golden, by_taylor(net, xy), 1e-11);
  check_partials(golden, by_reverse(net, xy), 1e-11);
}

TEST_CASE("FWD-04 both losses of the golden network and their 81 gradients, both ways",
          "[autograd][taylor]") {
  const Golden golden;
  const GoldenNetwork net(golden, DType::float64);
  const auto xy = golden_columns(golden, DType::float64);
  const bool taylor = GENERATE(true, false);
  const Derivative d = taylor ? by_taylor(net, xy) : by_reverse(net, xy);

  const Tensor residual = residual_loss(d), biharmonic = biharmonic_loss(d);

  CHECK(residual.item() == Approx(golden.losses.at("residual")).epsilon(1e-10));
  CHECK(biharmonic.item() == Approx(golden.losses.at("biharmonic")).epsilon(1e-10));
  check_gradients(golden, net, residual, &Parameter::residual, 1e-10);
  check_gradients(golden, net, biharmonic, &Parameter::biharmonic, 1e-10);
}

TEST_CASE("in float32 the golden network keeps five digits", "[autograd][taylor]") {
  const Golden golden;
  const GoldenNetwork net(golden, DType::float32);
  const auto xy = golden_columns(golden, DType::float32);
  const bool taylor = GENERATE(true, false);
  const Derivative d = taylor ? by_taylor(net, xy) : by_reverse(net, xy);

  check_partials(golden, d, 2e-5);
  check_gradients(golden, net, residual_loss(d), &Parameter::residual, 2e-5);
  check_gradients(golden, net, biharmonic_loss(d), &Parameter::biharmonic, 2e-5);
}
