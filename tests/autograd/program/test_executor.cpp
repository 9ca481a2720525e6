#include "autograd/cpu/executor.h"

#include "tests/autograd/program/gpu_case.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("the executor runs programs as their instructions mean it", "[autograd][program]") {
  int run = 0;
  for (std::uint64_t n = 0; n < 900; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    std::optional<Case> c = random_case(n);
    if (!c) continue;
    const Outputs expected = interpret(c->program, c->inputs, c->points);
    ++run;
    for (const DType dtype : {DType::float64, DType::float32}) {
      c->program.dtype = dtype;
      const auto executor = cpu::make_executor(c->program);
      for (const std::size_t pieces : {1, 2}) {
        const double error = distance(executed(*c, *executor, pieces), expected);
        const double allowed = dtype == DType::float64 ? 1e-12 : 1e-3;
        if (error <= allowed) continue;
        INFO("sample " << n << ", " << name_of(dtype) << ", off by " << error << "\n"
                       << to_text(c->program));
        CHECK(error <= allowed);
      }
    }
  }
  CHECK(run > 500);
}

TEST_CASE("the executor rounds what is saved as the instructions mean it", "[autograd][program]") {
  int run = 0;
  for (std::uint64_t n = 0; n < 400; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    const std::optional<Case> c = random_case(n, true);
    if (!c) continue;
    ++run;
    INFO("sample " << n << "\n" << to_text(c->program));
    const auto executor = cpu::make_executor(c->program);
    CHECK(distance(executed(*c, *executor, 1), interpret(c->program, c->inputs, c->points)) <=
          1e-12);  // in one block
  }
  CHECK(run > 200);
}
