#pragma once
#include <cstddef>
#include <string>
#include <vector>

/// The pages that users read, taken apart.
namespace pages {

/// A block between ``` and ```. Its first line is ```LANGUAGE, or ```LANGUAGE title="TITLE".
struct Block {
  std::string page;  ///< "docs/points.md"
  std::size_t line;  ///< where it begins, from 1
  std::string language, title, text;
  std::string place() const { return page + ":" + std::to_string(line); }
};

/// True of the languages of commands: sh, bash, zsh or fish.
bool is_shell(const std::string& language);
/// True where a command further down the page trains the problem of a block.
bool is_trained_later(const Block& block, const std::vector<Block>& page);

/// A link or picture of a page, as it stands between the parentheses.
struct Link {
  std::string page;
  std::size_t line;
  std::string target;
  std::string place() const { return page + ":" + std::to_string(line); }
};

/// README.md and every page under docs, from the root of the repository, in order.
std::vector<std::string> all();
std::string text_of(const std::string& page);

std::vector<Block> blocks(const std::string& page, const std::string& text);
std::vector<Link> links(const std::string& page, const std::string& text);
/// Names that a link may have after #, as GitHub and the site make them of headings: in small
/// letters, blanks as hyphens, other marks left out, a second one with -1.
std::vector<std::string> anchors(const std::string& text);
/// Text between single backticks outside of blocks.
std::vector<Link> code_spans(const std::string& page, const std::string& text);

}  // namespace pages
