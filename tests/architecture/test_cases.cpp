#include "tests/architecture/cases.h"

#include <regex>
#include <sstream>

#include "tests/architecture/tree.h"
#include "tests/catch.h"
#include "tests/larger.h"

namespace {

/// How many early ends a case with this body has.
std::size_t ends(const std::string& body) {
  return early_ends("tests/test_x.cpp",
                    "namespace {\nint f() { return 1; }\n}\n\nTEST_CASE(\"a\", "
                    "\"[b]\") {\n" +
                        body + "}\n")
      .size();
}

}  // namespace

TEST_CASE("no case of the tests ends early without being counted as skipped", "[architecture]") {
  int read = 0, skipping = 0;
  for (const std::string& path : sources()) {
    if (!path.starts_with("tests/") || path.starts_with("tests/architecture/")) continue;
    const std::string text = contents(path);
    ++read;
    skipping += text.find("if (skips(") != std::string::npos;
    for (const std::string& wrong : early_ends(path, text)) FAIL_CHECK(wrong);
  }
  CHECK(read > 100);
  CHECK(skipping > 10);
}

TEST_CASE("no case of the tests has a name like an option", "[architecture]") {
  for (const std::string& path : sources()) {
    if (!path.starts_with("tests/") || path.starts_with("tests/architecture/")) continue;
    for (const std::string& wrong : names_like_options(path, contents(path))) FAIL_CHECK(wrong);
  }
  CHECK(names_like_options("t.cpp", "\nTEST_CASE(\n    \"--all shows all\") {}\n") ==
        std::vector<std::string>{"t.cpp:3: the name of a case begins with `-`, as an option does"});
  CHECK(names_like_options("t.cpp", "TEST_CASE(\"all -- or none\", \"-\") {}").empty());
}

TEST_CASE("the larger of anything and what is not a number is not a number", "[architecture]") {
  CHECK(pinn::test::larger(1, 2) == 2);
  CHECK(pinn::test::larger(2, 1) == 2);
  CHECK(pinn::test::larger(1, INFINITY) == INFINITY);
  for (const double x : {0.0, 1.0, double(INFINITY), double(NAN)}) {
    CHECK(std::isnan(pinn::test::larger(x, NAN)));
    CHECK(std::isnan(pinn::test::larger(NAN, x)));
  }
}

// A NaN is lost by std::max, and then no bound on an error can fail.
TEST_CASE("no test takes the largest error by std::max", "[architecture]") {
  static const std::regex lossy(
      R"(([\w.]+) = std::f?max\(\{?\1, .*\b(f?abs|distance|ulps|units)\()");
  CHECK(std::regex_search("most = std::max(most, std::fabs(a - b));", lossy));
  for (const std::string& path : sources()) {
    if (!path.starts_with("tests/") || path.starts_with("tests/architecture/")) continue;
    std::istringstream text(contents(path));
    int line = 0;
    for (std::string code; std::getline(text, code);) {
      ++line;
      if (std::regex_search(code, lossy))
        FAIL_CHECK(path << ":" << line << ": take larger() of tests/larger.h: " << code);
    }
  }
}

TEST_CASE("a planted early end of a case is found, with its line", "[architecture][errors]") {
  CHECK(early_ends("tests/test_x.cpp", "TEST_CASE(\"a\") {\n  if (late()) return;\n}\n") ==
        std::vector<std::string>{
            "tests/test_x.cpp:2: a case ends early by `if (skips(...)) return;`, before it checks "
            "anything, and in no other way"});
  CHECK(ends("  for (int i : all) {\n    if (i > 2) return;\n  }\n") == 1);
  CHECK(ends("  if (sanitized) {\n    WARN(\"test skipped: {\");\n    return;\n  }\n") == 1);
  CHECK(ends("  const char* text = R\"({ // )\";\n  if (x['{'] == 1'000) return;\n") == 1);
  CHECK(ends("  for (const auto& [a, b] : all) {\n    if (a == b[0](1)) return;\n  }\n") == 1);
  CHECK(ends("  CHECK(works());\n  if (skips(lack_of_gpu())) return;\n") == 1);
}

TEST_CASE("skips, lambdas and functions may return", "[architecture]") {
  CHECK(ends("  Place place;\n  if (skips(lack_of_gpu())) return;\n  CHECK(works());\n") == 0);
  CHECK(ends("  each([&](int i) {\n    if (i > 2) return;\n    CHECK(i);\n  });\n") == 0);
  CHECK(ends("  std::thread t([&] {\n    for (;;) {\n      return;\n    }\n  });\n") == 0);
  CHECK(ends("  const auto f = [] { return 1; };\n") == 0);
  CHECK(early_ends("tests/test_x.cpp", "void f() {\n  if (late()) return;\n}\n").empty());
}
