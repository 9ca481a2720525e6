#include "solvers/points/adaptive_points.h"

#include <cmath>

#include "autograd/core/error.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

Stage adaptive(const std::string& optimizer, long steps, const std::string& kind, long every = 9) {
  Stage s = stage(optimizer, steps);
  s.sampling.kind = kind;
  s.sampling.every = every;
  s.sampling.candidates = 300;
  s.sampling.add = 0.25;
  return s;
}

/// Heat in a square that is periodic in t by a condition, held at its walls by their normals.
Run walls_run(std::vector<Stage> stages) {
  auto p = problem({"x", "t"}, {"u"}, {"u_t = u_xx + 5*exp(-50*(x - 0.5)^2)"});
  Warnings warnings;
  Requirement walls;
  walls.kind = Requirement::Kind::condition;
  walls.name = "walls";
  walls.region = parse_region({text("boundary")}, *p);
  walls.residuals.push_back(
      {"walls", parse_residual(text("u_n = t"), Scope{.problem = *p, .has_normal = true}, warnings),
       1, text("u_n = t")});
  p->requirements.push_back(walls);
  Requirement turn;
  turn.kind = Requirement::Kind::condition;
  turn.name = "turn";
  turn.periodic = Periodicity{1, 1};
  turn.region = face(*p, 1, false);
  p->requirements.push_back(turn);
  return run_of(*p, std::move(stages));
}

/// The share of points with a coordinate within some interval.
double share(const Draw& draw, std::size_t width, std::size_t coordinate, double from, double to) {
  double inside = 0;
  for (std::size_t i = coordinate; i < draw.x.size(); i += width)
    if (draw.x[i] >= from && draw.x[i] <= to) ++inside;
  return inside * double(width) / double(draw.x.size());
}

}  // namespace

// Stops between redraws and at them; each sitting has another number of threads.
TEST_CASE("a run with adaptive points stopped after every step ends as one never stopped",
          "[train][adaptive][resume]") {
  const auto [kind, optimizer] = GENERATE(std::pair("rad", "ssbroyden"), std::pair("rar", "lbfgs"),
                                          std::pair("r3", "adam"), std::pair("rad", "adam"));
  INFO(kind << " " << optimizer);
  Run run = GENERATE(0, 1) == 0 ? inverse_run({adaptive(optimizer, 40, kind), stage("adam", 9)})
                                : walls_run({stage("adam", 6), adaptive(optimizer, 40, kind)});
  if (std::string(optimizer) == "adam")
    for (Stage& s : run.stages) s.batch = 10;
  const Folder folder;
  train(run, request(folder / "whole"));
  CHECK(train_step_by_step(run, folder / "pieces") > 20);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("points are chosen every so many steps of a stage, and not at its first",
          "[train][adaptive]") {
  const TrainState state = state_after(walls_run({stage("adam", 7), adaptive("adam", 28, "rad")}));
  for (const Draw& draw : state.draws) {
    CHECK(draw.count == 3);  // before steps 10, 19 and 28 of the stage
    CHECK(draw.step == 7 + 27);
    CHECK(draw.x.size() == 24 * 2);
    CHECK(std::isfinite(draw.concentration));
  }
}

TEST_CASE("chosen points lie where they belong and carry the normals there", "[train][adaptive]") {
  const std::string kind = GENERATE("rad", "rar", "r3");
  INFO(kind);
  const Run run = walls_run({adaptive("adam", 30, kind)});
  const TrainState state = state_after(run);
  for (std::size_t r = 0; r < state.draws.size(); ++r) {
    const Draw& draw = state.draws[r];
    const Region& region = *run.problem.requirements[r].region;
    CHECK(draw.normals.size() == (region.has_normal() ? draw.x.size() : 0));
    for (std::size_t i = 0; i < draw.x.size(); i += 2) {
      CHECK(region.inside({draw.x.data() + i, 2}, 0));
      if (!region.has_normal()) continue;
      std::vector<double> normal(2);
      region.normal({draw.x.data() + i, 2}, normal);
      CHECK(std::equal(normal.begin(), normal.end(), draw.normals.begin() + std::ptrdiff_t(i)));
    }
  }
}

TEST_CASE("rad gathers points where the residual is, and rar does", "[train][adaptive]") {
  const std::string kind = GENERATE("rad", "rar");
  Stage s = adaptive("adam", 12, kind);
  s.sampling.floor = 0, s.sampling.power = 2, s.sampling.most = 1;
  const TrainState state = state_after(walls_run({s}));
  CHECK(share(state.draws[0], 2, 0, 0.2, 0.8) > (kind == "rad" ? 0.6 : 0.4));  // of the domain 0.3
  CHECK(state.draws[0].concentration > 0.2);
}

TEST_CASE("rar adds points up to its cap", "[train][adaptive]") {
  CHECK(state_after(walls_run({adaptive("adam", 10, "rar")})).draws[0].x.size() == 2 * (24 + 6));
  CHECK(state_after(walls_run({adaptive("adam", 70, "rar")})).draws[0].x.size() == 2 * 48);
}

TEST_CASE("data, single points and what is not adaptive stay as they are", "[train][adaptive]") {
  Run run = inverse_run({adaptive("adam", 30, "rad")});
  const TrainState all = state_after(run);
  CHECK(all.draws[0].count == 3);  // every 9 steps: that it is redrawn every 7 rests
  CHECK(all.draws[1].x.empty());   // the two ends of an interval
  CHECK(all.draws[1].step == 22);  // which are redrawn every 11
  CHECK(all.draws[2].x.empty());   // data
  run.sampling[0].adaptive = false;
  const TrainState fixed = state_after(run);
  CHECK(fixed.draws[0].x.empty());
  CHECK(fixed.draws[0].step == 28);
}

TEST_CASE("a stage without sampling keeps the points that were chosen before it",
          "[train][adaptive]") {
  const TrainState first = state_after(walls_run({adaptive("adam", 30, "rad")}));
  const TrainState both = state_after(walls_run({adaptive("adam", 30, "rad"), stage("adam", 20)}));
  CHECK(both.draws[0].x == first.draws[0].x);
}

TEST_CASE("another seed chooses other points", "[train][adaptive]") {
  Run run = walls_run({adaptive("sgd", 10, "rad")});
  const Draw one = state_after(run).draws[0];
  CHECK(state_after(run).draws[0].x == one.x);
  run.options.seed = 5;
  CHECK(state_after(run).draws[0].x != one.x);
}

TEST_CASE("the concentration of the residual stands in the metrics", "[train][adaptive]") {
  const Folder folder;
  train(walls_run({adaptive("adam", 30, "rad")}), request(folder / "run"));
  const TrainState state = saved_state(folder / "run");
  CHECK(state.history.columns.back() == "concentration:turn");
  CHECK(state.history.values.back() == state.draws[2].concentration);
  CHECK_THAT(metrics_of(folder / "run"), Contains("\"concentration:equations\":0."));
}

TEST_CASE("adaptive sampling may come and go between sittings", "[train][adaptive]") {
  const Folder folder;
  const auto sitting = [&](Stage s) {
    train(walls_run({std::move(s)}), request(folder / "run", true));
    return saved_state(folder / "run");
  };
  const auto effective = [](long steps) { return stage("adam", steps); };
  const std::size_t columns = sitting(effective(10)).history.columns.size();
  const TrainState chosen = sitting(adaptive("adam", 30, "rad"));
  CHECK(chosen.draws[0].count == 2);  // at steps 18 and 27 of the stage
  CHECK(chosen.history.columns.size() == columns + 3);
  const TrainState without = sitting(effective(40));
  CHECK(without.history.columns.size() == columns);
  CHECK(without.draws[0].x.empty());
}

TEST_CASE("the size of a residual is the root of its weighted squares", "[train][adaptive]") {
  auto p = problem({"x"}, {"u"}, {"3*x", "4*x"});
  const Run run = run_of(*p, {stage("adam", 1)});
  ThreadPool pool(2);
  const auto model = std::make_shared<const Model>(p, run.networks);
  Survey survey(run, model, {}, pool);
  const std::vector<double> parameters = model->initial_parameters(0);
  const PointSet points{3, {-0.5, 0.0, 1.0}, {}, {}};
  const auto sizes = survey(parameters, std::vector<double>{1, 1}, 0, points);
  CHECK(sizes[0] == Approx(2.5));
  CHECK(sizes[1] == 0);
  CHECK(sizes[2] == Approx(5));
  CHECK(survey(parameters, std::vector<double>{0, 0.25}, 0, points)[2] == Approx(2));
}

TEST_CASE("the size of a residual does not depend on what else is asked", "[train][adaptive]") {
  Run run = walls_run({stage("adam", 1)});
  Run turned = run;
  std::reverse(turned.problem.requirements.begin(), turned.problem.requirements.end());
  const auto sizes = [](const Run& of, std::size_t r) {
    ThreadPool pool(1);
    const auto model =
        std::make_shared<const Model>(std::make_shared<const Problem>(of.problem), of.networks);
    return Survey(of, model, {}, pool)(model->initial_parameters(0), std::vector<double>(4, 1), r,
                                       points_of(of, r, "points", 0));
  };
  for (const std::size_t r : {0u, 1u, 2u}) CHECK(sizes(run, r) == sizes(turned, 2 - r));
}

TEST_CASE("an integral before it leaves the size of a residual as it is", "[train][adaptive]") {
  Run run = walls_run({stage("adam", 1)});
  Run after = run;
  Requirement mass;
  mass.name = "mass";
  mass.region = run.problem.requirements[0].region;
  mass.quadrature = 4;
  Warnings warnings;
  Scope scope{run.problem};
  set_integrals(mass, scope);
  for (const char* asked : {"integral(u) = 1", "mean(u^2) = 0.5"})
    mass.residuals.push_back({asked, parse_residual(text(asked), scope, warnings), 1, text(asked)});
  after.problem.requirements.insert(after.problem.requirements.begin(), mass);
  after.sampling.insert(after.sampling.begin(), after.sampling[0]);
  const auto sizes = [&run](const Run& of, std::size_t r) {
    ThreadPool pool(1);
    const auto model =
        std::make_shared<const Model>(std::make_shared<const Problem>(of.problem), of.networks);
    const std::vector<double> weights(&of == &run ? 4 : 6, 1);
    return Survey(of, model, {}, pool)(model->initial_parameters(0), weights, r,
                                       points_of(of, r, "points", 0));
  };
  for (const std::size_t r : {0u, 1u, 2u}) CHECK(sizes(run, r) == sizes(after, r + 1));
}

TEST_CASE("a residual that is not finite at a candidate is told with its place",
          "[train][adaptive][errors]") {
  auto p = problem({"x"}, {"u"}, {"u_xx + sqrt(x)"});
  const Run run = run_of(*p, {adaptive("adam", 20, "rad")});
  ThreadPool pool(1);
  const auto model = std::make_shared<const Model>(p, run.networks);
  Survey survey(run, model, {}, pool);
  CHECK_THROWS_WITH(survey(model->initial_parameters(0), std::vector<double>{1}, 0,
                           PointSet{2, {0.25, -0.5}, {}, {}}),
                    Contains("the residual of 'equations' is not finite at x = -0.5") &&
                        Contains("leave `sampling` out"));
}

TEST_CASE("a run that meets such a candidate leaves its state behind",
          "[train][adaptive][errors]") {
  Stage s = adaptive("adam", 20, "rad");
  s.sampling.candidates = 20'000;
  const Folder folder;
  const Run run = run_of(*problem({"x"}, {"u"}, {"u_xx + sqrt(x + 0.999)"}), {s});
  CHECK_THROWS_AS(train(run, request(folder / "run")), NumericsError);
  CHECK(saved_state(folder / "run").step == 9);
}

TEST_CASE("redraws 1, 2, 5, 10, 20, 50, ... are told", "[train][adaptive]") {
  std::vector<std::uint32_t> told;
  for (std::uint32_t count = 1; count <= 1000; ++count)
    if (is_told(count)) told.push_back(count);
  CHECK(told == std::vector<std::uint32_t>{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000});
}

TEST_CASE("what is told of points says where they are", "[train][adaptive]") {
  const Run run = walls_run({stage("adam", 1)});
  Draw draw{.x = {-1, 0.5, 0, 0.5, 0.25, 0.5, 0.5, 0.5}, .concentration = 0.934};
  CHECK(points_text(run.problem, draw) ==
        "4 points, the middle half of them: x from 0 to 0.5; a tenth of the region holds 93 % of "
        "the squared residual");
}

TEST_CASE("adaptive points may come and go between sittings", "[train][adaptive]") {
  for (const char* optimizer : {"adam", "ssbroyden"}) {
    const Folder folder;
    const auto sitting = [&](Stage s) {
      Run run = walls_run({s});
      run.sampling[0].redraw = 7;
      if (!s.sampling.kind.empty()) run.effective["stage.1.sampling.kind"] = "\"rad\"";
      train(run, request(folder / "run", true));
      return saved_state(folder / "run");
    };
    CHECK(!sitting(adaptive(optimizer, 30, "rad")).draws[0].x.empty());
    const TrainState without = sitting(stage(optimizer, 40));
    CHECK(without.draws[0].x.empty());
    CHECK(without.draws[0].count == 5);  // as if nothing had ever been chosen
    CHECK(without.draws[0].step == 35);
    CHECK(sitting(stage(optimizer, 50)).draws[0].step == 49);
    CHECK(!sitting(adaptive(optimizer, 80, "rad")).draws[0].x.empty());
  }
}
