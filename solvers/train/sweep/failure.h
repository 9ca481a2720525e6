#pragma once
#include <cstddef>
#include <string>

namespace pinn::sweep {

/// The exit code that a member's record has, of that of its process: one that was told to stop
/// before it listened was interrupted.
int exit_code_of(int code, bool stopping);

/// Why a process that ended with this code failed, in a line: the last error in its log behind a
/// byte, else the last words there; "" where it did not fail.
std::string error_in(const std::string& log, std::size_t from, int code);

}  // namespace pinn::sweep
