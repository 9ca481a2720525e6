#include <algorithm>
#include <cmath>

#include "autograd/cuda/gpu.h"
#include "bench/clock.h"
#include "bench/hessian_net.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

/// A way to compute the Hessian.
struct Way {
  std::string name;
  bool taylor, prune;
};
const Way pruned{"pruned", false, true}, unpruned{"unpruned", false, false},
    taylor{"taylor", true, true};

/// The square products that it must take: after the forward pass, the Jacobian, the Hessian and the
/// backward pass.
std::array<double, 4> expected_counts(const std::string& activation, const Way& way) {
  if (way.taylor) return {30, 30, 30, 90};
  const double backward = activation == "relu" ? 70 : 160;
  if (way.prune) return {5, 20, 80, 80 + backward};
  return {5, 35, 155, 155 + backward};
}

HessianResult run(const HessianNet& net, const Way& way, bool with_backward) {
  const Switched switched({.prune = way.prune});
  return way.taylor ? taylor_hessian(net, with_backward) : reverse_hessian(net, with_backward);
}

/// Results of one whole iteration, and the products it took.
struct Iteration {
  std::vector<double> jacobian, hessian, gradient;
  std::array<double, 4> counts;
  std::vector<ProductSize> products, products_without_backward;
};

Iteration iterate(const HessianNet& net, const Way& way) {
  net.clear_gradients();
  stats() = {};
  stats().recording = true;
  Iteration it;
  const HessianResult result = run(net, way, true);
  it.jacobian = result.jacobian.values();
  it.hessian = result.hessian.values();
  it.gradient = net.gradient();
  it.counts = result.counts.all();
  it.products = stats().product_log;
  it.products_without_backward.assign(it.products.begin(),
                                      it.products.begin() + std::ptrdiff_t(result.products));
  stats() = {};
  net.clear_gradients();
  return it;
}

/// The largest |H_ij - H_ji|, relative to the largest entry.
double asymmetry(const std::vector<double>& hessian, std::int64_t points) {
  double worst = 0;
  const auto at = [&](std::int64_t row, std::int64_t p, std::int64_t j) {
    return hessian[std::size_t((row * points + p) * 2 + j)];
  };
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t p = 0; p < points; ++p)
      worst = std::max(worst, std::fabs(at(2 * i, p, 1) - at(2 * i + 1, p, 0)));
  return worst / std::max(largest(hessian), 1e-300);
}

double relative(const std::vector<double>& a, const std::vector<double>& reference) {
  const double scale = largest(reference);
  return scale > 0 ? distance(a, reference) / scale : distance(a, reference);
}

/// The share of entries that are further from the reference than `limit` of the largest one. A relu
/// whose argument rounds to the other side of zero switches whole entries, so a few may be.
double share_off(const std::vector<double>& a, const std::vector<double>& reference, double limit) {
  double off = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    off += !(std::fabs(a[i] - reference[i]) <= limit * largest(reference));
  return off / double(a.size());
}

/// Holds a way to its counts, to symmetry and to float64; the differences found.
Line validated(const std::string& who, bool is_relu, const std::array<double, 4>& counts,
               const Iteration& it, const Iteration& exact, const HessianNet& net,
               Journal& journal) {
  const bool single = net.dtype == DType::float32;
  const double limit = single ? 2e-6 : 1e-12, gradient_limit = single ? 1e-5 : 1e-12;
  for (std::size_t i = 0; i < 4; ++i)
    journal.validate(fmt::format("{}: products of phase {} beyond {}", who, i, counts[i]),
                     std::fabs(it.counts[i] - counts[i]), 0);
  if (is_relu) {
    journal.validate(who + ": largest entry of the Hessian", largest(it.hessian), 0);
    journal.validate(who + ": largest entry of its gradient", largest(it.gradient), 0);
    journal.validate(who + ": entries of the Jacobian away from float64",
                     share_off(it.jacobian, exact.jacobian, limit), 0.01);
    return {};
  }
  const double symmetry = asymmetry(it.hessian, net.points()),
               hessian = relative(it.hessian, exact.hessian),
               gradient = relative(it.gradient, exact.gradient);
  journal.validate(who + ": asymmetry", symmetry, limit);
  journal.validate(who + ": Hessian against float64", hessian, limit);
  journal.validate(who + ": gradient against float64", gradient, gradient_limit);
  return Line()
      .add("asymmetry", symmetry)
      .add("hessian_difference", hessian)
      .add("gradient_difference", gradient);
}

Row row_of(const std::string& name, const HessianNet& net, const Way& way, bool with_backward,
           const Iteration& it) {
  const std::vector<ProductSize>& products =
      with_backward ? it.products : it.products_without_backward;
  Row row;
  row.name = name;
  for (const ProductSize& p : products) row.flops += 2 * double(p.m) * double(p.n) * double(p.k);
  row.facts.add("points", net.points())
      .add("width", net.width())
      .add("square_products", it.counts[with_backward ? 3 : 2])
      .add("products", products.size());
  const Device device = net.x.device();
  if (device.is_cpu()) row.facts.add("products_ms", 1e3 * replay_seconds(products, net.dtype));
  row.act = [&net, way, with_backward, device] {
    run(net, way, with_backward);
    if (!device.is_cpu()) cuda::gpu(device).synchronize();
  };
  row.results = [it, with_backward] {
    Arrays arrays{{"hessian", it.hessian}};
    if (with_backward) arrays["gradient"] = it.gradient;
    return arrays;
  };
  return row;
}

/// Do times follow counts?
void compare(const std::map<std::string, Samples>& samples, const std::string& activation,
             const Journal& journal) {
  for (const std::string last : {"", " backward"}) {
    const auto time = [&](const Way& way) {
      const auto found = samples.find(activation + " " + way.name + last);
      return found == samples.end() ? 0.0 : median(found->second.wall);
    };
    const auto count = [&](const Way& way) {
      return expected_counts(activation, way)[last.empty() ? 2 : 3];
    };
    if (time(pruned) > 0 && time(unpruned) > 0)
      journal.compare(activation + last + ": unpruned / pruned, over the ratio of counts",
                      time(unpruned) / time(pruned) * count(pruned) / count(unpruned), 0.9, true);
    if (time(pruned) > 0 && time(taylor) > 0)
      journal.compare(activation + last + ": taylor / pruned", time(taylor) / time(pruned), 0.5);
  }
}

/// The iteration in float64 on the CPU: where one activation is asked for and --write left it, as
/// it stands there, since a network of this size takes long on one core.
Iteration reference(const std::string& activation, const HessianNet& net, const Options& options) {
  const bool reads = options.serve && !options.folder.empty() && !options.activation.empty();
  if (Arrays kept =
          reads ? read_arrays(options.folder, "reference", {"jacobian", "hessian", "gradient"})
                : Arrays();
      !kept.empty() && kept["gradient"].size() == net.parameter_values().size() &&
      kept["hessian"].size() == std::size_t(12 * net.points()))
    return {kept["jacobian"], kept["hessian"], kept["gradient"], {}, {}, {}};
  Iteration exact =
      iterate(HessianNet(activation, net.points(), net.width(), DType::float64), pruned);
  if (!options.folder.empty()) {
    write_arrays(options.folder, "input",
                 {{"parameters", net.parameter_values()}, {"x", net.x.values()}});
    write_arrays(
        options.folder, "reference",
        {{"jacobian", exact.jacobian}, {"hessian", exact.hessian}, {"gradient", exact.gradient}});
  }
  return exact;
}

void one_activation(const std::string& activation, const Options& options, Journal& journal) {
  const std::int64_t points = options.points_or(2000), width = options.width_or(512);
  const HessianNet net(activation, points, width, options.dtype, options.device);
  const Iteration exact = reference(activation, net, options);
  if (options.only_write) return;

  std::vector<Row> rows;
  for (const Way& way : {pruned, unpruned, taylor}) {
    const std::string name = activation + " " + way.name;
    const bool plain = options.wants(name), backward = options.wants(name + " backward");
    if (!plain && !backward) continue;
    const Iteration it = iterate(net, way);
    const Line differences = validated(name, activation == "relu", expected_counts(activation, way),
                                       it, exact, net, journal);
    if (plain) rows.push_back(row_of(name, net, way, false, it));
    if (backward) rows.push_back(row_of(name + " backward", net, way, true, it));
    for (Row& row : rows)
      if (row.name.rfind(name, 0) == 0) row.facts.add(differences);
  }
  compare(measure(rows, options, journal), activation, journal);
}

}  // namespace

void hessian(const Options& options, Journal& journal) {
  const std::vector<std::string> all{"relu", "tanh", "silu"};
  for (const std::string& activation :
       options.activation.empty() ? all : std::vector{options.activation})
    one_activation(activation, options, journal);
}

}  // namespace pinn::bench
