#include "configs/keys.h"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "configs/draft.h"
#include "tests/catch.h"
#include "tests/configs/small.h"

using namespace pinn;
using config::Key;

namespace {

/// A legal value of a key that is not its default, as TOML; empty where none can be made up.
std::string another_value(const Key& key) {
  using config::Node;
  if (!key.choices.empty()) {
    for (const std::string& choice : key.choices)
      if ('"' + choice + '"' != fallback_text(key)) return '"' + choice + '"';
    return {};
  }
  if (key.path == "stage.#.memory") return "40000000.5";  // enough for a small network
  const bool fraction = key.range.upper <= 1;
  if (key.syntax.kinds & Node::number) return fraction ? "0.25" : "3.5";
  if (key.syntax.kinds & Node::integer)
    return key.range.upper <= 1 ? "" : key.range.upper < 7000 ? "7" : "7000";
  if (key.syntax.items & Node::integer) return "[7, 9]";
  return {};
}

std::string at_number(std::string path) {
  if (const std::size_t hash = path.find('#'); hash != std::string::npos) path[hash] = '1';
  return path;
}

/// Overrides that make the key apply: what its table has to choose, and what that depends on.
std::vector<std::string> choices_for(const Key& key) {
  if (key.path.ends_with(".quadrature"))
    return {at_number(key.section()) +
            ".residual=\"integral(s*u, s, 0, 1) = " + (key.section() == "data.#" ? "v\"" : "x\"")};
  if (key.chooser.empty()) return {};
  const std::string chooser = key.section() + "." + key.chooser;
  std::vector<std::string> all = choices_for(*config::find_key(chooser));
  all.push_back(at_number(chooser) + "=" + key.only.front());
  return all;
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const std::string manual = PINN_SOURCE_DIR "/docs/problem_file.md";
const std::string reference_title = "## Every key\n";

}  // namespace

TEST_CASE("every plain key that is set is in force", "[configs]") {
  int tried = 0;
  for (const Key& key : config::keys()) {
    const std::string value = another_value(key);
    const bool plain = key.set && key.get && !value.empty() && !key.path.starts_with("reference.");
    if (!plain) continue;
    const std::string path = at_number(key.path);
    std::vector<std::string> overrides = choices_for(key);
    overrides.push_back(path + "=" + value);
    INFO(overrides.back());

    const std::string more =
        "[[data]]\nfile = \"bad/good.csv\"\nresidual = \"u = v\"\n"
        "columns = { x = \"position\", t = \"t\", v = \"v\" }\n";
    const Run run =
        read_run_text(small(more), PINN_SOURCE_DIR "/tests/configs/small.toml", overrides);

    const std::string found = run.effective.at(path);
    CHECK((found == value || found == "[" + value + "]"));
    ++tried;
  }
  CHECK(tried > 35);  // the plain keys of the format
}

TEST_CASE("the default that is printed is the default in force", "[configs]") {
  const Run run = read_small();
  for (const Key& key : config::keys()) {
    if (!key.get || !key.fallback.empty() || key.section().starts_with("data")) continue;
    const auto found = run.effective.find(at_number(key.path));
    if (found == run.effective.end()) continue;  // for other optimizers
    INFO(key.path);
    CHECK(found->second == fallback_text(key));
  }
}

TEST_CASE("paths of keys are unique, and each says what it means", "[configs]") {
  std::set<std::string> paths;
  for (const Key& key : config::keys()) {
    INFO(key.path);
    CHECK(paths.insert(key.path).second);
    CHECK(!key.says.empty());
  }
}

TEST_CASE("pinn-train --keys lists every key", "[configs]") {
  const std::string text = config::keys_as_text();
  for (const Key& key : config::keys()) {
    const std::string name = key.name().substr(0, key.name().find('*'));
    CHECK(text.find("  " + name) != std::string::npos);
  }
}

TEST_CASE("the manual holds the table of keys as it is in the code", "[configs]") {
  const std::string text = content(manual);
  const std::size_t at = text.find(reference_title);
  REQUIRE(at != std::string::npos);
  CHECK(text.substr(at + reference_title.size()) == config::keys_as_markdown());
}

TEST_CASE("the manual's first example is a problem file", "[configs]") {
  const std::string text = content(manual);
  const std::size_t begin = text.find('\n', text.find("```toml")) + 1;
  CHECK_NOTHROW(read_run_text(text.substr(begin, text.find("```", begin) - begin), "manual.toml"));
}

TEST_CASE("write the manual's table of keys anew", "[.update]") {
  std::string text = content(manual);
  const std::size_t at = text.find(reference_title);
  REQUIRE(at != std::string::npos);
  std::ofstream(manual) << text.substr(0, at + reference_title.size())
                        << config::keys_as_markdown();
}

TEST_CASE("a key that came later is no change while it says what was so before", "[configs]") {
  const auto values = [](const std::string& more) {
    return read_run_text(R"toml([problem]
coordinates = { x = [0, 1] }
fields = ["u"]
[[equation]]
residual = "u_xx = 0"
)toml" + more + "\n[[stage]]\nsteps = 1\n",
                         "later.toml")
        .effective;
  };
  for (const char* key : {"equation.1.adapt", "equation.1.points.adaptive"}) {
    CHECK(values("").count(key) == 0);
    CHECK(values(std::string(key).substr(11) + " = true").count(key) == 0);
    CHECK(values(std::string(key).substr(11) + " = false").at(key) == "false");
  }
}

namespace {

/// End of a JSON value that begins at i; npos when it is none.
std::size_t end_of_json(const std::string& text, std::size_t i) {
  const auto closed = [&](char close) {
    for (++i; i < text.size() && text[i] != close;) {
      if (close == '}') {
        i = end_of_json(text, i);
        if (i == text.npos || text.compare(i, 2, ": ") != 0) return text.npos;
        i += 2;
      }
      i = end_of_json(text, i);
      if (i == text.npos) return i;
      if (text.compare(i, 2, ", ") == 0)
        i += 2;
      else if (text[i] != close)
        return text.npos;
    }
    return i < text.size() ? i + 1 : text.npos;
  };
  if (i >= text.size()) return text.npos;
  if (text[i] == '{') return closed('}');
  if (text[i] == '[') return closed(']');
  if (text[i] == '"') {
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (static_cast<unsigned char>(text[i]) < ' ') return text.npos;
      if (text[i] == '\\') ++i;
    }
    return i < text.size() ? i + 1 : text.npos;
  }
  const std::size_t end = text.find_first_not_of("-+.0123456789aeflrstu", i);
  return end == i ? text.npos : end;
}

}  // namespace

TEST_CASE("the schema is JSON and holds every key but those that are not built",
          "[configs][keys]") {
  const std::string schema = config::keys_as_schema();
  CHECK(end_of_json(schema, 0) == schema.size() - 1);
  CHECK(schema.find("\"https://json-schema.org/draft/2020-12/schema\"") != std::string::npos);
  for (const config::Key& key : config::keys()) {
    if (!key.not_yet.empty() || key.path.ends_with('*')) continue;
    INFO(key.path);
    const std::string name = key.name().substr(key.name().rfind('.') + 1);
    CHECK(schema.find("\"" + name + "\": {") != std::string::npos);
  }
  CHECK(schema.find("\"enum\": [\"adam\"") != std::string::npos);
}
