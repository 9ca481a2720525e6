#include "solvers/problem/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/cut.h"
#include "solvers/problem/text/region_cutter.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

/// Reads one region of an `on`: it starts as the whole domain, and every part cuts it down.
class RegionReader {
 public:
  RegionReader(const Text& text, const Problem& problem)
      : RegionReader(text, RegionCutter(problem), problem, {}) {}

  RegionPieces pieces() { return read().pieces(); }

 private:
  /// `open`: the patches that the text stands in.
  RegionReader(const Text& text, RegionCutter cutter, const Problem& problem,
               std::vector<std::string> open)
      : text_(text),
        problem_(problem),
        words_(tokens(text, true)),
        mistakes_(text),
        open_(std::move(open)),
        cutter_(std::move(cutter)) {}

  RegionCutter read() {
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
    return cutter_;
  }

  /// Mistakes of the cutter stand at a word.
  template <class Act> void at(Span span, Act act) {
    try {
      act();
    } catch (const ConfigError& error) {
      if (!error.report.where.empty()) throw;
      mistakes_.fail(span, error.report.what, error.report.fix);
    }
  }

  void part(std::size_t first, std::size_t last) {
    const Span span{words_[first].span.begin,
                    last > first ? words_[last - 1].span.end : words_[first].span.end};
    if (first == last)
      mistakes_.fail(span, "a part of the region is missing", "write COORDINATE = CONSTANT");
    const bool inverse = words_[first].text == "not" && last > first + 1;
    if (inverse) ++first;
    const bool is_name = words_[first].kind == Token::Kind::name;
    if (is_name && last == first + 1)
      named(words_[first], inverse);
    else if (is_name && words_[first + 1].text == "(" && words_[last - 1].text == ")")
      called_by(first, last, inverse);
    else
      relation(first, last, span, inverse);
    cutter_.keep_largest();
    if (cutter_.pieces().empty())
      mistakes_.fail(span, "this region is empty: no piece of the domain is left here",
                     fmt::format("the domain is {}", domain_text()));
  }

  Body region(std::string_view name) const {
    for (const NamedRegion& r : problem_.regions)
      if (r.name == name) return r.shape;
    return name == "box" ? box_of_space(problem_) : Body();
  }

  void named(const Token& name, bool inverse) {
    for (const NamedPatch& patch : problem_.patches)
      if (patch.name == name.text) return of_patch(patch, name.span, inverse);
    for (const NamedRegion& r : problem_.regions)
      if (r.name == name.text && r.slab && !inverse) return cutter_.within(*r.slab);
    if (const Body body = region(name.text)) {
      if (is_cloud(body))
        mistakes_.fail(name.span, fmt::format("{} is points of a boundary", quoted(name.text)),
                       "write boundary(NAME)");
      return inverse ? cutter_.outside(body) : cutter_.inside(body);
    }
    if (name.text.find('.') != name.text.npos)
      mistakes_.fail(name.span, "a patch is a part of a surface, and no region by itself",
                     fmt::format("write boundary({})", name.text));
    if (inverse && (name.text == "boundary" || name.text == "initial" || name.text == "interior"))
      mistakes_.fail(name.span,
                     fmt::format("there is no 'not {}': it would leave {}", name.text,
                                 name.text == "interior" ? "nothing" : "all but a surface"),
                     "leave it out for the interior, or write not NAME, not boundary(NAME)");
    if (inverse)
      mistakes_.fail(name.span,
                     fmt::format("there is no region {} to be outside of", quoted(name.text)),
                     "write not NAME, not boundary(NAME) or not before a comparison");
    if (name.text == "boundary") return at(name.span, [&] { cutter_.on_boundary(); });
    if (name.text == "initial") return at(name.span, [&] { cutter_.at_start(); });
    if (name.text == "interior") return;
    std::vector<std::string> known{"boundary", "initial", "interior"};
    for (const NamedRegion& r : problem_.regions) known.push_back(r.name);
    for (const NamedPatch& p : problem_.patches) known.push_back(p.name);
    const std::string near = nearest(name.text, known);
    mistakes_.fail(name.span, fmt::format("there is no region {}", quoted(name.text)),
                   near.empty() ? "write COORDINATE = CONSTANT, an inequality, boundary or initial"
                                : fmt::format("did you mean {}?", quoted(near)));
  }

  /// Cuts down to what is in a patch, or beside one.
  void of_patch(const NamedPatch& patch, Span span, bool inverse) {
    if (std::ranges::find(open_, patch.name) != open_.end())
      mistakes_.fail(span, fmt::format("the patch {} is made of itself", quoted(patch.name)),
                     "break the circle");
    std::vector<std::string> open = open_;
    open.push_back(patch.name);
    RegionReader reader(patch.text, inverse ? RegionCutter(problem_) : cutter_, problem_,
                        std::move(open));
    const RegionCutter inside = reader.read();
    if (!inverse) {
      cutter_.take(inside);
      return;
    }
    const auto parts = regions_of(inside.pieces(), problem_);
    if (parts.empty()) return;
    if (parts[0]->has_normal() && !cutter_.is_on_surface())
      at(span, [&] { cutter_.on_boundary(); });
    cutter_.keep([parts](std::span<const double> x) {
      return std::ranges::none_of(parts, [&](const auto& part) { return part->inside(x, 0); });
    });
  }

  const NamedRegion::Slab* slab_named(std::string_view name) const {
    for (const NamedRegion& r : problem_.regions)
      if (r.name == name && r.slab) return &*r.slab;
    return nullptr;
  }

  /// "interface(A, B)" of pieces of one coordinate: the plane where A ends and B begins. False
  /// where these are others.
  bool between_slabs(std::size_t first, std::size_t last, bool inverse) {
    if (last != first + 6 || inverse) return false;
    const NamedRegion::Slab *a = slab_named(words_[first + 2].text),
                            *b = slab_named(words_[first + 4].text);
    if (!a || !b || a->coordinate != b->coordinate) return false;
    const Coordinate& x = problem_.coordinates[std::size_t(a->coordinate)];
    const Span span{words_[first].span.begin, words_[last - 1].span.end};
    if (std::fabs(a->interval.upper - b->interval.lower) > snap * (x.upper - x.lower)) {
      const bool swapped = b->interval.upper == a->interval.lower;
      mistakes_.fail(span,
                     fmt::format("{} does not begin where {} ends", quoted(words_[first + 4].text),
                                 quoted(words_[first + 2].text)),
                     swapped ? fmt::format("write interface({}, {})", words_[first + 4].text,
                                           words_[first + 2].text)
                             : "name regions that touch");
    }
    cut(std::size_t(a->coordinate), "=", a->interval.upper, span);
    return true;
  }

  void called_by(std::size_t first, std::size_t last, bool inverse) {
    if (words_[first].text == "interface" && between_slabs(first, last, inverse)) return;
    called(words_[first], arguments(first + 2, last - 1), inverse);
  }

  /// The regions that the arguments of boundary, surface or interface name.
  std::vector<SurfaceName> arguments(std::size_t first, std::size_t last) {
    std::vector<SurfaceName> all;
    for (std::size_t i = first; i < last; i += 2) {
      all.push_back(words_[i].kind == Token::Kind::name ? with_surface(words_[i]) : SurfaceName());
      if (!all.back().body)
        mistakes_.fail(words_[i].span, fmt::format("there is no region {}", quoted(words_[i].text)),
                       "name one of [problem.regions], or box");
      if (i + 1 < last && words_[i + 1].text != ",")
        mistakes_.fail(words_[i + 1].span, "a comma is missing here", "write interface(A, B)");
    }
    return all;
  }

  SurfaceName with_surface(const Token& word) {
    const std::size_t dot = word.text.find('.');
    const SurfaceName named{region(word.text.substr(0, dot)),
                            std::string(dot == word.text.npos ? "" : word.text.substr(dot + 1))};
    if (!named.body) return named;
    if (!named.body.example().has_surface())
      mistakes_.fail(word.span,
                     fmt::format("the surface of {} is not known: it is made with a condition",
                                 quoted(word.text)),
                     "use shapes, or `implicit`");
    if (named.patch.empty()) return named;
    std::vector<std::string> patches;
    for (const auto& piece : named.body.example().surface())
      if (!piece->patch().empty()) patches.push_back(piece->patch());
    if (std::ranges::find(patches, named.patch) == patches.end())
      mistakes_.fail(word.span, fmt::format("there is no patch {}", quoted(named.patch)),
                     patches.empty() ? "no part of this surface has a name"
                                     : "patches are: " + listed(patches));
    return named;
  }

  void called(const Token& word, const std::vector<SurfaceName>& regions, bool inverse) {
    const std::size_t wanted = word.text == "interface" ? 2 : 1;
    if (word.text != "boundary" && word.text != "surface" && word.text != "interface")
      mistakes_.fail(word.span, fmt::format("there is no {}(...) in a region", word.text),
                     "write boundary(NAME), surface(NAME) or interface(A, B)");
    if (regions.size() != wanted)
      mistakes_.fail(
          word.span,
          fmt::format("{} takes {} of the regions, found {}", word.text, wanted, regions.size()),
          "write boundary(NAME), surface(NAME) or interface(A, B)");
    if (inverse && word.text != "boundary")
      mistakes_.fail(word.span, fmt::format("there is no 'not {}'", word.text),
                     "name what is meant instead");
    const SurfaceName& a = regions[0];
    if (is_cloud(a.body) && !inverse && wanted == 1)
      return at(word.span, [&] { cutter_.on_cloud(a.body); });
    for (const SurfaceName& region : regions)
      if (is_cloud(region.body))
        mistakes_.fail(word.span, "of a cloud there are its points, and nothing beside them",
                       "write boundary(NAME)");
    at(word.span, [&] {
      if (word.text == "boundary")
        cutter_.on_boundary_of(a, inverse);
      else if (word.text == "surface")
        cutter_.on_surface(a);
      else
        cutter_.on_interface(a, regions[1].body);
    });
  }

  /// COORDINATE = CONSTANT, or an inequality.
  void relation(std::size_t first, std::size_t last, Span span, bool inverse) {
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
    const std::string_view sign = words_[signs[0]].text;
    const std::size_t c = std::size_t(m.index);
    const double value = parse_constant(text_, words_, signs[0] + 1, last, problem_);
    if (!inverse || sign != "=") return cut(c, inverse ? inverse_of(sign) : sign, value, span);
    if (!cutter_.is_thin())
      mistakes_.fail(span, "all but a face is no region",
                     "write the surface first, as in boundary and not x = 1");
    cutter_.beside(c, value);
  }

  static std::string_view inverse_of(std::string_view sign) {
    return sign == "<" ? ">=" : sign == "<=" ? ">" : sign == ">" ? "<=" : "<";
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
    cutter_.compare(c, sign, value);
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
  const std::vector<std::string> open_;
  RegionCutter cutter_;
};

}  // namespace

RegionPieces read_region(const Text& text, const Problem& problem) {
  return RegionReader(text, problem).pieces();
}

}  // namespace pinn
