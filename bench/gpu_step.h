#pragma once
#include "bench/net_step.h"

namespace pinn::bench {

/// A row with what its step says, to be validated.
struct GpuRow {
  Row row;
  Said said;
};

/// The compiled step on a GPU by each way that there is (docs/cuda.md), whichever the program would
/// choose: wide blocks as large as they may be, wide blocks that fit the second cache, and tiles of
/// 8 to 64 points, in float32 with exact products and with three of TF32. What does not fit is said
/// and left out.
std::vector<GpuRow> gpu_rows(const std::shared_ptr<const NetStep>& step, const Options& options,
                             const Journal& journal);

}  // namespace pinn::bench
