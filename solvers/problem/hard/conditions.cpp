#include "solvers/problem/hard.h"

#include <fmt/format.h>

#include <algorithm>

#include "solvers/problem/checks.h"
#include "solvers/problem/hard/pieces.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

using hard::Asked;
using hard::Piece;

/// Bytes of a transform that a person would still read, and every point still pay for.
constexpr std::size_t longest_formula = 2000;

bool is_asked_for(const Requirement& r, const std::vector<std::string>& names) {
  return names.empty() || std::find(names.begin(), names.end(), r.name) != names.end();
}

/// Why a coordinate cannot be periodic by embedding; empty when it can.
std::string obstacle(const Problem& problem, const Requirement& periodic) {
  const auto [c, order] = *periodic.periodic;
  if (std::count(problem.periodic.begin(), problem.periodic.end(), true) > 0)
    return "[network] periodic says already what is periodic: name it there, too";
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
  Reader(const Problem& problem, const std::vector<std::string>& names, bool windows)
      : problem_(problem), names_(names), windows_(windows) {
    hard_.outputs.resize(problem.fields.size());
    hard_.periodic.resize(problem.coordinates.size());
    order_.resize(problem.coordinates.size());
  }

  HardConditions read() {
    for (const Requirement& r : problem_.requirements)
      if (r.kind == Requirement::Kind::condition && is_asked_for(r, names_)) look(r);
    hard::settle(problem_, hard_.periodic, order_, asked_);
    for (std::size_t f = 0; f < problem_.fields.size(); ++f) form(int(f));
    for (const Asked& a : asked_)
      if (a.why.empty())
        hard_.exact.push_back(a.name);
      else
        hard_.soft.push_back({a.name, a.why});
    return std::move(hard_);
  }

 private:
  void look(const Requirement& r) {
    if (!r.periodic) {
      for (const Residual& residual : r.residuals)
        add(hard::asked_by(problem_, r, residual, asked_.size()));
      return;
    }
    const std::string why = obstacle(problem_, r);
    asked_.push_back({r.name, {}, why});
    if (!why.empty()) return;
    const std::size_t c = std::size_t(r.periodic->coordinate);
    hard_.periodic[c] = true;
    order_[c] = r.periodic->order;
  }

  void add(Asked asked) {
    const bool start = std::any_of(asked.pieces.begin(), asked.pieces.end(), [&](const Piece& p) {
      return !p.upper && problem_.coordinates[std::size_t(p.coordinate)].role == Role::time;
    });
    if (windows_ && start) {
      asked.pieces.clear();
      asked.why = "every window but the first begins with the end of the one before";
    }
    asked_.push_back(std::move(asked));
  }

  void form(int field) {
    std::vector<Piece> pieces;
    for (const Asked& a : asked_)
      for (const Piece& p : a.pieces)
        if (a.why.empty() && p.field == field) pieces.push_back(p);
    if (pieces.empty()) return;
    const ExpressionPtr output = hard::blended(problem_, pieces);
    const Scope scope{problem_, Scope::Use::output};
    if (output->nodes <= max_nodes && print(*output, scope).size() <= longest_formula) {
      hard_.outputs[std::size_t(field)] = output;
      return;
    }
    for (const Piece& p : pieces) asked_[p.of].why = "the formula would be too long";
  }

  const Problem& problem_;
  const std::vector<std::string>& names_;
  const bool windows_;
  std::vector<int> order_;  ///< of periodicity, per coordinate
  std::vector<Asked> asked_;
  HardConditions hard_;
};

}  // namespace

HardConditions hard_conditions(const Problem& problem, const std::vector<std::string>& names,
                               bool windows) {
  return Reader(problem, names, windows).read();
}

}  // namespace pinn
