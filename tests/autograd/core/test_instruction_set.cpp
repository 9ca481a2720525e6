#include "autograd/core/version.h"

#include "tests/catch.h"

using pinn::instruction_set;

#if defined(__x86_64__)
TEST_CASE("an instruction set is a level of x86-64 and what goes beyond it", "[autograd][core]") {
  const std::string v1 = "__SSE__ __SSE2__ __SSE_MATH__ __SSE2_MATH__",
                    v2 = v1 + " __SSE3__ __SSSE3__ __SSE4_1__ __SSE4_2__ __POPCNT__",
                    v3 = v2 + " __AVX__ __AVX2__ __BMI__ __BMI2__ __FMA__",
                    v4 = v3 + " __AVX512F__ __AVX512BW__ __AVX512CD__ __AVX512DQ__ __AVX512VL__";
  CHECK(instruction_set("") == "x86-64");
  CHECK(instruction_set(v1) == "x86-64");
  CHECK(instruction_set(v2) == "x86-64-v2");
  CHECK(instruction_set(v3) == "x86-64-v3");
  CHECK(instruction_set(v4) == "x86-64-v4");
  CHECK(instruction_set(v2 + " __AVX__ __FMA__") == "x86-64-v2 avx fma");
  CHECK(instruction_set("__GFNI__ " + v4 + " __AVX512BF16__") == "x86-64-v4 avx512bf16 gfni");
}

TEST_CASE("the order of the macros does not matter", "[autograd][core]") {
  CHECK(instruction_set("__FMA__ __AVX__") == instruction_set("__AVX__ __FMA__"));
}
#endif

TEST_CASE("the program knows what it is built for", "[autograd][core]") {
  CHECK_FALSE(instruction_set().empty());
  CHECK(pinn_check_processor(pinn_needed_instructions()) == nullptr);  // or this would not run
}
