#pragma once
#include "bench/journal.h"

namespace pinn::bench {

/// The same workload with these options in a process of its own, whose memory nothing before has
/// touched. Its lines go where ours go; what was wrong there is wrong here.
void run_apart(const Options& options, Journal& journal);

}  // namespace pinn::bench
