/// campaign-forgeries COUNT SEED FOLDER: so many forged and sealed checkpoints, of runs with every
/// optimizer in turn; each goes through status, resume, --init-from and pinn-export.
#include <fmt/format.h>

#include "tests/apps/forged_run.h"
#include "tests/dice.h"

using namespace pinn;
using namespace pinn::test;

int main(int argc, char** argv) {
  if (argc != 4) return fmt::print(stderr, "usage: campaign-forgeries COUNT SEED FOLDER\n"), 2;
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  Dice dice(std::strtoull(argv[2], nullptr, 10));
  std::vector<std::unique_ptr<ForgedRun>> runs;
  for (const std::string& optimizer : optimizer_kinds())
    runs.push_back(std::make_unique<ForgedRun>(optimizer));

  int findings = 0;
  for (std::uint64_t n = 0; n < count; ++n) {
    const ForgedRun& run = *runs[n % runs.size()];
    const auto& all = run.forgeries();
    const Forgery& forgery = all[std::size_t(dice.below(std::int64_t(all.size())))];
    const std::string what = run.finding(forgery);
    if (what.empty()) continue;
    ++findings;
    const std::string kept = fmt::format("{}/forgery-{}.txt", argv[3], n);
    write_atomically(kept, {what});
    fmt::print("finding: {}: {}", kept, what);
    std::fflush(stdout);
  }
  fmt::print("forgeries {}: {} findings\n", count, findings);
  return findings > 0 ? 1 : 0;
}
