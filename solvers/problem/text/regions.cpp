#include "solvers/problem/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/cut.h"
#include "solvers/problem/text/region_pieces.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

/// Reads one region of an `on`: it starts as the whole domain, and every part cuts it down.
class RegionReader {
 public:
  RegionReader(const Text& text, const Problem& problem) : RegionReader(text, problem, {}) {
    pieces_ = {whole_domain(problem)};
  }

  RegionPieces pieces() {
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
    return pieces_;
  }

 private:
  /// A region and, where a name has one, the patch of its surface.
  struct Named {
    Body body;
    std::string patch;
  };

  RegionReader(const Text& text, const Problem& problem, std::vector<std::string> open)
      : text_(text),
        problem_(problem),
        words_(tokens(text, true)),
        mistakes_(text),
        open_(std::move(open)) {}

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
      called(words_[first], arguments(first + 2, last - 1), inverse);
    else
      relation(first, last, span, inverse);
    keep_largest(pieces_);
    if (pieces_.empty())
      mistakes_.fail(span, "this region is empty: no piece of the domain is left here",
                     fmt::format("the domain is {}", domain_text()));
  }

  Body region(std::string_view name) const {
    for (const NamedRegion& r : problem_.regions)
      if (r.name == name) return r.shape;
    return name == "box" ? box() : Body();
  }

  Body box() const {
    Problem whole;
    whole.coordinates = problem_.coordinates;
    declare_domain({"box", {}, false}, whole);
    return whole.domain;
  }

  void named(const Token& name, bool inverse) {
    for (const NamedPatch& patch : problem_.patches)
      if (patch.name == name.text) return of_patch(patch, name.span, inverse);
    for (const NamedRegion& r : problem_.regions)
      if (r.name == name.text && r.slab && !inverse) return within(*r.slab);
    if (const Body body = region(name.text)) {
      if (is_cloud(body))
        mistakes_.fail(name.span, fmt::format("{} is points of a boundary", quoted(name.text)),
                       "write boundary(NAME)");
      return inverse ? outside(body) : inside(body);
    }
    if (name.text.find('.') != name.text.npos)
      mistakes_.fail(name.span, "a patch is a part of a surface, and no region by itself",
                     fmt::format("write boundary({})", name.text));
    if (inverse)
      mistakes_.fail(name.span,
                     fmt::format("there is no region {} to be outside of", quoted(name.text)),
                     "write not NAME, not boundary(NAME) or not before an inequality");
    if (name.text == "boundary") return boundary(name.span);
    if (name.text == "initial") return initial(name.span);
    if (name.text == "interior") return;
    std::vector<std::string> known{"boundary", "initial", "interior"};
    for (const NamedRegion& r : problem_.regions) known.push_back(r.name);
    for (const NamedPatch& p : problem_.patches) known.push_back(p.name);
    const std::string near = nearest(name.text, known);
    mistakes_.fail(name.span, fmt::format("there is no region {}", quoted(name.text)),
                   near.empty() ? "write COORDINATE = CONSTANT, an inequality, boundary or initial"
                                : fmt::format("did you mean {}?", quoted(near)));
  }

  void inside(const Body& body) {
    for (RegionPiece& piece : pieces_) {
      if (!piece.body && body.example().bounded() &&
          dimension_in_space(piece) == int(space().size()))
        piece.body = body;
      else
        piece.conditions.push_back(is_nearly_inside(body));
    }
  }

  void within(const NamedRegion::Slab& slab) {
    std::erase_if(pieces_, [&](RegionPiece& piece) {
      Interval& i = piece.box[std::size_t(slab.coordinate)];
      return !clip(i, ">=", slab.interval.lower) || !clip(i, "<=", slab.interval.upper);
    });
  }

  void outside(const Body& body) {
    keep([body, space = space()](std::span<const double> x) {
      return !body.at(x)->inside(place_of(x, space));
    });
  }

  std::function<bool(std::span<const double>)> is_nearly_inside(const Body& body) const {
    return [body, space = space()](std::span<const double> x) {
      return nearly_inside(*body.at(x), place_of(x, space));
    };
  }

  /// What is left of the pieces in a patch, or beside one.
  void of_patch(const NamedPatch& patch, Span span, bool inverse) {
    if (std::ranges::find(open_, patch.name) != open_.end())
      mistakes_.fail(span, fmt::format("the patch {} is made of itself", quoted(patch.name)),
                     "break the circle");
    std::vector<std::string> open = open_;
    open.push_back(patch.name);
    RegionReader reader(patch.text, problem_, std::move(open));
    reader.pieces_ = inverse ? RegionPieces{whole_domain(problem_)} : pieces_;
    const RegionPieces inside = reader.pieces();
    if (!inverse) {
      pieces_ = inside;
      return;
    }
    const auto parts = regions_of(inside, problem_);
    if (parts.empty()) return;
    if (parts[0]->has_normal() && !pieces_[0].surface) boundary(span);
    keep([parts](std::span<const double> x) {
      return std::ranges::none_of(parts, [&](const auto& part) { return part->inside(x, 0); });
    });
  }

  /// The regions that the arguments of boundary, surface or interface name.
  std::vector<Named> arguments(std::size_t first, std::size_t last) {
    std::vector<Named> all;
    for (std::size_t i = first; i < last; i += 2) {
      all.push_back(words_[i].kind == Token::Kind::name ? with_surface(words_[i]) : Named());
      if (!all.back().body)
        mistakes_.fail(words_[i].span, fmt::format("there is no region {}", quoted(words_[i].text)),
                       "name one of [problem.regions], or box");
      if (i + 1 < last && words_[i + 1].text != ",")
        mistakes_.fail(words_[i + 1].span, "a comma is missing here", "write interface(A, B)");
    }
    return all;
  }

  Named with_surface(const Token& word) {
    const std::size_t dot = word.text.find('.');
    const Named named{region(word.text.substr(0, dot)),
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

  void called(const Token& word, const std::vector<Named>& regions, bool inverse) {
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
    const Named a = regions[0];
    if (is_cloud(a.body) && !inverse && wanted == 1) return on_surface(a.body, word.span);
    for (const Named& region : regions)
      if (is_cloud(region.body))
        mistakes_.fail(word.span, "of a cloud there are its points, and nothing beside them",
                       "write boundary(NAME)");
    if (word.text == "boundary") {
      if (!pieces_[0].surface) boundary(word.span);
      return keep([a, inverse, space = space()](std::span<const double> x) {
        return lies_on(a, x, space) != inverse;
      });
    }
    on_surface(a.body, word.span);
    if (!a.patch.empty())
      keep([a, space = space()](std::span<const double> x) { return lies_on(a, x, space); });
    if (problem_.domain) keep(is_nearly_inside(problem_.domain));
    if (word.text == "interface")
      keep([a, b = regions[1], space = space()](std::span<const double> x) {
        return touch(*a.body.at(x), *b.body.at(x), place_of(x, space));
      });
  }

  static bool lies_on(const Named& surface, std::span<const double> x,
                      const std::vector<int>& space) {
    const ShapePtr shape = surface.body.at(x);
    const std::vector<double> place = place_of(x, space);
    return nearly_on_surface(*shape, place) &&
           (surface.patch.empty() || shape->patch_at(place) == surface.patch);
  }

  void keep(const std::function<bool(std::span<const double>)>& condition) {
    for (RegionPiece& piece : pieces_) piece.conditions.push_back(condition);
  }

  /// The pieces of a body's surface in place of those of the interior.
  void on_surface(const Body& body, Span span) {
    const std::vector<BodyPiece> surface = surface_pieces(body, box()->bounds());
    RegionPieces all;
    for (const RegionPiece& piece : pieces_) {
      if (piece.surface || dimension_in_space(piece) < int(space().size()))
        mistakes_.fail(span, "this is a part of a surface already", "name one surface");
      for (const BodyPiece& part : surface) {
        RegionPiece one = piece;
        one.body = body;
        one.surface = part;
        all.push_back(std::move(one));
      }
    }
    pieces_ = std::move(all);
  }

  std::vector<int> space() const { return space_coordinates(problem_); }

  int dimension_in_space(const RegionPiece& piece) const {
    int free = 0;
    for (const int c : space()) free += !piece.box[std::size_t(c)].fixed();
    return free;
  }

  void boundary(Span span) {
    const bool shaped = problem_.domain || std::ranges::any_of(pieces_, [](const RegionPiece& p) {
                          return !p.plain();
                        });
    return shaped ? boundary_of_shapes(span) : boundary_of_box(span);
  }

  /// What is periodic by embedding has no faces.
  void boundary_of_shapes(Span span) {
    const Body whole = problem_.domain ? problem_.domain : box();
    for (RegionPiece& piece : pieces_)
      if (piece.body && piece.body != problem_.domain)
        piece.conditions.push_back(is_nearly_inside(piece.body));
    on_surface(whole, span);
    const std::vector<int> all = space();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!is_periodic(problem_, std::size_t(all[k]))) continue;
      const Coordinate& c = problem_.coordinates[std::size_t(all[k])];
      const double near = snap * (c.upper - c.lower);
      keep([=, at = std::size_t(all[k]), lower = c.lower,
            upper = c.upper](std::span<const double> x) {
        return std::fabs(x[at] - lower) > near && std::fabs(x[at] - upper) > near;
      });
    }
  }

  void boundary_of_box(Span span) {
    RegionPieces faces;
    bool any = false;
    for (std::size_t c = 0; c < problem_.coordinates.size(); ++c) {
      if (problem_.coordinates[c].role != Role::space || is_periodic(problem_, c)) continue;
      any = true;
      for (const double end : {problem_.coordinates[c].lower, problem_.coordinates[c].upper})
        for (RegionPiece piece : pieces_)
          if (fix(piece.box[c], end)) faces.push_back(std::move(piece));
    }
    if (!any)
      mistakes_.fail(span, "there is no boundary: no coordinate is space, or all are periodic",
                     "name a face");
    pieces_ = std::move(faces);
  }

  void initial(Span span) {
    const auto& all = problem_.coordinates;
    const auto t = std::find_if(all.begin(), all.end(),
                                [](const Coordinate& c) { return c.role == Role::time; });
    if (t == all.end())
      mistakes_.fail(span, "there is no initial time: no coordinate is time",
                     "write COORDINATE = CONSTANT, or give a coordinate the role \"time\"");
    const std::size_t c = std::size_t(t - all.begin());
    std::erase_if(pieces_, [&](RegionPiece& piece) { return !fix(piece.box[c], t->lower); });
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
    if (inverse && sign == "=")
      mistakes_.fail(span, "all but a face is no region", "write an inequality");
    cut(std::size_t(m.index), inverse ? inverse_of(sign) : sign,
        parse_constant(text_, words_, signs[0] + 1, last, problem_), span);
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
    std::erase_if(pieces_, [&](RegionPiece& piece) { return !clip(piece.box[c], sign, value); });
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
  const std::vector<std::string> open_;  ///< the patches that this text stands in
  RegionPieces pieces_;
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
  std::vector<Intervals> boxes;
  std::vector<std::shared_ptr<const Region>> parts;
  for (const Text& text : on) {
    try {
      const RegionPieces pieces = RegionReader(text, problem).pieces();
      const auto regions = regions_of(pieces, problem);
      if (regions.empty())
        throw ConfigError(whole(text, "this region is empty: nothing of the domain lies in it",
                                "pinn-train --check tells of every region how large it is"));
      if (!parts.empty() && parts[0]->dimension() != regions[0]->dimension())
        reports.push_back(whole(text,
                                fmt::format("this region has dimension {}, another of the list {}",
                                            regions[0]->dimension(), parts[0]->dimension()),
                                "write a requirement for each dimension"));
      else if (std::ranges::any_of(pieces, [&](const RegionPiece& piece) {
                 return piece.plain() && std::ranges::any_of(boxes, [&](const Intervals& other) {
                          return overlap(piece.box, other);
                        });
               }))
        reports.push_back(
            whole(text, "this region overlaps another of the list", "leave one of them out"));
      for (const RegionPiece& piece : pieces)
        if (piece.plain()) boxes.push_back(piece.box);
      parts.insert(parts.end(), regions.begin(), regions.end());
    } catch (const ConfigError& error) {
      reports.insert(reports.end(), error.reports.begin(), error.reports.end());
    }
  }
  if (!reports.empty()) throw ConfigError(reports);
  return make_union(parts);
}

}  // namespace pinn
