// Files that a cat walked over: whatever bytes a problem file holds, it is refused with a message
// or read as the run that its effective values state.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "configs/read.h"
#include "tests/catch.h"
#include "tests/configs/same_run.h"

using namespace pinn;
namespace fs = std::filesystem;

namespace {

struct File {
  std::string path, text;
};

/// Problem files; not those of the gallery that are large by design.
std::vector<File> files(std::initializer_list<const char*> folders) {
  std::vector<File> all;
  for (const char* folder : folders)
    for (const auto& entry : fs::directory_iterator(std::string(PINN_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".toml" || entry.file_size() > 8000) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      all.push_back({entry.path().string(), text.str()});
    }
  std::sort(all.begin(), all.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return all;
}

/// Random small changes, the same ones in every run.
class Cat {
 public:
  explicit Cat(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  std::string walk(std::string text, const std::string& other) {
    do step(text, other);
    while (below(3) == 0);
    return text;
  }

 private:
  void step(std::string& text, const std::string& other) {
    const std::size_t at = below(text.size() + 1), length = below(20);
    switch (below(7)) {
      case 0:
        if (at < text.size()) text[at] = char(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 3:
        text.insert(at, other.substr(below(other.size()), 5 * length));
        break;
      case 4:
        swap_tokens(text);
        break;
      case 5:
        delete_line(text, at);
        break;
      case 6:
        text.insert(at, 1, "[]{}\"'=#.,\n\\-0e"[below(15)]);
        break;
    }
  }

  /// The word around a place: from one blank, quote or bracket to the next.
  std::pair<std::size_t, std::size_t> token(const std::string& text) {
    const char* ends = " \n\"'[]{}=,#";
    const std::size_t begin = text.find_first_not_of(ends, below(text.size()));
    if (begin == std::string::npos) return {0, 0};
    return {begin, std::min(text.find_first_of(ends, begin), text.size()) - begin};
  }

  void swap_tokens(std::string& text) {
    auto a = token(text), b = token(text);
    if (a.first > b.first) std::swap(a, b);
    if (a.first + a.second > b.first) return;
    const std::string first = text.substr(a.first, a.second);
    const std::string second = text.substr(b.first, b.second);
    text.replace(b.first, b.second, first).replace(a.first, a.second, second);
  }

  void delete_line(std::string& text, std::size_t at) {
    const std::size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    text.erase(begin, std::min(text.find('\n', begin), text.size()) - begin);
  }

  std::mt19937_64 random_;
};

/// True when the text was read as a run; false when it was refused.
bool survives(const std::string& text, const std::string& path) {
  Run run;
  try {
    run = read_run_text(text, path);
  } catch (const ConfigError&) {
    return false;
  }
  const std::string effective = effective_toml(run);
  INFO(text << "\n--- reads as ---\n" << effective);
  Run again;
  REQUIRE_NOTHROW(again = read_run_text(effective, path));
  REQUIRE(same_run(run, again));
  return true;
}

void mutate(int count, unsigned seed) {
  const std::vector<File> shipped = files({"/configs"});
  const std::vector<File> all = files({"/configs", "/tests/configs/bad"});
  Cat cat(seed);
  int read = 0;
  for (int i = 0; i < count; ++i) {
    const File& file = i % 2 == 0 ? shipped[cat.below(shipped.size())] : all[cat.below(all.size())];
    read += survives(cat.walk(file.text, all[cat.below(all.size())].text), file.path);
  }
  // Without a good number of either kind nothing would have been tested.
  CHECK(read > count / 10);
  CHECK(count - read > count / 10);
}

}  // namespace

TEST_CASE("a problem file reads back from its effective values", "[configs]") {
  for (const File& file : files({"/configs"})) {
    INFO(file.path);
    CHECK(survives(file.text, file.path));
  }
}

TEST_CASE("a damaged problem file is refused or means what it says", "[configs]") {
  mutate(500, 1);
}

TEST_CASE("10 000 damaged problem files are refused or mean what they say", "[.][slow][configs]") {
  mutate(10000, 2);
}
