#include "autograd/core/version.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace pinn {

std::string_view version() { return PINN_VERSION; }  // the definition comes from CMakeLists.txt

namespace {

using Words = std::vector<std::string>;

/// "__SSE4_1__" is sse4.1.
std::string name_of(std::string macro) {
  macro = macro.substr(2, macro.size() - 4);
  std::transform(macro.begin(), macro.end(), macro.begin(), [](char c) {
    return c == '_' ? '.' : c >= 'A' && c <= 'Z' ? char(c + 32) : c;
  });
  return macro;
}

Words names(std::string_view macros) {
  std::istringstream text{std::string(macros)};
  Words all;
  for (std::string macro; text >> macro;)
    if (macro.size() > 4) all.push_back(name_of(std::move(macro)));
  std::sort(all.begin(), all.end());
  return all;
}

/// Features that each level adds to the one before; those that the build does not ask the compiler
/// about are left out.
const std::vector<Words> levels = {{"sse", "sse2", "sse.math", "sse2.math"},
                                   {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"},
                                   {"avx", "avx2", "bmi", "bmi2", "fma"},
                                   {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}};

const char* base() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

}  // namespace

std::string instruction_set(std::string_view macros) {
  Words rest = names(macros);
  const auto has = [&](const std::string& name) {
    return std::find(rest.begin(), rest.end(), name) != rest.end();
  };
  std::size_t level = 1;
  while (level < levels.size() && std::all_of(levels[level].begin(), levels[level].end(), has))
    ++level;
  for (std::size_t i = 0; i < level; ++i)
    for (const std::string& name : levels[i]) std::erase(rest, name);
  std::string text = base() + (level > 1 ? "-v" + std::to_string(level) : "");
  for (const std::string& name : rest) text += " " + name;
  return text;
}

}  // namespace pinn
