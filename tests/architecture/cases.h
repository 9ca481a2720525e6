#pragma once
#include <string>
#include <vector>

/// Wrong ends of the cases of a test file: a line "PATH:LINE: ..." for each `return` of a case,
/// other than `if (skips(...)) return;` before anything was checked. A case that ends early in
/// another way would count as passed, or, skipped, hide what failed before.
std::vector<std::string> early_ends(const std::string& path, const std::string& text);

/// A line "PATH:LINE: ..." for each case whose name begins with `-`. The test program takes such a
/// name, with which each case is run by itself, as an option.
std::vector<std::string> names_like_options(const std::string& path, const std::string& text);
