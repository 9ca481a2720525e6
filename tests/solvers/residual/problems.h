#pragma once
#include "data/geometry/measure.h"
#include "data/geometry/region.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/loss/loss.h"

/// Small problems made by hand for the tests of this folder.
namespace pinn::test {

inline Text text(const std::string& value) { return {value, {"test", 1, 1, value}, true}; }

/// Coordinates on [-1, 1], t on [0, 1]; fields; one equation per string, on one set of points.
inline std::shared_ptr<Problem> problem(const std::vector<std::string>& coordinates,
                                        const std::vector<std::string>& fields,
                                        const std::vector<std::string>& equations) {
  auto p = std::make_shared<Problem>();
  std::vector<Interval> box;
  for (const std::string& name : coordinates) {
    const bool time = name == "t";
    p->coordinates.push_back({name, time ? 0.0 : -1.0, 1, time ? Role::time : Role::space, ""});
    box.push_back({time ? 0.0 : -1.0, 1});
  }
  for (const std::string& name : fields) p->fields.push_back({name, "", 1});
  p->outputs.resize(fields.size());
  p->periodic.resize(coordinates.size(), false);
  Requirement r;
  r.name = "equations";
  r.region = make_box(box);
  Warnings warnings;
  for (const std::string& e : equations)
    r.residuals.push_back({e, parse_residual(text(e), Scope{*p}, warnings), 1, text(e)});
  p->requirements.push_back(r);
  return p;
}

/// Points spread over the domain in no particular pattern.
inline PointSet spread(const Problem& problem, std::size_t count) {
  PointSet set;
  set.count = count;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < problem.coordinates.size(); ++k) {
      const double share = std::fmod(0.37 + double(i) * (0.618 + 0.0931 * double(k)), 1.0);
      const Coordinate& c = problem.coordinates[k];
      set.x.push_back(c.lower + share * (c.upper - c.lower));
    }
  return set;
}

/// Gauss's nodes of a box of two coordinates.
inline PointSet nodes(const Region& region, int points) {
  const std::vector<Interval> box = region.bounds();
  PointSet set;
  for (const GaussPoint& x : gauss_points(points, box[0]))
    for (const GaussPoint& y : gauss_points(points, box[1])) {
      set.x.insert(set.x.end(), {x.x, y.x});
      set.weights.push_back(x.weight * y.weight);
    }
  set.count = set.weights.size();
  return set;
}

inline NetworkOptions layers(std::vector<int> widths) {
  NetworkOptions options;
  options.layers = std::move(widths);
  return options;
}

struct Result {
  Loss::Result loss;
  std::vector<double> gradient;
};

inline Result loss_of(const std::shared_ptr<Problem>& problem, Derivatives way,
                      std::size_t points = 40, int threads = 1, DType dtype = DType::float64) {
  NetworkOptions options = layers({7, 6});
  options.activation = {"tanh", "sin"};
  const auto model = std::make_shared<const Model>(problem, options);
  ThreadPool pool(threads);
  Loss loss(model, {dtype, std::vector(problem->requirements.size(), way)}, pool);
  for (std::size_t r = 0; r < problem->requirements.size(); ++r)
    loss.set_points(r, spread(*problem, points));
  const std::vector<double> p = model->initial_parameters(5);
  std::vector<double> g(p.size());
  const Loss::Result value = loss.value_and_gradient(p, g);
  return {value, g};
}

}  // namespace pinn::test
