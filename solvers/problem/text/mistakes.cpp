#include "solvers/problem/mistakes.h"

#include <fmt/format.h>

#include <algorithm>

namespace pinn {
namespace {

constexpr std::size_t most_mistakes = 20;
constexpr int widest = 160;  ///< code points of a line that are shown

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

int code_points(std::string_view s) {
  return int(std::count_if(s.begin(), s.end(), starts_code_point));
}

/// Code points [from, from + count) of a line.
std::string slice(const std::string& line, int from, int count) {
  std::string part;
  int at = -1;
  for (const char c : line) {
    if (starts_code_point(c)) ++at;
    if (at >= from && at < from + count) part += c;
  }
  return part;
}

/// Own line of a text that has escapes or several lines: the file's does not match it.
Place own_line(const Text& text, std::size_t offset) {
  const std::string& value = text.value;
  offset = std::min(offset, value.size());
  const std::size_t before = offset == 0 ? std::string::npos : value.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  Place place = text.place;
  place.line_text = value.substr(begin, value.find('\n', begin) - begin);
  place.column = code_points(std::string_view(value).substr(begin, offset - begin)) + 1;
  return place;
}

/// Makes a space or a question mark of what is not printable, so that no excerpt disturbs a
/// terminal.
void make_printable(std::string& line) {
  for (char& c : line)
    if (c == '\t')
      c = ' ';
    else if (static_cast<unsigned char>(c) < 32 || c == 127)
      c = '?';
}

void shorten(Place& place, int& width) {
  const int length = code_points(place.line_text);
  width = std::clamp(width, 1, std::max(1, length - place.column + 1));
  if (length <= widest) return;
  const int from = std::clamp(place.column - widest / 2, 0, length - widest);
  place.line_text = slice(place.line_text, from, widest);
  place.column -= from;
  width = std::min(width, widest - place.column + 1);
}

}  // namespace

std::string warning_text(const Report& report) {
  return "warning" + to_string(report).substr(std::string_view("error").size());
}

Report report(const Text& text, Span span, std::string what, std::string fix) {
  const Place named = place_at(text, span.begin);
  Place shown = text.verbatim ? named : own_line(text, span.begin);
  const std::size_t begin = std::min(span.begin, text.value.size());
  int width = code_points(std::string_view(text.value).substr(begin, span.end - span.begin));
  make_printable(shown.line_text);
  shorten(shown, width);
  return {std::move(what), to_string(named), std::move(fix), excerpt(shown, width)};
}

Report report(const Text& text, std::string what, std::string fix) {
  return report(text, {0, text.value.size()}, std::move(what), std::move(fix));
}

void Mistakes::add(Span span, std::string what, std::string fix) {
  reports_.push_back(report(text_, span, std::move(what), std::move(fix)));
  if (reports_.size() >= most_mistakes) raise();
}

void Mistakes::fail(Span span, std::string what, std::string fix) {
  reports_.push_back(report(text_, span, std::move(what), std::move(fix)));
  throw ConfigError(reports_);
}

void Mistakes::raise() const {
  if (!reports_.empty()) throw ConfigError(reports_);
}

std::string quoted(std::string_view name) {
  constexpr std::size_t longest = 40;
  return name.size() <= longest ? fmt::format("'{}'", name)
                                : fmt::format("'{}...'", name.substr(0, longest));
}

namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back, back(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) back[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    two_back = back;
    back = row;
  }
  return back[b.size()];
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// Two letters changed places: a likelier slip than one too many.
bool same_letters(std::string_view a, std::string_view b) {
  return std::is_permutation(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 100;  // a longer name is no slip of the keyboard
  std::string best;
  if (name.size() > longest) return best;
  std::size_t bound = name.size() / 3 + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > longest) continue;
    if (same_but_for_case(name, candidate)) return candidate;
    const std::size_t d = distance(name, candidate);
    if (d < bound || (d == bound && !best.empty() && same_letters(name, candidate))) {
      bound = d;
      best = candidate;
    }
  }
  return best;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace pinn
