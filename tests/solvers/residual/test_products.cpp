#include "solvers/residual/step/formulas.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/residual/allocations.h"
#include "tests/solvers/residual/least_squares.h"
#include "tests/solvers/residual/random_problem.h"

using namespace pinn;
using pinn::test::Disagreement;
using pinn::test::LeastSquaresCase;
using pinn::test::problem;
using pinn::test::RandomProblem;
using pinn::test::spread;

namespace {

using Numbers = std::vector<double>;
using pinn::test::larger;

/// Two equations with composites, selections and an unknown; a periodic end; weights of terms.
std::shared_ptr<Problem> everything() {
  auto p = problem({"x", "t"}, {"u", "v"}, {"u_t", "v_x"});
  p->unknowns.push_back({"k", 0.3, 0.1, 2.0, true});
  Warnings warnings;
  std::vector<Residual>& equations = p->requirements[0].residuals;
  const char* texts[] = {"u_t + u*v_x = k*u_xx + sin(pi*x)",
                         "d(sin(u)*v_x, x) + exp(-u^2)*v_t = where(x < 0, u, k*v)"};
  for (std::size_t i = 0; i < 2; ++i)
    equations[i].expression = parse_residual(test::text(texts[i]), Scope{*p}, warnings);
  equations[1].weight = 2.5;
  Requirement wrap;
  wrap.name = "wrap";
  wrap.periodic = Periodicity{0, 1};
  wrap.weight = 0.5;
  p->requirements.push_back(wrap);
  return p;
}

/// Points of which some count more than others.
PointSet weighted(const Problem& problem, std::size_t count) {
  PointSet set = spread(problem, count);
  for (std::size_t i = 0; i < count; ++i) set.weights.push_back(double(i % 4));
  return set;
}

/// A loss with everything in it, and where it is asked.
struct Setting {
  Setting(bool compiled, Derivatives way, std::size_t points, int threads = 1,
          DType dtype = DType::float64)
      : problem(everything()),
        model(std::make_shared<const Model>(problem, test::layers({7, 6}))),
        pool(threads),
        loss(model, {dtype, {way, way}, compiled}, pool),
        p(model->initial_parameters(5)) {
    loss.set_points(0, weighted(*problem, points));
    PointSet ends = spread(*problem, 9);
    for (std::size_t i = 0; i < ends.count; ++i) ends.x[2 * i] = -1;
    loss.set_points(1, ends);
  }

  /// Numbers of no particular pattern between -1 and 1.
  static Numbers direction(std::size_t count) {
    Numbers v;
    for (std::size_t i = 0; i < count; ++i) v.push_back(2 * std::fmod(0.618 * double(i), 1) - 1);
    return v;
  }

  Numbers gradient(const Numbers& at) {
    Numbers g(p.size());
    loss.value_and_gradient(at, g);
    return g;
  }
  Numbers residual(const Numbers& at) {
    Numbers r(loss.squares().rows());
    loss.squares().residual(at, r);
    return r;
  }
  Numbers rows() {
    Numbers all(loss.squares().rows() * p.size());
    loss.squares().jacobian_rows(p, 0, loss.squares().rows(), all);
    return all;
  }
  Numbers jacobian_times(const Numbers& v) {
    Numbers y(loss.squares().rows());
    loss.squares().jacobian_times(p, v, y);
    return y;
  }
  Numbers transposed_times(const Numbers& w) {
    Numbers y(p.size());
    loss.squares().transposed_times(p, w, y);
    return y;
  }
  Numbers hessian_times(const Numbers& v) {
    Numbers y(p.size());
    loss.squares().hessian_times(p, v, y);
    return y;
  }
  Numbers gram() {
    Numbers k(loss.squares().rows() * loss.squares().rows());
    loss.squares().gram(p, k);
    return k;
  }
  /// All products, one after another.
  std::vector<Numbers> all() {
    return {residual(p),
            rows(),
            jacobian_times(direction(p.size())),
            transposed_times(direction(loss.squares().rows())),
            hessian_times(direction(p.size())),
            gram()};
  }

  std::shared_ptr<Problem> problem;
  std::shared_ptr<const Model> model;
  ThreadPool pool;
  Loss loss;
  Numbers p;
};

/// The largest difference, as a share of the largest number.
double distance_between(const Numbers& a, const Numbers& b) {
  REQUIRE(a.size() == b.size());
  double most = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = larger(most, std::abs(b[i]));
    apart = larger(apart, std::abs(a[i] - b[i]));
  }
  REQUIRE(most > 0);
  return apart / most;
}

Numbers moved(const Numbers& p, const Numbers& v, double step) {
  Numbers to = p;
  for (std::size_t i = 0; i < p.size(); ++i) to[i] += step * v[i];
  return to;
}

/// (above - below) / 2h
Numbers slope(const Numbers& above, const Numbers& below, double h) {
  Numbers s;
  for (std::size_t i = 0; i < above.size(); ++i) s.push_back((above[i] - below[i]) / (2 * h));
  return s;
}

/// True if a problem's text names a function with a kink or a jump.
bool has_kinks(const std::string& text) {
  for (const char* name : {"abs", "relu", "min", "max", "where", "step", "sign"})
    if (text.find(name) != std::string::npos) return true;
  return false;
}

/// The first points of a set, at most so many.
PointSet some_of(const PointSet& all, std::size_t most) {
  PointSet some{std::min(most, all.count), {}, {}, {}, {}};
  const auto rows = [&](const Numbers& values) {
    return Numbers(values.begin(),
                   values.begin() + std::ptrdiff_t(values.size() / all.count * some.count));
  };
  some.x = rows(all.x), some.normals = rows(all.normals), some.columns = rows(all.columns);
  some.weights = rows(all.weights);
  return some;
}

}  // namespace

TEST_CASE("compiled products equal eager ones", "[residual][products]") {
  const Derivatives way = GENERATE(Derivatives::taylor, Derivatives::reverse);
  const std::vector<Numbers> compiled = Setting(true, way, 70).all(),
                             eager = Setting(false, way, 70).all();
  for (std::size_t i = 0; i < eager.size(); ++i) {
    INFO("product " << i);
    CHECK(distance_between(compiled[i], eager[i]) < 1e-12);
  }
}

TEST_CASE("residual, Jacobian and gradient belong together", "[residual][products]") {
  const bool compiled = GENERATE(true, false);
  Setting s(compiled, Derivatives::taylor, 70);
  const std::size_t rows = s.loss.squares().rows(), count = s.p.size();
  REQUIRE(rows == 2 * 70 + 4 * 9);
  const Numbers r = s.residual(s.p), jacobian = s.rows();
  const Numbers v = Setting::direction(count), w = Setting::direction(rows);
  Numbers jv(rows, 0), jtw(count, 0), twice = r;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < count; ++k) {
      jv[i] += jacobian[i * count + k] * v[k];
      jtw[k] += jacobian[i * count + k] * w[i];
    }
  double squares = 0;
  for (double& t : twice) squares += t * t, t *= 2;

  CHECK(squares == Approx(s.loss.value(s.p).total).epsilon(1e-13));
  CHECK(distance_between(s.transposed_times(twice), s.gradient(s.p)) < 1e-12);
  CHECK(distance_between(s.jacobian_times(v), jv) < 1e-12);
  CHECK(distance_between(s.transposed_times(w), jtw) < 1e-12);
}

TEST_CASE("CMP-11 products are derivatives, the Hessian of a compiled step included",
          "[residual][products]") {
  const Derivatives way = GENERATE(Derivatives::taylor, Derivatives::reverse);
  Setting s(true, way, 40);
  const Numbers v = Setting::direction(s.p.size());
  // The error of a central difference is h^2 and epsilon / h, both near 1e-10 here.
  const double h = 1e-5;
  const Numbers above = moved(s.p, v, h), below = moved(s.p, v, -h);

  CHECK(distance_between(s.jacobian_times(v), slope(s.residual(above), s.residual(below), h)) <
        1e-7);
  CHECK(distance_between(s.hessian_times(v), slope(s.gradient(above), s.gradient(below), h)) <
        1e-7);
}

TEST_CASE("the Hessian is symmetric", "[residual][products]") {
  Setting s(true, Derivatives::taylor, 40);
  Numbers a = Setting::direction(s.p.size()), b(a.rbegin(), a.rend());
  const Numbers ha = s.hessian_times(a), hb = s.hessian_times(b);
  double left = 0, right = 0;
  for (std::size_t i = 0; i < a.size(); ++i) left += b[i] * ha[i], right += a[i] * hb[i];
  CHECK(left == Approx(right).epsilon(1e-11));
}

TEST_CASE("a row is its point's residual times the root of its weight", "[residual][products]") {
  Setting s(true, Derivatives::taylor, 8);
  const PointSet points = weighted(*s.problem, 8);
  std::vector<ExpressionPtr> formulas;
  for (const Residual& r : s.problem->requirements[0].residuals) formulas.push_back(r.expression);
  const auto values = evaluate_eagerly(*s.model, s.p, points, formulas);

  const Numbers r = s.residual(s.p);
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < 8; ++i) {
      const double weight = s.problem->requirements[0].residuals[k].weight * points.weights[i] / 8;
      CHECK(r[k * 8 + i] == Approx(std::sqrt(weight) * values[k][i]).epsilon(1e-12));
    }
}

TEST_CASE("rows of the Jacobian do not depend on how they are asked for", "[residual][products]") {
  const bool compiled = GENERATE(true, false);
  Setting s(compiled, Derivatives::taylor, 300);
  const Numbers all = s.rows();
  const std::size_t count = s.p.size();
  Numbers some;
  // Steps of 77 begin and end inside blocks and cross from term to term.
  for (std::size_t first = 0; first < s.loss.squares().rows(); first += 77) {
    Numbers piece(std::min<std::size_t>(77, s.loss.squares().rows() - first) * count);
    s.loss.squares().jacobian_rows(s.p, first, piece.size() / count, piece);
    some.insert(some.end(), piece.begin(), piece.end());
  }
  CHECK(distance_between(some, all) < 1e-14);
}

TEST_CASE("rows of the Jacobian go to what uses them up, each once", "[residual][products]") {
  const bool compiled = GENERATE(true, false);
  Setting s(compiled, Derivatives::taylor, 300, 3);
  const std::size_t width = s.p.size();
  Numbers all(s.loss.squares().rows() * width, 0.0);
  s.loss.squares().jacobian(s.p, 7, [&](const JacobianRows<double>& rows) {
    for (std::size_t i = 0; i < rows.count; ++i)
      for (std::size_t k = 0; k < width; ++k) all[(rows.first + i) * width + k] += rows.row(i)[k];
  });
  CHECK(distance_between(all, s.rows()) < 1e-14);
}

TEST_CASE("rows in float32 are those in float64, rounded", "[residual][products]") {
  const bool compiled = GENERATE(true, false);
  const DType dtype = GENERATE(DType::float64, DType::float32);
  Setting s(compiled, Derivatives::taylor, 130, 2, dtype);
  const std::size_t width = s.p.size();
  Numbers all(s.loss.squares().rows() * width, 0.0);
  s.loss.squares().jacobian(s.p, 3, [&](const JacobianRows<float>& rows) {
    CHECK(reinterpret_cast<std::uintptr_t>(rows.numbers) % 64 == 0);
    CHECK(rows.stride % 16 == 0);
    for (std::size_t i = 0; i < rows.count; ++i)
      std::copy_n(rows.row(i), width, all.data() + (rows.first + i) * width);
  });
  CHECK(distance_between(all, s.rows()) < 1e-6);
  CHECK(distance_between(all, s.rows()) > 0);
}

TEST_CASE("rows by number count their work as all rows do", "[residual][products]") {
  Setting s(true, Derivatives::taylor, 130);
  const auto work_of = [&](const auto& act) {
    const Loss::Work before = s.loss.work();
    act();
    return std::pair(s.loss.work().points - before.points,
                     s.loss.work().product_flops - before.product_flops);
  };
  const auto all =
      work_of([&] { s.loss.squares().jacobian(s.p, 5, [](const JacobianRows<double>&) {}); });
  CHECK(all.first == double(s.loss.squares().rows()));
  CHECK(all.second > 0);
  CHECK(work_of([&] { s.rows(); }) == all);
  // The rows of one residual at half of the points.
  const auto some = work_of([&] {
    Numbers rows(65 * s.p.size());
    s.loss.squares().jacobian_rows(s.p, 0, 65, rows);
  });
  CHECK(some.first == 65);
  CHECK(some.second > 0);
  CHECK(some.second < all.second / 2);
}

TEST_CASE("products have the same bits for any number of threads", "[residual][products]") {
  const bool compiled = GENERATE(true, false);
  const std::vector<Numbers> one = Setting(compiled, Derivatives::taylor, 2000, 1).all();
  for (const int threads : {2, 3, 4})
    CHECK(Setting(compiled, Derivatives::taylor, 2000, threads).all() == one);
}

TEST_CASE("products in float32 follow those in float64", "[residual][products]") {
  const std::vector<Numbers> fine = Setting(true, Derivatives::taylor, 70).all();
  const std::vector<Numbers> coarse =
      Setting(true, Derivatives::taylor, 70, 1, DType::float32).all();
  for (std::size_t i = 0; i < fine.size(); ++i) {
    INFO("product " << i);
    CHECK(distance_between(coarse[i], fine[i]) < 2e-5);
    CHECK(coarse[i] != fine[i]);
  }
}

TEST_CASE("products follow new points", "[residual][products]") {
  const bool compiled = GENERATE(true, false);
  Setting s(compiled, Derivatives::taylor, 40), other(compiled, Derivatives::taylor, 55);
  s.all();
  s.loss.set_points(0, weighted(*s.problem, 55));
  CHECK(s.all() == other.all());
}

TEST_CASE("a residual without parameters has rows of zeros", "[residual][products]") {
  const auto p = problem({"x"}, {"u"}, {"sin(x)", "u_x"});
  const bool compiled = GENERATE(true, false);
  const auto model = std::make_shared<const Model>(p, test::layers({4}));
  ThreadPool pool(1);
  Loss loss(model, {.derivatives = {}, .compiled = compiled}, pool);
  loss.set_points(0, spread(*p, 5));
  const Numbers at = model->initial_parameters(1);
  Numbers rows(10 * at.size(), 7), jv(10, 7);
  loss.squares().jacobian_rows(at, 0, 10, rows);
  loss.squares().jacobian_times(at, Setting::direction(at.size()), jv);

  for (std::size_t i = 0; i < 5; ++i) CHECK(jv[i] == 0);
  for (std::size_t i = 0; i < 5 * at.size(); ++i) CHECK(rows[i] == 0);
  CHECK(jv[5] != 0);
}

TEST_CASE("the products of 500 random problems agree with each other, to rounding",
          "[residual][products]") {
  for (std::uint64_t number = 0; number < 500; ++number) {
    RandomProblem r = test::random_problem(number);
    r.loss.options.compiled = number % 3 != 0;
    for (PointSet& set : r.loss.points) set = some_of(set, 21);
    const Disagreement d = LeastSquaresCase(r.loss, r.parameters).disagreement();
    INFO("problem " << number << "\n" << r.text);
    CHECK(d.gram < 1e-12);
    CHECK(d.products < 1e-12);
    CHECK(d.adjoint < 1e-12);
    CHECK(d.gradient < 1e-12);
    if (!has_kinks(r.text)) CHECK(d.hessian < 1e-6);  // a difference across one is no derivative
  }
}

TEST_CASE("compiled products allocate nothing once they were asked for", "[residual][products]") {
  Setting s(true, Derivatives::taylor, 300);
  const Numbers v = Setting::direction(s.p.size()), w = Setting::direction(s.loss.squares().rows());
  Numbers rows(s.loss.squares().rows()), sums(s.p.size()), some(20 * s.p.size());
  Numbers k(s.loss.squares().rows() * s.loss.squares().rows());
  const auto ask = [&] {
    s.loss.squares().residual(s.p, rows);
    s.loss.squares().jacobian_times(s.p, v, rows);
    s.loss.squares().transposed_times(s.p, w, sums);
    s.loss.squares().hessian_times(s.p, v, sums);
    s.loss.squares().jacobian_rows(s.p, 250, 20, some);
    s.loss.squares().jacobian_rows(s.p, 590, 20, some);
    s.loss.squares().jacobian(s.p, 7, [](const JacobianRows<double>&) {});
    s.loss.squares().jacobian(s.p, 7, [](const JacobianRows<float>&) {});
    s.loss.squares().gram(s.p, k);
  };
  ask();
  const std::size_t before = test::allocations();
  ask();
  CHECK(test::allocations() == before);
}
