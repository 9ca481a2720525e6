#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "configs/draft.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/point_formula.h"

namespace pinn::config {
namespace {

constexpr int by_equations = -1;  ///< an order that waits for them
constexpr int face_points =
    200;  // the default where the region has fewer dimensions than the space

/// The strings of a string, an array or a table, with the names they go by.
struct Part {
  std::string name;
  const Node* node;
};
std::vector<Part> strings(const Node& value) {
  std::vector<Part> all;
  if (value.kind == Node::string) all.push_back({"", &value});
  for (const Node& item : value.items) all.push_back({std::to_string(all.size() + 1), &item});
  for (const Entry& e : value.entries) all.push_back({e.key, &e.value});
  return all;
}

class RequirementReader {
 public:
  RequirementReader(Draft& draft, const Item& item, Warnings& warnings)
      : draft_(draft),
        path_(item.path),
        node_(*item.node),
        members_(item.members),
        r_(draft.run.problem.requirements[item.index]),
        sampling_(draft.run.sampling[item.index]),
        warnings_(warnings) {}

  void read() {
    if (const Node* periodic = node_.at("periodic"))
      read_periodic(*periodic);
    else
      read_residuals_and_place();
    if (r_.region) read_points(draft_, node_, r_, sampling_, warnings_);
  }

 private:
  void read_residuals_and_place() {
    if (const Node* order = node_.at("order"))
      conflict(Mistake::order_without_periodic, *order, "'order' is for periodic conditions",
               "add periodic = \"x\", or leave it out");
    if (r_.kind == Requirement::Kind::data)
      unread_ = !read_data(draft_, node_, r_);
    else
      read_region();
    if (r_.data) sampling_.count = int(r_.data->count);
    read_residuals();
    if (r_.data) settle_data(draft_, node_, r_);
    read_weights();
    settle_integrals(draft_, node_, r_, sampling_);
    require_place();
  }

  void conflict(Mistake mistake, const Node& at, std::string what, std::string fix) {
    draft_.findings.add(mistake, at, std::move(what), std::move(fix));
  }

  void read_periodic(const Node& periodic) {
    for (const char* key : {"residual", "on"})
      if (const Node* other = node_.at(key))
        conflict(Mistake::periodic_and_more, *other,
                 fmt::format("a condition has 'periodic' or '{}', not both", key),
                 "leave one of them out");
    Node named = periodic;
    named.text = with_indices(text(periodic), members_[0], draft_.run.problem).value;
    const int coordinate = coordinate_named(draft_, named);
    if (coordinate < 0) return;
    r_.periodic = Periodicity{coordinate, said_order()};
    r_.on = "periodic in " + named.text;
    const Problem& problem = draft_.run.problem;
    const Coordinate& c = problem.coordinates[std::size_t(coordinate)];
    const Text on{fmt::format("{} = {:.17g}", c.name, c.lower), place(periodic), false};
    if (!reading(draft_, periodic, Mistake::periodic_region,
                 [&] { r_.region = parse_region({on}, problem); }))
      r_.region = face(problem, coordinate, false);
    if (!reading(draft_, periodic, Mistake::periodic_pieces, [&] { settle_periodic(problem, r_); }))
      unread_ = true;
    default_points();
    if (const Node* weight = node_.at("weight")) {
      if (weight->kind == Node::array)
        conflict(Mistake::periodic_weights, *weight, "a periodic condition has one weight",
                 "write one number, or one formula");
      else
        r_.weight_at = read_weight(*weight, r_.weight, members_[0]);
    }
  }

  /// As the file says, or as it was when the run was begun; else `by_equations`.
  int said_order() const {
    if (const Node* order = node_.at("order")) return int(order->whole);
    const auto before = draft_.before.find(path_ + ".order");
    return before == draft_.before.end() ? by_equations : std::stoi(before->second);
  }

  void read_region() {
    const Node* on = node_.at("on");
    if (!on) {
      r_.region = interior(draft_.run.problem);
      return default_points();
    }
    std::vector<Text> parts;
    for (const Part& part : strings(*on))
      parts.push_back(with_indices(text(*part.node), members_[0], draft_.run.problem));
    for (const Text& part : parts) r_.on += (r_.on.empty() ? "" : ", ") + part.value;
    if (!reading(draft_, *on, Mistake::region,
                 [&] { r_.region = parse_region(parts, draft_.run.problem); }))
      unread_ = true;
    default_points();
  }

  /// Only an integral is over everything where nothing is said.
  void require_place() {
    const Node* residual = node_.at("residual");
    const bool integral = residual && says_integral(*residual);
    if (r_.kind == Requirement::Kind::condition && !node_.find("on") && !integral)
      draft_.findings.add(Mistake::no_on, node_, "a condition needs 'on' or 'periodic'",
                          "add for example on = \"boundary\"");
  }

  void default_points() {
    const bool said = node_.at("points.count") ||
                      (node_.at("points") && node_.at("points")->kind == Node::integer);
    const int dimensions = int(draft_.run.problem.coordinates.size());
    if (!said && !draft_.counted && r_.region && r_.region->dimension() < dimensions)
      sampling_.count = face_points;
  }

  void read_residuals() {
    const Node* residual = node_.at("residual");
    if (!residual) {
      if (r_.kind == Requirement::Kind::condition && !node_.find("residual"))
        draft_.findings.add(Mistake::no_residual, node_,
                            "a condition needs 'residual' or 'periodic'",
                            "add for example residual = \"u = 0\"");
      return;
    }
    if (unread_) return;
    Scope scope{draft_.run.problem, Scope::Use::residual};
    if (!read_places(draft_, node_, r_)) return;
    default_points();
    scope.has_normal = r_.region && r_.region->has_normal();
    if (r_.data) scope.columns = r_.data->columns;
    if (!find_sides(*residual, scope)) return;
    set_integrals(r_, scope);
    bool sound = true;
    for (const Indices& indices : members_)
      for (const Part& one : strings(*residual)) {
        if (!sound && &indices != &members_[0]) break;  // the same mistakes once more
        Residual to;
        to.name = r_.name + (one.name.empty() ? "" : "." + one.name);
        if (members_.size() > 1) to.name += in_brackets(indices);
        to.text = with_indices(text(*one.node), indices, draft_.run.problem);
        sound &= reading(draft_, *one.node, Mistake::residual, [&] {
          to.expression = parse_residual(to.text, scope, warnings_);
          if (draft_.before.empty()) require_slope(to.text, *to.expression, scope);
        });
        r_.residuals.push_back(std::move(to));
      }
  }

  /// Finds what lies on both sides of the region, where names mean something else in every region.
  bool find_sides(const Node& residual, Scope& scope) {
    const auto& pieces = draft_.run.problem.pieces;
    if (!pieces || !r_.region) return true;
    std::vector<int> asked;
    for (const Part& one : strings(residual))
      for (const int p : pieces->mentioned(text(*one.node))) asked.push_back(p);
    if (asked.empty()) return true;
    const Node* on = node_.at("on");
    return reading(draft_, on ? *on : residual, Mistake::between,
                   [&] { scope.sides = sides_of(*r_.region, draft_.run.problem, asked); });
  }

  void read_weights() {
    const Node* weight = node_.at("weight");
    if (!weight) return;
    const bool each = weight->kind == Node::array;
    const std::size_t written = r_.residuals.size() / members_.size();
    if (each && weight->items.size() != written && written > 0)
      return draft_.findings.add(
          Mistake::weight_count, *weight,
          fmt::format("{} weights for {} residuals", weight->items.size(), written),
          "write one number, or one per residual");
    for (std::size_t m = 0; m < members_.size(); ++m) {
      std::shared_ptr<const PointFormula> one;
      double number = 1;
      if (!each) one = read_weight(*weight, number, members_[m]);
      for (std::size_t i = 0; i < written; ++i) {
        Residual& to = r_.residuals[m * written + i];
        to.weight = number;
        to.weight_at = each ? read_weight(weight->items[i], to.weight, members_[m]) : one;
      }
    }
  }

  /// A number, or a formula of the coordinates that is one at every point; null for a number.
  std::shared_ptr<const PointFormula> read_weight(const Node& node, double& number,
                                                  const Indices& indices) {
    if (node.kind != Node::string) {
      number = node.real;
      return nullptr;
    }
    std::shared_ptr<const PointFormula> formula;
    reading(draft_, node, Mistake::weight, [&] {
      formula = std::make_shared<const PointFormula>(
          "weight", with_indices(text(node), indices, draft_.run.problem),
          PointFormula::Sign::not_negative, draft_.run.problem, warnings_);
      if (r_.data) formula->check(r_.data->rows);
      if (r_.region) formula->check(*r_.region);
    });
    return formula;
  }

  Draft& draft_;
  const std::string& path_;
  const Node& node_;
  const std::vector<Indices>& members_;  ///< of `for`; at least one, which may say nothing
  Requirement& r_;
  SamplingOptions& sampling_;
  Warnings& warnings_;
  bool unread_ = false;  ///< what its residuals refer to could not be read
};

/// Once all that is asked is known: so many derivatives have to agree that the equations leave no
/// room for a jump of any they do not have.
void settle_orders(Draft& draft) {
  Problem& problem = draft.run.problem;
  for (Requirement& r : problem.requirements)
    if (r.periodic && r.periodic->order == by_equations)
      r.periodic->order =
          draft.findings.all.empty() ? order_of_seam(problem, r.periodic->coordinate) : 1;
}

}  // namespace

void read_requirements(Draft& draft, Warnings& warnings) {
  for (const Item& item : draft.requirements) RequirementReader(draft, item, warnings).read();
  settle_orders(draft);
}

}  // namespace pinn::config
