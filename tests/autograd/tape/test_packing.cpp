// Rounding of saved tensors to small float types.
#include "autograd/tape/packing.h"

#include "autograd/core/error.h"
#include "tests/autograd/tape/network.h"
#include "tests/autograd/tape/saved_helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

const std::vector<FloatFormat> formats = {bf16, fp16, fp8_e4m3, fp8_e5m2};

Tensor through(const Tensor& x, const FloatFormat& f) { return restored(rounded(x, f)); }

std::vector<std::uint8_t> codes(const RoundedTensor& r) {
  const auto* bytes = static_cast<const std::uint8_t*>(r.codes->data());
  return {bytes, bytes + r.codes->bytes()};
}

}  // namespace

TEST_CASE("rounding twice is rounding once, to the last code", "[autograd][tape]") {
  const DType dtype = GENERATE(DType::float64, DType::float32);
  for (const FloatFormat& f : formats)
    for (const double size : {1e-9, 0.3, 460.0, 1e6}) {
      const Tensor x = cast(size * normal({400}, 3), dtype);
      const RoundedTensor once = rounded(x, f), twice = rounded(restored(once), f);
      CHECK(codes(once) == codes(twice));
      CHECK(relative_distance(restored(once), x) <= std::ldexp(1.0, -f.mantissa_bits - 1));
    }
}

TEST_CASE("small integers come back as they were", "[autograd][tape]") {
  const Tensor x = from_values({0, 1, -2, 3, 0.5, -1.5}, {6});
  for (const FloatFormat& f : formats) CHECK(through(x, f).values() == x.values());
}

TEST_CASE("CMP-16 zeros, NaN, what overflows and what is empty survive packing",
          "[autograd][tape]") {
  const DType dtype = GENERATE(DType::float64, DType::float32);
  for (const FloatFormat& f : formats) {
    CHECK(through(zeros({5}, dtype), f).values() == std::vector<double>(5, 0));
    const auto mixed = through(from_values({1, NAN, -INFINITY, 2, 0}, {5}, dtype), f).values();
    CHECK(mixed[0] == 1);
    CHECK(std::isnan(mixed[1]));
    CHECK(std::isnan(mixed[2]));
    CHECK(mixed[3] == 2);
    CHECK(mixed[4] == 0);
    CHECK(through(zeros({0, 3}, dtype), f).shape() == Shape{0, 3});
  }
  CHECK(through(from_values({1e300}, {1}), bf16).item() == bf16.largest());
}

TEST_CASE("an expanded or transposed tensor is rounded as it stands in memory",
          "[autograd][tape]") {
  const Tensor x = normal({3, 1, 4}, 1);
  const Tensor wide = expand(x, {3, 500, 4}), turned = transpose(normal({6, 5}, 2));
  const RoundedTensor packed = rounded(wide, bf16);

  CHECK(packed.codes->bytes() == 12 * 2);
  CHECK(restored(packed).strides() == wide.strides());
  CHECK(restored(packed).values() == expand(through(x, bf16), {3, 500, 4}).values());
  CHECK(through(turned, fp16).strides() == turned.strides());
  CHECK(through(turned, fp16).values() == transpose(through(transpose(turned), fp16)).values());
  CHECK(through(slice(turned, 0, 1, 3), fp16).values() ==
        slice(through(turned, fp16), 0, 1, 3).values());
}

TEST_CASE("CMP-15 a packed network's gradient stays within the bands of its format",
          "[autograd][tape]") {
  struct Band {
    FloatFormat format;
    double error, cosine;
  };
  const Band bands[] = {
      {bf16, 1e-2, 0.999}, {fp16, 1e-2, 0.999}, {fp8_e4m3, 1e-1, 0.99}, {fp8_e5m2, 2e-1, 0.98}};
  const Perceptron net(unary_id<op::Tanh>, {2, 32, 32, 1});
  const Tensor x = normal({200, 2}, 5);
  const auto gradient = [&] { return grad({mean(square(net(x)))}, net.parameters()); };
  const std::vector<Tensor> exact = gradient();
  for (const Band& band : bands) {
    std::vector<Tensor> found;
    {
      const SaveAs scope(band.format, {.threshold = 0});
      found = gradient();
    }
    double difference = 0, product = 0, exact2 = 0, found2 = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      difference += sum(square(found[i] - exact[i])).item();
      product += sum(found[i] * exact[i]).item();
      exact2 += sum(square(exact[i])).item();
      found2 += sum(square(found[i])).item();
    }
    INFO(band.format.name);
    CHECK(difference > 0);
    CHECK(std::sqrt(difference / exact2) <= band.error);
    CHECK(product / std::sqrt(exact2 * found2) >= band.cosine);
  }
}

TEST_CASE("leaves, their views and small tensors are not rounded", "[autograd][tape]") {
  const Tensor w = variable({40, 40}, 1), x = variable({50, 40}, 2);
  const SaveAs scope(bf16, {.threshold = 1000});
  const Tensor y = matmul(x, w), z = matmul(y, transpose(w)), small = square(sum(z, {0}));

  CHECK(y.node()->unpack(0).body() == x.body());
  CHECK(y.node()->unpack(1).body() == w.body());
  CHECK(z.node()->unpack(1).storage_id() == w.storage_id());
  CHECK(z.node()->unpack(0).storage_id() != y.storage_id());
  CHECK(small.node()->unpack(0).values() == sum(z, {0}).values());
}

TEST_CASE("what is saved twice is rounded once, until it changes", "[autograd][tape]") {
  const Tensor h = sin(variable({100}, 1));
  const SaveAs scope(bf16, {.threshold = 0});
  const std::int64_t before = memory_use(Device::cpu).live;
  const Tensor y = h * h;
  CHECK(memory_use(Device::cpu).live - before == 800 + 200);
  const Tensor z = slice(h, 0, 0, 50) * normal({50}, 2);
  CHECK(memory_use(Device::cpu).live - before > 800 + 200);
}

TEST_CASE("rounding warns once where derivatives are taken of derivatives", "[autograd][tape]") {
  std::vector<std::string> told;
  const WarningSink sink([&](const std::string& text) { told.push_back(text); });
  const Tensor x = variable({100}, 1);
  const SaveAs scope(fp8_e4m3, {.threshold = 0});
  grad(sum(square(sin(sin(x)))), x);
  CHECK(told.empty());
  for (int i = 0; i < 3; ++i) grad(sum(square(sin(sin(x)))), x, {.create_graph = true});
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0], Catch::Contains("rounded tensors ('fp8_e4m3')"));
}
