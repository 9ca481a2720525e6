#include <fmt/format.h>

#include "configs/toml_reader.h"

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
  CHECK(guarded("a" + repeated(".a", 200000)) == Mistake::nested_too_deep);
  CHECK(guarded("a = " + repeated("[", 200000)) == Mistake::nested_too_deep);
  CHECK(guarded("a = " + repeated("[\n", 65)) == Mistake::nested_too_deep);
  CHECK(guarded("a = " + repeated("{b=", 65)) == Mistake::nested_too_deep);
  CHECK(guarded(std::string("a = 'x\0'", 8)) == Mistake::control_character);
  CHECK(guarded("a = 'x\x7f'") == Mistake::control_character);
  CHECK(guarded(repeated("\n", (1 << 20) + 1)) == Mistake::too_large);
}

TEST_CASE("headers, dots and brackets that are too deep together are refused where they are",
          "[configs][errors]") {
  const auto place = [](const std::string& text) {
    Findings findings;
    guard(make_source("text", text), text, findings);
    if (findings.all.empty()) return std::string();
    return fmt::format("text:{}:{}", findings.all[0].line, findings.all[0].column);
  };
  const std::string dots = "a" + repeated(".a", 20), many = "a" + repeated(".a", 4090);
  const std::string inside = dots + " = [\n{" + dots + " = [\n{" + dots + " = [\n{";

  CHECK(place("[a" + repeated(".a", 31) + "]\na = 1") == "");
  CHECK(place("[a" + repeated(".a", 32) + "]") == "text:1:65");
  CHECK(place("[a" + repeated(".a", 30) + "]\na.b.c = 1") == "");
  CHECK(place("[a" + repeated(".a", 30) + "]\na.b.c.d = 1") == "text:2:6");
  CHECK(place(inside + "a = 1") == "text:3:46");
  CHECK(place(repeated("[\"x.y\"]\n" + dots + " = [1.5, 2.5, {a.b = 1.5}, [1, 2]]\n", 9)) == "");
  CHECK(place("a = [" + repeated("1.25, ", 9000) + "]") == "");
  // Four levels of 4090 dots, each in arrays: 254 kB that overflowed the stack.
  CHECK(place(many + " = [\n{" + many + " = [\n{" + many + " = [\n{" + many + " = 1") ==
        "text:1:130");
}

TEST_CASE("an override whose key is too deep is refused where it is", "[configs][errors]") {
  for (const int dots : {64, 2'000'000})
    CHECK_THAT(refusal(small(), {"run.seed=1", "a" + repeated(".a", dots) + "=1"}),
               Catch::Matchers::Contains("the key has more than 64 parts") &&
                   Catch::Matchers::Contains("where: --set:2:128"));
  CHECK_THAT(refusal(small(), {"run.seed=" + repeated("{a.a.a=", 40)}),
             Catch::Matchers::Contains("where: --set:1:"));
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
  for (int i = 0; i < 60; ++i) deep += ".a";
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
