#include "solvers/problem/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/words.h"

namespace pinn {
namespace {

using Intervals = std::vector<Interval>;

constexpr double snap = 1e-12;  ///< of an interval's length: nearer to an end is at the end

Intervals domain(const Problem& problem) {
  Intervals all;
  for (const Coordinate& c : problem.coordinates) all.push_back({c.lower, c.upper});
  return all;
}

int dimension(const Intervals& box) {
  return int(std::count_if(box.begin(), box.end(), [](const Interval& i) { return !i.fixed(); }));
}

bool is_periodic(const Problem& problem, std::size_t coordinate) {
  return coordinate < problem.periodic.size() && problem.periodic[coordinate];
}

/// The outward normal of a box that lies in exactly one face of space; empty for any other.
std::vector<double> normal_of(const Intervals& box, const Problem& problem) {
  std::vector<double> normal(box.size(), 0.0);
  int faces = 0;
  for (std::size_t c = 0; c < box.size(); ++c) {
    const Coordinate& x = problem.coordinates[c];
    if (x.role != Role::space || is_periodic(problem, c) || !box[c].fixed()) continue;
    if (box[c].lower != x.lower && box[c].lower != x.upper) continue;
    normal[c] = box[c].lower == x.lower ? -1 : 1;
    ++faces;
  }
  return faces == 1 ? normal : std::vector<double>{};
}

/// The boxes that share points of full dimension; faces that only meet in an edge do not.
bool overlap(const Intervals& a, const Intervals& b) {
  for (std::size_t c = 0; c < a.size(); ++c) {
    const double lower = std::max(a[c].lower, b[c].lower), upper = std::min(a[c].upper, b[c].upper);
    if (lower > upper || (lower == upper && !(a[c].fixed() && b[c].fixed()))) return false;
  }
  return true;
}

/// The boxes of the largest dimension, each once: an edge that is left of a face beside another
/// face adds nothing.
void keep_largest(std::vector<Intervals>& boxes) {
  int largest = 0;
  for (const Intervals& box : boxes) largest = std::max(largest, dimension(box));
  std::vector<Intervals> kept;
  for (const Intervals& box : boxes)
    if (dimension(box) == largest &&
        std::none_of(kept.begin(), kept.end(),
                     [&](const Intervals& other) { return overlap(box, other); }))
      kept.push_back(box);
  boxes = std::move(kept);
}

/// Reads one region of an `on`: it starts as the whole domain, and every part cuts it down.
class RegionReader {
 public:
  RegionReader(const Text& text, const Problem& problem)
      : text_(text),
        problem_(problem),
        words_(tokens(text)),
        mistakes_(text),
        boxes_{domain(problem)} {}

  std::vector<Intervals> boxes() {
    std::size_t first = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i].kind == Token::Kind::name && words_[i].text == "or")
        mistakes_.fail(words_[i].span, "there is no 'or' in a region",
                       "give a list of regions: on = [\"x = 0\", \"x = 1\"]");
      if (words_[i].kind != Token::Kind::end && words_[i].text != "and") continue;
      part(first, i);
      first = i + 1;
    }
    mistakes_.raise();
    return boxes_;
  }

 private:
  void part(std::size_t first, std::size_t last) {
    const Span span{words_[first].span.begin,
                    last > first ? words_[last - 1].span.end : words_[first].span.end};
    if (first == last)
      mistakes_.fail(span, "a part of the region is missing", "write COORDINATE = CONSTANT");
    if (last == first + 1 && words_[first].kind == Token::Kind::name)
      named(words_[first]);
    else
      relation(first, last, span);
    keep_largest(boxes_);
    if (boxes_.empty())
      mistakes_.fail(span, "this region is empty: no piece of the domain is left here",
                     fmt::format("the domain is {}", domain_text()));
  }

  void named(const Token& name) {
    if (name.text == "boundary") return boundary(name.span);
    if (name.text == "initial") return initial(name.span);
    if (name.text == "interior") return;
    const std::vector<std::string> known{"boundary", "initial", "interior"};
    const std::string near = nearest(name.text, known);
    mistakes_.fail(name.span, fmt::format("there is no region {}", quoted(name.text)),
                   near.empty() ? "write COORDINATE = CONSTANT, an inequality, boundary or initial"
                                : fmt::format("did you mean {}?", quoted(near)));
  }

  void boundary(Span span) {
    std::vector<Intervals> faces;
    bool any = false;
    for (std::size_t c = 0; c < problem_.coordinates.size(); ++c) {
      if (problem_.coordinates[c].role != Role::space || is_periodic(problem_, c)) continue;
      any = true;
      for (const double end : {problem_.coordinates[c].lower, problem_.coordinates[c].upper})
        for (Intervals box : boxes_)
          if (fix(box[c], end)) faces.push_back(std::move(box));
    }
    if (!any)
      mistakes_.fail(span, "there is no boundary: no coordinate is space, or all are periodic",
                     "name a face");
    boxes_ = std::move(faces);
  }

  void initial(Span span) {
    const auto& all = problem_.coordinates;
    const auto t = std::find_if(all.begin(), all.end(),
                                [](const Coordinate& c) { return c.role == Role::time; });
    if (t == all.end())
      mistakes_.fail(span, "there is no initial time: no coordinate is time",
                     "write COORDINATE = CONSTANT, or give a coordinate the role \"time\"");
    const std::size_t c = std::size_t(t - all.begin());
    std::erase_if(boxes_, [&](Intervals& box) { return !fix(box[c], t->lower); });
  }

  /// COORDINATE = CONSTANT, or an inequality.
  void relation(std::size_t first, std::size_t last, Span span) {
    const auto compares = [](const Token& w) {
      return w.kind == Token::Kind::sign && (w.text == "=" || !comparison_op(w.text).empty());
    };
    std::vector<std::size_t> signs;
    for (std::size_t i = first; i < last; ++i)
      if (compares(words_[i])) signs.push_back(i);
    if (signs.size() > 1)
      mistakes_.fail(words_[signs[1]].span, "comparisons in a chain",
                     "join two of them with 'and': x > 0 and x < 1");
    const Token& name = words_[first];
    if (signs.size() != 1 || signs[0] != first + 1 || name.kind != Token::Kind::name)
      mistakes_.fail(span, "this is not a region",
                     "write COORDINATE = CONSTANT, or an inequality of that form");
    const Meaning m = meaning({problem_}, name.text);
    if (m.kind != Meaning::Kind::coordinate) not_a_coordinate(name);
    cut(std::size_t(m.index), words_[signs[0]].text,
        parse_constant(text_, words_, signs[0] + 1, last, problem_), span);
  }

  [[noreturn]] void not_a_coordinate(const Token& name) {
    std::vector<std::string> known;
    for (const Coordinate& c : problem_.coordinates) known.push_back(c.name);
    const std::string near = nearest(name.text, known);
    mistakes_.fail(name.span, fmt::format("{} is not a coordinate", quoted(name.text)),
                   (near.empty() ? "" : fmt::format("did you mean {}? ", quoted(near))) +
                       "coordinates are: " + listed(known));
  }

  void cut(std::size_t c, std::string_view sign, double value, Span span) {
    const Coordinate& x = problem_.coordinates[c];
    const double length = x.upper - x.lower;
    if (std::isnan(value)) return;  // a constant that was reported where it is declared
    if (std::fabs(value - x.lower) <= snap * length) value = x.lower;
    if (std::fabs(value - x.upper) <= snap * length) value = x.upper;
    if (sign == "=" && (value < x.lower || value > x.upper))
      mistakes_.fail(span, fmt::format("{} = {} lies outside of the domain", x.name, value),
                     fmt::format("{} runs from {} to {}", x.name, x.lower, x.upper));
    std::erase_if(boxes_, [&](Intervals& box) { return !clip(box[c], sign, value); });
  }

  /// Cuts an interval down; false when nothing is left of it. What was free and is a point now is
  /// nothing.
  static bool clip(Interval& i, std::string_view sign, double value) {
    if (sign == "=") return fix(i, value);
    if (i.fixed()) {
      const double x = i.lower;
      return sign == "<"    ? x < value
             : sign == "<=" ? x <= value
             : sign == ">"  ? x > value
                            : x >= value;
    }
    if (sign[0] == '<')
      i.upper = std::min(i.upper, value);
    else
      i.lower = std::max(i.lower, value);
    return i.lower < i.upper;
  }

  static bool fix(Interval& i, double value) {
    if (value < i.lower || value > i.upper) return false;
    i.lower = i.upper = value;
    return true;
  }

  std::string domain_text() const {
    std::string text;
    for (const Coordinate& c : problem_.coordinates)
      text += fmt::format("{}{} in [{}, {}]", text.empty() ? "" : ", ", c.name, c.lower, c.upper);
    return text;
  }

  const Text& text_;
  const Problem& problem_;
  const std::vector<Token> words_;
  Mistakes mistakes_;
  std::vector<Intervals> boxes_;
};

Report whole(const Text& text, std::string what, std::string fix) {
  return report(text, {0, text.value.size()}, std::move(what), std::move(fix));
}

}  // namespace

std::shared_ptr<const Region> parse_region(const std::vector<Text>& on, const Problem& problem) {
  constexpr std::size_t most = 1000;
  if (on.empty())
    throw ConfigError(
        {"`on` is an empty list of regions", "on", "name a region, or leave `on` out"});
  if (on.size() > most)
    throw ConfigError(whole(on[most], fmt::format("`on` lists {} regions", on.size()),
                            fmt::format("list at most {}", most)));
  std::vector<Report> reports;
  std::vector<Intervals> all;
  for (const Text& text : on) {
    try {
      const std::vector<Intervals> boxes = RegionReader(text, problem).boxes();
      for (const Intervals& other : all) {
        if (dimension(other) != dimension(boxes[0])) {
          reports.push_back(
              whole(text,
                    fmt::format("this region has dimension {}, another of the list {}",
                                dimension(boxes[0]), dimension(other)),
                    "write a requirement for each dimension"));
          break;
        }
        if (std::any_of(boxes.begin(), boxes.end(),
                        [&](const Intervals& box) { return overlap(box, other); })) {
          reports.push_back(
              whole(text, "this region overlaps another of the list", "leave one of them out"));
          break;
        }
      }
      all.insert(all.end(), boxes.begin(), boxes.end());
    } catch (const ConfigError& error) {
      reports.insert(reports.end(), error.reports.begin(), error.reports.end());
    }
  }
  if (!reports.empty()) throw ConfigError(reports);
  std::vector<std::shared_ptr<const Region>> parts;
  for (const Intervals& box : all) parts.push_back(make_box(box, normal_of(box, problem)));
  return parts.size() == 1 ? parts[0] : make_union(parts);
}

std::shared_ptr<const Region> interior(const Problem& problem) { return make_box(domain(problem)); }

std::shared_ptr<const Region> face(const Problem& problem, int coordinate, bool upper) {
  Intervals box = domain(problem);
  Interval& i = box[std::size_t(coordinate)];
  i.lower = i.upper = upper ? i.upper : i.lower;
  return make_box(box, normal_of(box, problem));
}

}  // namespace pinn
