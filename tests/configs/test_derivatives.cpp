// Derivatives as formulas ask for them: of any order that there is, of fields and of what is known.
#include <fmt/format.h>

#include <cmath>

#include "configs/read.h"
#include "tests/catch.h"
#include "tests/configs/promises.h"
#include "tests/dice.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A random formula of coordinates, defines and numbers, with derivatives of such formulas.
std::string formula(Dice& dice, int depth, const std::string& other) {
  if (depth == 0)
    return dice.one_of<std::string>({"x", other, "e", "f", "0.5", "2", "pi", "0", "1", "k"});
  const auto a = [&] { return formula(dice, depth - 1, other); };
  const std::string by = dice.one_of<std::string>({"x", other});
  switch (dice.below(13)) {
    case 0:
      return fmt::format("{}({})",
                         dice.one_of({"sin", "exp", "tanh", "sqrt", "log", "abs", "relu", "sign",
                                      "step", "atan", "sigmoid", "gaussian", "erf", "softplus"}),
                         a());
    case 1:
      return fmt::format("({} + {})", a(), a());
    case 2:
      return fmt::format("({})*({})", a(), a());
    case 3:
      return fmt::format("({})/({})", a(), a());
    case 4:
      return fmt::format("d({}, {})", a(), by);
    case 5:
      return fmt::format("d({}, {}, 2)", a(), by);
    case 6:
      return fmt::format("laplacian({})", a());
    case 7:
      return fmt::format("div(grad({}))", a());
    case 8:
      return fmt::format("where({} > {}, {}, {})", a(), a(), a(), a());
    case 9:
      return fmt::format("max({}, {})", a(), a());
    case 10:
      return fmt::format("({})^{}", a(), dice.one_of({"2", "0.5", "3", "(-1)", "0", "k"}));
    case 11:
      return dice.one_of<std::string>({"e_", "f_"}) + by;
    default:
      return fmt::format("atan2({}, {})", a(), a());
  }
}

/// A problem with such a formula in one of the places where formulas stand.
std::string problem_with_formula(std::uint64_t seed) {
  Dice dice(seed);
  const bool in_time = dice.uniform() < 0.7;
  const std::string other = in_time ? "t" : "y";
  const auto any = [&] { return formula(dice, 1 + int(dice.below(3)), other); };
  const std::string plain = in_time ? "u_t = u_xx" : "u_xx + u_yy = 0";
  std::string defines = fmt::format("e = \"sin(x)*x\"\nf = \"exp(-{}*x)\"\n", other);
  std::string equation = plain, value = "x", points = "20", weights, network, rest;
  switch (dice.below(9)) {
    case 0:
      value = any();
      break;
    case 1:
      weights = fmt::format("weight = \"{}\"\n", any());
      break;
    case 2:
      points = fmt::format("{{ count = 20, density = \"{}\" }}", any());
      break;
    case 3:
      rest = fmt::format("[reference.exact]\nu = \"{}\"\n", any());
      break;
    case 4:
      defines += fmt::format("g = \"{}\"\n", any());
      value = "g";
      break;
    case 5:
      equation = (in_time ? "u_t - u_xx = " : "u_xx + u_yy = ") + any();
      break;
    case 6:
      network = fmt::format("[network.output]\nu = \"{} + ({})*N\"\n", any(), any());
      break;
    case 7:
      rest = fmt::format("[output.values]\nv = {{ value = \"mean({})\", on = \"interior\" }}\n",
                         any());
      break;
    default:
      equation =
          (in_time ? "u_t = d(u*(" : "u_yy + d(u*(") + any() + (in_time ? "), x)" : "), x) = 0");
  }
  return fmt::format(
      "[problem]\ncoordinates = {{ x = [0, 1], {0} = [0, 1] }}\nfields = [\"u\"]\n"
      "constants = {{ k = 0.7 }}\n[problem.define]\n{1}[[equation]]\nresidual = \"{2}\"\n"
      "points = {3}\n{4}[[condition]]\non = \"{0} = 0\"\nresidual = \"u = {5}\"\npoints = 10\n"
      "[network]\nlayers = [4]\n{6}[[stage]]\noptimizer = \"adam\"\nsteps = 1\n{7}",
      other, defines, equation, points, weights, value, network, rest);
}

/// Reads such problems and trains them for a step; what ends otherwise than in words is a fault.
void read_and_train(std::uint64_t first, std::uint64_t last, std::uint64_t with_estimates) {
  int trained_ones = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const std::string text = problem_with_formula(seed);
    INFO(text);
    try {
      const std::string trust = seed % with_estimates == 0 ? "true" : "false";
      pinn::test::trained(
          read_run_text(text, "p.toml", {"output.trust=" + trust, "run.threads=1"}));
      ++trained_ones;
    } catch (const ConfigError& refused) {
      CHECK_FALSE(refused.report.fix.empty());
    } catch (const NumericsError& diverged) {
      CHECK_FALSE(diverged.report.fix.empty());
    } catch (const std::exception& fault) {
      FAIL_CHECK(fault.what());
    }
  }
  CHECK(2 * trained_ones > int(last - first));
}

}  // namespace

TEST_CASE("formulas of what is known are trained or refused in words, wherever they stand",
          "[configs]") {
  read_and_train(0, 150, 10);
}

TEST_CASE("10 000 more formulas of what is known are trained or refused in words",
          "[configs][slow]") {
  read_and_train(150, 10150, 20);
}

TEST_CASE("an equation of the sixth order trains by any optimizer that can, with its estimate",
          "[configs]") {
  const std::string optimizer = GENERATE("adam", "ssbroyden", "levenberg_marquardt", "kfac");
  const std::string layers = GENERATE("[4]", "[4, 4]");
  const Run run = read_run_text(
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
      "[[equation]]\npoints = 20\nresidual = \"u_t = d(u, x, 6)\"\n"
      "[[condition]]\npoints = 10\non = \"t = 0\"\nresidual = \"u = sin(x)\"\n"
      "[network]\nlayers = " +
          layers + "\n[[stage]]\noptimizer = \"" + optimizer + "\"\nsteps = 2\n",
      "six.toml");
  CHECK(std::isfinite(pinn::test::trained(run).loss));
}

TEST_CASE("what formulas of coordinates are differentiated to is no order of the network",
          "[configs]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
      "[problem.define]\ne = \"sin(x)*x\"\n"
      "[[equation]]\npoints = 20\nresidual = \"u_t = u_xx\"\nweight = \"1 + e_x^2\"\n"
      "[[condition]]\npoints = 10\non = \"t = 0\"\nresidual = \"u = laplacian(e)\"\n"
      "[network]\nlayers = [4]\n[network.output]\n"
      "u = \"d(laplacian(e) + atan2(0.7, 0.5), x, 4) + t*N\"\n"
      "[[stage]]\noptimizer = \"adam\"\nsteps = 2\n",
      "known.toml");
  CHECK(std::isfinite(pinn::test::trained(run).loss));
}
