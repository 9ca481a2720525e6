#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <new>
#include <sstream>
#include <system_error>

#include "apps/say.h"
#include "autograd/core/error.h"

namespace pinn {

/// What the programs answer to the shell.
enum class ExitCode {
  done = 0,
  wrong_input = 1,
  wrong_usage = 2,
  diverged = 3,
  interrupted = 4,
  file_failed = 5,
  out_of_memory = 6,
  device_missing = 7,
  promise_broken = 8,
  bug = 70
};

/// The same for --help.
inline constexpr const char* exit_codes =
    "Exit codes: 0 done, 1 wrong input, 2 wrong usage, 3 diverged, 4 interrupted (resume),\n"
    "5 input or output failed, 6 out of memory, 7 device missing, 8 a promise broken (--strict),\n"
    "70 a bug of ours.";

struct UsageError : Error {
  using Error::Error;
};  ///< the command line is wrong

/// What --threads may be; CLI11's own checks tell of ranges with 309 digits.
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

inline int out_of_memory() {
  tell(
      "error: out of memory\n  fix:   use fewer points or threads, a smaller network, or adam "
      "instead of ssbroyden\n");
  return int(ExitCode::out_of_memory);
}

/// Parses the command line and runs the command; --help, --version and wrong usage end here.
template <class Command> int parsed(CLI::App& app, int argc, char** argv, Command&& command) try {
  app.parse(argc, argv);
  return command();
} catch (const CLI::ParseError& e) {
  std::ostringstream out, err;
  const bool asked_for = app.exit(e, out, err) == 0;
  say(out.str());
  tell(err.str());
  return int(asked_for ? ExitCode::done : ExitCode::wrong_usage);
}

/// Runs a program: prints any error, and gives the exit code. Files that may not grow further are
/// errors of the calls that meet them, and no signal.
template <class Command> int guarded(CLI::App& app, int argc, char** argv, Command&& command) {
  const auto failed = [](const std::exception& e, ExitCode code) {
    tell(e.what() + std::string("\n"));
    return int(code);
  };
  open_standard_files();
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return parsed(app, argc, argv, command);
  } catch (const UsageError& e) {
    return failed(e, ExitCode::wrong_usage);
  } catch (const NumericsError& e) {
    return failed(e, ExitCode::diverged);
  } catch (const FileError& e) {
    return failed(e, ExitCode::file_failed);
  } catch (const DeviceError& e) {
    return failed(e, ExitCode::device_missing);
  } catch (const ConfigError& e) {
    return failed(e, ExitCode::wrong_input);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::filesystem::filesystem_error& e) {
    return failed(
        FileError({e.code().message(), e.path1().string(), "check the path and your rights there"}),
        ExitCode::file_failed);
  } catch (const std::system_error& e) {  // no room for the stack of one more thread
    if (e.code() == std::errc::resource_unavailable_try_again) return out_of_memory();
    return failed(e, ExitCode::bug);
  } catch (const std::exception& e) {
    tell(fmt::format("{}\n  this is a bug of ours: please report it with the problem file\n",
                     e.what()));
    return int(ExitCode::bug);
  }
}

}  // namespace pinn
