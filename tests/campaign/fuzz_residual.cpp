/// The text of a residual: it is parsed and built or refused; what was built prints as a text that
/// is read as the same tree, where that is not too long.
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"
#include "tests/campaign/harness.h"
#include "tests/solvers/problem/same.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;
using namespace pinn::test;

namespace {

Problem with_kinds() {
  Problem p = plane();
  for (const char* name : {"c[1]", "c[2]", "c[3]"}) p.fields.push_back({name, "", 1});
  for (const char* name : {"m[1,1]", "m[1,2]", "m[2,1]", "m[2,2]"})
    p.constants.push_back({name, 2, "2"});
  return p;
}

/// The same with a field of two pieces and a constant by region, between which residuals stand.
Problem with_pieces() {
  Problem p = with_kinds();
  const auto region = [](const char* name, double lower, double upper) {
    NamedRegion region;
    region.name = name;
    region.slab = {0, {lower, upper}};
    return region;
  };
  p.regions = {region("steel", -10, 0), region("air", 0, 10)};
  auto pieces = std::make_shared<PieceNames>();
  pieces->partitions = {std::make_shared<const Partition>(p.regions, p)};
  const int first = int(p.fields.size());
  for (const char* name : {"side(w, steel)", "side(w, air)"}) {
    p.fields.push_back({name, "", 1});
    p.fields.back().piece_of = "w";
  }
  pieces->fields = {{"w", 0, {first, first + 1}}};
  pieces->constants = {{Text{"kappa", {}, false}, {Text{"2", {}, false}, Text{"3", {}, false}}, 0}};
  for (const Constant& c : p.constants)
    pieces->constants.push_back({Text{c.name, {}, false}, {Text{c.text, {}, false}}});
  pieces->settle();
  p.pieces = pieces;
  return p;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Problem problem = with_pieces();
  const Scope scope{problem, Scope::Use::residual, true, {"signal"}, {{0, 1}}, true, 3};
  const std::string written(text_of(bytes, size));
  ExpressionPtr read, again;
  if (!is_read([&] { read = residual(written, scope); })) return 0;
  needs(*read);
  const std::string printed = print(*read, scope);
  if (is_read([&] { again = residual(printed, scope); }) && !same(*read, *again))
    broken("what is printed is read as the same tree", printed);
  return 0;
}
