#include <random>
#include <thread>

#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Gradients of 20 float32 leaves through a random graph of 300 weighted additions, where the order
/// of summation shows in the last bits.
std::vector<std::vector<double>> gradients_of_random_sums() {
  std::mt19937 generator(5);
  std::vector<Tensor> tensors;
  for (std::uint64_t i = 0; i < 20; ++i) tensors.push_back(variable({4}, i, DType::float32));
  for (int i = 0; i < 300; ++i) {
    std::uniform_int_distribution<std::size_t> any(tensors.size() > 40 ? tensors.size() - 40 : 0,
                                                   tensors.size() - 1);
    const Tensor a = tensors[any(generator)], b = tensors[any(generator)];
    tensors.push_back((0.3 + 0.001 * i) * a + (0.7 - 0.0017 * i) * b);
  }
  const std::vector<Tensor> leaves(tensors.begin(), tensors.begin() + 20);
  Tensor all = sum(tensors.back());
  for (int i = 1; i < 40; ++i) all = all + sum(tensors[tensors.size() - 1 - std::size_t(i)]);
  std::vector<std::vector<double>> values;
  for (const Tensor& g : grad({all}, leaves, {}, {.materialize = true}))
    values.push_back(g.values());
  return values;
}

}  // namespace

TEST_CASE("ENG-38 younger nodes run first, leaves as soon as they are ready", "[autograd][tape]") {
  const Tensor x = variable({3, 2}, 1), w = variable({2, 4}, 2), b = variable({4}, 3);
  const Counting count;
  for (int repeat = 0; repeat < 100; ++repeat) {
    stats().order.clear();

    backward(sum(matmul(x, w) + b));

    CHECK(stats().order == std::vector<std::string>{"sum", "add", "accumulator", "matmul",
                                                    "accumulator", "accumulator"});
  }
}

TEST_CASE("ENG-39 gradients have the same bits on every run and in every thread",
          "[autograd][tape][threads]") {
  const auto expected = gradients_of_random_sums();
  for (int repeat = 0; repeat < 50; ++repeat) REQUIRE(gradients_of_random_sums() == expected);

  std::vector<std::vector<std::vector<double>>> found(8);
  {
    std::vector<std::jthread> threads;
    for (auto& values : found)
      threads.emplace_back([&values] { values = gradients_of_random_sums(); });
  }
  for (const auto& values : found) CHECK(values == expected);
}
