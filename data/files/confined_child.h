#pragma once
/// Only for confined.cpp: what happens in the process that it starts.
#include "data/files/confined.h"

namespace pinn::confined {

/// What comes before an answer: whether its words are those of an error, and its sizes in bytes.
struct Head {
  std::uint64_t failed, words, numbers;
};

/// Gives up what a forked process holds and may do, and answers requests until there are no more.
[[noreturn]] void run(int socket, const Allowance& allowance,
                      const std::function<Confined::Answerer()>& open) noexcept;

/// Forbids all calls to the system but those by which a process reads files, takes memory and
/// answers. Does nothing where the system cannot do that.
void forbid_calls();

}  // namespace pinn::confined
