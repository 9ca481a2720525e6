// Tensors that meet in an op have one number type; plain numbers alone give way.
#include "autograd/core/error.h"
#include "autograd/taylor/jet.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// True if the call is refused, by the name of the op.
template <class F> bool refused(const F& call, const std::string& op) {
  try {
    call();
  } catch (const EngineError& error) {
    return error.report.what == op + ": the tensors have different dtypes" &&
           error.report.where.find("float32") != std::string::npos &&
           error.report.where.find("float64") != std::string::npos &&
           error.report.fix == "cast() one of them";
  }
  return false;
}

Tensor floats(const Shape& shape) { return ones(shape, DType::float32); }

}  // namespace

TEST_CASE("every binary op refuses two number types, and a plain number takes the other's",
          "[autograd][tape][errors]") {
  const int id = GENERATE(range(0, Binary::size));
  INFO(binary_name(id));
  const bool recorded = GENERATE(true, false);
  const Tensor x = ones({2}).set_requires_grad(recorded);

  CHECK(refused([&] { apply_binary(id, x, floats({2})); }, std::string(binary_name(id))));
  CHECK(refused([&] { apply_binary(id, floats({1}), x); }, std::string(binary_name(id))));
  CHECK(apply_binary(id, 2.0, floats({2})).dtype() == DType::float32);
  CHECK(apply_binary(id, floats({2}), 2.0).dtype() == DType::float32);
  CHECK(apply_binary(id, x, 2.0).dtype() == DType::float64);
}

TEST_CASE("a choice, parts and products refuse two number types", "[autograd][tape][errors]") {
  const Tensor m = ones({2, 2}), b = ones({2}), batch = ones({3, 2, 2});

  CHECK(refused([&] { where(m > 0.0, m, floats({2, 2})); }, "where"));
  CHECK(refused([&] { concat({m, floats({2, 2})}, 0); }, "concat"));
  CHECK(refused([&] { stack({m, floats({2, 2})}, 0); }, "concat"));
  CHECK(refused([&] { matmul(m, floats({2, 2})); }, "matmul"));
  CHECK(refused([&] { matmul(floats({3, 2, 2}), batch); }, "matmul"));
  CHECK(refused([&] { contract(m, floats({2, 2})); }, "contract"));
  CHECK(refused([&] { linear(batch, floats({2, 2}), floats({2})); }, "linear"));
  CHECK(refused([&] { linear(batch, m, floats({2})); }, "linear"));
  const JetTablePtr table = jet_table({MultiIndex{1}});
  CHECK(refused([&] { jet_mul(table, batch, floats({3, 2, 2})); }, "jet_mul"));
  CHECK(refused(
      [&] {
        jet_mul_transposed(table, batch, floats({3, 2, 2}));
      },
      "jet_mul_transposed"));
}

TEST_CASE("a change in place refuses another number type, and a copy converts",
          "[autograd][tape][errors]") {
  const bool recorded = GENERATE(true, false);
  const Tensor x = ones({2}).set_requires_grad(recorded);
  Tensor t = 1.0 * x, s = floats({2});

  CHECK(refused([&] { t += floats({2}); }, "add"));
  CHECK(refused([&] { t -= floats({2}); }, "sub"));
  CHECK(refused([&] { t *= floats({1}); }, "mul"));
  CHECK(refused([&] { t /= floats({2}); }, "div"));
  CHECK(refused([&] { s += x; }, "add"));
  CHECK(refused([&] { x.detach().set_grad(floats({2})); }, "set_grad"));
  s += 0.5;
  s *= 2.0;
  CHECK(s.dtype() == DType::float32);
  copy_in_place(s, x.detach() + 6.0);
  CHECK(s.values() == std::vector<double>{7, 7});
}
