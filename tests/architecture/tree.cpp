#include "tests/architecture/tree.h"

#include <fstream>
#include <sstream>

#include "tests/catch.h"

namespace fs = std::filesystem;

fs::path root() { return PINN_SOURCE_DIR; }

std::string contents(const std::string& path) {
  std::ifstream in(root() / path);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool is_code(const fs::path& path) {
  for (const char* ending : {".h", ".cpp", ".cu", ".cuh"})
    if (path.extension() == ending) return true;
  return false;
}

std::vector<std::string> sources() {
  std::vector<std::string> paths;
  for (const char* top :
       {"autograd", "models", "data", "solvers", "configs", "door", "apps", "bench", "tests"}) {
    if (!fs::exists(root() / top)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root() / top))
      if (entry.is_regular_file() && is_code(entry.path()))
        paths.push_back(fs::relative(entry.path(), root()).generic_string());
  }
  return paths;
}
