#pragma once

namespace pinn::test {

/// Whether the program watches its memory: then it reserves terabytes of addresses and keeps what
/// is freed, so that no test may limit it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace pinn::test
