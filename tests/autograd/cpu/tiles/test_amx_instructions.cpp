#include "autograd/cpu/tiles/amx_instructions.h"

#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cpu;

namespace {

/// Two products and two sums over points: of a wide layer, and of a narrow one.
Program wide_and_narrow(DType dtype) {
  Program program;
  program.dtype = dtype;
  for (const int width : {64, 20}) {
    Weights weights;
    weights.row = weights.k = weights.n = width;
    Instruction product, contraction;
    product.opcode = Opcode::product;
    product.weights = int(program.weights.size());
    contraction.opcode = Opcode::contract;
    product.k = product.n = contraction.k = contraction.n = width;
    program.weights.push_back(weights);
    program.body.insert(program.body.end(), {product, contraction});
  }
  return program;
}

/// Which of them run on tiles, by position.
std::vector<std::size_t> on_tiles(const Program& program, Products products) {
  const AmxInstructions steps(program, products);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    CHECK((steps.scratch(program.body[i]) > 0) == steps.runs(program.body[i]));
    if (steps.runs(program.body[i])) found.push_back(i);
  }
  CHECK(steps.on() == !found.empty());
  return found;
}

}  // namespace

TEST_CASE("wide products of float32 run on tiles that are asked for", "[autograd][cpu]") {
  const TilesForNow tiles(true);
  const Program program = wide_and_narrow(DType::float32);
  CHECK(on_tiles(program, Products::bf16x3) == std::vector<std::size_t>{0, 1});
  for (const Products others : {Products::exact, Products::tf32, Products::tf32x3})
    CHECK(on_tiles(program, others).empty());
  CHECK(on_tiles(wide_and_narrow(DType::float64), Products::bf16x3).empty());
}

TEST_CASE("nothing runs on tiles that the processor lacks", "[autograd][cpu]") {
  const TilesForNow tiles(false);
  CHECK(on_tiles(wide_and_narrow(DType::float32), Products::bf16x3).empty());
}
