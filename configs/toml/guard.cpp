#include "configs/toml_reader.h"

#include <fmt/format.h>

#include <cctype>

#include "configs/findings.h"

namespace pinn::config {
namespace {

constexpr std::size_t longest_line = 1 << 16;

bool starts_key(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '"' ||
         c == '\'';
}

/// Reads the text once, knowing only strings, comments, brackets and lines.
class Scanner {
 public:
  Scanner(const std::shared_ptr<const Source>& source, std::string_view text, Findings& findings)
      : source_(source), text_(text), findings_(findings), line_(source->first_line) {}

  bool clean() {
    while (at_ < text_.size())
      if (!step()) return false;
    return true;
  }

 private:
  bool step() {
    const std::size_t bytes = code_point_bytes(text_.substr(at_));
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (bytes == 0)
      return refuse(Mistake::not_utf8, fmt::format("byte 0x{:02X} is not valid UTF-8", c),
                    "save the file as UTF-8");
    if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F)
      return refuse(Mistake::control_character, fmt::format("control character 0x{:02X}", c),
                    "delete it; a problem file is plain text");
    if (c == '\n') return new_line();
    if (++line_bytes_ > longest_line)
      return refuse(Mistake::line_too_long,
                    fmt::format("this line is longer than {} bytes", longest_line),
                    "break it, or put the numbers into a data file");
    if (quotes_ > 0)
      in_string(c);
    else if (!comment_ && !plain(c, bytes))
      return false;
    at_ += bytes;
    ++column_;
    return true;
  }

  bool new_line() {
    if (quotes_ == 1) quotes_ = 0;  // an open one-line string is the parser's to refuse
    if (header_) section_ = 2 * (dots_ + 1);
    if (levels_.size() == 1) end_value();
    comment_ = header_ = escaped_ = false;
    line_starts_ = true;
    dots_ = 0;
    line_bytes_ = 0;
    ++line_;
    column_ = 1;
    ++at_;
    return true;
  }

  /// A character outside strings and comments.
  bool plain(unsigned char c, std::size_t bytes) {
    if (bytes > 1)
      return refuse(
          Mistake::stray_character,
          fmt::format("the character '{}' stands outside a string", text_.substr(at_, bytes)),
          "names are ASCII letters, digits and underscores; put other text in quotes");
    if (c == '#') {
      comment_ = true;
      return true;
    }
    if (c == '"' || c == '\'') return open(char(c));
    if (c == '[' && line_starts_ && levels_.size() == 1) return header();
    if (c != ' ' && c != '\t') line_starts_ = false;
    count_levels(c);
    if (depth() <= most_depth) return true;
    return refuse(Mistake::nested_too_deep,
                  fmt::format("tables and arrays are nested deeper than {}", most_depth),
                  "no key is nested that deep");
  }

  /// Follows keys and brackets. A dot is of a key, or one of few in a number.
  void count_levels(unsigned char c) {
    if (c == '.') ++dots_;
    if (header_) return;
    if (c == '=') outer_ += dots_, levels_.back() += dots_;
    if (c == ',') end_value();
    if (c == '[' || c == '{') ++outer_, levels_.push_back(0);
    if ((c == ']' || c == '}') && levels_.size() > 1) {
      end_value();
      --outer_, levels_.pop_back();
    }
    if (c == '=' || c == ',' || c == '[' || c == '{' || c == ']' || c == '}') dots_ = 0;
  }

  /// Ends a value: what comes next is not below the key before it.
  void end_value() {
    outer_ -= levels_.back();
    levels_.back() = 0;
  }

  /// Depth of what stands here, when every table of a header is one of an array.
  int depth() const { return header_ ? 2 * (dots_ + 1) : section_ + outer_ + dots_; }

  bool header() {
    line_starts_ = false;
    header_ = true;
    std::size_t next = at_ + 1;
    if (next < text_.size() && text_[next] == '[') ++next;
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t')) ++next;
    if (next < text_.size() && starts_key(text_[next])) return true;
    return refuse(Mistake::header_without_key, "a table's name must follow this bracket",
                  "write for example [network] or [[stage]]");
  }

  bool open(char quote) {
    line_starts_ = false;
    quote_ = quote;
    quotes_ = text_.substr(at_, 3) == std::string(3, quote) ? 3 : 1;
    at_ += quotes_ - 1;
    column_ += int(quotes_) - 1;
    return true;
  }

  void in_string(unsigned char c) {
    if (c == '\\' && quote_ == '"') {
      escaped_ = !escaped_;
      return;
    }
    const bool literal = !escaped_;
    escaped_ = false;
    if (c != quote_ || !literal || text_.substr(at_, quotes_) != std::string(quotes_, quote_))
      return;
    std::size_t run = quotes_;  // """ may be closed by up to five quotes
    while (quotes_ == 3 && run < 5 && at_ + run < text_.size() && text_[at_ + run] == quote_) ++run;
    at_ += run - 1;
    column_ += int(run) - 1;
    quotes_ = 0;
  }

  bool refuse(Mistake mistake, std::string what, std::string fix) {
    Node at;
    at.source = source_;
    at.line = line_;
    at.column = column_;
    findings_.add(mistake, at, std::move(what), std::move(fix));
    return false;
  }

  const std::shared_ptr<const Source>& source_;
  std::string_view text_;
  Findings& findings_;
  std::size_t at_ = 0, quotes_ = 0, line_bytes_ = 0;
  int line_, column_ = 1;
  int dots_ = 0;                   ///< since a key may have begun
  std::vector<int> levels_ = {0};  ///< that the key before a value adds, per open bracket
  int outer_ = 0;                  ///< these and the brackets
  int section_ = 0;                ///< those of the header above
  char quote_ = 0;
  bool comment_ = false, header_ = false, line_starts_ = true, escaped_ = false;
};

}  // namespace

bool guard(const std::shared_ptr<const Source>& source, std::string_view text, Findings& findings) {
  if (text.size() > most_problem_bytes) {
    Node at;
    at.source = source;
    findings.add(Mistake::too_large, at,
                 fmt::format("the file has {} bytes; a problem file has at most {}", text.size(),
                             most_problem_bytes),
                 "put numbers into a data file and name it in a [[data]] table");
    return false;
  }
  return Scanner(source, text, findings).clean();
}

}  // namespace pinn::config
