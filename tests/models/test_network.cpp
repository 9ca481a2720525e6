#include "autograd/core/error.h"
#include "models/kinds.h"
#include "models/parts/layers.h"
#include "tests/models/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

NetworkOptions options(std::vector<int> layers, std::vector<std::string> activation) {
  NetworkOptions o;
  o.layers = std::move(layers);
  o.activation = std::move(activation);
  return o;
}

const std::vector<InputRange> two_inputs{{"x", -2, 3}, {"t", 0, 1}};

}  // namespace

TEST_CASE("API-02 parameters stand layer by layer, weights [in, out] before biases", "[models]") {
  const auto network = make_network(options({5, 4}, {"tanh"}), two_inputs, 3);
  const std::vector<ParameterBlock>& b = network->blocks();

  REQUIRE(b.size() == 6);
  const std::vector<std::string> names{"W0", "b0", "W1", "b1", "W2", "b2"};
  const std::vector<Shape> shapes{{2, 5}, {5}, {5, 4}, {4}, {4, 3}, {3}};
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(b[k].name == names[k]);
    CHECK(b[k].shape == shapes[k]);
    CHECK(b[k].offset == offset);
    offset += b[k].shape.numel();
  }
  CHECK(network->parameter_count() == offset);
  CHECK(network->outputs() == 3);
}

TEST_CASE("API-02 blocks are views of the flat vector", "[models]") {
  const auto network = make_network(options({3}, {"tanh"}), two_inputs, 1);
  const Tensor flat = normal({network->parameter_count()}, 1);

  const std::vector<Tensor> blocks = block_tensors(flat, network->blocks());

  CHECK(blocks[1].storage_id() == flat.storage_id());
  CHECK(blocks[1].values()[2] == flat.values()[8]);
  CHECK(blocks[2].shape() == Shape{3, 1});
}

TEST_CASE("a tiny network equals the formula written by hand", "[models]") {
  const auto network = make_network(options({2, 1}, {"tanh", "sin"}), two_inputs, 1);
  // W0 [2, 2], b0 [2], W1 [2, 1], b1 [1], W2 [1, 1], b2 [1]
  const std::vector<double> p{0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, -0.8, 0.9, 1.1, -1.2};
  const double x = 1.25, t = 0.3;

  const double u = evaluate(*network, from_values({x, t}, {1, 2}), from_values(p, {11})).item();

  const double z0 = (2 * x - 1) / 5, z1 = 2 * t - 1;  // [-2, 3] and [0, 1] mapped to [-1, 1]
  const double h0 = std::tanh(0.1 * z0 + 0.3 * z1 + 0.5),
               h1 = std::tanh(-0.2 * z0 + 0.4 * z1 - 0.6);
  const double g = std::sin(0.7 * h0 - 0.8 * h1 + 0.9);
  CHECK(u == Approx(1.1 * g - 1.2).epsilon(1e-14));
}

TEST_CASE("a network without hidden layers is linear", "[models]") {
  const auto network = make_network(options({}, {"tanh"}), {{"x", -1, 1}}, 1);
  const Tensor u = evaluate(*network, from_values({0, 1, 2}, {3, 1}), from_values({3, -1}, {2}));
  CHECK(u.values() == std::vector<double>{-1, 2, 5});
}

TEST_CASE("every activation that is named works, and no other", "[models][errors]") {
  for (const std::string& name : activation_names()) {
    const auto network = make_network(options({3}, {name}), two_inputs, 1);
    const Tensor u = evaluate(*network, normal({4, 2}, 1), first_parameters(*network, 1));
    for (const double v : u.values()) CHECK(std::isfinite(v));
  }
  CHECK_THROWS_WITH(make_network(options({3}, {"tanhh"}), two_inputs, 1),
                    Contains("there is no activation 'tanhh'") &&
                        Contains("[network] activation") &&
                        Contains("use one of abs, atan, cos, cosh"));
  CHECK_THROWS_AS(make_network(options({3}, {"log"}), two_inputs, 1), ConfigError);
}

TEST_CASE("sizes that do not fit are refused by name", "[models][errors]") {
  CHECK_THROWS_WITH(make_network(options({3, 3, 3}, {"tanh", "sin"}), two_inputs, 1),
                    Contains("2 activations for 3 layers") &&
                        Contains("write one for all layers, or one per layer"));
  CHECK_THROWS_WITH(make_network(options({3, 0}, {"tanh"}), two_inputs, 1),
                    Contains("a hidden layer has no units") && Contains("[network] layers"));
  NetworkOptions o;
  o.frequency = {1, 2, 3};
  CHECK_THROWS_WITH(make_network(o, two_inputs, 1), Contains("more frequencies or periods than"));
  o = {};
  o.fourier.features = 3;
  CHECK_THROWS_WITH(make_network(o, two_inputs, 1), Contains("Fourier features without a scale"));
  o.fourier.scale = {1, 2};
  o.fourier.center = {5};
  CHECK_THROWS_WITH(make_network(o, two_inputs, 1), Contains("1 center for 2 scales"));
  o = {};
  o.initialization = "zeros";
  CHECK_THROWS_WITH(make_network(o, two_inputs, 1), Contains("there is no initialization 'zeros'"));
}

TEST_CASE("first parameters depend on the seed and the layer only; biases are 0", "[models]") {
  const auto network = make_network(options({6, 6}, {"tanh"}), two_inputs, 1);
  const auto drawn = [&](std::uint64_t seed) {
    std::vector<double> p(std::size_t(network->parameter_count()), 7);
    network->initialize(p, seed);
    return p;
  };
  const auto block = [&](const std::vector<double>& p, std::size_t k) {
    const ParameterBlock& b = network->blocks()[k];
    return std::vector<double>(p.begin() + b.offset, p.begin() + b.offset + b.shape.numel());
  };

  CHECK(drawn(1) == drawn(1));
  CHECK(drawn(1) != drawn(2));
  CHECK(block(drawn(1), 2)[0] != block(drawn(1), 0)[0]);
  for (const std::size_t k : {1, 3, 5})
    for (const double b : block(drawn(1), k)) CHECK(b == 0);
  const auto deeper = make_network(options({6, 6, 6}, {"tanh"}), two_inputs, 1);
  std::vector<double> more(std::size_t(deeper->parameter_count()));
  deeper->initialize(more, 1);
  CHECK(block(more, 2) == block(drawn(1), 2));
}

TEST_CASE("jets of a network with all embeddings equal nested reverse", "[models]") {
  NetworkOptions o = options({5, 5}, {"tanh"});
  const bool fourier = GENERATE(false, true);
  if (fourier) o.fourier = {.features = 3, .scale = {0.5, 1.5}, .seed = 4};
  o.kind = GENERATE(from_range(network_kind_names()));
  o.periodic = {true, false};
  const auto network = make_network(o, two_inputs, 2);
  const Tensor flat = first_parameters(*network, 3);
  const std::vector<Tensor> xt = columns(4, 1);
  const JetTablePtr table = jet_table(all_indices(4));
  const Tensor seed = normal({4, 1}, 8);
  const auto loss_slopes = [&](const auto& derivative) {
    std::vector<Tensor> p = block_tensors(flat, network->blocks());
    for (Tensor& t : p) t.set_requires_grad();
    return grad({derivative(p)}, {p[0], p[3]}, {seed});
  };

  const auto taylor = [&](const std::vector<Tensor>& p, int o, const MultiIndex& a) {
    const Jet u = network->apply(network->embed(coordinate_jet(table, concat(xt, 1).detach())), p);
    return features(u, o, o + 1).channel(table->find(a));
  };
  const auto reverse = [&](const std::vector<Tensor>& p, int o, const MultiIndex& a) {
    const Tensor x = concat(xt, 1);
    const Jet u = network->apply(network->embed({jet_table({}), reshape(x, {4, 1, 2})}), p);
    return partial(slice(u.channel(0), 1, o, o + 1), xt, a);
  };

  for (const MultiIndex& a : all_indices(4)) {
    const std::vector<Tensor> p = block_tensors(flat, network->blocks());
    CHECK(relative_distance(taylor(p, 1, a), reverse(p, 1, a)) < 1e-10);
  }
  const auto one = loss_slopes([&](const auto&p) {
    return taylor(p, 0, {2, 1});
  }),
             other = loss_slopes([&](const auto&p) {
               return reverse(p, 0, {2, 1});
             });
  CHECK(relative_distance(one[0], other[0]) < 1e-10);
  CHECK(relative_distance(one[1], other[1]) < 1e-10);
}
