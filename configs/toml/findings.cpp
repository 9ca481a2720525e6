#include "configs/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

#include "configs/toml_reader.h"
#include "solvers/problem/mistakes.h"

namespace pinn::config {
namespace {

constexpr std::size_t most_shown = 50;  // of a file that is no problem file at all

/// Characters that change how the text around them is shown (Unicode Bidi_Control), in UTF-8.
constexpr std::array<std::string_view, 12> direction_marks = {
    "\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C",
    "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"};

/// The text with U+FFFD in place of what would disturb a terminal or deceive a reader.
std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t valid = code_point_bytes(text), bytes = valid == 0 ? 1 : valid;
    const std::string_view one = text.substr(0, bytes);
    const auto c = static_cast<unsigned char>(one[0]);
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    const bool mark =
        std::find(direction_marks.begin(), direction_marks.end(), one) != direction_marks.end();
    shown += valid == 0 || control || mark ? std::string_view("\uFFFD") : one;
    text.remove_prefix(bytes);
  }
  return shown;
}

int rank(const Node& node) { return node.source ? node.source->rank : 0; }

/// The line and column at the end of "file:line:column"; those of the value for another file.
std::pair<int, int> position(const std::string& where, const Node& at) {
  std::pair<int, int> found(at.line, at.column);
  const std::string file = at.source ? at.source->name + ":" : "";
  if (where.starts_with(file))
    std::sscanf(where.c_str() + file.size(), "%d:%d", &found.first, &found.second);
  return found;
}

/// "file:line:column" in the file of a value.
std::string named_place(const Node& at, int line, int column) {
  return at.source ? to_string(place(*at.source, line, column)) : "";
}

Report shown(const Finding& f) {
  Report r = f.report;
  if (f.source) {
    const Place at = place(*f.source, f.line, f.column);
    r.where = to_string(at);
    r.excerpt = excerpt(at, f.width);
  }
  return {printable(r.what), printable(r.where), printable(r.fix), printable(r.excerpt)};
}

}  // namespace

void Findings::add(Mistake mistake, const Node& at, std::string what, std::string fix) {
  all.push_back({mistake,
                 rank(at),
                 at.source,
                 at.line,
                 at.column,
                 at.width,
                 {std::move(what), "", std::move(fix), ""}});
}

void Findings::add(Mistake mistake, const Entry& at, std::string what, std::string fix) {
  all.push_back({mistake,
                 rank(at.value),
                 at.value.source,
                 at.line,
                 at.column,
                 int(at.key.size()),
                 {std::move(what), "", std::move(fix), ""}});
}

void Findings::add(Mistake mistake, const Node& at, const ConfigError& error, const Node* root) {
  for (const Report& report : error.reports) {
    if (const Node* named = root ? root->at(report.where) : nullptr) {
      add(mistake, *named, report.what, report.fix);
      continue;
    }
    const auto [line, column] = position(report.where, at);
    const bool placed = !report.where.empty() &&
                        (!report.excerpt.empty() || report.where != named_place(at, line, column));
    all.push_back(
        {mistake, rank(at), placed ? nullptr : at.source, line, column, at.width, report});
  }
}

void Findings::raise() const {
  if (all.empty()) return;
  std::vector<const Finding*> sorted;
  for (const Finding& f : all) sorted.push_back(&f);
  const auto order = [](const Finding* f) { return std::tuple(f->rank, f->line, f->column); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Finding* a, const Finding* b) { return order(a) < order(b); });
  std::vector<Report> reports;
  for (const Finding* f : sorted) {
    if (reports.size() == most_shown) {
      reports.push_back({fmt::format("... and {} more", sorted.size() - most_shown), "", "", ""});
      break;
    }
    reports.push_back(shown(*f));
  }
  throw ConfigError(std::move(reports));
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string neighbor = nearest(name, known);
  return neighbor.empty() ? "known are: " + listed(known) : "write " + pinn::quoted(neighbor);
}

}  // namespace pinn::config
