#include <cstdio>
#include <string>

#include "autograd/core/version.h"
#include "tests/catch.h"

TEST_CASE("a program that needs nothing runs on this processor", "[autograd][core]") {
  CHECK(pinn_check_processor("") == nullptr);
}

TEST_CASE("a name that is no known instruction set stops nothing", "[autograd][core]") {
  CHECK(pinn_check_processor("__AVX9999__ __SSE") == nullptr);
}

TEST_CASE("the version begins with the project's three numbers", "[autograd][core]") {
  const std::string text(pinn::version());
  int major = 0, minor = 0, patch = 0;

  CHECK(std::sscanf(text.c_str(), "%d.%d.%d", &major, &minor, &patch) == 3);
  CHECK(text.find('\n') == std::string::npos);
}
