#include "solvers/problem/text/indices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "solvers/problem/parse.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// The end of the number that begins at a byte: 1.5e-3 has a letter that is no name.
std::size_t end_of_number(std::string_view s, std::size_t at) {
  const auto digits = [&] {
    while (at < s.size() && (is_digit(s[at]) || s[at] == '.')) ++at;
  };
  digits();
  if (at == s.size() || (s[at] != 'e' && s[at] != 'E')) return at;
  const std::size_t sign = at + 1 < s.size() && (s[at + 1] == '-' || s[at + 1] == '+') ? 1 : 0;
  if (at + 1 + sign == s.size() || !is_digit(s[at + 1 + sign])) return at;
  at += 1 + sign;
  digits();
  return at;
}

/// Calls f(begin, end) for every name of a text.
template <class F> void for_each_name(std::string_view s, F f) {
  for (std::size_t at = 0; at < s.size();) {
    if (is_digit(s[at]) || s[at] == '.') {
      at = std::max(end_of_number(s, at), at + 1);
      continue;
    }
    std::size_t end = at;
    while (end < s.size() && is_of_name(s[end])) ++end;
    if (end > at && is_letter(s[at])) f(at, end);
    at = std::max(end, at + 1);
  }
}

std::string replaced(std::string_view s, const Indices& indices) {
  std::string text;
  std::size_t done = 0;
  for_each_name(s, [&](std::size_t begin, std::size_t end) {
    const std::string_view name = s.substr(begin, end - begin);
    const auto index = std::ranges::find(indices, name, &Index::name);
    if (index == indices.end()) return;
    text += s.substr(done, begin - done);
    text += std::to_string(index->value);
    done = end;
  });
  return text += s.substr(done);
}

/// The parts between commas that stand in no brackets.
std::vector<std::string> between_commas(std::string_view s) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : s) {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string trimmed(const std::string& s) {
  const std::size_t begin = s.find_first_not_of(' ');
  return begin == s.npos ? "" : s.substr(begin, s.find_last_not_of(' ') + 1 - begin);
}

std::size_t closing(std::string_view s, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < s.size(); ++i) {
    depth += (s[i] == '[') - (s[i] == ']');
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

/// The whole number that a formula of constants is; what it is else, or nothing for no formula.
std::optional<double> whole(const std::string& formula, const Problem& problem) {
  try {
    return parse_constant({formula, {}, false}, problem);
  } catch (const ConfigError&) {
    return {};
  }
}

bool is_whole(double x) { return x == std::floor(x) && std::fabs(x) < 1e9; }

/// Text with every index in brackets reckoned; `wrong` is told of those that cannot be, and they
/// stay.
template <class Wrong>
std::string reckoned(std::string_view s, const Problem& problem, const Wrong& wrong) {
  std::string text;
  std::size_t at = 0;
  while (at < s.size()) {
    const std::size_t open = s.find('[', at), close = open < s.size() ? closing(s, open) : open;
    if (close >= s.size()) break;
    text += s.substr(at, open + 1 - at);
    bool first = true;
    for (const std::string& part : between_commas(s.substr(open + 1, close - open - 1))) {
      const std::optional<double> number = whole(part, problem);
      if (!number || !is_whole(*number)) wrong(part, number);
      text += first ? "" : ",";
      text += number && is_whole(*number) ? std::to_string(long(*number)) : part;
      first = false;
    }
    text += ']';
    at = close + 1;
  }
  return text += s.substr(at);
}

struct Bounds {
  long lower, upper;
};

/// Bounds of a range of indices, such as 1:20; a number alone, where `one` allows it, is both.
Bounds bounds_of(const Text& text, std::size_t begin, const std::string& range,
                 const Problem& problem, bool one = false) {
  const auto fail = [&](std::string what, std::string fix) {
    throw ConfigError(report(text, {begin, begin + range.size()}, std::move(what), std::move(fix)));
  };
  const std::size_t colon = range.find(':');
  if (colon == range.npos && !one)
    fail(fmt::format("{} is no range of indices", quoted(range)), "write 1:20");
  const std::optional<double> lower = whole(range.substr(0, colon), problem),
                              upper =
                                  whole(range.substr(colon == range.npos ? 0 : colon + 1), problem);
  if (!lower || !upper || !is_whole(*lower) || !is_whole(*upper))
    fail(fmt::format("the ends of {} are no whole numbers", quoted(range)),
         "write 1:20, or 1:M with a constant M");
  if (*lower > *upper)
    fail(fmt::format("there is nothing from {} to {}", *lower, *upper),
         "write the lower end first");
  if (*upper - *lower >= most_of_a_kind)
    fail(fmt::format("{} of a kind", *upper - *lower + 1),
         fmt::format("at most {} are possible", most_of_a_kind));
  return {long(*lower), long(*upper)};
}

}  // namespace

bool has_indices(std::string_view name) { return name.find('[') != name.npos; }

std::string_view base_of(std::string_view name) { return name.substr(0, name.find('[')); }

std::vector<OfKind> names_of_a_kind(const Text& declared, const Problem& problem, bool there) {
  const std::string& name = declared.value;
  const std::size_t open = name.find('[');
  if (open == name.npos) return {{name, {}}};
  if (closing(name, open) != name.size() - 1)
    throw ConfigError(report(declared, {open, name.size()}, "indices stand in brackets at the end",
                             "write c[1:20]"));
  std::vector<OfKind> all{{name.substr(0, open + 1), {}}};
  std::size_t begin = open + 1;
  for (const std::string& part : between_commas(name.substr(begin, name.size() - begin - 1))) {
    const std::size_t equals = part.find('=');
    const std::string index = equals == part.npos ? "" : trimmed(part.substr(0, equals));
    const std::size_t skipped = equals == part.npos ? 0 : equals + 1;
    const Bounds bounds =
        bounds_of(declared, begin + skipped, part.substr(skipped), problem, there);
    if (long(all.size()) * (bounds.upper - bounds.lower + 1) > most_of_a_kind)
      throw ConfigError(report(declared, {open, name.size()},
                               fmt::format("more than {} of a kind", most_of_a_kind),
                               "declare fewer"));
    std::vector<OfKind> longer;
    for (const OfKind& before : all)
      for (long i = bounds.lower; i <= bounds.upper; ++i) {
        longer.push_back(before);
        longer.back().name += fmt::format("{}{}", before.name.back() == '[' ? "" : ",", i);
        if (!index.empty()) longer.back().indices.push_back({index, i});
      }
    all = std::move(longer);
    begin += part.size() + 1;
  }
  for (OfKind& one : all) one.name += ']';
  return all;
}

std::vector<Index> values_of(const std::string& name, const Text& range, const Problem& problem) {
  const Bounds bounds = bounds_of(range, 0, range.value, problem);
  std::vector<Index> all;
  for (long i = bounds.lower; i <= bounds.upper; ++i) all.push_back({name, i});
  return all;
}

Text with_indices(const Text& text, const Indices& indices, const Problem& problem) {
  if (indices.empty()) return text;
  const std::string value =
      reckoned(replaced(text.value, indices), problem, [](const std::string&, const auto&) {});
  return {value, text.place, text.verbatim && value == text.value};
}

std::string in_brackets(const Indices& indices) {
  std::string text;
  for (const Index& i : indices) text += fmt::format("{}{}", text.empty() ? "[" : ",", i.value);
  return text.empty() ? "" : text + "]";
}

bool uses_index(std::string_view text, std::string_view name) {
  bool found = false;
  for_each_name(text, [&](std::size_t begin, std::size_t end) {
    found = found || text.substr(begin, end - begin) == name;
  });
  return found;
}

std::string indexed_name(std::string_view word, const Indices& indices, const Problem& problem,
                         Mistakes& mistakes, Span span) {
  bool sound = true;
  const std::string name =
      reckoned(replaced(word, indices), problem, [&](const std::string& part, const auto& number) {
        sound = false;
        if (number)
          mistakes.add(span, fmt::format("the index {} is no whole number", *number),
                       "write whole numbers in brackets");
        else
          mistakes.add(span, fmt::format("{} is no index", quoted(part)),
                       "write whole numbers, constants and names of `for` and sum in brackets");
      });
  return sound ? name : "";
}

std::vector<std::string> as_kinds(const std::vector<std::string>& names) {
  struct Kind {
    std::vector<std::string> first, last;
  };
  std::map<std::string, Kind> kinds;
  std::vector<std::string> order;
  for (const std::string& name : names) {
    const std::string base(base_of(name));
    if (order.empty() || !kinds.contains(base) || !has_indices(name)) order.push_back(base);
    if (!has_indices(name)) continue;
    std::vector<std::string> indices = between_commas(
        std::string_view(name).substr(base.size() + 1, name.size() - base.size() - 2));
    Kind& kind = kinds.emplace(base, Kind{indices, indices}).first->second;
    kind.last = std::move(indices);
  }
  std::vector<std::string> all;
  for (const std::string& base : order) {
    const auto kind = kinds.find(base);
    std::string name = base;
    if (kind != kinds.end()) {
      for (std::size_t k = 0; k < kind->second.first.size(); ++k)
        name +=
            fmt::format("{}{}:{}", k == 0 ? "[" : ",", kind->second.first[k], kind->second.last[k]);
      name += ']';
    }
    all.push_back(std::move(name));
  }
  return all;
}

}  // namespace pinn
