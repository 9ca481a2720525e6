#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pinn {

/// Scripts that make a shell complete pinn-train: its options, from the same table that --help
/// prints; after --set the keys of the problem file that the command names, the first word that
/// exists and is no option's value, from `pinn-train FILE --completion keys`; file names for
/// everything else.
namespace completion {

inline constexpr const char* bash = R"sh(_pinn_train() {
  local at=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} key= each last= target=
  # bash takes KEY=VALUE apart
  if [[ $word == = ]]; then
    key=${COMP_WORDS[at-1]}= word=
    (( at -= 1 ))
  elif (( at > 2 )) && [[ ${COMP_WORDS[at-1]} == = ]]; then
    key=${COMP_WORDS[at-2]}=
    (( at -= 2 ))
  fi
  if (( at > 0 )) && [[ ${COMP_WORDS[at-1]} == --set ]]; then
    for each in "${COMP_WORDS[@]:1}"; do
      each=${each//[\\\"\']/}  # as it was typed
      case $last in
        VALUED|=) ;;
        *) if [[ -e $each ]]; then target=$each; break; fi ;;
      esac
      last=$each
    done
    COMPREPLY=($(compgen -W "$("${1:-pinn-train}" ${target:+"$target"} --completion keys 2>/dev/null)" -- "$key$word"))
    COMPREPLY=("${COMPREPLY[@]#"$key"}")
    compopt -o nospace +o filenames 2>/dev/null  # whose = would be quoted
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "OPTIONS" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _pinn_train pinn-train
)sh";

inline constexpr const char* zsh = R"sh(#compdef pinn-train
_pinn_train() {
  local each last target
  local -a keys
  if [[ $words[CURRENT-1] == --set ]]; then
    for each in ${(Q)words[2,-1]}; do
      case $last in
        VALUED) ;;
        *) if [[ -e $each ]]; then target=$each; break; fi ;;
      esac
      last=$each
    done
    keys=(${(f)"$($words[1] ${target:+$target} --completion keys 2>/dev/null)"})
    compadd -S '' -- $keys
  else
    compadd -- OPTIONS
    _files
  fi
}
compdef _pinn_train pinn-train
)sh";

inline constexpr const char* fish = R"sh(function __pinn_train_keys
  set -l words (commandline -opc)
  set -l target
  set -l last
  for each in $words[2..-1]
    if not contains -- "$last" VALUED; and test -e $each
      set target $each
      break
    end
    set last $each
  end
  $words[1] $target --completion keys 2>/dev/null
end
OPTIONScomplete -c pinn-train -l set -x -a '(__pinn_train_keys)'
)sh";

/// A script with what stands for a word of it.
inline std::string with(std::string script, const std::string& word, const std::string& text) {
  return script.replace(script.find(word), word.size(), text);
}

/// A line of fish for an option: its name, whether a value follows, and what --help says of it.
inline std::string fish_line(const CLI::Option& option, const std::string& name) {
  std::string says;
  for (const char c : option.get_description()) says += c == '\'' ? "\\'" : std::string(1, c);
  return fmt::format("complete -c pinn-train -l {}{} -d '{}'\n", name,
                     option.get_items_expected_max() > 0 ? " -r" : "", says);
}

}  // namespace completion

/// The script for `shell`: bash, zsh or fish. Use: source <(pinn-train --completion bash), in fish
/// pinn-train --completion fish | source
inline std::string completion_script(const CLI::App& app, const std::string& shell) {
  std::vector<std::string> words, valued;
  std::string lines;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) {
      words.push_back("--" + name);
      if (option->get_items_expected_max() > 0) valued.push_back("--" + name);
      if (name != "set") lines += completion::fish_line(*option, name);
    }
  using completion::with;
  if (shell == "fish")
    return with(with(completion::fish, "OPTIONS", lines), "VALUED",
                fmt::format("{}", fmt::join(valued, " ")));
  return with(with(shell == "zsh" ? completion::zsh : completion::bash, "OPTIONS",
                   fmt::format("{}", fmt::join(words, " "))),
              "VALUED", fmt::format("{}", fmt::join(valued, "|")));
}

}  // namespace pinn
