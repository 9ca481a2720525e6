#include "configs/guard.h"

#include "configs/findings.h"
#include "tests/catch.h"
#include "tests/configs/small.h"

using namespace pinn;
using namespace pinn::config;

namespace {

/// The one mistake of a text, or count when there is none.
Mistake guarded(const std::string& text) {
  Findings findings;
  guard(make_source("text", text), text, findings);
  return findings.all.empty() ? Mistake::count : findings.all[0].mistake;
}

std::string repeated(const std::string& text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("legal TOML of any shape passes the guard", "[configs]") {
  for (const char* text : {"",
                           "a = 1",
                           "[a]",
                           "[[a]]",
                           "[ a ]",
                           "[\"é\"]",
                           "['é']",
                           "[a.b.\"c.d\"]",
                           "# é \x09 \n",
                           "a = \"é\"",
                           "a = '\\'\nb = 'é'",
                           "a = \"\\\"é\"",
                           "a = \"\"\"\né\n[!x]\n\"\"\"",
                           "a = '''\né'\n''é'''",
                           "a = \"\"\"x\"\"\"\"\"\nb = 1",
                           "a = [\n[+1, 2],\n[[[3]]],\n[]\n]\n[b]",
                           "a = {b = [{c = 1}]}",
                           "a = [ # é\n  1 ]",
                           "a = \"\"\"\\\n  é\"\"\"",
                           "a = 1\r\n[b]\r\n"}) {
    INFO(text);
    CHECK(guarded(text) == Mistake::count);
  }
}

TEST_CASE("bytes that the TOML library does not stand never reach it", "[configs][errors]") {
  CHECK(guarded("[é]") == Mistake::header_without_key);
  CHECK(guarded("é = 1") == Mistake::stray_character);
  CHECK(guarded("[!x]") == Mistake::header_without_key);
  CHECK(guarded("a = 1\n  [[ ]]") == Mistake::header_without_key);
  CHECK(guarded("a = 'x'\n[") == Mistake::header_without_key);
  CHECK(guarded("a = '" + repeated("a", 65536)) == Mistake::line_too_long);
  CHECK(guarded("a" + repeated(".a", 200000)) == Mistake::too_many_dots);
  CHECK(guarded("a = " + repeated("[", 200000)) == Mistake::nested_too_deep);
  CHECK(guarded("a = " + repeated("[\n", 65)) == Mistake::nested_too_deep);
  CHECK(guarded("a = " + repeated("{b=", 65)) == Mistake::nested_too_deep);
  CHECK(guarded(std::string("a = 'x\0'", 8)) == Mistake::control_character);
  CHECK(guarded("a = 'x\x7f'") == Mistake::control_character);
  CHECK(guarded(repeated("\n", (1 << 20) + 1)) == Mistake::too_large);
}

TEST_CASE("bytes that are not UTF-8 are refused", "[configs][errors]") {
  for (const char* bytes : {"\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xF8\x88\x80\x80\x80", "\x80", "\xFF", "\xE2\x82", "\xF0\x80\x80\x80"})
    CHECK(guarded(std::string("a = '") + bytes + "'") == Mistake::not_utf8);
  for (const char* bytes : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF"})
    CHECK(guarded(std::string("a = '") + bytes + "'") == Mistake::count);
}

TEST_CASE("numbers that TOML cannot hold are refused with their place", "[configs][errors]") {
  for (const char* number : {"1e400", "99999999999999999999999"})
    CHECK_THAT(refusal(small("rate = " + std::string(number))),
               Catch::Matchers::Contains("small.toml:10:"));
}

TEST_CASE("what passes the guard is read, however odd", "[configs][errors]") {
  std::string deep = "a", many, wide = "x = [", tables;
#if defined(__SANITIZE_ADDRESS__)  // whose frames of the recursive reader are several times larger
  constexpr int levels = 1000;
#else
  constexpr int levels = 4000;
#endif
  for (int i = 0; i < levels; ++i) deep += ".a";
  for (int i = 0; many.size() < 1000000; ++i) many += "k" + std::to_string(i) + " = 1\n";
  for (int i = 0; i < 15000; ++i) wide += "{},\n";
  for (int i = 0; i < 20000; ++i) tables += "[[equation]]\nresidual = \"u\"\n";

  CHECK_THAT(refusal(deep + " = 1\n"), Catch::Matchers::Contains("unknown key 'a'"));
  CHECK_THAT(refusal(many), Catch::Matchers::Contains("unknown key 'k0'"));
  CHECK_THAT(refusal(wide + "]\n"), Catch::Matchers::Contains("unknown key 'x'"));
  CHECK_THAT(refusal(tables), Catch::Matchers::Contains("there are 20000 [[equation]] tables"));
  CHECK_THAT(refusal(small("[network]\nfourier" + deep.substr(1) + " = 1\n")),
             Catch::Matchers::Contains("unknown key 'a' in 'network.fourier'"));
  CHECK_THAT(refusal(small(), {"a" + deep + "=1"}), Catch::Matchers::Contains("unknown key 'aa'"));
}
