/// The text of a residual: it is parsed and built or refused; what was built prints as a text that
/// is read as the same tree, where that is not too long.
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "tests/campaign/harness.h"
#include "tests/solvers/problem/same.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;
using namespace pinn::test;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Problem problem = plane();
  const Scope scope{problem, Scope::Use::residual, true, {"signal"}};
  const std::string written(text_of(bytes, size));
  ExpressionPtr read, again;
  if (!is_read([&] { read = residual(written, scope); })) return 0;
  needs(*read);
  const std::string printed = print(*read, scope);
  if (is_read([&] { again = residual(printed, scope); }) && !same(*read, *again))
    broken("what is printed is read as the same tree", printed);
  return 0;
}
