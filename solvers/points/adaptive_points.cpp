#include "solvers/points/adaptive_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"

namespace pinn {
namespace {

void append(std::vector<double>& to, const std::vector<double>& rows, std::size_t width,
            const std::vector<std::size_t>& numbers) {
  for (const std::size_t i : numbers) {
    const auto row = rows.begin() + std::ptrdiff_t(i * width);
    to.insert(to.end(), row, row + std::ptrdiff_t(width));
  }
}

}  // namespace

bool are_adaptive(const Run& run, const Stage& stage, std::size_t r) {
  const Requirement& requirement = run.problem.requirements[r];
  return !stage.sampling.kind.empty() && run.sampling[r].adaptive && !requirement.data &&
         !is_integral(requirement) && requirement.region->dimension() > 0;
}

bool are_adaptive(const Run& run, std::size_t r) {
  return std::ranges::any_of(run.stages,
                             [&](const Stage& stage) { return are_adaptive(run, stage, r); });
}

std::int64_t steps_to_choice(const Run& run, const TrainState& state, std::size_t r) {
  const std::int64_t every = stage_of(run, state).sampling.every;
  const std::int64_t since = state.stage_step % every;
  const bool done = state.stage_step == 0 || state.draws[r].step == state.step;
  return since == 0 && !done ? 0 : every - since;
}

Draw chosen_points(const Run& run, const TrainState& state, std::size_t r, Survey& survey) {
  const AdaptiveOptions& options = stage_of(run, state).sampling;
  const std::span<const double> p = state.parameters.data<double>();
  const std::string& name = run.problem.requirements[r].name;
  const std::uint32_t draw = state.draws[r].count + 1;
  const PointSet points = points_in_use(
      run, r,
      {.count = state.draws[r].count, .x = state.draws[r].x, .normals = state.draws[r].normals});
  const PointSet candidates = candidates_of(run, r, options.candidates, draw);
  const std::vector<double> here = survey(p, state.weights, r, points);
  const std::vector<double> there = survey(p, state.weights, r, candidates);
  const Choice choice = choose_points(options, std::size_t(run.sampling[r].count), here, there,
                                      {run.options.seed, stream(name, "choice of points"), draw});

  Draw chosen{.count = draw, .step = state.step, .concentration = concentration(there)};
  const std::size_t width = run.problem.coordinates.size();
  append(chosen.x, points.x, width, choice.kept);
  append(chosen.x, candidates.x, width, choice.taken);
  if (points.normals.empty()) return chosen;
  append(chosen.normals, points.normals, width, choice.kept);
  append(chosen.normals, candidates.normals, width, choice.taken);
  return chosen;
}

bool is_told(std::uint32_t count) {
  std::uint32_t power = 1;
  while (count >= 10 * power) power *= 10;
  return count == power || count == 2 * power || count == 5 * power;
}

std::string points_text(const Problem& problem, const Draw& draw) {
  const std::size_t width = problem.coordinates.size(), count = draw.x.size() / width;
  std::string text;
  for (std::size_t c = 0; c < width; ++c) {
    std::vector<double> along;
    for (std::size_t i = 0; i < count; ++i) along.push_back(draw.x[i * width + c]);
    std::sort(along.begin(), along.end());
    if (along.front() == along.back()) continue;  // of a face
    text += fmt::format("{} {} from {:.3g} to {:.3g}", text.empty() ? "" : ",",
                        problem.coordinates[c].name, along[count / 4], along[3 * count / 4]);
  }
  text = fmt::format("{} points, the middle half of them:{}", count, text);
  if (!std::isfinite(draw.concentration)) return text;
  return text + fmt::format("; a tenth of the region holds {:.0f} % of the squared residual",
                            100 * draw.concentration);
}

}  // namespace pinn
