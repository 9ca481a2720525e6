#include "models/kinds.h"

#include "autograd/check/gradcheck.h"
#include "autograd/core/error.h"
#include "tests/models/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

const std::vector<InputRange> x_and_t{{"x", -2, 3}, {"t", 0, 1}};

NetworkOptions of_kind(const std::string& kind, std::vector<int> layers) {
  NetworkOptions o;
  o.kind = kind;
  o.layers = std::move(layers);
  return o;
}

/// The inputs as the network sees them, and a dense layer of its parameters.
struct ByHand {
  const Network& network;
  std::vector<Tensor> p;

  Tensor inputs(const Tensor& x) const {
    return network.embed({jet_table({}), reshape(x, x.shape().inserted(1, 1))}).channel(0);
  }
  Tensor layer(const std::string& path, const std::string& number, const Tensor& h) const {
    const auto named = [&](const std::string& name) {
      for (std::size_t k = 0; k < p.size(); ++k)
        if (network.blocks()[k].name == path + name + number) return p[k];
      FAIL(path + name + number);
      return Tensor();
    };
    return matmul(h, named("W")) + named("b");
  }
};

}  // namespace

TEST_CASE("a residual network adds what goes into a block to what comes out of it", "[models]") {
  NetworkOptions o = of_kind("resnet", {4, 4, 4, 4, 4});
  o.own["block"] = 2;
  const auto network = make_network(o, x_and_t, 1);
  const Tensor flat = first_parameters(*network, 1), x = normal({3, 2}, 2);
  const ByHand by{*network, block_tensors(flat, network->blocks())};

  const Tensor first = tanh(by.layer("", "1", tanh(by.layer("", "0", by.inputs(x)))));
  const Tensor second = first + tanh(by.layer("", "3", tanh(by.layer("", "2", first))));
  const Tensor third = second + tanh(by.layer("", "4", second));  // what is left is a block, too
  CHECK(distance(evaluate(*network, x, flat), by.layer("", "5", third)) < 1e-15);
}

TEST_CASE("two gates take part in every layer of a modified perceptron", "[models]") {
  const auto network = make_network(of_kind("modified_mlp", {5, 5}), x_and_t, 2);
  const Tensor flat = first_parameters(*network, 1), x = normal({3, 2}, 2);
  const ByHand by{*network, block_tensors(flat, network->blocks())};

  const Tensor in = by.inputs(x);
  const Tensor g = tanh(by.layer("gate1.", "", in)), k = tanh(by.layer("gate2.", "", in));
  const Tensor z0 = tanh(by.layer("", "0", in)), h1 = z0 * g + (1 - z0) * k;
  const Tensor z1 = tanh(by.layer("", "1", h1)), h2 = z1 * g + (1 - z1) * k;
  CHECK(distance(evaluate(*network, x, flat), by.layer("", "2", h2)) < 1e-15);
  CHECK(network->blocks()[0].name == "gate1.W");
  CHECK(network->parameter_count() == 2 * 15 + 15 + 30 + 12);
}

TEST_CASE("first and second derivatives of every kind of network are those of differences",
          "[models][gradcheck]") {
  for (const std::string& kind : network_kind_names()) {
    INFO(kind);
    const auto network = make_network(of_kind(kind, {3, 3, 3}), x_and_t, 1);
    const auto f = [&](const std::vector<Tensor>& in) {
      return network
          ->apply(network->embed({jet_table({}), reshape(in[0], {2, 1, 2})}),
                  {in.begin() + 1, in.end()})
          .channel(0);
    };
    std::vector<Tensor> in = block_tensors(first_parameters(*network, 4), network->blocks());
    for (Tensor& t : in) t = t.clone();
    in.insert(in.begin(), normal({2, 2}, 5));
    for (Tensor& t : in) t.set_requires_grad();
    CHECK(gradcheck(f, in) == "");
    CHECK(gradgradcheck(f, in, {.fast = true}) == "");
  }
}

TEST_CASE("layers that are computed again by the backward pass give the same gradient",
          "[models]") {
  for (const std::string& kind : network_kind_names())
    for (const int at_once : {1, 2, 3, 9}) {
      INFO(kind << ", " << at_once << " layers at a time");
      const auto network = make_network(of_kind(kind, {4, 4, 4, 4}), x_and_t, 1);
      const auto gradient = [&](int per_checkpoint) {
        std::vector<Tensor> p = block_tensors(first_parameters(*network, 4), network->blocks());
        for (Tensor& t : p) t.set_requires_grad();
        const Jet in = network->embed({jet_table({}), normal({3, 1, 2}, 5)});
        const Tensor loss = sum(square(network->apply(in, p, per_checkpoint).data));
        std::vector<double> all;
        for (const Tensor& g : grad({loss}, p))
          for (const double v : g.values()) all.push_back(v);
        return all;
      };
      CHECK(gradient(at_once) == gradient(0));
    }
}

TEST_CASE("a wider network of every kind has room for the narrower one", "[models]") {
  for (const std::string& kind : network_kind_names()) {
    INFO(kind);
    const NetworkOptions narrow = of_kind(kind, {4, 4, 4});
    const NetworkOptions wide = network_kind(kind).wider(narrow, {5, 9, 1000});
    const auto a = make_network(narrow, x_and_t, 1), b = make_network(wide, x_and_t, 1);
    const Tensor p = first_parameters(*a, 1), q = zeros({b->parameter_count()});
    const Tensor random = first_parameters(*b, 2);
    REQUIRE(a->blocks().size() == b->blocks().size());
    // New units have numbers of their own, and lead to no old one.
    for (std::size_t k = 0; k < a->blocks().size(); ++k) {
      const ParameterBlock &from = a->blocks()[k], &to = b->blocks()[k];
      const bool is_weight = from.role == ParameterRole::weight;
      const std::int64_t in = is_weight ? from.shape[0] : 1, in2 = is_weight ? to.shape[0] : 1;
      const std::int64_t out = from.shape[from.shape.rank() - 1];
      const std::int64_t out2 = to.shape[to.shape.rank() - 1];
      REQUIRE((out2 > out || k + 2 >= a->blocks().size()));
      const auto from_p = numbers_of(from, std::span<const double>(p.data<double>()));
      const auto of_random = numbers_of(to, std::span<const double>(random.data<double>()));
      const auto to_q = numbers_of(to, q.data<double>());
      for (std::int64_t i = 0; i < in2; ++i)
        for (std::int64_t j = 0; j < out2; ++j)
          to_q[std::size_t(i * out2 + j)] = j >= out ? of_random[std::size_t(i * out2 + j)]
                                            : i < in ? from_p[std::size_t(i * out + j)]
                                                     : 0;
    }
    const Tensor x = normal({6, 2}, 3);
    CHECK(distance(evaluate(*a, x, p), evaluate(*b, x, q)) < 1e-15);
    CHECK(b->parameter_count() < 1500);
  }
}

TEST_CASE("kinds whose layers meet refuse layers of several widths", "[models][errors]") {
  for (const char* kind : {"resnet", "modified_mlp"}) {
    CHECK_THROWS_WITH(
        make_network(of_kind(kind, {4, 5}), x_and_t, 1),
        Contains("hidden layers of 4 and 5 units in a network of kind " + std::string(kind)) &&
            Contains("[network] layers") && Contains("kind = \"mlp\""));
    CHECK_THROWS_WITH(make_network(of_kind(kind, {}), x_and_t, 1), Contains("hidden layers"));
  }
  CHECK_THROWS_WITH(
      make_network(of_kind("mpl", {4}), x_and_t, 1),
      Contains("no kind of network 'mpl'") && Contains("use one of mlp, modified_mlp, resnet"));
}

TEST_CASE("a description holds what makes a network the function it is, and nothing else",
          "[models]") {
  const auto described = [](const NetworkOptions& o) {
    return make_network(o, x_and_t, 1)->description();
  };
  const NetworkOptions plain = of_kind("resnet", {4, 4});
  CHECK(described(plain).text() == "resnet, layers 4, 4, activation tanh, block 2, glorot_normal");
  CHECK(described(of_kind("mlp", {4})).text() == "layers 4, activation tanh, glorot_normal");

  NetworkOptions other = plain;
  other.initialization = "he_uniform";
  other.frequency = {3, 1};
  CHECK(differences(described(other), described(plain)).empty());
  other.activation = {"sin"};
  other.fourier = {.features = 2, .scale = {1.5}, .seed = 3};
  other.own["block"] = 1;
  CHECK(differences(described(other), described(plain)) ==
        std::vector<std::string>{"fourier.features is 2 and was nothing",
                                 "fourier.scale is 1.5 and was nothing",
                                 "fourier.seed is 3 and was nothing",
                                 "activation is sin and was tanh", "block is 1 and was 2"});

  other.name = "wave";
  const std::string lines = lines_of({described(plain), described(other)});
  const std::vector<Description> back = descriptions_in(lines);
  REQUIRE(back.size() == 2);
  CHECK(back[1].name == "wave");
  CHECK(back[1].start == "he_uniform");
  CHECK(back[0].facts == described(plain).facts);
  CHECK(lines_of(back) == lines);
}
