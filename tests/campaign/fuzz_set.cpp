/// `--set`: each line is an override of a small problem that has one of everything. Those that say
/// something possible are read with all of the problem.
#include <sstream>

#include "configs/draft.h"
#include "configs/findings.h"
#include "configs/read.h"
#include "configs/toml_reader.h"
#include "tests/campaign/harness.h"
#include "tests/configs/small.h"

using namespace pinn;
using namespace pinn::test;

namespace {

const std::string problem = small(
    "name = \"first\"\noptimizer = \"adam\"\nsteps = 10\nschedule = { kind = \"cosine\" }\n"
    "[network]\nlayers = [4]\nfourier = { features = 2 }\n[network.output]\nu = \"t*N\"\n"
    "[reference]\nexact = { u = \"sin(pi*x)\" }\nerror = { u = 0.1 }\n"
    "[output]\ngrid = { x = 3, t = 3 }\nfields = [\"u\", \"u_x\"]\n");

/// Puts the overrides into the file's tree, and looks at its keys.
void put(const std::vector<std::string>& overrides) {
  config::Findings findings;
  static const config::Node tree =
      config::parse_toml(config::make_source("problem.toml", problem), problem, findings);
  config::Node changed = tree;
  for (std::size_t i = 0; i < overrides.size(); ++i)
    config::apply_override(overrides[i], int(i) + 1, changed, findings);
  config::check_keys(changed, findings);
  findings.raise();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::istringstream text{std::string(text_of(bytes, size))};
  std::vector<std::string> overrides;
  for (std::string line; overrides.size() < 20 && std::getline(text, line);)
    overrides.push_back(line);
  if (is_read([&] { put(overrides); }))
    is_read([&] { read_run_text(problem, scratch() + "/problem.toml", overrides); });
  return 0;
}
