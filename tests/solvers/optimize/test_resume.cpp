#include <bit>
#include <vector>

#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

constexpr std::int64_t parameters = 37;  // not a multiple of any vector width

/// Contents of a memory, as a file would hold them.
struct Stored {
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, Shape> shapes;
  std::map<std::string, double> numbers;
  long moves;
};

Stored store(const OptimizerMemory& memory) {
  Stored stored{{}, {}, memory.numbers, memory.moves};
  for (const auto& [name, tensor] : memory.tensors) {
    stored.values[name] = tensor.values();
    stored.shapes[name] = tensor.shape();
  }
  return stored;
}

OptimizerMemory restore(const Stored& stored) {
  OptimizerMemory memory;
  for (const auto& [name, values] : stored.values)
    memory.tensors[name] = from_values(values, stored.shapes.at(name));
  memory.numbers = stored.numbers;
  memory.moves = stored.moves;
  return memory;
}

/// Moves from number `from` to `to`; the objective changes after move 8 and after move 20. Some
/// stop, as roundings fall, where the last digit is reached.
void advance(const Optimizer& optimizer, Tensor& p, OptimizerMemory& memory, long from, long to) {
  for (long move = from; move < to; ++move) {
    Rosenbrock objective(move < 8 ? 1 : move < 20 ? 2 : 3, parameters);
    objective.target = 1 + objective.scale;  // where some of it stays, and no method is done
    if (move == 8 || move == 20) optimizer.objective_changed(memory);
    const std::string stopped = optimizer.advance(p, memory, objective).stopped;
    if (!stopped.empty()) CHECK_THAT(stopped, Catch::Matchers::StartsWith("no damping gives"));
  }
}

std::vector<std::uint64_t> bits(const Tensor& p) {
  std::vector<std::uint64_t> result;
  for (const double x : p.values()) result.push_back(std::bit_cast<std::uint64_t>(x));
  return result;
}

Tensor start() {
  Tensor p = empty({parameters});
  for (std::int64_t i = 0; i < parameters; ++i) p.data<double>()[i] = std::sin(double(i + 1));
  return p;
}

}  // namespace

TEST_CASE("a memory that lacks something is refused, unless moves go on without it", "[optimize]") {
  for (const std::string& kind : optimizer_kinds()) {
    OptimizerOptions options;
    options.kind = kind;
    options.momentum = 0.5;
    const auto optimizer = make_optimizer(options, parameters);
    Tensor p = start();
    OptimizerMemory memory;
    advance(*optimizer, p, memory, 0, 3);
    REQUIRE(optimizer->misfit(memory, parameters) == "");
    const auto end = [&](const OptimizerMemory& from) {
      Tensor x = from_values(p.values(), {parameters});
      OptimizerMemory copy = restore(store(from));
      advance(*optimizer, x, copy, 3, 5);
      return bits(x);
    };
    const auto check_without = [&](const std::string& name) {
      OptimizerMemory less = restore(store(memory));
      less.tensors.erase(name), less.numbers.erase(name);
      INFO(kind << " without " << name);
      if (optimizer->misfit(less, parameters).empty()) CHECK(end(less) == end(memory));
    };
    for (const auto& [name, tensor] : memory.tensors) check_without(name);
    for (const auto& [name, number] : memory.numbers) check_without(name);
  }
}

TEST_CASE("a run interrupted and taken up again ends with the bits of one that was not",
          "[optimize]") {
  std::vector<std::pair<std::string, std::string>> methods = {{"ssbroyden", "float32"}};
  for (const std::string& kind : optimizer_kinds()) methods.emplace_back(kind, "float64");
  for (const auto& [kind, curvature] : methods) {
    for (const long interruption : {1, 8, 13, 20, 29}) {
      OptimizerOptions options;
      options.kind = kind;
      options.curvature = curvature;
      options.steps = 30;
      options.history = 5;
      options.momentum = 0.9;
      options.weight_decay = kind == "adam" ? 0 : 0.01;
      options.clip = 1;
      options.schedule.kind = "cosine";
      options.schedule.warm_up = 5;
      const auto optimizer = make_optimizer(options, parameters);

      Tensor whole = start();
      OptimizerMemory memory;
      advance(*optimizer, whole, memory, 0, 30);

      Tensor before = start();
      OptimizerMemory first;
      advance(*optimizer, before, first, 0, interruption);
      Tensor after = from_values(before.values(), {parameters});
      OptimizerMemory second = restore(store(first));
      advance(*make_optimizer(options, parameters), after, second, interruption, 30);

      INFO(kind << ", " << curvature << ", interrupted after " << interruption << " moves");
      CHECK(bits(after) == bits(whole));
      CHECK(second.numbers == memory.numbers);
      CHECK(second.moves == memory.moves);
      CHECK(memory.moves >= 25);
    }
  }
}
