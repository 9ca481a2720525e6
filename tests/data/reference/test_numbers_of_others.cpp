#include <algorithm>
#include <cmath>

#include "data/reference/reference.h"
#include "data/reference/solution.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

Reference stored(const std::string& name) {
  return load_reference(PINN_SOURCE_DIR "/data/reference/" + name + ".h5");
}

/// The node of an axis at x, which is one.
std::size_t node(const std::vector<double>& axis, double x) {
  const auto near = [x](double a) { return std::abs(a - x) < 1e-9; };
  const auto found = std::find_if(axis.begin(), axis.end(), near);
  REQUIRE(found != axis.end());
  return std::size_t(found - axis.begin());
}

/// A field [first axis, second axis] at a node.
double at(const Reference& r, const std::string& field, double first, double second) {
  return r.fields.at(field)[node(r.axes[0], first) * r.axes[1].size() + node(r.axes[1], second)];
}

/// Value of the polynomial through the ten equidistant nodes around x.
double between(const std::vector<double>& nodes, const std::vector<double>& values, double x) {
  const std::size_t after =
      std::size_t(std::lower_bound(nodes.begin(), nodes.end(), x) - nodes.begin());
  const std::size_t first = std::min(std::max<std::size_t>(after, 5) - 5, nodes.size() - 10);
  double sum = 0;
  for (std::size_t i = first; i < first + 10; ++i) {
    double weight = 1;
    for (std::size_t j = first; j < first + 10; ++j)
      if (j != i) weight *= (x - nodes[j]) / (nodes[i] - nodes[j]);
    sum += weight * values[i];
  }
  return sum;
}

struct Value {
  double place, value;
};

struct Flow {
  double x, y, u, v;
};

}  // namespace

TEST_CASE("Kuramoto and Sivashinsky's references are what another method comes to",
          "[data][reference]") {
  // By an integrating factor and Runge and Kutta's classical method: kuramoto_sivashinsky/write.py.
  // Its two step lengths differ by 5e-10 until t = 0.35, 2e-8 at 0.6 and 2e-7 at 1; it
  // extrapolates.
  const std::string name = GENERATE("kuramoto_sivashinsky", "kuramoto_sivashinsky_1");
  const Reference r = stored(name);
  const double end = r.axes[0].back();
  const Solution other =
      read_solution(PINN_SOURCE_DIR "/tests/data/reference/kuramoto_sivashinsky/values.csv",
                    {{"t", "x"}, {"u"}, {0, 0}, {end, 7}});

  CHECK(other.count == (end < 1 ? 12u : 20u));
  for (std::size_t n = 0; n < other.count; ++n) {
    const double t = other.x[2 * n], x = other.x[2 * n + 1];
    INFO(name << ", t = " << t << ", x = " << x);
    CHECK(at(r, "u", t, x) == Approx(other.values[0][n])
                                  .margin(t < 0.5   ? 2e-11
                                          : t < 0.9 ? 2e-9
                                                    : 2e-8)
                                  .epsilon(0));
  }
}

TEST_CASE("the middle lines of the cavity at Re = 1000 are Botella and Peyret's",
          "[data][reference]") {
  // Computers and Fluids 27 (1998), tables 9 and 10, by Chebyshev's polynomials; turned so that the
  // lid moves to the right. Their seven digits, of which polynomials between our nodes keep six.
  const Value u_over_y[] = {{0.0625, -0.2023300}, {0.1016, -0.3004561}, {0.1719, -0.3885691},
                            {0.2813, -0.2803696}, {0.4531, -0.1081999}, {0.5, -0.0620561},
                            {0.6172, 0.0570178},  {0.7344, 0.1886747},  {0.9531, 0.4723329},
                            {0.9688, 0.5808359}};
  const Value v_over_x[] = {{0.0625, 0.2807056},  {0.0938, 0.3330442},  {0.1563, 0.3769189},
                            {0.2266, 0.3339924},  {0.2344, 0.3253592},  {0.5, 0.0257995},
                            {0.9063, -0.5264392}, {0.9453, -0.4103754}, {0.9531, -0.3553213},
                            {0.9688, -0.2279225}};
  const Reference r = stored("cavity");
  std::vector<double> u, v;
  for (const double a : r.axes[0]) {
    u.push_back(at(r, "u", 0.5, a));
    v.push_back(at(r, "v", a, 0.5));
  }

  for (const Value& known : u_over_y) {
    INFO("u at y = " << known.place);
    CHECK(between(r.axes[1], u, known.place) == Approx(known.value).margin(1e-6).epsilon(0));
  }
  for (const Value& known : v_over_x) {
    INFO("v at x = " << known.place);
    CHECK(between(r.axes[0], v, known.place) == Approx(known.value).margin(1e-6).epsilon(0));
  }
}

TEST_CASE("the cavities flow beside their middle lines as finite differences say",
          "[data][reference]") {
  // The stream function by the biharmonic equation on up to 512 intervals, extrapolated (another
  // program), which tells its own error: 1.8e-5 at Re = 1000, 9e-8 under the parabolic lid.
  const std::vector<Flow> fast = {{0.25, 0.25, -0.2557702, 0.2320415},
                                  {0.25, 0.75, 0.1698082, 0.2900777},
                                  {0.75, 0.25, -0.3285875, -0.2844802},
                                  {0.75, 0.75, 0.1275426, -0.1649437}};
  const std::vector<Flow> parabolic = {{0.25, 0.25, -0.0619155, 0.0487722},
                                       {0.25, 0.75, -0.0111520, 0.2133385},
                                       {0.5, 0.5, -0.1787528, 0.0543567},
                                       {0.75, 0.25, -0.0707818, -0.0561313},
                                       {0.75, 0.75, -0.0350696, -0.2300457}};
  const auto check = [](const std::string& name, const std::vector<Flow>& flows, double margin) {
    const Reference r = stored(name);
    for (const Flow& known : flows) {
      INFO(name << ", x = " << known.x << ", y = " << known.y);
      CHECK(at(r, "u", known.x, known.y) == Approx(known.u).margin(margin).epsilon(0));
      CHECK(at(r, "v", known.x, known.y) == Approx(known.v).margin(margin).epsilon(0));
    }
  };

  check("cavity", fast, 2e-5);
  check("cavity_parabolic", parabolic, 3e-7);
}
