#pragma once
#include <string>

/// A problem file with a part of another one in it, as a page means that shows the part alone.
/// Keys that stand in `part` before any header belong to the first table `header` of the file.
/// A [table] gives its keys to that of the file, in the place of those with the same names, or is
/// added. [[stage]] and [[network]] stand in the place of all of the file; any other [[table]] is
/// added. Errors: std::runtime_error, where the file has no table `header`.
std::string with_part(const std::string& file, const std::string& part, const std::string& header);

/// How many [[stage]] a problem file has.
int stages_of(const std::string& file);
