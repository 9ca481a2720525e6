#include "solvers/problem/hard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/hard/pieces.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/point_formula.h"

namespace pinn {
namespace {

using hard::ConditionForm;
using hard::Piece;
using hard::Sheet;

/// Bytes of a transform that a person would still read, and every point still pay for.
constexpr std::size_t longest_formula = 2000;
/// The same where shapes with corners are written out: each edge stands there several times.
constexpr std::size_t longest_with_surfaces = 30'000;
constexpr int tries = 300;  ///< points of each part, at which sheets are held against conditions

bool is_asked_for(const Requirement& r, const std::vector<std::string>& names) {
  return names.empty() || std::find(names.begin(), names.end(), r.name) != names.end();
}

/// Why a coordinate cannot be periodic by embedding; empty when it can.
std::string obstacle(const Problem& problem, const Requirement& periodic) {
  const int c = periodic.periodic->coordinate, order = periodic.periodic->order;
  if (std::count(problem.periodic.begin(), problem.periodic.end(), true) > 0)
    return "[network] periodic says already what is periodic: name it there, too";
  for (const auto& [near, far] : periodic.periodic->in_pieces)
    if (near != far) return "its two ends lie in different pieces";
  if (order + 1 < highest_order(problem, c))
    return fmt::format(
        "the embedding is smooth, and the equations leave room for jumps: they are "
        "of order {} in {}, and this asks up to order {}",
        highest_order(problem, c), problem.coordinates[std::size_t(c)].name, order);
  for (const Requirement& r : problem.requirements)
    for (const bool upper : {false, true})
      if (r.region && !r.periodic && lies_in_face(*r.region, problem, c, upper))
        return fmt::format("{} asks something of the face {}", r.name,
                           hard::face_text(problem, c, upper));
  return {};
}

class Reader {
 public:
  Reader(const Problem& problem, const std::vector<std::string>& names, std::string soft_start,
         int network)
      : problem_(problem),
        names_(names),
        soft_start_(std::move(soft_start)),
        network_(network),
        surfaces_(problem) {
    hard_.outputs.resize(problem.fields.size());
    hard_.periodic.resize(problem.coordinates.size());
    order_.resize(problem.coordinates.size());
  }

  HardConditions read() {
    for (const Requirement& r : problem_.requirements)
      if (r.kind == Requirement::Kind::condition && is_asked_for(r, names_)) look(r);
    hard::settle_smooth(problem_, asked_);
    if (names_.empty()) hard::settle_sharp(problem_, asked_);
    hard::settle(problem_, hard_.periodic, order_, asked_);
    hard::settle_sheets(problem_, surfaces_, asked_);
    for (std::size_t f = 0; f < problem_.fields.size(); ++f) form(int(f));
    for (const ConditionForm& a : asked_) note(a);
    std::erase_if(hard_.exact, [&](const std::string& name) {
      return std::ranges::find(hard_.soft, name, &Soft::name) != hard_.soft.end();
    });
    return std::move(hard_);
  }

 private:
  void look(const Requirement& r) {
    if (!r.periodic) {
      for (const Residual& residual : r.residuals) {
        const std::vector<PartitionPtr> cut = partitions_of(*residual.expression);
        for (std::size_t k = 0; k < piece_count(cut); ++k)
          if (is_of_network(*in_piece(residual.expression, cut, k)))
            add(hard::asked_by(problem_, surfaces_, r, residual, asked_.size(), k), r);
      }
      return;
    }
    const std::string why = obstacle(problem_, r);
    asked_.push_back({.name = r.name, .pieces = {}, .why = why});
    of_.push_back(&r);
    if (!why.empty()) return;
    const std::size_t c = std::size_t(r.periodic->coordinate);
    hard_.periodic[c] = true;
    order_[c] = r.periodic->order;
  }

  bool is_of_network(const Expression& residual) const {
    const Needs all = needs(residual);
    return network_ < 0 || all.empty() || std::ranges::any_of(all, [&](const Need& need) {
             return problem_.fields[std::size_t(need.field)].network == network_;
           });
  }

  /// A residual is exact where that is so in each of its pieces.
  void note(const ConditionForm& a) {
    if (a.why.empty()) {
      if (std::ranges::find(hard_.exact, a.name) == hard_.exact.end())
        hard_.exact.push_back(a.name);
      return;
    }
    const auto told = std::ranges::find(hard_.soft, a.name, &Soft::name);
    if (told == hard_.soft.end())
      hard_.soft.push_back({a.name, a.why, a.rough});
    else
      told->rough = told->rough || a.rough;
  }

  void add(ConditionForm asked, const Requirement& r) {
    of_.push_back(&r);
    const bool start = std::any_of(asked.pieces.begin(), asked.pieces.end(), [&](const Piece& p) {
      return !p.upper && problem_.coordinates[std::size_t(p.coordinate)].role == Role::time;
    });
    if (!soft_start_.empty() && start) {
      asked.pieces.clear();
      asked.why = soft_start_;
    }
    asked_.push_back(std::move(asked));
  }

  void form(int field) {
    std::vector<Piece> pieces;
    for (const ConditionForm& a : asked_)
      for (const Piece& p : a.pieces)
        if (a.why.empty() && p.field == field) pieces.push_back(p);
    std::vector<Sheet> sheets;
    for (const ConditionForm& a : asked_)
      for (const Sheet& s : a.sheets)
        if (a.why.empty() && s.field == field) sheets.push_back(s);
    if (pieces.empty() && sheets.empty()) return;
    const ExpressionPtr output = hard::blended(problem_, pieces, surfaces_, sheets);
    const Scope scope{problem_, Scope::Use::output};
    const std::size_t longest = sheets.empty() ? longest_formula : longest_with_surfaces;
    const bool is_short = output->nodes <= max_nodes && print(*output, scope).size() <= longest;
    if (is_short && !refuse_missed(*output, sheets)) {
      hard_.outputs[std::size_t(field)] = output;
      return;
    }
    if (is_short) return form(field);  // without what it misses
    for (const Piece& p : pieces) asked_[p.of].why = "the formula would be too long";
    for (const Sheet& s : sheets) asked_[s.of].why = "the formula would be too long";
  }

  /// True if an output misses a condition on a surface, whatever the network gives: where the
  /// surface meets others that ask for something else. Notes why.
  bool refuse_missed(const Expression& output, const std::vector<Sheet>& sheets) {
    const Evaluator value(output);
    bool any = false;
    for (const Sheet& s : sheets) {
      const double scale = problem_.fields[std::size_t(s.field)].scale;
      const Evaluator wanted(*s.value);
      for (const Region* part : of_[s.of]->region->parts())
        for (const std::vector<double>& x : spread_points(*part, tries, 200 * tries)) {
          const double target = wanted({.coordinates = x});
          for (const double raw : {-1.3, 2.1}) {
            const double off = value({.coordinates = x, .raw_output = raw}) - target;
            if (std::fabs(off) <= meeting_tolerance * std::max(scale, std::fabs(target))) continue;
            std::string& why = asked_[s.of].why;
            if (why.empty())
              why = fmt::format("it disagrees with the other conditions at {}, by {:.3g}",
                                place_text(problem_.coordinates, x), std::fabs(off));
            any = true;
          }
        }
    }
    return any;
  }

  const Problem& problem_;
  const std::vector<std::string>& names_;
  const std::string soft_start_;  ///< why the start of time is; empty: it may be exact
  const int network_;             ///< of whose fields; -1: of all
  const hard::Surfaces surfaces_;
  std::vector<int> order_;  ///< of periodicity, per coordinate
  std::vector<ConditionForm> asked_;
  std::vector<const Requirement*> of_;  ///< of each
  HardConditions hard_;
};

}  // namespace

HardConditions hard_conditions(const Problem& problem, const std::vector<std::string>& names,
                               bool windows, const std::string& layer, int network) {
  const std::string handed = "every window but the first begins with the end of the one before";
  return Reader(problem, names, windows ? handed : layer, network).read();
}

}  // namespace pinn
