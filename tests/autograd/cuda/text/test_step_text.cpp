#include "autograd/cuda/text/step_text.h"

#include "autograd/core/error.h"
#include "autograd/cuda/text/step_arguments.h"
#include "autograd/ops/unary.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cuda;

namespace {

constexpr std::size_t shared_memory = 227 * 1024;  // of an H100

/// A layer of `width` features on two inputs, jets of a value and one derivative, and the sum of
/// the first feature's values.
Program layer(int width) {
  Program p;
  p.tables.push_back(jet_table({unit_index(0)}));
  p.rows.push_back({"x", {0, 1, 2, 3}});
  p.weights.push_back({0, width, 1, 2, width, 2 * width, 1});
  p.fixed.push_back({"w", 0, 3 * width});
  p.fixed_size = 3 * width;
  Instruction product;
  product.opcode = Opcode::product;
  product.channels = product.k = 2;
  product.n = width;
  product.weights = 0;
  product.a = {Memory::lane, 0, 1};
  product.out = {Memory::lane, 4, 1};
  product.count = 2 * width;
  Instruction jet;
  jet.opcode = Opcode::jet;
  jet.function = {Elementwise::unary, unary_id<op::Tanh>};
  jet.channels = 2;
  jet.count = width;
  jet.table = 0;
  jet.a = {Memory::lane, 4, 2};
  jet.out = {Memory::lane, 4 + 2 * width, 2};
  Instruction sum;
  sum.opcode = Opcode::sum;
  sum.a = {Memory::lane, 4 + 2 * width, 1};
  sum.out = {Memory::sum, 0, 1};
  p.body = {product, jet, sum};
  p.lanes = 4 + 4 * width;
  p.sums = 1;
  p.outputs.push_back({false, 1, {{{Memory::sum, 0, 1}, 1}}});
  return p;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A bias and the function after it are one phase, with a thread for each feature") {
  const std::vector<Phase> phases = phases_of(layer(20));
  REQUIRE(phases.size() == 3);
  CHECK(phases[0].kind == Phase::product);
  CHECK(phases[1].instructions.size() == 2);
  CHECK(phases[1].threads == 20);
  CHECK(phases[2].kind == Phase::sum);
}

TEST_CASE("A phase's lanes are live if somebody reads them later") {
  const std::vector<Phase> phases = phases_of(layer(20));
  CHECK(phases[0].live[4]);         // the product's first lane, for the bias
  CHECK_FALSE(phases[1].live[4]);   // which nobody reads after the function
  CHECK(phases[1].live[44]);        // the first feature's value, for the sum
  CHECK_FALSE(phases[1].live[46]);  // the second one's
}

TEST_CASE("Threads of a phase do not read what another one makes") {
  Program p = layer(20);
  Instruction shifted;  // feature f takes what feature f + 1 has
  shifted.count = 19;
  shifted.a = {Memory::lane, 46, 2};
  shifted.out = {Memory::lane, 4, 2};
  p.body.insert(p.body.begin() + 2, shifted);
  const std::vector<Phase> phases = phases_of(p);
  REQUIRE(phases.size() == 4);
  CHECK(phases[2].instructions[0].function.kind == Elementwise::copy);
}

TEST_CASE("Kernels are named after their instructions and call ops by name") {
  const StepText wide = step_text(layer(20), shared_memory, Path::wide);
  CHECK(has(wide.kernels, "void phase_1_binary_add(Step s)"));
  CHECK(has(wide.kernels, "// jet tanh, 20 features of 2 channels"));
  CHECK(has(wide.kernels, "pinn::apply<pinn::op::Tanh>"));
  CHECK_FALSE(has(wide.kernels, "tanh("));
}

namespace {

/// Part of a text from `from` on, up to `to`.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find(to, begin);
  REQUIRE(end != std::string::npos);
  return text.substr(begin, end - begin);
}

/// A layer whose result is contracted with its input, or with itself.
Program contracted_layer(int width, bool with_itself = false) {
  Program p = layer(width);
  const int result = 4 + 2 * width;
  Instruction contract;
  contract.opcode = Opcode::contract;
  contract.channels = 2;
  contract.k = with_itself ? width : 2;
  contract.n = width;
  contract.count = contract.k * width;
  contract.a = {Memory::lane, with_itself ? result : 0, 1};
  contract.b = {Memory::lane, result, 1};
  contract.out = {Memory::sum, 1, 1};
  p.body.push_back(contract);
  p.sums += contract.k * width;
  return p;
}

}  // namespace

TEST_CASE("Phases wait for what they read or overwrite, and for nothing else") {
  const Uses first{{0, 1}, {2}};
  CHECK(first.hold_up({{2}, {}}));
  CHECK(first.hold_up({{}, {1}}));
  CHECK(first.hold_up({{}, {2}}));
  CHECK_FALSE(first.hold_up({{0, 1}, {3}}));
}

TEST_CASE("A tile's phases are apart by a barrier where one waits for the other") {
  const std::string text = step_text(contracted_layer(20), shared_memory, Path::tile).kernels;
  const std::string barrier = "\n    __syncthreads();";
  CHECK(has(between(text, "lanes[3 * points] = T", "tile_product<"), barrier));
  CHECK(has(between(text, "tile_product<", "Tanh"), barrier));
  CHECK(has(between(text, "Tanh", "tile_sum<"), barrier));
  CHECK_FALSE(has(between(text, "tile_sum<", "tile_contract<"), barrier));  // both only read
  CHECK(has(between(text, "tile_contract<", "tile_contract_add<"), barrier));
}

TEST_CASE("A phase's sums are among what it writes, behind the lanes") {
  const Program p = contracted_layer(3);
  const std::vector<Phase> phases = phases_of(p);
  const Uses product = uses_of(phases[0], p), contract = uses_of(phases.back(), p);
  CHECK(product.reads == std::set<int>{0, 1, 2, 3});
  CHECK(product.writes == std::set<int>{4, 5, 6, 7, 8, 9});
  CHECK(contract.reads == std::set<int>{0, 1, 2, 3, 10, 11, 12, 13, 14, 15});
  CHECK(contract.writes == std::set<int>{17, 18, 19, 20, 21, 22});
}

TEST_CASE("Shared memory has place for a tile and for what a contraction leaves") {
  Program p = contracted_layer(20);
  p.dtype = DType::float32;
  const StepText text = step_text(p, shared_memory, Path::tile);
  CHECK(text.tile == 16);
  CHECK(text.shared == sizeof(float) * (84 * 16 + 4 * 10 * 4));  // 10 squares of 4 in 4 shares
  CHECK(text.blocks == 4 * 132);
}

TEST_CASE("A contraction is cut into equal parts that begin at multiples of four numbers") {
  for (const long long points : {32, 96, 10112, 77824})
    for (const int channels : {1, 3, 7})
      for (const int width : {20, 128, 512}) {
        const int parts = contract_parts(points, channels, width, width);
        INFO(points << " points, " << channels << " channels, width " << width);
        CHECK(channels * points % (4 * parts) == 0);
      }
  CHECK(contract_parts(32, 3, 128, 128) == 1);       // 96 columns
  CHECK(contract_parts(10112, 3, 128, 128) == 32);   // 79 * 128 points: no more halves
  CHECK(contract_parts(77824, 3, 128, 128) == 512);  // 456 columns each
  CHECK(contract_parts(77824, 3, 512, 512) == 128);  // 1824 each
}

TEST_CASE("A contraction of many squares leaves nothing behind to be added up") {
  Program p = contracted_layer(64, true);
  p.dtype = DType::float32;
  const StepText text = step_text(p, shared_memory, Path::tile);
  CHECK(text.shared == sizeof(float) * 16 * (4 + 4 * 64));
  CHECK_FALSE(has(text.kernels, "tile_contract_add<"));
}

TEST_CASE("Tensor cores take what fills their fragments, in float32 only where that is asked for") {
  Program p = contracted_layer(64, true);
  const auto takes = [&](DType dtype, Products products) {
    p.dtype = dtype;
    return has(step_text(p, shared_memory, Path::tile, 0, products).kernels, "tensor_contract<");
  };
  CHECK(takes(DType::float64, Products::exact));
  CHECK(takes(DType::float32, Products::tf32x3));
  CHECK(takes(DType::float32, Products::tf32));
  CHECK_FALSE(takes(DType::float32, Products::exact));
  p = contracted_layer(64);  // with two inputs
  CHECK_FALSE(takes(DType::float64, Products::exact));
}

TEST_CASE("Tiles have 16 points in float32 and 8 in float64") {
  Program p = layer(20);
  CHECK(step_text(p, shared_memory).tile == 8);
  p.dtype = DType::float32;
  CHECK(step_text(p, shared_memory).tile == 16);
}

TEST_CASE("Weights begin where several numbers can be read as one") {
  Program p = layer(3);
  p.weights.push_back(p.weights[0]);
  CHECK(step_text(p, shared_memory).weights_at == std::vector<int>{0, 8});
}

TEST_CASE("Narrow layers run in tiles, wide ones do not") {
  CHECK(step_text(layer(20), shared_memory).path == Path::tile);
  CHECK(step_text(layer(65), shared_memory).path == Path::wide);
  CHECK(step_text(layer(20), 1000).path == Path::wide);
  CHECK_THROWS_AS(step_text(layer(65), shared_memory, Path::tile), EngineError);
  CHECK(step_text(layer(65), shared_memory, Path::tile, 32).tile == 32);
  CHECK_THROWS_AS(step_text(layer(20), 30000, Path::tile, 64), EngineError);
}
