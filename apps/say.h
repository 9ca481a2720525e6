#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <string>

#include "autograd/core/error.h"
#include "data/files/disk.h"

namespace pinn {

/// Gives the program standard input, output and error where it was started without: a file that it
/// opens would take their number, and be written to by whatever prints.
inline void open_standard_files() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file)
    if (::fcntl(file, F_GETFD) < 0 && errno == EBADF)
      if (::open("/dev/null", O_RDWR) < 0) ::_exit(5);  // takes the lowest number: this one
}

/// Prints what was asked for. Errors: FileError when it does not arrive.
inline void say(const std::string& text) {
  const std::string shown = visible(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size() ||
      std::fflush(stdout) != 0)
    throw_file_error("cannot print", "the standard output", errno);
}

/// Prints what is said besides, on stderr; where stderr is closed, nothing can be done.
inline void tell(const std::string& text) {
  const std::string shown = visible(text);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

/// A script that makes bash or zsh complete a program's options, and file names for everything
/// else; made of the same table of options that --help prints. Use: source <(pinn-train
/// --completion bash)
inline std::string completion_script(const CLI::App& app, const std::string& program,
                                     const std::string& shell) {
  std::string options;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) options += " --" + name;
  if (shell == "zsh")
    return fmt::format("#compdef {0}\n_{1}() {{ compadd --{2}; _files }}\ncompdef _{1} {0}\n",
                       program, program.substr(0, 4) + "_" + program.substr(5), options);
  return fmt::format(
      "_{1}() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\"\n"
      "  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"{2}\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}}\n"
      "complete -o filenames -F _{1} {0}\n",
      program, program.substr(0, 4) + "_" + program.substr(5), options);
}

}  // namespace pinn
