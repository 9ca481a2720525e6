/// A table of data as CSV: columns that a header promises, all of them, and a reference.
#include "data/files/table.h"
#include "data/reference/solution.h"
#include "tests/campaign/harness.h"

using namespace pinn;
using namespace pinn::test;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string path = scratch_file("table.csv", text_of(bytes, size));
  std::vector<std::string> names;
  if (!is_read([&] { names = csv_names(path); })) return 0;
  Table table;
  if (is_read([&] { table = read_csv(path, {}); }))
    for (const std::vector<double>& column : table.columns)
      if (column.size() != table.rows) broken("columns are of one length", path);
  is_read([&] {
    read_solution(path, {.coordinates = {"x"}, .values = {"u"}, .lower = {-1}, .upper = {1}});
  });
  return 0;
}
