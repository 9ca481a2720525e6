#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace pinn {

/// Scripts that make a shell complete a program: its options, from the same table that --help
/// prints; after --set and --over the keys of the problem file that the command names, the first
/// word that exists and is no option's value, from `pinn-train FILE --completion keys`, of the
/// pinn-train that stands beside it; file names for everything else.
namespace completion {

inline constexpr const char* bash = R"sh(FUNCTION() {
  local train=${1:-PROGRAM}
  local at=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} key= each last= target=
  # bash takes KEY=VALUE apart
  if [[ $word == = ]]; then
    key=${COMP_WORDS[at-1]}= word=
    (( at -= 1 ))
  elif (( at > 2 )) && [[ ${COMP_WORDS[at-1]} == = ]]; then
    key=${COMP_WORDS[at-2]}=
    (( at -= 2 ))
  fi
  if (( at > 0 )) && [[ ${COMP_WORDS[at-1]} == --set || ${COMP_WORDS[at-1]} == --over ]]; then
    for each in "${COMP_WORDS[@]:1}"; do
      each=${each//[\\\"\']/}  # as it was typed
      case $last in
        VALUED|=) ;;
        *) if [[ -e $each ]]; then target=$each; break; fi ;;
      esac
      last=$each
    done
    COMPREPLY=($(compgen -W "$("${train%-*}-train" ${target:+"$target"} --completion keys 2>/dev/null)" -- "$key$word"))
    COMPREPLY=("${COMPREPLY[@]#"$key"}")
    compopt -o nospace +o filenames 2>/dev/null  # whose = would be quoted
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "OPTIONS" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F FUNCTION PROGRAM
)sh";

inline constexpr const char* zsh = R"sh(#compdef PROGRAM
FUNCTION() {
  local each last target
  local -a keys
  if [[ $words[CURRENT-1] == --set || $words[CURRENT-1] == --over ]]; then
    for each in ${(Q)words[2,-1]}; do
      case $last in
        VALUED) ;;
        *) if [[ -e $each ]]; then target=$each; break; fi ;;
      esac
      last=$each
    done
    keys=(${(f)"$(${words[1]%-*}-train ${target:+$target} --completion keys 2>/dev/null)"})
    compadd -S '' -- $keys
  else
    compadd -- OPTIONS
    _files
  fi
}
compdef FUNCTION PROGRAM
)sh";

inline constexpr const char* fish = R"sh(function _FUNCTION_keys
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
  set -l train (string replace -r -- '-[^-]*$' '-train' $words[1])
  $train $target --completion keys 2>/dev/null
end
OPTIONS)sh";

/// A script with what stands for a word of it.
inline std::string with(std::string script, const std::string& word, const std::string& text) {
  for (std::size_t at = 0; (at = script.find(word, at)) != script.npos; at += text.size())
    script.replace(at, word.size(), text);
  return script;
}

inline bool takes_keys(const std::string& option) { return option == "set" || option == "over"; }

/// A line of fish for an option: its name, whether a value follows, and what --help says of it.
inline std::string fish_line(const CLI::Option& option, const std::string& name) {
  if (takes_keys(name))
    return fmt::format("complete -c PROGRAM -l {} -x -a '(_FUNCTION_keys)'\n", name);
  std::string says;
  for (const char c : option.get_description()) says += c == '\'' ? "\\'" : std::string(1, c);
  return fmt::format("complete -c PROGRAM -l {}{} -d '{}'\n", name,
                     option.get_items_expected_max() > 0 ? " -r" : "", says);
}

}  // namespace completion

/// The name that a program was called by, without its folder.
inline std::string program_name(std::string_view called) {
  return std::string(called.substr(called.rfind('/') + 1));
}

/// The script for `shell`: bash, zsh or fish. Use: source <(pinn-train --completion bash), in fish
/// pinn-train --completion fish | source
inline std::string completion_script(const CLI::App& app, const std::string& program,
                                     const std::string& shell) {
  using completion::with;
  std::vector<std::string> words, valued;
  std::string lines;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) {
      words.push_back("--" + name);
      if (option->get_items_expected_max() > 0) valued.push_back("--" + name);
      lines += completion::fish_line(*option, name);
    }
  const bool fish = shell == "fish";
  std::string function = "_" + program;
  std::ranges::replace(function, '-', '_');
  std::string script = fish             ? completion::fish
                       : shell == "zsh" ? completion::zsh
                                        : completion::bash;
  script = with(script, "OPTIONS", fish ? lines : fmt::format("{}", fmt::join(words, " ")));
  script = with(script, "VALUED", fmt::format("{}", fmt::join(valued, fish ? " " : "|")));
  return with(with(script, "PROGRAM", program), "FUNCTION", function);
}

}  // namespace pinn
