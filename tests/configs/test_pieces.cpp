// Fields of several networks, each where it belongs: what is asked of pieces is what is asked of
// the whole.
#include <fmt/format.h>

#include <fstream>

#include "solvers/problem/pieces.h"
#include "solvers/residual/points.h"
#include "solvers/residual/step/formulas.h"
#include "tests/catch.h"
#include "tests/configs/small.h"
#include "tests/configs/small_case.h"
#include "tests/solvers/residual/least_squares.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

const std::string stages = "[[stage]]\noptimizer = \"adam\"\nsteps = 20\n";

/// A system on two pieces: what each asks of u and v, with a constant and a define by region.
std::string system_text(const std::string& u, const std::string& networks) {
  return "[problem]\n"
         "coordinates = { x = [0, 1], y = [-1, 1], t = [0, 2] }\n"
         "unknowns = { q = 0.5 }\n"
         "[problem.constants]\n"
         "k = { low = 2, high = 5 }\n"
         "twice = \"2*k\"\n"
         "[problem.fields.u]\n" +
         u +
         "[problem.fields.v]\n"
         "inputs = [\"x\", \"t\"]\n"
         "network = \"other\"\n"
         "[problem.regions]\n"
         "low = { halfspace = { point = [0.4, 0], normal = [1, 0.5] } }\n"
         "high = \"box - low\"\n"
         "[problem.define]\n"
         "f = \"k*u*u_x\"\n"
         "g = { low = \"u - v\", high = \"u*v\" }\n"
         "[[equation]]\n"
         "residual = [\"u_t - q*(u_xx + u_yy) + twice*v\", \"d(f, x) + v_t + v_y + g\"]\n"
         "points = 90\n"
         "[[condition]]\n"
         "on = \"boundary\"\n"
         "residual = \"u = g + n_x*u_n\"\n"
         "weight = \"1 + x\"\n"
         "points = 60\n"
         "[[condition]]\n"
         "on = \"initial\"\n"
         "residual = \"u = sin(k*x)\"\n"
         "points = 30\n" +
         networks +
         "[[network]]\n"
         "name = \"other\"\n"
         "layers = [7]\n" +
         stages;
}

const std::string two_pieces = "network = { low = \"a\", high = \"b\" }\n";
const std::string network_a = "[[network]]\nname = \"a\"\nlayers = [9, 8]\nfrequency = { t = 3 }\n",
                  network_b = "[[network]]\nname = \"b\"\nlayers = [9, 8]\nfrequency = { t = 3 }\n";

Run read_pieces(const std::string& text) { return read_run_text(text, "pieces.toml"); }

Run cut_run() { return read_pieces(system_text(two_pieces, network_a + network_b)); }
Run whole_run() { return read_pieces(system_text("network = \"a\"\n", network_a)); }

/// The parameters of a model whose networks a and b are those of a in another.
std::vector<double> doubled(const Model& cut, const Model& whole, std::span<const double> p) {
  const std::size_t a = std::size_t(whole.networks()[0].network->parameter_count());
  std::vector<double> both(p.begin(), p.begin() + std::ptrdiff_t(a));
  both.insert(both.end(), p.begin(), p.end());
  REQUIRE(both.size() == cut.parameter_count());
  return both;
}

double apart(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = larger(most, std::fabs(a[i] - b[i]));
    size = larger(size, std::fabs(b[i]));
  }
  return relative(most, size);
}

}  // namespace

TEST_CASE("pieces with equal networks are one network", "[configs][pieces]") {
  const LossCase cut = small_case(cut_run(), 80), whole = small_case(whole_run(), 80);
  const std::vector<double> p = whole.model->initial_parameters(3),
                            both = doubled(*cut.model, *whole.model, p);
  const bool compiled = GENERATE(true, false);

  const Result a = cut.at(both, compiled), b = whole.at(p, compiled);

  CHECK(a.loss.total == Approx(b.loss.total).epsilon(1e-13));
  CHECK(apart(a.loss.terms, b.loss.terms) < 1e-13);
  const std::size_t n = both.size() - p.size();
  std::vector<double> folded(a.gradient.begin() + std::ptrdiff_t(n), a.gradient.end());
  for (std::size_t i = 0; i < n; ++i) folded[i] += a.gradient[i];
  CHECK(apart(folded, b.gradient) < 1e-12);
}

TEST_CASE("a term of pieces is the mean over all its points", "[configs][pieces]") {
  Run run = cut_run();
  const LossCase cut = small_case(run, 80);
  const std::vector<double> p = cut.model->initial_parameters(3);
  const std::vector<double> terms = cut.at(p, true).loss.terms;
  std::size_t k = 0;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    for (const Residual& residual : run.problem.requirements[r].residuals) {
      const PointSet& points = cut.points[r];
      const auto values = evaluate_eagerly(*cut.model, p, points, {residual.expression})[0];
      double sum = 0;
      for (std::size_t i = 0; i < points.count; ++i)
        sum += values[i] * values[i] * (points.weights.empty() ? 1 : points.weights[i]);
      INFO(residual.name);
      CHECK(terms[k++] == Approx(sum / double(points.count)).epsilon(1e-12));
    }
  CHECK(k == terms.size());
}

TEST_CASE("a compiled step of pieces is what it is op by op", "[configs][pieces]") {
  LossCase cut = small_case(cut_run(), 70);
  const std::vector<double> p = cut.model->initial_parameters(5);
  const bool reverse = GENERATE(false, true), single = GENERATE(false, true);
  cut.options.derivatives.assign(3, reverse ? Derivatives::reverse : Derivatives::taylor);
  cut.options.dtype = single ? DType::float32 : DType::float64;

  CHECK(distance_both_ways(cut, p) < (single ? 2e-5 : 1e-12));
  const Result one = cut.at(p, true), many = cut.at(p, true, 3);
  CHECK(one.gradient == many.gradient);
}

TEST_CASE("rows, products and the Gram matrix of pieces belong together", "[configs][pieces]") {
  LossCase cut = small_case(cut_run(), 40);
  cut.options.compiled = GENERATE(true, false);
  const Disagreement d = LeastSquaresCase(cut, cut.model->initial_parameters(5)).disagreement();
  CHECK(d.gram < 1e-12);
  CHECK(d.products < 1e-12);
  CHECK(d.gradient < 1e-12);
  CHECK(d.adjoint < 1e-12);
  CHECK(d.hessian < 1e-7);
}

TEST_CASE("values of pieces are those of their own networks, compiled and op by op",
          "[configs][pieces]") {
  const Run run = cut_run();
  const LossCase cut = small_case(run, 80);
  const std::vector<double> p = cut.model->initial_parameters(5);
  Warnings none;
  const Scope scope{run.problem};
  std::vector<ExpressionPtr> formulas;
  for (const char* text : {"u", "side(u, low)", "side(u, high)", "k", "u_x", "side(u_x, high)"})
    formulas.push_back(parse_expression(Text{text, {}, false}, scope, none));
  const PointSet& points = cut.points[0];
  ThreadPool pool(2);

  const auto values = Formulas(cut.model, formulas)(p, points, pool);
  const auto eager = evaluate_eagerly(*cut.model, p, points, formulas);

  std::size_t low = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    const bool is_low = points.x[3 * i] - 0.4 + 0.5 * points.x[3 * i + 1] <= 0;
    low += is_low;
    CHECK(values[0][i] == values[is_low ? 1 : 2][i]);
    CHECK(values[3][i] == (is_low ? 2 : 5));
    if (!is_low) CHECK(values[4][i] == values[5][i]);
  }
  CHECK(low > 10);
  CHECK(low < points.count - 10);
  for (std::size_t k = 0; k < values.size(); ++k) CHECK(apart(values[k], eager[k]) < 1e-12);
}

TEST_CASE("a constant by region is the two equations written out", "[configs][pieces]") {
  const std::string head =
      "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\n"
      "constants = { k = { low = 2, high = 5 } }\n"
      "[problem.regions]\nlow = { interval = { range = [0, 0.5] } }\n"
      "high = { interval = { range = [0.5, 1] } }\n";
  const Run named =
      read_pieces(head + "[[equation]]\nresidual = \"k*u_xx + k^2*u = 2*k*x\"\n" + stages);
  const Run written =
      read_pieces(head + "[[equation]]\non = \"low\"\nresidual = \"2*u_xx + 2^2*u = 2*2*x\"\n" +
                  "[[equation]]\non = \"high\"\nresidual = \"5*u_xx + 5^2*u = 2*5*x\"\n" + stages);
  const LossCase one = small_case(named, 64);
  LossCase two = small_case(written, 64);
  const auto pieces = points_by_piece(named.problem.requirements[0], one.points[0]);
  for (std::size_t k = 0; k < 2; ++k) two.points[k] = some_of(one.points[0], pieces[k]);
  const std::vector<double> p = one.model->initial_parameters(1);

  const Loss::Result a = one.at(p, true).loss, b = two.at(p, true).loss;

  const double low = double(pieces[0].size()) / 64;
  CHECK(low == Approx(0.5).epsilon(0.1));
  CHECK(a.total == Approx(low * b.terms[0] + (1 - low) * b.terms[1]).epsilon(1e-13));
}

TEST_CASE("data of pieces belong to the piece that they lie in", "[configs][pieces]") {
  const Folder folder;
  std::ofstream(folder / "u.csv") << "x,u_obs,noise\n-0.5,1,0.1\n0.5,2,0.2\n0.75,9,0.3\n";
  std::ofstream(folder / "data.toml")
      << "[problem]\ncoordinates = { x = [-1, 1] }\n"
         "[problem.fields.u]\nnetwork = { left = \"a\", right = \"b\" }\n"
         "[problem.regions]\nleft = { interval = { range = [-1, 0] } }\n"
         "right = \"box - left\"\n"
         "[[data]]\nfile = \"u.csv\"\ncolumns = { x = \"x\", u_obs = \"u_obs\" }\n"
         "residual = \"u = u_obs\"\nsigma = \"noise\"\n"
         "loss = { kind = \"huber\", width = 2 }\n"
         "[[network]]\nname = \"a\"\n[[network]]\nname = \"b\"\n" +
             stages;
  const Run run = read_run(folder / "data.toml");
  const LossCase c = small_case(run, 3);
  const std::vector<double> p = c.model->initial_parameters(2);
  const auto side = [&](const char* text) {
    Warnings none;
    return evaluate_eagerly(*c.model, p, c.points[0],
                            {parse_expression(Text{text, {}, false}, Scope{run.problem}, none)})[0];
  };
  const auto left = side("side(u, left)"), right = side("side(u, right)");
  const double sigma[] = {0.1, 0.2, 0.3}, seen[] = {1, 2, 9};
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double r = std::fabs(((i == 0 ? left : right)[std::size_t(i)] - seen[i]) / sigma[i]);
    sum += r <= 2 ? r * r : 4 * r - 4;
  }
  CHECK(c.at(p, true).loss.total == Approx(sum / 3).epsilon(1e-12));
  CHECK(c.at(p, false).loss.total == Approx(sum / 3).epsilon(1e-12));
}

TEST_CASE("what is chosen leaves conditions alone that mean something else in every region",
          "[configs][pieces]") {
  const Run run = read_pieces(
      "[problem]\ncoordinates = { x = [-1, 1], y = [0, 1] }\nfields = [\"u\"]\n"
      "constants = { k = { left = 2, right = 5 } }\n"
      "[problem.regions]\nleft = { halfspace = { point = [0, 0], normal = [1, 0] } }\n"
      "right = \"box - left\"\n"
      "[[equation]]\nresidual = \"div(k*grad(u)) = 1\"\n"
      "[[condition]]\nname = \"sides\"\non = [\"x = -1\", \"x = 1\"]\nresidual = \"u = 0\"\n"
      "[[condition]]\nname = \"bottom\"\non = \"y = 0\"\nresidual = \"u = k - k\"\n");
  REQUIRE(run.problem.outputs[0]);
  REQUIRE(run.problem.requirements.size() == 2);
  CHECK(run.problem.requirements[1].name == "bottom");
  CHECK_THAT(run.chosen, Contains("bottom: stays in the loss, for it means something else"));
}

TEST_CASE("definitions by region use one another through side", "[configs][pieces]") {
  const Run run = read_pieces(
      "[problem]\ncoordinates = { x = [0, 1] }\n"
      "constants = { k = { low = 2, high = \"3*side(k, low)\" }, q = \"side(k, high) + 1\" }\n"
      "[problem.fields.u]\nnetwork = { low = \"a\", high = \"b\" }\n"
      "[problem.regions]\nlow = { interval = { range = [0, 0.5] } }\nhigh = \"box - low\"\n"
      "[problem.define]\na = \"side(u, low) + c\"\nb = \"side(u, high)*side(a, high)\"\n"
      "c = { low = \"x\", high = \"side(c, low) + 1\" }\n"
      "[[equation]]\nresidual = \"u_xx = a + b + q*k\"\n"
      "[[network]]\nname = \"a\"\n[[network]]\nname = \"b\"\n" +
      stages);
  const auto shown = [&](const char* text) {
    Warnings none;
    const auto one = [&](const ExpressionPtr& e) {
      return is_constant(*e) ? std::to_string(int(e->number)) : print(*e, Scope{run.problem});
    };
    const ExpressionPtr e = parse_expression(Text{text, {}, false}, Scope{run.problem}, none);
    if (e->kind != Expression::Kind::by_region) return one(e);
    std::string all;
    for (const ExpressionPtr& input : e->inputs) all += one(input) + "; ";
    return all;
  };
  CHECK(shown("k") == "2; 6; ");
  CHECK(shown("q") == "7");
  CHECK(shown("c") == "x; x + 1; ");
  CHECK(shown("a") == "side(u, low) + x; side(u, low) + (x + 1); ");
  CHECK(shown("b") == "side(u, high)*(side(u, low) + (x + 1))");
}

TEST_CASE("gaps and overlaps are found however thin they are", "[configs][pieces][errors]") {
  const auto said = [](const std::string& regions) {
    return refusal(
        "[problem]\ncoordinates = { x = [-1, 1], y = [-1, 1] }\n"
        "constants = { k = { a = 1, b = 2 } }\nfields = [\"u\"]\n[problem.regions]\n" +
        regions + "[[equation]]\nresidual = \"k*laplacian(u) = 1\"\n" + stages);
  };
  const std::string disk = "a = { disk = { center = [0, 0], radius = 0.5 } }\n";
  const auto rest = [&](const char* radius) {
    return disk + "c = { disk = { center = [0, 0], radius = " + radius + " } }\nb = \"box - c\"\n";
  };
  CHECK(said(rest("0.5")) == "");
  CHECK_THAT(said(rest("0.5000001")), Contains("no region of a, b holds x ="));
  CHECK_THAT(said(rest("0.4999999")), Contains("the regions 'a' and 'b' overlap, at x ="));
  CHECK_THAT(said(disk + "c = { disk = { center = [0.9, 0.9], radius = 0.004 } }\n"
                         "b = \"box - a - c\"\n"),
             Contains("no region of a, b holds x = 0.9"));
}

TEST_CASE("half-spaces meet, as bounded regions do", "[configs][pieces]") {
  const Run run = read_pieces(
      "[problem]\ncoordinates = { x = [-1, 1], y = [-1, 1] }\nfields = [\"u\"]\n"
      "constants = { k = { left = 1, right = 2 } }\n"
      "[problem.regions]\nleft = { halfspace = { point = [0.2, 0], normal = [1, 0] } }\n"
      "right = \"box - left\"\n"
      "[[equation]]\nresidual = \"k*laplacian(u) = 1\"\n"
      "[[condition]]\non = \"interface(left, right)\"\nresidual = \"jump(k)*u_n = 0\"\n"
      "[[condition]]\non = \"interface(right, left)\"\nresidual = \"jump(k)*u_n = 0\"\n" +
      stages);
  for (std::size_t r = 1; r < 3; ++r) {
    const Requirement& one = run.problem.requirements[r];
    CHECK(one.region->measure() == Approx(2));
    const std::string sign = r == 1 ? "1" : "-1";
    CHECK(print(*one.residuals[0].expression, Scope{run.problem}) == sign + "*(n_x*u_x + n_y*u_y)");
  }
}

TEST_CASE("integrals and other places are of the side that they name", "[configs][pieces]") {
  const Run run = read_pieces(
      "[problem]\ncoordinates = { x = [-1, 1] }\nconstants = { k = { left = 2, right = 5 } }\n"
      "[problem.fields.u]\nnetwork = { left = \"a\", right = \"b\" }\n"
      "[problem.regions]\nleft = { interval = { range = [-1, 0.2] } }\nright = \"box - left\"\n"
      "[[equation]]\nresidual = \"u_xx = k*at(side(u, right), x = -x)\"\npoints = 30\n"
      "[[condition]]\non = \"left\"\nresidual = \"integral(side(k*u, left)) = 1\"\n"
      "[[network]]\nname = \"a\"\nlayers = [5]\n[[network]]\nname = \"b\"\nlayers = [6]\n" +
      stages);
  const LossCase c = small_case(run, 30);
  const std::vector<double> p = c.model->initial_parameters(4);
  const auto at = [&](const char* text, const std::vector<double>& x) {
    Warnings none;
    return evaluate_eagerly(*c.model, p, PointSet{x.size(), x, {}, {}},
                            {parse_expression(Text{text, {}, false}, Scope{run.problem}, none)})[0];
  };
  const std::vector<double>& x = c.points[0].x;
  std::vector<double> mirrored;
  for (const double one : x) mirrored.push_back(-one);
  const auto u_xx = at("u_xx", x), k = at("k", x), there = at("side(u, right)", mirrored);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double r = u_xx[i] - k[i] * there[i];
    sum += r * r / double(x.size());
  }
  constexpr int cells = 4000;
  std::vector<double> middles;
  for (int i = 0; i < cells; ++i) middles.push_back(-1 + 1.2 * (i + 0.5) / cells);
  double integral = 0;
  for (const double value : at("2*side(u, left)", middles)) integral += value * 1.2 / cells;
  for (const bool compiled : {true, false}) {
    const std::vector<double> terms = c.at(p, compiled).loss.terms;
    CHECK(terms[0] == Approx(sum).epsilon(1e-12));
    CHECK(terms[1] == Approx((integral - 1) * (integral - 1)).epsilon(1e-6));
  }
}

TEST_CASE("integrals at every point have the nodes that are asked for, in pieces too",
          "[configs][pieces]") {
  const auto nodes = [](int quadrature) {
    const Run run = read_pieces(
        "[problem]\ncoordinates = { x = [-1, 1] }\nconstants = { k = { left = 2, right = 5 } }\n"
        "fields = [\"u\"]\n[problem.regions]\nleft = { interval = { range = [-1, 0.2] } }\n"
        "right = \"box - left\"\n"
        "[[equation]]\nresidual = \"u_x = k*integral(s*at(u, x = s), s, 0, x)\"\nquadrature = " +
        std::to_string(quadrature) + "\n" + stages);
    int count = 0;
    const Expression& residual = *run.problem.requirements[0].residuals[0].expression;
    for (const Expression* e : in_order(*residual.inputs.at(0)))
      count += e->kind == Expression::Kind::elsewhere;
    return count;
  };
  CHECK(nodes(3) == 3);
  CHECK(nodes(20) == 20);
}

TEST_CASE("what is asked elsewhere is of the piece that is there", "[configs][pieces]") {
  const std::string text =
      "[problem]\ncoordinates = { x = [-1, 1], t = [0, 1] }\n"
      "constants = { k = { left = 2, right = 5 } }\n"
      "[problem.fields.u]\nnetwork = { left = \"a\", right = \"b\" }\n"
      "[problem.regions]\nleft = { interval = { range = [-1, 0.2] } }\nright = \"box - left\"\n"
      "[[equation]]\nresidual = \"u_t = k*u_xx\"\npoints = 40\n"
      "[[condition]]\nresidual = \"mean(k*u) = 1\"\nquadrature = 32\n"
      "[[network]]\nname = \"a\"\nlayers = [5]\n[[network]]\nname = \"b\"\nlayers = [6]\n" +
      stages;
  const Run run = read_pieces(text);
  const LossCase c = small_case(run, 40);
  const std::vector<double> p = c.model->initial_parameters(4);
  ThreadPool pool(1);
  const auto values = [&](const char* formula, const PointSet& points) {
    Warnings none;
    const auto e = parse_expression(Text{formula, {}, false}, Scope{run.problem}, none);
    const auto eager = evaluate_eagerly(*c.model, p, points, {e})[0];
    const auto compiled = Formulas(c.model, {e})(p, points, pool)[0];
    for (std::size_t i = 0; i < eager.size(); ++i) CHECK(compiled[i] == Approx(eager[i]));
    return eager;
  };
  PointSet mirrored = c.points[0];
  for (std::size_t i = 0; i < mirrored.count; ++i) mirrored.x[2 * i] *= -1;
  const auto there = values("k*u", mirrored), asked = values("at(k*u, x = -x)", c.points[0]);
  for (std::size_t i = 0; i < there.size(); ++i) CHECK(asked[i] == Approx(there[i]));

  PointSet nodes = c.points[1];
  const auto flux = values("k*u", nodes);
  double mean = 0, measure = 0;
  for (std::size_t i = 0; i < flux.size(); ++i)
    mean += flux[i] * nodes.weights[i], measure += nodes.weights[i];
  for (const bool compiled : {true, false})
    CHECK(c.at(p, compiled).loss.terms[1] == Approx(std::pow(mean / measure - 1, 2)));
  CHECK(refusal(text + "[output]\nvalues = { odd = { value = \"mean(u*at(u, x = -x))\" } }\n") ==
        "");
}

TEST_CASE("a form of a piece may have a kink where the piece is not", "[configs][pieces]") {
  const auto text = [](const std::string& kink) {
    return "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\n"
           "[problem.fields.u]\nnetwork = { low = \"low\", high = \"high\" }\n"
           "[problem.regions]\nlow = { interval = { range = [0, 0.5] } }\nhigh = \"box - low\"\n"
           "[[equation]]\nresidual = \"u_t = u_xx\"\n"
           "[[condition]]\non = \"x = 0.5\"\nresidual = [\"jump(u) = 0\", \"jump(u_x) = 0\"]\n"
           "[[network]]\nname = \"low\"\noutput = { u = \"x*abs(x - " +
           kink + ")*N\" }\n[[network]]\nname = \"high\"\n" + stages;
  };
  CHECK(refusal(text("0.7")) == "");
  CHECK_THAT(refusal(text("0.2")), Contains("the form of side(u, low) is not as smooth") &&
                                       Contains("at x = 0.2, by abs(x - 0.2)"));
}
