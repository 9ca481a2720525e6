// The coordinates that integrals run over alone.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "configs/draft.h"
#include "data/geometry/measure.h"
#include "solvers/problem/integrals.h"

namespace pinn::config {
namespace {

class PlaceReader {
 public:
  PlaceReader(Draft& draft, const Node& node, Requirement& r) : draft_(draft), node_(node), r_(r) {}

  bool read(const Node& integrate) {
    box_ = r_.region->bounds();
    if (!is_box())
      return refuse(Mistake::integrate_region, integrate,
                    "not yet: integrals over some coordinates of a region that is no box",
                    "leave 'integrate' out, for an integral over all of it");
    if (integrate.kind == Node::string) return add(integrate) && settle();
    for (const Node& name : integrate.items)
      if (!add(name)) return false;
    return settle();
  }

 private:
  bool refuse(Mistake mistake, const Node& at, std::string what, std::string fix) {
    draft_.findings.add(mistake, at, std::move(what), std::move(fix));
    return false;
  }

  /// True if the region fills the box that holds it.
  bool is_box() const {
    double volume = 1;
    for (const Interval& i : box_)
      if (!i.fixed()) volume *= i.upper - i.lower;
    return r_.region->parts().size() == 1 &&
           std::fabs(r_.region->measure() - volume) <= 1e-12 * volume;
  }

  bool add(const Node& name) {
    const int c = coordinate_named(draft_, name);
    if (c < 0) return false;
    const Interval& along = box_[std::size_t(c)];
    if (along.fixed() || marked_[std::size_t(c)])
      return refuse(Mistake::integrate_fixed, name,
                    fmt::format("{} is {}, so nothing is integrated over it", name.text,
                                along.fixed() ? "fixed by 'on'" : "named already"),
                    "name each coordinate once that 'on' leaves free");
    marked_[std::size_t(c)] = 1;
    return true;
  }

  /// Every combination of nodes along the marked coordinates; these are fixed for the points.
  bool settle() {
    constexpr std::array usual = {usual_nodes, usual_nodes, 8, 4};
    const int count = order(marked_);
    if (r_.quadrature == 0)
      r_.quadrature = count < int(usual.size()) ? usual[std::size_t(count)] : 3;
    PlaceRule rule{marked_, {{}}, {1}};
    for (std::size_t c = 0; c < box_.size(); ++c) {
      if (!marked_[c]) continue;
      rule = times(rule, box_[c]);
      const double middle = (box_[c].lower + box_[c].upper) / 2;
      box_[c] = {middle, middle};
    }
    r_.places = std::make_shared<const PlaceRule>(std::move(rule));
    r_.region = make_box(box_);
    return true;
  }

  PlaceRule times(const PlaceRule& rule, const Interval& along) const {
    const std::vector<GaussPoint> gauss = gauss_points(r_.quadrature, along);
    PlaceRule all{marked_, {}, {}};
    constexpr std::size_t most = 65536;  // more are refused where formulas are written out
    for (std::size_t i = 0; i < rule.weights.size() && all.weights.size() <= most; ++i)
      for (const auto& [x, weight] : gauss) {
        all.places.push_back(rule.places[i]);
        all.places.back().push_back(x);
        all.weights.push_back(rule.weights[i] * weight);
      }
    return all;
  }

  Draft& draft_;
  const Node& node_;
  Requirement& r_;
  std::vector<Interval> box_;
  MultiIndex marked_{};
};

}  // namespace

bool read_places(Draft& draft, const Node& node, Requirement& requirement) {
  const Node* integrate = node.at("integrate");
  if (!integrate || !requirement.region) return !node.find("integrate") || !requirement.region;
  return PlaceReader(draft, node, requirement).read(*integrate);
}

}  // namespace pinn::config
