#include <algorithm>
#include <cmath>
#include <map>

#include "bench/clock.h"
#include "bench/tensors.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

/// Seconds to build y <- y + 1e-6 y `depth` times, to differentiate it, and to take it apart
/// without having done so.
struct Chain {
  double build = 0, grad = 0, destroy = 0, value = 0;
};

Tensor chain(const Tensor& x, std::int64_t depth) {
  Tensor y = x;
  for (std::int64_t i = 0; i < depth; ++i) y = y + 1e-6 * y;
  return y;
}

Chain run(std::int64_t depth) {
  const Tensor x = full({1}, 1).set_requires_grad();
  Chain c;
  {
    Tensor y;
    c.build = seconds([&] { y = chain(x, depth); });
    c.grad = seconds([&] { c.value = grad(y, x).item(); });
  }
  Tensor y = chain(x, depth);
  c.destroy = seconds([&] { y = {}; });
  return c;
}

}  // namespace

void deep_chain(const Options& options, Journal& journal) {
  const std::int64_t depth = options.count_or(1000000);
  std::map<std::int64_t, Chain> shortest;
  for (int sample = 0; sample < std::max(1, options.samples); ++sample)
    for (const std::int64_t d : {depth / 10, depth}) {
      const Chain c = run(d);
      Chain& l = shortest.try_emplace(d, c).first->second;
      l = {std::min(l.build, c.build), std::min(l.grad, c.grad), std::min(l.destroy, c.destroy),
           c.value};
    }
  for (const auto& [d, c] : shortest) {
    const double exact = std::pow(1 + 1e-6, double(d));
    journal.validate(fmt::format("gradient at depth {}, relative", d),
                     std::fabs(c.value / exact - 1), double(d) * 2e-16);
    journal.print(Line()
                      .add("row", fmt::format("depth {}", d))
                      .add("dtype", "float64")
                      .add("build_ms", 1e3 * c.build)
                      .add("grad_ms", 1e3 * c.grad)
                      .add("destroy_ms", 1e3 * c.destroy)
                      .add("samples", options.samples));
  }
  const Chain a = shortest[depth / 10], b = shortest[depth];
  journal.compare("build, s", b.build, 2);
  journal.compare("grad, s", b.grad, 2);
  journal.compare("destroy, s", b.destroy, 2);
  journal.compare("destroy, ten times the depth", b.destroy / a.destroy, 12);
}

}  // namespace pinn::bench
