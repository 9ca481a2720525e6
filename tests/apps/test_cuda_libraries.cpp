// A program that was built with CUDA starts on machines that have none of it.
#include <cstdio>
#include <sstream>

#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn::test;

namespace {

/// The shared libraries that a program names; none where readelf is missing.
std::vector<std::string> needed_by(const std::string& program) {
  const std::string command = "readelf -d '" + program + "' 2>/dev/null";
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (!pipe) return {};
  std::string text;
  char some[4096];
  for (std::size_t n; (n = std::fread(some, 1, sizeof some, pipe)) > 0;) text.append(some, n);
  ::pclose(pipe);
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("(NEEDED)") != std::string::npos)
      names.push_back(line.substr(line.find('[') + 1, line.rfind(']') - line.find('[') - 1));
  return names;
}

bool is_of_cuda(const std::string& library) {
  const auto begins = [&](const char* prefix) { return library.rfind(prefix, 0) == 0; };
  return begins("libcu") && !begins("libcurl") && !begins("libcups");
}

std::string program_path(const std::string& name) {
  return std::string(PINN_BINARY_DIR) + "/" + name;
}

/// Why what the programs need cannot be asked here; empty where it can.
std::string lack_of_cuda(const Folder& place) {
  const std::string said = pinn_train(place, {"small.toml", "--check", "--device", "cuda"}).err;
  if (said.find("built without CUDA") != std::string::npos)
    return "this program was built without CUDA";
  return needed_by(program_path("pinn-train")).empty()
             ? "there is no readelf to ask what a program needs"
             : "";
}

}  // namespace

TEST_CASE("a program built with CUDA needs no library and no driver of it to start", "[apps]") {
  const Folder place;
  place.file("small.toml", small_problem);
  if (skips(lack_of_cuda(place))) return;
  CHECK(pinn_train(place, {"small.toml", "--check", "--device", "cpu"}).code == 0);
  for (const char* name : {"pinn-train", "pinn-export"}) {
    const std::vector<std::string> needed = needed_by(program_path(name));
    CHECK(!needed.empty());
    for (const std::string& library : needed) {
      INFO(name << " needs " << library);
      CHECK_FALSE((is_of_cuda(library) || library.rfind("libnvrtc", 0) == 0));
    }
  }
}
