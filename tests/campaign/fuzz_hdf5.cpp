/// A table of data as HDF5: what the file says it holds, read array by array.
#include "data/files/table.h"
#include "tests/campaign/harness.h"

using namespace pinn;
using namespace pinn::test;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string path = scratch_file("table.h5", text_of(bytes, size));
  std::vector<std::string> names;
  if (!is_read([&] { names = table_names(path); })) return 0;
  names.resize(std::min<std::size_t>(names.size(), 4));
  is_read([&] { read_table(path, {"x", "t", "u"}); });
  for (const std::string& name : names) is_read([&] { read_table(path, {name}); });
  return 0;
}
