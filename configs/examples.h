#pragma once
#include <string>
#include <vector>

namespace pinn::config {

/// A shipped problem, as the program carries it.
struct Example {
  std::string name, text;
};
const std::vector<Example>& examples();

/// All of them, a line each: the name, and what the file says first of itself; files that it reads.
std::string examples_as_text();

/// The file of that name. Errors: ConfigError with the nearest name where there is none.
const std::string& example_named(const std::string& name);

/// The text of a problem with the files that it names by their whole paths, where they lie in
/// `folder`, that of the shipped problems: so it can be trained from anywhere.
std::string with_files_from(const std::string& folder, std::string text);

/// A small problem with a comment beside every key, to be changed.
const char* new_problem();

}  // namespace pinn::config
