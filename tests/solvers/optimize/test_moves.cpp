#include <fstream>
#include <map>
#include <sstream>

#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/optimize/weighted_fields.h"

using namespace pinn;

namespace {

/// A line of moves/moves.csv.
struct Moved {
  double loss;
  std::vector<double> p;
};

/// The lines by case; the first of each is the start.
std::map<std::string, std::vector<Moved>> moves_of_numpy() {
  std::ifstream file(PINN_SOURCE_DIR "/tests/solvers/optimize/moves/moves.csv");
  std::map<std::string, std::vector<Moved>> cases;
  for (std::string line, name, cell; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("case,")) continue;
    std::istringstream cells(line);
    std::getline(cells, name, ',');
    std::getline(cells, cell, ',');
    REQUIRE(std::stoul(cell) == cases[name].size());
    std::getline(cells, cell, ',');
    Moved moved{std::stod(cell), {}};
    while (std::getline(cells, cell, ',')) moved.p.push_back(std::stod(cell));
    cases[name].push_back(moved);
  }
  return cases;
}

constexpr std::array<int, 3> many_points = {20, 16, 14}, fewer_points = {7, 5, 4};

/// Setup of a case of write.py.
struct MovesCase {
  void (*options)(OptimizerOptions&) = [](OptimizerOptions&) {};
  std::array<int, 3> points = many_points;
  std::vector<ParameterMatrix> matrices = WeightedFields::matrices();
};

const std::vector<ParameterMatrix> square_matrices = {{0, 4, 4}, {16, 1, 3}, {19, 2, 2}};

const std::map<std::string, MovesCase>& moves_cases() {
  using O = OptimizerOptions;
  static const std::map<std::string, MovesCase> all{
      {"adam", {[](O& o) { o.steps = 8, o.schedule.kind = "cosine", o.schedule.warm_up = 3; }}},
      {"adam/clipped", {[](O& o) { o.clip = 0.5; }}},
      {"adamw", {[](O& o) { o.weight_decay = 0.1; }}},
      {"sgd", {[](O& o) { o.momentum = 0.9, o.weight_decay = 0.01; }}},
      {"muon", {[](O& o) { o.weight_decay = 0.1; }}},
      {"soap",
       {[](O& o) { o.epsilon = 1e-3, o.weight_decay = 0.1; }, many_points, square_matrices}},
      {"soap/refresh",
       {[](O& o) { o.epsilon = 1e-3, o.refresh = 3; }, many_points, square_matrices}},
      {"lbfgs", {}},
      {"lbfgs/short", {[](O& o) { o.history = 3; }}},
      {"ssbroyden", {}},
      {"levenberg_marquardt", {}},
      {"levenberg_marquardt/straight",
       {[](O& o) { o.geodesic = false, o.damping = 0.02; }, fewer_points}},
      {"levenberg_marquardt/few", {[](O&) {}, fewer_points}},
      {"levenberg_marquardt/uncorrected", {[](O& o) { o.corrections = 0; }}},
      {"sketched_gauss_newton", {[](O& o) { o.sketch = 8; }}},
      {"sketched_gauss_newton/all", {}},
      {"sketched_gauss_newton/few", {[](O& o) { o.sketch = 8; }, fewer_points}},
      {"natural_gradient", {[](O& o) { o.damping = 1e-4; }}},
      {"natural_gradient/own", {}},
      {"natural_gradient/momentum", {[](O& o) { o.damping = 1e-3, o.momentum = 0.6; }}},
      {"natural_gradient/few", {[](O& o) { o.damping = 1e-4; }, fewer_points}},
      {"natural_gradient/few_momentum",
       {[](O& o) { o.damping = 1e-3, o.momentum = 0.6; }, fewer_points}},
      {"natural_gradient/rank", {[](O& o) { o.damping = 1e-3, o.rank = 6; }}},
      {"natural_gradient/rank_momentum",
       {[](O& o) { o.damping = 1e-3, o.momentum = 0.6, o.rank = 5; }, fewer_points}},
      {"kfac", {}},
      {"kfac/damped", {[](O& o) { o.damping = 1e-2; }}},
      {"nystrom_newton_cg", {[](O& o) { o.damping = 0.01, o.refresh = 1; }}},
      {"nystrom_newton_cg/kept", {[](O& o) { o.damping = 0.01; }}},
      {"nystrom_newton_cg/rank", {[](O& o) { o.damping = 0.2, o.rank = 6, o.refresh = 3; }}}};
  return all;
}

std::string kind_of(const std::string& name) { return name.substr(0, name.find('/')); }

std::unique_ptr<Optimizer> optimizer_of(const std::string& name) {
  const MovesCase& of = moves_cases().at(name);
  OptimizerOptions options;
  options.kind = kind_of(name);
  options.rate = 0.05;
  of.options(options);
  TrainedSize size{WeightedFields::all};
  size.matrices = of.matrices;
  size.random = {0x123456789AB, 0xFEDCBA9876543210, 0};
  return make_optimizer(options, size);
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

// Rounding comes to 2e-10 of parameters of size one with levenberg_marquardt, whose dampings come
// down to 3e-5, and to 3e-12 at most with the others.
TEST_CASE("every kind of optimizer makes the moves that numpy makes of its papers", "[optimize]") {
  const auto all = moves_of_numpy();
  for (const auto& [name, of] : moves_cases()) {
    INFO(name);
    REQUIRE(all.count(name) == 1);
    const std::vector<Moved>& moves = all.at(name);
    REQUIRE(moves.size() >= 6);
    WeightedFields fields(of.points);
    Tensor p = from_values(moves[0].p, {WeightedFields::all});
    OptimizerMemory memory;
    const auto optimizer = optimizer_of(name);
    for (std::size_t move = 1; move < moves.size(); ++move) {
      INFO("after " << move << " moves");
      REQUIRE(optimizer->advance(p, memory, fields).stopped == "");
      // 2e-10 apart at most where these were written; another processor rounds otherwise.
      CHECK(fields.value(p) == Approx(moves[move].loss).epsilon(1e-8));
      CHECK(farthest(p.values(), moves[move].p) < 1e-8);
    }
  }
}

TEST_CASE("no kind of optimizer is without moves to compare with", "[optimize]") {
  const auto moves = moves_of_numpy();
  CHECK(moves.size() == moves_cases().size());
  for (const std::string& kind : optimizer_kinds()) {
    INFO(kind);
    CHECK(std::ranges::any_of(moves, [&](const auto& of) { return kind_of(of.first) == kind; }));
  }
}
