#pragma once
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <optional>
#include <sstream>
#include <string>

#include "apps/completion.h"
#include "apps/say.h"
#include "autograd/core/error.h"
#include "autograd/core/ranks.h"
#include "door/failure.h"

namespace pinn {

/// Exit codes of the programs.
enum class ExitCode {
  done = PINN_DONE,
  wrong_usage = PINN_WRONG_USAGE,
  diverged = PINN_DIVERGED,
  interrupted = PINN_INTERRUPTED,
  failed = PINN_FILE_FAILED,
  promise_broken = PINN_PROMISE_BROKEN,
  rank_lost = 9
};

/// The same for --help.
inline constexpr const char* exit_codes =
    "Exit codes: 0 done, 1 wrong input, 2 wrong usage, 3 diverged, 4 interrupted (resume),\n"
    "5 input or output failed, 6 out of memory, 7 device missing, 8 a promise broken (--strict),\n"
    "9 another rank is silent (resume), 70 a bug of ours.";

struct UsageError : Error {
  using Error::Error;
};  ///< the command line is wrong

/// Validator of --threads; CLI11's own checks tell of ranges with 309 digits.
inline CLI::Validator thread_count() {
  static constexpr int most = 4096;
  const auto mistake = [](const std::string& text) -> std::string {
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && count >= 1 && count <= most
               ? ""
               : fmt::format("'{}' is no number of threads: write 1 to {}, or leave it out", text,
                             most);
  };
  return CLI::Validator(mistake, fmt::format("1 to {}", most));
}

/// Parses the command line and runs the command; --help, --version and wrong usage end here, for
/// all ranks told by the first.
template <class Command>
int parsed(CLI::App& app, int argc, char** argv, Command&& command, const Ranks& ranks) try {
  app.parse(argc, argv);
  return command();
} catch (const CLI::ParseError& e) {
  std::ostringstream out, err;
  const bool asked_for = app.exit(e, out, err) == 0;
  if (ranks.rank() == 0) {
    say(out.str());
    tell(err.str());
  }
  return int(asked_for ? ExitCode::done : ExitCode::wrong_usage);
}

/// Ends all ranks, one of which tells why.
inline int fail(Ranks& ranks, const Failure& failure, bool by_another = false) {
  const Ranks::Ending end = ranks.end(failure.code, failure.text, by_another);
  if (end.teller == ranks.rank())
    tell((end.teller > 0 ? rank_text(ranks, end.teller) + ": " : "") + failure.text + "\n");
  return end.code;
}

/// The failure of a program that may use so little of a stack that it would crash, as its threads
/// would.
inline std::optional<Failure> lack_of_stack() {
  constexpr rlim_t least = rlim_t(1) << 20;  ///< four times what the smallest run needs
  rlimit allowed = {};
  if (::getrlimit(RLIMIT_STACK, &allowed) != 0 || allowed.rlim_cur >= least) return {};
  return Failure{PINN_OUT_OF_MEMORY,
                 fmt::format("error: the stack may have {} KiB, and {} KiB are needed\n"
                             "  where: the limits of this process\n"
                             "  fix:   raise the limit (ulimit -s 8192)",
                             allowed.rlim_cur >> 10, least >> 10)};
}

/// --completion for a program that does not declare it, with the name that it was called by. It
/// answers at once, whatever else the command line lacks.
inline void declare_completion(CLI::App& app, const std::string& program) {
  if (app.get_option_no_throw("--completion")) return;
  const auto print = [&app, program](const std::string& shell) {
    throw CLI::CallForVersion(completion_script(app, program, shell), 0);
  };
  app.add_option_function<std::string>("--completion", print,
                                       "Print a script for bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->trigger_on_parse();
}

/// Runs a program: prints any error, and gives the exit code. Files that may not grow further are
/// errors of the calls that meet them, and no signal.
template <class Command>
int guarded(CLI::App& app, int argc, char** argv, Command&& command, Ranks& ranks = alone()) {
  open_standard_files();
  std::signal(SIGXFSZ, SIG_IGN);
  if (const std::optional<Failure> lack = lack_of_stack()) return fail(ranks, *lack);
  declare_completion(app, program_name(argv[0]));
  try {
    return ranks.end(parsed(app, argc, argv, command, ranks), "", false).code;
  } catch (const UsageError& e) {
    return fail(ranks, {int(ExitCode::wrong_usage), e.what()});
  } catch (const RankError& e) {
    return fail(ranks, {int(ExitCode::rank_lost), e.what()}, true);
  } catch (...) {
    return fail(ranks, current_failure());
  }
}

}  // namespace pinn
