/// A problem file: its text is read as a run or refused; a run that was read means what its own
/// effective values say.
#include "configs/read.h"
#include "tests/campaign/harness.h"
#include "tests/configs/same_run.h"

using namespace pinn;
using namespace pinn::test;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(text_of(bytes, size)), path = scratch() + "/problem.toml";
  Run run, again;
  if (!is_read([&] { run = read_run_text(text, path); })) return 0;
  const std::string effective = effective_toml(run);
  if (!is_read([&] { again = read_run_text(effective, path); }))
    broken("effective values are read", effective);
  if (!same_run(run, again)) broken("effective values mean the same run", effective);
  return 0;
}
