// The correction at the end of a window of time, as the next one takes it on.
#include "solvers/optimize/dense/normal_equations.h"
#include "solvers/points/point_sets.h"
#include "solvers/trust/linearized.h"

namespace pinn {

double Carried::operator()(const Need& need, int time, std::span<const double> x) const {
  MultiIndex of_time{}, rest = need.index;
  std::swap(of_time[std::size_t(time)], rest[std::size_t(time)]);
  for (const Part& part : parts_) {
    if (part.what != Need{need.field, of_time}) continue;
    const ProductBasis::Values values = part.basis.at(x, {&rest, 1});
    double sum = 0;
    for (std::size_t k = 0; k < values.functions.size(); ++k)
      sum += values.derivatives[k] * part.coefficients[values.functions[k]];
    return sum;
  }
  return 0;
}

Carried Linearized::carried_on(const CorrectionSpace& space, std::span<const double> step) {
  constexpr std::size_t most = 400;
  constexpr double points_per_function = 4, ridge = 1e-11;
  const Problem& problem = run_.problem;
  std::vector<Carried::Part> parts;
  for (std::size_t f = 0; f < problem.fields.size(); ++f) {
    std::vector<int> inputs;
    for (int c = 0; c < int(problem.coordinates.size()); ++c)
      if (c != time_) inputs.push_back(c);
    const ProductBasis basis(problem, inputs, std::vector<double>(inputs.size(), 1), most,
                             highest_ + 1);
    const int count = int(points_per_function * double(basis.size())) + 16;
    const Points drawn = draw_points(*face(problem, time_, true), {.count = count},
                                     run_.options.seed, stream("carried", "estimate"), 0);
    const PointSet points{drawn.count, drawn.x, {}, {}, {}};
    for (const MultiIndex& a : orders_[f]) {
      if (order(a) != a[std::size_t(time_)]) continue;
      const Changes changes = at(space, {int(f), a}, points);
      NormalEquations sums(basis.size());
      const MultiIndex none{};
      for (std::size_t i = 0; i < points.count; ++i) {
        const ProductBasis::Values values = basis.at(
            std::span(points.x).subspan(i * problem.coordinates.size(), problem.coordinates.size()),
            {&none, 1});
        sums.add(values.functions, values.derivatives,
                 changes.matrix.times(i, step) + changes.carried[i]);
      }
      const Cholesky factor(sums, std::vector<double>(basis.size(), ridge));
      parts.push_back(
          {{int(f), a},
           basis,
           factor.exists() ? factor.solve(sums.gradient()) : std::vector<double>(basis.size(), 0)});
    }
  }
  return Carried(std::move(parts));
}

}  // namespace pinn
