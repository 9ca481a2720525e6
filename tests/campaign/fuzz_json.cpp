/// status.json and metrics.jsonl of a run that somebody else's program wrote into.
#include "solvers/records/logs/run_log.h"
#include "solvers/watch/summary.h"
#include "solvers/watch/warnings.h"
#include "tests/campaign/harness.h"

using namespace pinn;
using namespace pinn::test;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static HastyDisk files;
  const std::string_view text = text_of(bytes, size);
  scratch_file("status.json", text);
  const std::string metrics = scratch_file("metrics.jsonl", text);
  is_read([&] { warnings_text(warnings_in(text)); });
  is_read([&] { status(scratch()); });
  is_read([&] { Metrics(metrics, 5, files).append(6, JsonObject().add("loss", 1.0)); });
  const std::string kept = read_file(metrics), last = "{\"step\":6,\"loss\":1}\n";
  if (!kept.ends_with(last) || (kept.size() > last.size() && !kept.starts_with("{\"step\":")))
    broken("metrics.jsonl holds whole lines", kept);
  return 0;
}
