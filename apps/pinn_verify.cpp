/// pinn-verify: computes anew what a run, or a receipt of one, says of itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
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
  std::optional<std::uint64_t> seed;
  int threads = 0;
  bool retrain = false;
};

void declare(CLI::App& app, VerifyArguments& a) {
  app.set_version_flag("--version", "pinn-verify " + std::string(version()));
  app.add_option("TARGET", a.target, "The folder of a run, or a receipt (.pinn)")->required();
  app.add_flag(
      "--retrain", a.retrain,
      "Also train it again from its beginning, to the last bit where the processor allows");
  app.add_option("--seed", a.seed, "Seed of the fresh points (default: another each time)")
      ->check(CLI::Range(std::uint64_t(0), std::uint64_t(1) << 53));
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
  bool exactly = false;       ///< the claims are of this program, for this processor
  std::string file, problem;  ///< it came from, and where its problem file stands
};

Verified of_receipt(const VerifyArguments& a, const std::string& folder) {
  Receipt receipt = read_receipt(a.target);
  const std::string problem = unpacked(receipt, a.target, folder);
  const bool exactly = receipt.program == fmt::format("pinn {}", version()) &&
                       receipt.instruction_set == instruction_set();
  return {std::move(receipt.checkpoint), std::move(receipt.claims), exactly, a.target, problem};
}

Verified of_run(const VerifyArguments& a) {
  Found found = found_run(a.target);
  for (const std::string& message : found.messages) tell(message + "\n");
  const std::string problem = problem_file(found.checkpoint->record, a.target);
  return {std::move(*found.checkpoint), {}, false, found.file, problem};
}

/// "x86-64-v4" of "x86-64-v4 avx512bf16 ...".
std::string level(const std::string& instructions) {
  return instructions.substr(0, instructions.find(' '));
}

Run run_of(const Verified& of, const std::vector<Flag>& flags) {
  return recorded_run(of.checkpoint, of.file, of.problem, flags);
}

/// All that a receipt claims: its own numbers, and those that its checkpoint has otherwise.
Claims all_claims(const Verified& of, const Run& run) {
  Claims all = of.claims;
  for (const Claim& claim : recorded_claims(run, of.checkpoint, ""))
    if (std::ranges::none_of(of.claims, [&](const Claim& one) {
          return one.name == claim.name && (one.value == claim.value || std::isnan(claim.value));
        }))
      all.push_back(claim);
  return all;
}

Verification computed_anew(const VerifyArguments& a, const Verified& of, const std::string& own) {
  const bool is_run = std::filesystem::is_directory(a.target);
  const Run run = run_of(of, {{"--device", "run.device", std::string("cpu")}});
  const RunRecord& record = of.checkpoint.record;
  say(fmt::format("{}, trained by {} ({}) on {}; computed anew by {} ({})\n", record.name,
                  record.program, level(record.instruction_set), record.device, version(),
                  level(instruction_set())));
  ThreadPool pool(a.threads > 0 ? a.threads : available_threads());
  const Claims claims =
      is_run ? recorded_claims(run, of.checkpoint, status_json_of(a.target)) : all_claims(of, run);
  Verification all =
      compared(claims, claims_of(run, of.checkpoint, of.file, pool), of.exactly, !is_run);
  all += at_fresh_points(run, of.checkpoint.state, a.seed ? *a.seed : std::random_device{}(), pool);
  std::vector<Flag> own_threads;
  if (a.threads > 0) own_threads.push_back({"--threads", "run.threads", std::to_string(a.threads)});
  if (a.retrain) all += retrained(run_of(of, own_threads), of.checkpoint, own + "/run");
  return all;
}

/// A problem, data or a network that is not what the checkpoint records is the first thing not true
/// of a receipt. A run's files may be gone or changed for other reasons.
Verification verified(const VerifyArguments& a, const Verified& of, const std::string& own) try {
  return computed_anew(a, of, own);
} catch (const ConfigError& error) {
  if (std::filesystem::is_directory(a.target)) throw;
  return {error.what() + std::string("\n"), false};
} catch (const FileError& error) {
  if (std::filesystem::is_directory(a.target)) throw;
  return {error.what() + std::string("\n"), false};
}

int run_command(const VerifyArguments& a) {
  if (!std::filesystem::exists(a.target))
    throw ConfigError({"there is no such folder or file", a.target, "name a run or a receipt"});
  const OwnFolder own;
  const Verified of =
      std::filesystem::is_directory(a.target) ? of_run(a) : of_receipt(a, own.path());
  const Verification all = verified(a, of, own.path());
  say(all.text + (!all.holds ? "not verified\n" : all.interrupted ? "" : "verified\n"));
  if (all.interrupted) return int(ExitCode::interrupted);
  return int(all.holds ? ExitCode::done : ExitCode::promise_broken);
}

}  // namespace

int pinn_verify_main(int argc, char** argv) {
  CLI::App app{"Computes anew what a run, or a receipt of one, says of itself."};
  VerifyArguments arguments;
  declare(app, arguments);
  return guarded(app, argc, argv, [&] { return run_command(arguments); });
}
