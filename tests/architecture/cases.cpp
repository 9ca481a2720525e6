#include "tests/architecture/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

namespace {

/// Behind the text, character or comment that begins at `at`; `at` where none does.
std::size_t behind_text(const std::string& code, std::size_t at) {
  const auto behind = [&](const std::string& closing, std::size_t from) {
    const std::size_t found = code.find(closing, from);
    return found == std::string::npos ? code.size() : found + closing.size();
  };
  const bool in_word = at > 0 && std::isalnum(static_cast<unsigned char>(code[at - 1]));
  if (code.compare(at, 2, "//") == 0) return behind("\n", at) - 1;
  if (code.compare(at, 2, "R\"") == 0 && !in_word) {
    const std::size_t open = std::min(code.find('(', at), code.size() - 1);
    return behind(")" + code.substr(at + 2, open - at - 2) + "\"", open);
  }
  if (code[at] != '"' && (code[at] != '\'' || in_word)) return at;
  std::size_t end = at + 1;
  while (end < code.size() && code[end] != code[at]) end += code[end] == '\\' ? 2 : 1;
  return std::min(end + 1, code.size());
}

/// As long as before, with blanks for what stands in texts, characters and comments.
std::string without_texts(std::string code) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t end = behind_text(code, at);
    for (; at < end; ++at)
      if (code[at] != '\n') code[at] = ' ';
  }
  return code;
}

/// True if the brace behind this statement opens the body of a lambda.
bool begins_lambda(const std::string& statement) {
  static const std::regex introducer(
      R"((^|[^\w\])\s]|\breturn)\s*\[[^\]]*\]\s*([(<]|mutable\b|$))");
  return std::regex_search(statement, introducer);
}

}  // namespace

std::vector<std::string> early_ends(const std::string& path, const std::string& text) {
  static const std::regex begin(R"(\b\w*TEST_CASE\w*\()"), skip(R"(if \(skips\([^;]*\)\) return$)"),
      returns(R"((^|\W)return$)"), check(R"(\b(CHECK|REQUIRE|FAIL)\w*\()");
  std::vector<std::string> found;
  std::vector<bool> lambdas;              // of each brace that is open: whether it holds a lambda
  std::size_t depth = std::string::npos;  // of the case; none
  std::string statement;
  bool checked = false;
  int line = 1;
  for (const char c : without_texts(text)) {
    line += c == '\n';
    if (c != '{' && c != '}' && c != ';') {
      if (!statement.empty() || !std::isspace(static_cast<unsigned char>(c)))
        statement += c == '\n' ? ' ' : c;
      continue;
    }
    if (c == '{' && std::regex_search(statement, begin)) depth = lambdas.size(), checked = false;
    checked = checked || std::regex_search(statement, check);
    const bool in_lambda = std::count(lambdas.begin(), lambdas.end(), true) > 0;
    if (c == ';' && depth != std::string::npos && !in_lambda &&
        std::regex_search(statement, returns) && (checked || !std::regex_search(statement, skip)))
      found.push_back(
          fmt::format("{}:{}: a case ends early by `if (skips(...)) return;`, before it "
                      "checks anything, and in no other way",
                      path, line));
    if (c == '{') lambdas.push_back(begins_lambda(statement));
    if (c == '}' && !lambdas.empty()) lambdas.pop_back();
    if (c == '}' && depth == lambdas.size()) depth = std::string::npos;
    statement.clear();
  }
  return found;
}

std::vector<std::string> names_like_options(const std::string& path, const std::string& text) {
  static const std::regex name(R"(TEST_CASE\w*\(\s*"-)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
    found.push_back(fmt::format(
        "{}:{}: the name of a case begins with `-`, as an option does", path,
        1 + std::count(text.begin(), text.begin() + at->position() + at->length(), '\n')));
  return found;
}
