/// A reference as HDF5, as a problem file names one.
#include "data/reference/solution.h"
#include "tests/campaign/harness.h"

using namespace pinn;
using namespace pinn::test;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string path = scratch_file("reference.h5", text_of(bytes, size));
  Solution found;
  const SolutionColumns asked{
      .coordinates = {"x", "t"}, .values = {"u"}, .lower = {-1, 0}, .upper = {1, 1}};
  if (!is_read([&] { found = read_solution(path, asked); })) return 0;
  if (found.x.size() != 2 * found.count || found.values.at(0).size() != found.count)
    broken("a reference has a value per point", path);
  return 0;
}
