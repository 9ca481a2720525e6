/// pinn-verify: computes anew what a run, or a receipt of one, says of itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <random>

#include "apps/exit_code.h"
#include "apps/programs.h"
#include "autograd/core/version.h"
#include "configs/recorded.h"
#include "data/files/process.h"
#include "solvers/verify/receipt.h"
#include "solvers/verify/verify.h"
#include "solvers/watch/follow.h"

using namespace pinn;

namespace {

struct VerifyArguments {
  std::string target;
  std::uint64_t seed = 0;
  int threads = 0;
  bool retrain = false;
};

void declare(CLI::App& app, VerifyArguments& a) {
  app.set_version_flag("--version", "pinn-verify " + std::string(version()));
  app.add_option("TARGET", a.target, "The folder of a run, or a receipt (.pinn)")->required();
  app.add_flag(
      "--retrain", a.retrain,
      "Also train it again from its beginning, to the last bit where the processor allows");
  app.add_option("--seed", a.seed, "Seed of the fresh points (default: another each time)");
  app.add_option("--threads", a.threads, "Threads (default: what the machine allows)")
      ->check(thread_count());
  app.footer(
      "Examples\n"
      "  pinn-train configs/burgers.toml --receipt          train; the receipt is "
      "runs/burgers/burgers.pinn\n"
      "  pinn-verify burgers.pinn                           elsewhere, in seconds\n"
      "  pinn-verify runs/burgers                           the same of a run\n"
      "  pinn-verify burgers.pinn --retrain                 also its training\n" +
      std::string(exit_codes));
}

/// A run to be verified, and a folder of the program's own that its files may lie in.
struct Verified {
  Checkpoint checkpoint;
  Claims claims;
  bool exactly = false, all_claimed = false;
  std::string file, problem;  ///< it came from, and where its problem file stands
};

Verified of_receipt(const VerifyArguments& a, const std::string& folder) {
  Receipt receipt = read_receipt(a.target);
  const std::string problem = unpacked(receipt, a.target, folder);
  const bool exactly = receipt.program == fmt::format("pinn {}", version()) &&
                       receipt.instruction_set == instruction_set();
  return {std::move(receipt.checkpoint),
          std::move(receipt.claims),
          exactly,
          exactly,
          a.target,
          problem};
}

Verified of_run(const VerifyArguments& a) {
  Found found = found_run(a.target);
  for (const std::string& message : found.messages) tell(message + "\n");
  const std::string problem = problem_file(found.checkpoint->record, a.target);
  const bool exactly = same_bits(found.checkpoint->record);
  return {std::move(*found.checkpoint), {}, exactly, false, found.file, problem};
}

/// "x86-64-v4" of "x86-64-v4 avx512bf16 ...".
std::string level(const std::string& instructions) {
  return instructions.substr(0, instructions.find(' '));
}

/// Another problem, other data or another network than was recorded is the first thing not true.
Verification verified(const VerifyArguments& a, Verified& of, const std::string& own) try {
  const Run run = recorded_run(of.checkpoint, of.file, of.problem,
                               {{"--device", "run.device", std::string("cpu")}});
  const RunRecord& record = of.checkpoint.record;
  say(fmt::format("{}, trained by {} ({}) on {}; computed anew by {} ({})\n", record.name,
                  record.program, level(record.instruction_set), record.device, version(),
                  level(instruction_set())));
  if (std::filesystem::is_directory(a.target))
    of.claims = recorded_claims(run, of.checkpoint, status_json_of(a.target));
  ThreadPool pool(a.threads > 0 ? a.threads : available_threads());
  const std::uint64_t seed = a.seed > 0 ? a.seed : std::random_device{}();
  Verification all =
      compared(of.claims, claims_of(run, of.checkpoint, of.file, pool), of.exactly, of.all_claimed);
  all += at_fresh_points(run, of.checkpoint.state, seed, pool);
  if (a.retrain)
    all += retrained(recorded_run(of.checkpoint, of.file, of.problem), of.checkpoint, own + "/run");
  return all;
} catch (const ConfigError& error) {
  return {error.what() + std::string("\n"), false};
} catch (const FileError& error) {
  return {error.what() + std::string("\n"), false};
}

int run_command(const VerifyArguments& a) {
  if (!std::filesystem::exists(a.target))
    throw ConfigError({"there is no such folder or file", a.target, "name a run or a receipt"});
  const OwnFolder own;
  Verified of = std::filesystem::is_directory(a.target) ? of_run(a) : of_receipt(a, own.path());
  const Verification all = verified(a, of, own.path());
  say(all.text +
      (all.holds ? "verified\n" : "not verified: something is claimed that is not true\n"));
  return int(all.holds ? ExitCode::done : ExitCode::promise_broken);
}

}  // namespace

int pinn_verify_main(int argc, char** argv) {
  CLI::App app{"Computes anew what a run, or a receipt of one, says of itself."};
  VerifyArguments arguments;
  declare(app, arguments);
  return guarded(app, argc, argv, [&] { return run_command(arguments); });
}
