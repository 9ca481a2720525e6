#pragma once
#include "autograd/core/numbers.h"
#include "autograd/core/stats.h"
#include "autograd/cuda/driver/driver.h"
#include "bench/journal.h"
#include "bench/net_step.h"

/// One function per workload: it validates, then times, and prints its lines (bench/README.md says
/// what each means).

namespace pinn::bench {

void hessian(const Options& options, Journal& journal);
void fast_weights(const Options& options, Journal& journal);
void learned_step(const Options& options, Journal& journal);
void small_graph(const Options& options, Journal& journal);
void deep_chain(const Options& options, Journal& journal);
void old_leaf(const Options& options, Journal& journal);
void small_ops(const Options& options, Journal& journal);
void saved_chain(const Options& options, Journal& journal);
void saved_hessian(const Options& options, Journal& journal);
void training_step(const Options& options, Journal& journal);
void burgers_run(const Options& options, Journal& journal);
void fourth_order(const Options& options, Journal& journal);
void least_squares(const Options& options, Journal& journal);
void second_order(const Options& options, Journal& journal);
void curvature(const Options& options, Journal& journal);
void step_memory(const Options& options, Journal& journal);
void evaluation(const Options& options, Journal& journal);
void mesh_queries(const Options& options, Journal& journal);
void gpu_limits(const Options& options, Journal& journal);
void gpu_offload(const Options& options, Journal& journal);
void gpu_descent(const Options& options, Journal& journal);
void estimates(const Options& options, Journal& journal);

/// Operations per nanosecond of a product of large matrices of random numbers.
double gpu_product_rate(Device device, DType dtype,
                        cuda::Precision precision = cuda::Precision::exact);

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

/// The seconds that these products take by themselves, on operands of the same sizes: each shape is
/// timed once, alone, with its operands as they lie in forward, data-gradient and weight-gradient
/// products. What an iteration takes beyond this is elementwise work and bookkeeping.
double replay_seconds(const std::vector<ProductSize>& products, DType dtype);

}  // namespace pinn::bench
