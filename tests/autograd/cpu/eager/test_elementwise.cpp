#include "autograd/cpu/eager/kernels.h"

#include <cmath>
#include <random>
#include <vector>

#include "autograd/ops/elementwise.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

/// An array with more memory than its window, so that strides can be anything.
template <class T> struct Window {
  std::vector<T> memory;
  Sizes strides{};

  const T& at(const Sizes& index) const {
    std::int64_t offset = 0;
    for (int i = 0; i < max_rank; ++i) offset += index[i] * strides[i];
    return memory[std::size_t(offset)];
  }
  Strided operand() const { return {memory.data(), strides}; }
};

/// A window of random numbers over `shape`: axes in a random order in memory, some repeated.
template <class T> Window<T> random_window(const Shape& shape, std::mt19937& generator) {
  Window<T> w;
  std::vector<int> axes;
  for (int i = 0; i < shape.rank(); ++i) axes.push_back(i);
  std::shuffle(axes.begin(), axes.end(), generator);
  std::int64_t step = 1;
  for (const int axis : axes) {
    if (generator() % 4 == 0) continue;  // stride 0: broadcast
    w.strides[axis] = step;
    step *= shape[axis] + std::int64_t(generator() % 2);
  }
  std::uniform_real_distribution<double> uniform(0.5, 2);
  for (std::int64_t i = 0; i < std::max<std::int64_t>(step, 1); ++i)
    w.memory.push_back(T(uniform(generator)));
  return w;
}

/// f(index, position in row-major order) for all elements of a shape.
template <class F> void each_index(const Shape& shape, F&& f) {
  const Sizes strides = contiguous_strides(shape);
  for (std::int64_t n = 0; n < shape.numel(); ++n) {
    Sizes index{};
    for (int i = 0; i < shape.rank(); ++i) index[i] = n / strides[i] % shape[i];
    f(index, std::size_t(n));
  }
}

Shape random_shape(std::mt19937& generator) {
  Shape shape;
  const std::size_t rank = generator() % 5;
  for (std::size_t i = 0; i < rank; ++i)
    shape = shape.inserted(shape.rank(), std::int64_t(generator() % 5 + (generator() % 9 != 0)));
  return shape;
}

}  // namespace

TEMPLATE_TEST_CASE("a binary op on any strides equals the op element by element", "[autograd][cpu]",
                   float, double) {
  using T = TestType;
  std::mt19937 generator(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Shape shape = random_shape(generator);
    const auto x = random_window<T>(shape, generator), y = random_window<T>(shape, generator);
    const int id = int(generator() % unsigned(Binary::size));
    std::vector<T> z(std::size_t(shape.numel()), T(-7));
    INFO(binary_name(id) << " on " << to_string(shape));

    cpu::binary(id, dtype_of<T>, shape, x.operand(), y.operand(), z.data());

    // A loop over vectors may round pow and atan2 in the last bit otherwise.
    visit_binary(id, [&]<class Op>() {
      each_index(shape, [&](const Sizes& i, std::size_t n) {
        const double expected = double(Op::value(x.at(i), y.at(i)));
        REQUIRE(std::fabs(double(z[n]) - expected) <=
                4 * double(std::numeric_limits<T>::epsilon()) * std::fabs(expected));
      });
    });
  }
}

TEST_CASE("where, copy and windows on any strides do what they say", "[autograd][cpu]") {
  std::mt19937 generator(2);
  for (int trial = 0; trial < 300; ++trial) {
    const Shape shape = random_shape(generator);
    const std::size_t size = std::size_t(shape.numel());
    auto mask = random_window<double>(shape, generator);
    for (double& m : mask.memory) m = m > 1 ? m : 0;
    const auto x = random_window<double>(shape, generator),
               y = random_window<double>(shape, generator);
    std::vector<double> z(size), copied(size);
    std::vector<float> narrow(size);

    cpu::ternary(ternary_id<op::Where>, DType::float64, shape, mask.operand(), x.operand(),
                 y.operand(), z.data());
    cpu::copy(DType::float64, DType::float64, shape, x.operand(), copied.data());
    cpu::copy(DType::float64, DType::float32, shape, x.operand(), narrow.data());

    each_index(shape, [&](const Sizes& i, std::size_t n) {
      REQUIRE(z[n] == (mask.at(i) != 0 ? x.at(i) : y.at(i)));
      REQUIRE(copied[n] == x.at(i));
      REQUIRE(narrow[n] == float(x.at(i)));
    });
  }
}

TEST_CASE("adding into and copying into a window change the window only", "[autograd][cpu]") {
  std::vector<double> base{1, 2, 3, 4, 5, 6};  // [2, 3]
  const std::vector<double> x{10, 20};

  cpu::add_into(DType::float64, {2, 1}, {x.data(), {1, 1}}, base.data() + 1, {3, 1});
  CHECK(base == std::vector<double>{1, 12, 3, 4, 25, 6});
  cpu::copy_into(DType::float64, {1, 2}, {x.data(), {2, 1}}, base.data() + 4, {3, 1});
  CHECK(base == std::vector<double>{1, 12, 3, 4, 10, 20});
}

TEST_CASE("a sum over any axes equals the sum of the elements", "[autograd][cpu]") {
  std::mt19937 generator(3);
  for (int trial = 0; trial < 300; ++trial) {
    const Shape shape = random_shape(generator);
    const auto x = random_window<double>(shape, generator);
    Shape kept = shape;
    for (int i = 0; i < shape.rank(); ++i)
      if (generator() % 2) kept[i] = 1;
    Sizes strides = contiguous_strides(kept);
    for (int i = 0; i < shape.rank(); ++i)
      if (kept[i] != shape[i] || shape[i] == 1) strides[i] = 0;
    std::vector<double> y(std::size_t(kept.numel()), 0), expected = y;
    INFO(to_string(shape) << " to " << to_string(kept));

    cpu::sum(DType::float64, shape, x.operand(), y.data(), strides);

    each_index(shape, [&](const Sizes& i, std::size_t) {
      std::int64_t at = 0;
      for (int k = 0; k < shape.rank(); ++k) at += i[k] * strides[k];
      expected[std::size_t(at)] += x.at(i);
    });
    for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(y[i] == Approx(expected[i]).epsilon(1e-13));
  }
}

TEST_CASE("a long sum in float32 keeps its digits", "[autograd][cpu]") {
  const std::vector<float> x(1 << 20, 0.1f);
  float all = 0, columns[2] = {0, 0};

  cpu::sum(DType::float32, {1 << 20}, {x.data(), {1}}, &all, {});
  cpu::sum(DType::float32, {1 << 19, 2}, {x.data(), {2, 1}}, columns, {0, 1});

  // A running float32 sum would be off by 1e-3 and more.
  CHECK(all == float(double(0.1f) * (1 << 20)));
  CHECK(columns[1] == float(double(0.1f) * (1 << 19)));
}
