#include "tests/docs/markdown.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "data/files/disk.h"

namespace fs = std::filesystem;

namespace pages {
namespace {

struct Line {
  std::size_t number;
  std::string text;
  bool fence = false, in_block = false;
};

/// The lines of a page, with what is a block and what is not.
std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    const bool fence = line.find("```") == std::min(line.find_first_not_of(' '), line.size());
    lines.push_back({lines.size() + 1, line, fence, inside});
    if (fence) inside = !inside;
  }
  return lines;
}

std::vector<Link> found(const std::string& page, const std::string& text, const std::regex& what,
                        const std::regex& without) {
  std::vector<Link> all;
  for (const Line& line : lines_of(text)) {
    if (line.fence || line.in_block) continue;
    const std::string shown = std::regex_replace(line.text, without, "");
    for (std::sregex_iterator i(shown.begin(), shown.end(), what), end; i != end; ++i)
      all.push_back({page, line.number, (*i)[1].str()});
  }
  return all;
}

}  // namespace

bool is_shell(const std::string& language) {
  static const std::set<std::string> shells = {"sh", "bash", "zsh", "fish"};
  return shells.contains(language);
}

bool is_trained_later(const Block& block, const std::vector<Block>& page) {
  return std::any_of(page.begin(), page.end(), [&](const Block& other) {
    return other.line > block.line && is_shell(other.language) && !block.title.empty() &&
           ("\n" + other.text).find("\npinn-train " + block.title + "\n") != std::string::npos;
  });
}

std::vector<std::string> all() {
  const fs::path root = PINN_SOURCE_DIR;
  std::vector<std::string> pages = {"AGENTS.md", "README.md"};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md")
      pages.push_back(fs::relative(entry.path(), root).generic_string());
  std::sort(pages.begin() + 2, pages.end());
  return pages;
}

std::string text_of(const std::string& page) {
  return pinn::read_file(std::string(PINN_SOURCE_DIR) + "/" + page);
}

std::vector<Block> blocks(const std::string& page, const std::string& text) {
  static const std::regex opening("^ *```([A-Za-z+]*)(?: title=\"([^\"]*)\")?$");
  std::vector<Block> all;
  for (const Line& line : lines_of(text)) {
    if (line.in_block && !line.fence) all.back().text += line.text + "\n";
    if (line.in_block || !line.fence) continue;
    std::smatch part;
    const bool good = std::regex_match(line.text, part, opening);
    all.push_back({page, line.number, good ? part[1].str() : "?", good ? part[2].str() : "", ""});
  }
  return all;
}

std::vector<Link> links(const std::string& page, const std::string& text) {
  static const std::regex link("\\]\\(([^()\\s]+)\\)"), code("`[^`]*`");
  return found(page, text, link, code);
}

std::vector<Link> code_spans(const std::string& page, const std::string& text) {
  static const std::regex span("`([^`]+)`"), nothing("^$");
  return found(page, text, span, nothing);
}

std::vector<std::string> anchors(const std::string& text) {
  static const std::regex heading("^#+ +(.*[^ ]) *$"), link("\\[([^\\]]*)\\]\\([^)]*\\)");
  std::vector<std::string> all;
  std::map<std::string, int> seen;
  for (const Line& line : lines_of(text)) {
    std::smatch part;
    if (line.fence || line.in_block || !std::regex_match(line.text, part, heading)) continue;
    std::string anchor;
    for (const char c : std::regex_replace(part[1].str(), link, "$1"))
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ' ')
        anchor += c == ' ' ? '-' : char(std::tolower(static_cast<unsigned char>(c)));
    const int before = seen[anchor]++;
    all.push_back(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return all;
}

}  // namespace pages
