// The work of reading and checking grows with the problem, and not with its square: it is counted
// in pieces of memory.
#include <fmt/format.h>

#include "configs/read.h"
#include "solvers/watch/warnings.h"
#include "tests/catch.h"
#include "tests/solvers/residual/allocations.h"

using namespace pinn;

namespace {

/// n fields, each with an equation and a start: by its form, or by a condition.
std::string many_fields(int n, bool forms) {
  const std::string start =
      forms ? fmt::format("[network.output]\n\"c[i=1:{}]\" = \"1 + t*N\"\n", n)
            : fmt::format(
                  "[[condition]]\nname = \"start\"\non = \"t = 0\"\nfor = {{ i = \"1:{}\" "
                  "}}\nresidual = \"c[i] = 1\"\n",
                  n);
  return fmt::format(
      "[problem]\ncoordinates = {{ t = [0, 2] }}\nfields = [\"c[1:{0}]\"]\n[[equation]]\nname = "
      "\"decay\"\nfor = {{ i = \"1:{0}\" }}\nresidual = \"c[i]_tt = -c[i]\"\npoints = 10\n"
      "[network]\nlayers = [4]\n{1}[[stage]]\noptimizer = \"{2}\"\n",
      n, start, forms ? "lbfgs" : "auto");
}

/// A plate without n disks.
std::string many_disks(int n) {
  std::string cut = "plate";
  for (int i = 0; i < n; ++i) cut += fmt::format(" - disk{}", i);
  std::string disks;
  for (int i = 0; i < n; ++i)
    disks += fmt::format("disk{} = {{ disk = {{ center = [{}, {}], radius = 0.01 }} }}\n", i,
                         0.03 + 0.0013 * i, 0.05 + 0.03 * (i % 30));
  return fmt::format(
      "[problem]\ncoordinates = {{ x = [0, 1], y = [0, 1] }}\nfields = [\"u\"]\ndomain = \"{}\"\n"
      "[problem.regions]\nplate = {{ rectangle = {{ lower = [0, 0], upper = [1, 1] }} }}\n{}"
      "[[equation]]\nname = \"poisson\"\nresidual = \"laplacian(u) = 1\"\npoints = 10\n"
      "[network]\nlayers = [4]\n[[stage]]\noptimizer = \"lbfgs\"\n",
      cut, disks);
}

double work(const std::string& text) {
  const std::size_t before = test::allocations();
  const Run run = read_run_text(text, "many.toml");
  warnings_of(run);
  return double(test::allocations() - before);
}

}  // namespace

TEST_CASE("the work of checking grows with the number of fields, not with its square",
          "[configs][growth]") {
  for (const bool forms : {false, true}) {
    INFO((forms ? "forms" : "conditions"));
    CHECK(work(many_fields(120, forms)) < 2.6 * work(many_fields(60, forms)));
  }
}

TEST_CASE("the work of checking grows with the number of shapes, not with its square",
          "[configs][growth]") {
  CHECK(work(many_disks(120)) < 2.6 * work(many_disks(60)));
}
