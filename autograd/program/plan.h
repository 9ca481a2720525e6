#pragma once
#include <cstddef>

#include "autograd/graph/graph.h"
#include "autograd/program/program.h"

namespace pinn {

/// Plans a traced graph (optimized(), autograd/graph/passes.h) as a program: rows become lanes, of
/// which most ops on shapes leave nothing; what is the same at all points moves to the prologue;
/// lanes share an arena by their life times; the block size follows from the arena and a nominal
/// cache, so that a plan is the same on every machine.
///
///   errors   EngineError for what a program cannot do, by the name of the op
Program plan(const Graph& graph);

/// How many points make a block when `points` are cut into hardly more blocks than the plan asks
/// for, but of one length and so many that 2, 4, 8 or 16 threads have equal shares. A multiple of
/// what fills a cache line, if the plan's block is.
std::size_t even_block(const Program& program, std::size_t points);

/// Summary of a plan, for people.
struct PlanReport {
  std::size_t instructions = 0;
  double flops = 0;          ///< per point, a multiplication and an addition counted as two
  double product_flops = 0;  ///< of them in products and contractions
  std::size_t arena_bytes = 0;
  int block = 0;
};
PlanReport report(const Program& program);

/// One instruction per line.
std::string to_text(const Program& program);

}  // namespace pinn
