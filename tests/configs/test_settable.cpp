// Completions of shells after --set: they are what --set takes.
#include <sstream>
#include <string>

#include "configs/findings.h"
#include "configs/keys.h"
#include "configs/override.h"
#include "configs/toml_reader.h"
#include "data/files/disk.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

/// Number of mistakes that --set finds in a key for a file.
std::size_t mistakes(const std::string& file, const std::string& key) {
  config::Findings findings;
  config::Node tree = config::parse_toml(config::make_source("file", file), file, findings);
  config::apply_override(key + "1", 1, tree, findings);
  return findings.all.size();
}

}  // namespace

TEST_CASE("every key that is completed may be set in that file", "[configs][keys]") {
  for (const char* name : {"burgers", "cylinder", "heater", "coagulation", "sir"}) {
    const std::string file = read_file(std::string(PINN_SOURCE_DIR) + "/configs/" + name + ".toml");
    std::istringstream keys(config::settable_as_text(&file));
    std::size_t count = 0;
    for (std::string key; std::getline(keys, key);) {
      if (!key.ends_with('=')) continue;
      INFO(name << " " << key);
      CHECK(mistakes(file, key) == 0);
      ++count;
    }
    CHECK(count > 100);
  }
}

TEST_CASE("a file that is no TOML has no keys of its own", "[configs][keys]") {
  const std::string wrong = "[problem\n";
  const std::string keys = config::settable_as_text(&wrong);
  CHECK(keys.find("run.seed=\n") != std::string::npos);
  CHECK(keys.find("stage.") == std::string::npos);
}
