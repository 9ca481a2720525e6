#include "data/geometry/mesh/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "autograd/core/error.h"

namespace pinn::mesh {
namespace {

constexpr std::size_t longest_shown = 200;  // bytes of a line

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string shown(std::string_view word) {
  return fmt::format("{}{}", word.substr(0, 40), word.size() <= 40 ? "" : "...");
}

}  // namespace

void Source::refuse(const std::string& what, std::size_t at, const std::string& fix) const {
  at = std::min(at, bytes.size());
  const std::size_t before = at == 0 ? bytes.npos : bytes.rfind('\n', at - 1);
  const std::size_t begin = before == bytes.npos ? 0 : before + 1;
  const std::string_view line =
      bytes.substr(begin, std::min(bytes.find('\n', at), bytes.size()) - begin);
  const auto number =
      int(1 + std::count(bytes.begin(), bytes.begin() + std::ptrdiff_t(begin), '\n'));
  if (line.size() > longest_shown)
    throw ConfigError(
        {what, fmt::format("{}:{}, byte {} of the line", path, number, at - begin + 1), fix});
  const std::string text(line);
  const Place place = place_at({text, {path, number, 1, text}}, at - begin);
  throw ConfigError({what, to_string(place), fix, excerpt(place)});
}

void Source::refuse_byte(const std::string& what, std::size_t at, const std::string& fix) const {
  throw ConfigError({what, fmt::format("{}, byte {}", path, at), fix});
}

std::string_view Words::word() {
  const std::string_view bytes = source_.bytes;
  begin_ = at_;
  while (at_ < bytes.size() && !is_blank(bytes[at_]) && bytes[at_] != '\n') ++at_;
  return bytes.substr(begin_, at_ - begin_);
}

std::string_view Words::next() {
  const std::string_view bytes = source_.bytes;
  while (at_ < bytes.size() && (is_blank(bytes[at_]) || bytes[at_] == '\n')) ++at_;
  return word();
}

std::string_view Words::next_here() {
  const std::string_view bytes = source_.bytes;
  while (at_ < bytes.size() && is_blank(bytes[at_])) ++at_;
  return word();
}

std::string_view Words::rest_of_line() {
  const std::string_view bytes = source_.bytes;
  const std::size_t end = std::min(bytes.find('\n', at_), bytes.size());
  std::string_view rest = bytes.substr(at_, end - at_);
  at_ = std::min(end + 1, bytes.size());
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  return rest;
}

void Words::refuse(const std::string& what, const std::string& fix) const {
  if (begin_ >= source_.bytes.size())
    source_.refuse(what + ", and the file ends here", begin_,
                   "the file is cut off: export or copy it again");
  source_.refuse(what, begin_, fix);
}

double Words::number(const char* what) {
  const std::string_view digits = next();
  double value = 0;
  if (!read_number(digits, value))
    refuse(fmt::format("'{}' is no finite number, where {} is expected", shown(digits), what),
           "write finite numbers as 1.5 or -2e-3; a mesh that has others is damaged");
  return value;
}

std::int64_t Words::whole(const char* what, std::int64_t least, std::int64_t most) {
  const std::string_view digits = next();
  std::int64_t value = 0;
  const auto [rest, problem] = std::from_chars(digits.begin(), digits.end(), value);
  if (problem != std::errc() || rest != digits.end() || digits.empty())
    refuse(fmt::format("'{}' is no whole number, where {} is expected", shown(digits), what),
           "look whether a line is missing or cut off here");
  if (value < least || value > most)
    refuse(fmt::format("{} is {}, which lies beyond {} to {}", what, value, least, most),
           "export the mesh again: its numbers do not fit together");
  return value;
}

std::size_t Words::count(const char* what, std::size_t bytes) {
  const auto count = std::size_t(whole(what, 0, INT64_MAX));
  const std::size_t left = source_.bytes.size() - at_;
  if (count > left / bytes + 1)
    refuse(fmt::format("{} is {}, but only {} bytes follow", what, count, left),
           "the file is cut off, or its counts are wrong: export or copy it again");
  return count;
}

bool read_number(std::string_view word, double& value) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [rest, problem] = std::from_chars(word.begin(), word.end(), value);
  return problem == std::errc() && rest == word.end() && !word.empty() && std::isfinite(value);
}

void Binary::refuse_end(const char* what) const {
  source_->refuse_byte(fmt::format("the file ends within {}", what), source_->bytes.size(),
                       "the file is cut off: export or copy it again");
}

void Binary::expect(std::uint64_t count, std::size_t bytes, const char* what) const {
  if (count > left() / bytes)
    source_->refuse_byte(
        fmt::format("the file states {} {} of {} bytes or more, but only {} bytes follow", count,
                    what, bytes, left()),
        at_, "the file is cut off, or its counts are wrong: export or copy it again");
}

void Binary::skip(std::uint64_t bytes, const char* what) {
  if (bytes > left()) refuse_end(what);
  at_ += bytes;
}

void Binary::refuse(const std::string& what, const std::string& fix) const {
  source_->refuse_byte(what, at_, fix);
}

}  // namespace pinn::mesh
