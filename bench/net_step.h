#pragma once
#include "bench/row.h"
#include "solvers/residual/loss/loss.h"

namespace pinn::bench {

/// How a step is computed.
struct Way {
  const char* name;
  Derivatives derivatives;
  bool compiled;
  Products products = Products::exact;
};
inline constexpr Way ways[] = {{"compiled", Derivatives::taylor, true},
                               {"taylor", Derivatives::taylor, false},
                               {"reverse", Derivatives::reverse, false}};
inline constexpr Way in_parts{"compiled-bf16x3", Derivatives::taylor, true, Products::bf16x3};
inline constexpr const Way &compiled = ways[0], &by_taylor = ways[1], &by_reverse = ways[2];

inline constexpr const char* burgers = "u_t + u*u_x - 0.01/pi*u_xx";

/// A training step: a network 2, width ... width, 1 with one activation, on x and t in [-1, 1],
/// where it leaves its inputs as they are; the mean square of one residual, and its gradient by the
/// parameters. Parameters and points are functions of the sizes alone.
struct NetStep {
  std::shared_ptr<const Model> model;
  std::vector<double> parameters;
  PointSet points;

  NetStep(const std::string& residual, std::int64_t width, std::int64_t layers, std::int64_t count,
          const std::string& activation = "tanh");
  std::unique_ptr<Loss> loss(DType dtype, const Way& way, ThreadPool& pool,
                             Device device = Device::cpu) const;
};

/// The operations of the products that an act logs: on this thread, and not from a compiled step.
double product_flops(const std::function<void()>& act);

/// Value and gradient of a loss, with the operations of its products: 0 for a compiled step, which
/// counts none.
struct Said {
  double total = 0;
  std::vector<double> gradient;
  double flops = 0;
};
/// Products are counted on one thread only.
Said said(const NetStep& step, DType dtype, const Way& way, Device device = Device::cpu,
          int threads = 1);

/// The largest difference of gradients, relative to the largest entry of the exact one.
double gradient_difference(const Said& s, const Said& exact);

/// The step as a row; `flops` are those of its products.
Row row_of(std::shared_ptr<const NetStep> step, const Way& way, DType dtype, double flops,
           ThreadPool& pool, Device device = Device::cpu);

}  // namespace pinn::bench
