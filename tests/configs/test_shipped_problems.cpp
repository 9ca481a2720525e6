#include <algorithm>
#include <filesystem>

#include "autograd/core/random.h"
#include "configs/read.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/loss/loss.h"
#include "solvers/watch/warnings.h"
#include "tests/catch.h"
#include "tests/configs/shipped.h"

using namespace pinn;
using pinn::test::shipped_files;

namespace {

/// A formula per field; empty where not every field has one, or not every number is known.
std::vector<ExpressionPtr> exact_solution(const Run& run) {
  if (!run.problem.unknowns.empty()) return {};
  std::vector<ExpressionPtr> exact(run.problem.fields.size());
  const auto take = [&](const Expression& quantity, const ExpressionPtr& formula) {
    if (formula && quantity.kind == Expression::Kind::field)
      exact[std::size_t(quantity.index)] = formula;
  };
  for (const ReferenceQuantity& q : run.reference.quantities) {
    take(*q.expression, q.exact);
    if (!q.exact || q.expression->kind != Expression::Kind::by_region) continue;
    for (std::size_t r = 0; r < q.expression->inputs.size(); ++r)
      take(*q.expression->inputs[r],
           q.exact->kind == Expression::Kind::by_region ? q.exact->inputs[r] : q.exact);
  }
  if (std::count(exact.begin(), exact.end(), nullptr) > 0) exact.clear();
  return exact;
}

/// A few points of requirement r.
PointSet some_points(Run run, std::size_t r) {
  run.sampling[r] = {.count = 25, .method = "uniform", .redraw = 0};
  return points_of(run, r, "test", 0);
}

/// Points of a part of the domain, or none where there is no such part.
PointSet points_on(Run run, const std::string& on) {
  Requirement there;
  there.name = on;
  there.region = parse_region({{on, {}}}, run.problem);
  run.problem.requirements = {there};
  run.sampling = {{.count = 50, .method = "uniform", .redraw = 0}};
  return points_of(run, 0, "test", 0);
}

/// The parts of the domain where conditions stand as a rule.
std::vector<std::string> faces_of(const Problem& problem) {
  std::vector<std::string> faces;
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c) {
    const bool periodic = c < problem.periodic.size() && problem.periodic[c];
    if (problem.coordinates[c].role == Role::space && !periodic) faces = {"boundary"};
  }
  for (const Coordinate& c : problem.coordinates)
    if (c.role == Role::time) faces.push_back("initial");
  return faces;
}

struct Gradient {
  Loss::Result loss;
  std::vector<double> values;
};

/// The loss on a few points per requirement, at the first parameters.
Gradient gradient_of(const Run& run, Derivatives way) {
  ThreadPool pool(1);
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  const std::vector<Derivatives> ways(run.problem.requirements.size(), way);
  Loss loss(model, {DType::float64, ways}, pool);
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    loss.set_points(r, some_points(run, r));
  std::vector<double> p = model->initial_parameters(3), g(p.size());
  const Loss::Result value = loss.value_and_gradient(p, g);
  return {value, g};
}

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("every problem's exact solution makes every residual vanish", "[configs]") {
  std::vector<std::string> files = shipped_files();
  for (const std::string& file : pinn::test::problem_files("tests/newcomer")) files.push_back(file);
  for (const std::string& file : files) {
    const Run run = read_run(file);
    const std::vector<ExpressionPtr> exact = exact_solution(run);
    if (exact.empty()) continue;
    INFO(file);
    const std::size_t d = run.problem.coordinates.size();
    for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
      const Requirement& requirement = run.problem.requirements[r];
      if (requirement.data) continue;  // observations carry noise
      const PointSet points = some_points(run, r);
      for (const Residual& residual : requirement.residuals) {
        INFO(residual.name);
        const Evaluator at(*substitute_fields(residual.expression, exact));
        for (std::size_t i = 0; i < points.count; ++i) {
          PointValues here{.coordinates = std::span(points.x).subspan(i * d, d)};
          if (!points.normals.empty()) here.normal = std::span(points.normals).subspan(i * d, d);
          CHECK(std::fabs(at(here)) <= 1e-9);
        }
      }
    }
  }
}

TEST_CASE("where its form leaves nothing to the network, a field is the exact solution",
          "[configs]") {
  int found = 0;
  for (const std::string& file : shipped_files()) {
    const Run run = read_run(file);
    const std::vector<ExpressionPtr> exact = exact_solution(run);
    const std::size_t d = run.problem.coordinates.size();
    for (std::size_t f = 0; f < exact.size() && f < run.problem.outputs.size(); ++f) {
      if (!run.problem.outputs[f]) continue;
      INFO(file << ": " << run.problem.fields[f].name);
      const Evaluator form(*run.problem.outputs[f]), solution(*exact[f]);
      for (const std::string& face : faces_of(run.problem)) {
        const PointSet points = points_on(run, face);
        for (std::size_t i = 0; i < points.count; ++i) {
          PointValues here{.coordinates = std::span(points.x).subspan(i * d, d)};
          const double without = form(here);
          here.raw_output = 1;
          if (std::fabs(form(here) - without) > 1e-12) continue;
          CHECK(without == Approx(solution(here)).epsilon(1e-9).margin(1e-9));
          ++found;
        }
      }
    }
  }
  CHECK(found > 100);
}

TEST_CASE("no shipped problem is warned of anything before training", "[configs]") {
  for (const std::string& file : shipped_files()) {
    INFO(file);
    CHECK(warnings_text(warnings_of(read_run(file))).empty());
  }
}

TEST_CASE("Taylor mode and nested reverse mode agree on every shipped problem", "[configs]") {
  for (const std::string& file : shipped_files()) {
    INFO(file);
    const Run run = read_run(file);
    const Gradient taylor = gradient_of(run, Derivatives::taylor);
    const Gradient reverse = gradient_of(run, Derivatives::reverse);

    for (std::size_t k = 0; k < taylor.loss.terms.size(); ++k)
      CHECK(taylor.loss.terms[k] == Approx(reverse.loss.terms[k]).epsilon(1e-10).margin(1e-25));
    std::vector<double> difference = taylor.values;
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= reverse.values[i];
    CHECK(norm(difference) <= 1e-10 * norm(reverse.values));
  }
}

TEST_CASE("every record is read whole and unwarned, and promises an error that it is held to",
          "[configs]") {
  for (const std::string& file : pinn::test::problem_files("configs/records")) {
    INFO(file);
    const Run run = read_run(file);
    CHECK(warnings_text(run.warnings).empty());
    const auto promised = [](const auto& of) { return of.error > 0; };
    CHECK((std::ranges::any_of(run.reference.quantities, promised) ||
           std::ranges::any_of(run.reference.values, promised)));
  }
}
