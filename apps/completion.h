#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace pinn {

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
