#include "tests/autograd/taylor/helpers.h"
#include "tests/golden/golden.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// |error| / (2^k max(1, |reference|)), the measure of the bands below.
double scaled_error(double value, double reference, int k) {
  return std::fabs(value - reference) / (std::ldexp(1.0, k) * std::max(1.0, std::fabs(reference)));
}

void check_against_golden(DType dtype, double band) {
  const JetTablePtr table = jet_table({MultiIndex{6}});
  for (const auto& line : golden_lines("scalar.txt")) {
    const Tensor x = full({1, 1}, std::stod(line[2]), dtype);
    const Jet y = apply_unary(find_unary(line[0]), coordinate_jet(table, x), std::stod(line[1]));
    for (int k = 0; k <= 6; ++k) {
      INFO(line[0] << " " << line[1] << " at " << line[2] << ", derivative " << k);
      const double value = y.channel(table->find({std::uint8_t(k)})).item();
      CHECK(scaled_error(value, std::stod(line[3 + std::size_t(k)]), k) <= band);
    }
  }
}

}  // namespace

TEST_CASE("FWD-02 jets to order 6 of every op agree with 60-digit numbers", "[autograd][taylor]") {
  check_against_golden(DType::float64, 1e-14);
}

TEST_CASE("FWD-02 jets to order 6 in float32 agree with 60-digit numbers", "[autograd][taylor]") {
  check_against_golden(DType::float32, 2e-7);
}
