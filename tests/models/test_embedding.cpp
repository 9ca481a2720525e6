#include "tests/models/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

Tensor embedded(const Network& network, const Tensor& x) {
  return network.embed({jet_table({}), reshape(x, x.shape().inserted(1, 1))}).channel(0);
}

NetworkOptions fourier(std::vector<double> scale, std::uint64_t seed, int features = 4) {
  NetworkOptions o;
  o.fourier = {.features = features, .scale = std::move(scale), .seed = seed};
  return o;
}

}  // namespace

TEST_CASE("coordinates are mapped to [-1, 1], exactly at the ends", "[models]") {
  const auto network = make_network({}, {{"x", 1000, 1001}, {"t", 0, 8}}, 1);
  const Tensor ends = from_values({1000, 0, 1001, 8, 1000.5, 4}, {3, 2});
  CHECK(embedded(*network, ends).values() == std::vector<double>{-1, -1, 1, 1, 0, 0});
}

TEST_CASE("a periodic network is periodic with all its derivatives", "[models]") {
  NetworkOptions o;
  o.layers = {8, 8};
  o.periodic = {true, false};
  const auto network = make_network(o, {{"x", 2, 5}, {"t", 0, 1}}, 1);
  const std::vector<Tensor> p = block_tensors(first_parameters(*network, 2), network->blocks());
  const JetTablePtr table = jet_table(all_indices(4));
  const auto jet_at = [&](double x) {
    return network->apply(network->embed(coordinate_jet(table, from_values({x, 0.3}, {1, 2}))), p);
  };

  const Tensor left = jet_at(2).data, right = jet_at(5).data, inside = jet_at(2.7).data,
               beyond = jet_at(5.7).data;

  // cos and sin of one turn: rounding of the angle only.
  for (int k = 0; k < table->size(); ++k) {
    INFO("channel " << k);
    CHECK(distance(select(left, 1, k), select(right, 1, k)) <=
          1e-13 * (1 + largest(select(left, 1, k))));
    CHECK(distance(select(inside, 1, k), select(beyond, 1, k)) <=
          1e-13 * (1 + largest(select(inside, 1, k))));
  }
}

TEST_CASE("Fourier features are cosines and sines of random phases, the same for one seed",
          "[models]") {
  const std::vector<InputRange> range{{"x", -1, 1}};
  const auto a = make_network(fourier({2.0}, 1), range, 1);
  const auto again = make_network(fourier({2.0}, 1), range, 1);
  const auto other = make_network(fourier({2.0}, 2), range, 1);
  const Tensor x = from_values({0.3, -0.9}, {2, 1});

  const Tensor features = embedded(*a, x);

  CHECK(features.shape() == Shape{2, 8});
  CHECK(embedded(*again, x).values() == features.values());
  CHECK(embedded(*other, x).values() != features.values());
  CHECK(a->blocks()[0].shape == Shape{8, 32});
  const Tensor c = slice(features, 1, 0, 4), s = slice(features, 1, 4, 8);
  CHECK(distance(square(c) + square(s), ones({2, 4})) < 1e-15);
}

TEST_CASE("phases grow with the scale, each scale in columns of its own", "[models]") {
  const int pairs = 200;
  const auto network = make_network(fourier({0.5, 4.0}, 3, pairs), {{"x", -1, 1}}, 1);
  const double x = 1e-3;

  // sin(b x) = b x for small x: the deviation of b is the scale, to 15 % with 200 draws.
  const Tensor features = embedded(*network, full({1, 1}, x));
  REQUIRE(features.shape() == Shape{1, 4 * pairs});
  const Tensor phases = slice(features, 1, 2 * pairs, 4 * pairs) * (1 / x);
  const auto deviation = [&](int begin) {
    return std::sqrt(mean(square(slice(phases, 1, begin, begin + pairs))).item());
  };
  CHECK(deviation(0) == Approx(0.5).epsilon(0.15));
  CHECK(deviation(pairs) == Approx(4.0).epsilon(0.15));
}

TEST_CASE("phases lie around the center of their scale, and those without one stay as they were",
          "[models]") {
  const int pairs = 50;
  NetworkOptions plain = fourier({0.5, 2.0}, 3, pairs), moved = plain;
  moved.fourier.center = {0, 100};
  const auto a = make_network(plain, {{"x", -1, 1}}, 1);
  const auto b = make_network(moved, {{"x", -1, 1}}, 1);
  const double x = 1e-5;

  const Tensor phase = slice(embedded(*a, full({1, 1}, x)), 1, 2 * pairs, 4 * pairs) * (1 / x);
  const Tensor around = slice(embedded(*b, full({1, 1}, x)), 1, 2 * pairs, 4 * pairs) * (1 / x);

  CHECK(slice(around, 1, 0, pairs).values() == slice(phase, 1, 0, pairs).values());
  CHECK(distance(slice(around, 1, pairs, 2 * pairs), slice(phase, 1, pairs, 2 * pairs) + 100) <
        0.01);
}

TEST_CASE("a frequency multiplies the first weights of its coordinate and spreads the biases",
          "[models]") {
  NetworkOptions plain, fast;
  plain.layers = fast.layers = {50};
  plain.periodic = fast.periodic = {false, true};
  fast.frequency = {1, 10};
  const std::vector<InputRange> ranges{{"x", -1, 1}, {"t", 0, 1}};
  const auto a = make_network(plain, ranges, 1), b = make_network(fast, ranges, 1);
  std::vector<double> p(std::size_t(a->parameter_count())), q = p;

  a->initialize(p, 5);
  b->initialize(q, 5);

  // Rows of W0: x, cos t, sin t.
  for (std::size_t j = 0; j < 50; ++j) {
    CHECK(q[j] == p[j]);
    CHECK(q[50 + j] == 10 * p[50 + j]);
    CHECK(q[100 + j] == 10 * p[100 + j]);
  }
  double smallest = 0, largest = 0;
  for (std::size_t j = 150; j < 200; ++j) {
    CHECK(p[j] == 0);
    CHECK(std::fabs(q[j]) < 3.1416);
    smallest = std::min(smallest, q[j]);
    largest = std::max(largest, q[j]);
  }
  CHECK(smallest < -2);
  CHECK(largest > 2);
  for (std::size_t j = 200; j < p.size(); ++j) CHECK(q[j] == p[j]);
}
