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

/// A small problem with a comment beside every key, to be changed.
const char* new_problem();

}  // namespace pinn::config
