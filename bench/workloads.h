#pragma once
#include "bench/journal.h"

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

}  // namespace pinn::bench
