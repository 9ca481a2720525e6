#include "autograd/cuda/step_text.h"

#include "autograd/core/error.h"
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
  product.step = Step::product;
  product.channels = product.k = 2;
  product.n = width;
  product.weights = 0;
  product.a = {Memory::lane, 0, 1};
  product.out = {Memory::lane, 4, 1};
  product.count = 2 * width;
  Instruction jet;
  jet.step = Step::jet;
  jet.id = unary_id<op::Tanh>;
  jet.channels = 2;
  jet.count = width;
  jet.table = 0;
  jet.a = {Memory::lane, 4, 2};
  jet.out = {Memory::lane, 4 + 2 * width, 2};
  Instruction sum;
  sum.step = Step::sum;
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
  shifted.step = Step::copy;
  shifted.count = 19;
  shifted.a = {Memory::lane, 46, 2};
  shifted.out = {Memory::lane, 4, 2};
  p.body.insert(p.body.begin() + 2, shifted);
  const std::vector<Phase> phases = phases_of(p);
  REQUIRE(phases.size() == 4);
  CHECK(phases[2].instructions[0].step == Step::copy);
}

TEST_CASE("Kernels are named after their instructions and call ops by name") {
  const StepText wide = step_text(layer(20), shared_memory, Path::wide);
  CHECK(has(wide.kernels, "void phase_1_binary_add(Step s)"));
  CHECK(has(wide.kernels, "// jet tanh, 20 features of 2 channels"));
  CHECK(has(wide.kernels, "pinn::apply<pinn::op::Tanh>"));
  CHECK_FALSE(has(wide.kernels, "tanh("));
}

TEST_CASE("Narrow layers run in tiles, wide ones do not") {
  CHECK(step_text(layer(20), shared_memory).path == Path::tile);
  CHECK(step_text(layer(65), shared_memory).path == Path::wide);
  CHECK(step_text(layer(20), 1000).path == Path::wide);
  CHECK_THROWS_AS(step_text(layer(65), shared_memory, Path::tile), EngineError);
}

TEST_CASE("A program with rounded rows is refused with the reason") {
  Program p = layer(20);
  p.body[1].step = Step::pack;
  CHECK(refusal(p) == "rounded saved tensors");
  CHECK_THROWS_AS(phases_of(p), EngineError);
}
