#include "solvers/problem/hard/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "solvers/problem/differentiate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/pieces.h"

namespace pinn::hard {
namespace {

using Kind = Expression::Kind;

/// Every two faces are looked at where they meet, and a form has a factor for each.
constexpr std::size_t most_coordinates = 12;

/// A residual as factor * quantity + rest, where neither has the quantity.
struct Line {
  Formula factor, rest;
};

/// Without two signs that cancel.
Formula negative(const Formula& f) {
  const Expression& e = *f.e;
  if (e.kind == Kind::call && e.name == "neg") return Formula(e.inputs[0]);
  return is_constant(e) ? Formula(0 - e.number) : -f;
}

bool has_field(const Expression& e) { return dependence(e).fields; }

/// Nothing where the residual is not of that form. The quantity is the one node that holds a field.
std::optional<Line> line_of(const ExpressionPtr& e) {
  if (!has_field(*e)) return Line{Formula(0), Formula(e)};
  if (e->kind != Kind::call) return Line{Formula(1), Formula(0)};
  const auto& in = e->inputs;
  const auto first = line_of(in[0]);
  if (!first) return {};
  if (e->name == "neg") return Line{negative(first->factor), negative(first->rest)};
  if (in.size() != 2) return {};
  if (e->name == "div" && !has_field(*in[1])) {
    const Formula by(in[1]);
    return Line{first->factor / by, first->rest / by};
  }
  const auto second = line_of(in[1]);
  if (!second) return {};
  if (e->name == "add") return Line{first->factor + second->factor, first->rest + second->rest};
  if (e->name == "sub") {
    const Formula rest =
        is_constant(*first->rest.e, 0) ? negative(second->rest) : first->rest - second->rest;
    return Line{first->factor - second->factor, rest};
  }
  if (e->name != "mul" || (has_field(*in[0]) && has_field(*in[1]))) return {};
  const auto& [by, line] =
      has_field(*in[0]) ? std::pair(Formula(in[1]), *first) : std::pair(Formula(in[0]), *second);
  return Line{by * line.factor, by * line.rest};
}

/// Why no formula of the coordinates alone says what the field is; empty when one does.
std::string obstacle(const Expression& residual) {
  if (contains(residual, Kind::unknown)) return "its value holds an unknown";
  if (contains(residual, Kind::normal)) return "it is about the normal";
  return {};
}

/// Leaves sheets out whose surface another one has; a text where one has a face: the product of
/// functions would vanish there twice, and with it the slope that the network gives.
std::string one_function_each(const Surfaces& surfaces, ConditionForm& asked) {
  std::vector<Sheet> kept;
  for (const Sheet& s : asked.sheets) {
    const bool covered = std::ranges::any_of(asked.sheets, [&](const Sheet& other) {
      return other.surface != s.surface && surfaces.covers(other.surface, s.surface);
    });
    if (!covered) kept.push_back(s);
  }
  asked.sheets = std::move(kept);
  for (const Sheet& s : asked.sheets)
    for (const Piece& p : asked.pieces)
      if (surfaces.covers_face(s.surface, p.coordinate, p.upper))
        return "a face of the box and a surface have no functions of their own";
  return {};
}

std::string name_of(const Problem& problem, int coordinate) {
  return problem.coordinates[std::size_t(coordinate)].name;
}

bool depends_on(const Problem& problem, int field, int coordinate) {
  const std::vector<int>& inputs = problem.fields[std::size_t(field)].inputs;
  return inputs.empty() || std::ranges::find(inputs, coordinate) != inputs.end();
}

/// Why a value is none of a field that depends on fewer coordinates; empty where it may be.
std::string hidden_coordinate(const Problem& problem, int field, const Expression& value) {
  const Dependence on = dependence(value);
  for (int c = 0; c < int(problem.coordinates.size()); ++c)
    if (on.on(c) && !depends_on(problem, field, c))
      return fmt::format("its value depends on {}, and the field does not", name_of(problem, c));
  return {};
}

/// True of the field of one region of a partition, and of no other.
bool is_field_of(const Problem& problem, int field, const Partition& partition,
                 std::size_t region) {
  return std::ranges::any_of(problem.pieces->fields, [&](const PiecewiseField& f) {
    return problem.pieces->partitions[std::size_t(f.partition)].get() == &partition &&
           f.fields[region] == field && std::ranges::count(f.fields, field) == 1;
  });
}

/// Adds what a residual asks on whole faces and surfaces; a text when it asks for something else.
std::string add_pieces(const Problem& problem, const Surfaces& surfaces,
                       const Requirement& requirement, const ExpressionPtr& residual,
                       std::size_t number, const PartitionPtr& cut, std::size_t piece,
                       ConditionForm& asked) {
  const Needs all = needs(*residual);
  if (all.empty()) return "it asks nothing of a field";
  if (all.size() > 1) return "it ties several fields or derivatives to one another";
  const Need need = *all.begin();
  const auto line = line_of(residual);
  if (!line || !is_constant(*line->factor.e) || line->factor.e->number == 0)
    return "it does not say what the field is: it is no FIELD = FORMULA";
  if (std::size_t(need.field) < problem.outputs.size() && problem.outputs[std::size_t(need.field)])
    return "[network.output] has a form of this field already";
  const ExpressionPtr value = (negative(line->rest) / line->factor).e;
  if (const std::string why = hidden_coordinate(problem, need.field, *value); !why.empty())
    return why;
  if (cut && !is_field_of(problem, need.field, *cut, piece))
    return "it means something else in every region";
  Belongs belongs;
  if (cut) belongs = [&](std::span<const double> x) { return cut->at(x) == int(piece); };
  for (const Region* part : requirement.region->parts()) {
    if (cut && !holds_any(*part, belongs)) continue;
    const auto face = whole_face(problem, *requirement.region, *part, belongs);
    if (!face && !problem.domain) return "it asks elsewhere than on whole faces of the domain";
    if (!face) {
      if (order(need.index) > 0) return "it asks for a derivative on a surface that is no face";
      const Surfaces::Found found = surfaces.on(*requirement.region, *part);
      if (!found.which) return found.why;
      if (std::ranges::find(asked.sheets, *found.which, &Sheet::surface) == asked.sheets.end())
        asked.sheets.push_back({number, need.field, *found.which, value});
      continue;
    }
    const bool there = std::ranges::any_of(asked.pieces, [&](const Piece& p) {
      return p.coordinate == face->coordinate && p.upper == face->upper;
    });
    if (there) continue;
    if (!depends_on(problem, need.field, face->coordinate))
      return "the field does not depend on " + name_of(problem, face->coordinate);
    const int along = need.index[std::size_t(face->coordinate)];
    if (order(need.index) != along || along > 1)
      return "it asks for a derivative, but not for the first one across the face";
    asked.pieces.push_back(
        {number, need.field, face->coordinate, face->upper, along,
         held(value, face->coordinate, end_of(problem, face->coordinate, face->upper))});
  }
  return one_function_each(surfaces, asked);
}

}  // namespace

ConditionForm asked_by(const Problem& problem, const Surfaces& surfaces,
                       const Requirement& requirement, const Residual& residual, std::size_t number,
                       std::size_t piece) {
  const std::vector<PartitionPtr> cut = partitions_of(*residual.expression);
  ConditionForm asked;
  asked.name = residual.name;
  asked.why = is_integral(requirement) ? "it is asked of an integral, and not of points"
              : cut.size() > 1         ? "it means something else in every region"
                                       : obstacle(*residual.expression);
  if (problem.coordinates.size() > most_coordinates)
    asked.why = fmt::format("forms of fields are made in at most {} coordinates", most_coordinates);
  if (asked.why.empty())
    asked.why =
        add_pieces(problem, surfaces, requirement, in_piece(residual.expression, cut, piece),
                   number, cut.empty() ? nullptr : cut[0], piece, asked);
  if (!asked.why.empty()) asked.pieces.clear(), asked.sheets.clear();
  return asked;
}

}  // namespace pinn::hard
