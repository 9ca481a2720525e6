#include "autograd/cpu/eager/kernels.h"
#include "autograd/tape/modes.h"
#include "bench/clock.h"
#include "bench/row.h"
#include "bench/tensors.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

/// grad(a b, {a, b}, seed) for matrices of 2 x 2.
struct SmallGraph {
  Tensor a, b, seed;
  explicit SmallGraph(DType dtype)
      : a(normal({2, 2}, "a", dtype)), b(normal({2, 2}, "b", dtype)), seed(ones({2, 2}, dtype)) {
    a.set_requires_grad();
    b.set_requires_grad();
  }
  std::vector<Tensor> gradients() const { return grad({a * b}, {a, b}, {seed}); }
};

Row row(const std::string& name, std::int64_t calls, std::function<void()> act) {
  Row r;
  r.name = name;
  r.calls = calls;
  r.act = std::move(act);
  return r;
}

/// The three ways of one op: its kernel on bare memory, on tensors without history, recorded.
void add_ways(std::vector<Row>& rows, const std::string& op, std::int64_t calls,
              std::function<void()> kernel, std::function<void()> on_tensors) {
  rows.push_back(row(op + " kernel", calls, std::move(kernel)));
  rows.push_back(row(op + " unrecorded", calls, [on_tensors] {
    const NoGrad off;
    on_tensors();
  }));
  rows.push_back(row(op + " recorded", calls, on_tensors));
}

std::vector<Row> op_rows(const Tensor& x, const Tensor& y, const Tensor& a, const Tensor& b,
                         const Tensor& out, std::int64_t calls) {
  const auto binary = [&](int op) {
    return [=] {
      cpu::binary(op, x.dtype(), x.shape(), {x.raw(), x.strides()}, {y.raw(), y.strides()},
                  out.raw());
    };
  };
  std::vector<Row> rows;
  add_ways(rows, "add", calls, binary(binary_id<op::Add>), [=] { static_cast<void>(x + y); });
  add_ways(rows, "mul", calls, binary(binary_id<op::Mul>), [=] { static_cast<void>(x * y); });
  add_ways(
      rows, "matmul", calls,
      [=] {
        cpu::product(a.dtype(), 2, 2, 2, {a.raw(), 2, 1}, {b.raw(), 2, 1}, out.raw());
      },
      [=] { matmul(a, b); });
  return rows;
}

}  // namespace

void small_ops(const Options& options, Journal& journal) {
  const DType dtype = options.dtype;
  Tensor x = normal({4}, "x", dtype), y = normal({4}, "y", dtype), a = normal({2, 2}, "a", dtype),
         b = normal({2, 2}, "b", dtype);
  const Tensor out = zeros({4}, dtype);
  for (Tensor* t : {&x, &y, &a, &b}) t->set_requires_grad();
  const std::map<std::string, Samples> samples =
      measure(op_rows(x, y, a, b, out, options.count_or(100000)), options, journal);
  if (options.serve || options.samples == 0 || !options.row.empty()) return;
  const auto nanoseconds = [&](const std::string& name) {
    return 1e9 * median(samples.at(name).cpu);
  };
  for (const std::string op : {"add", "mul", "matmul"}) {
    const double kernel = nanoseconds(op + " kernel");
    journal.print(Line()
                      .add("row", op + " overhead")
                      .add("kernel_ns", kernel)
                      .add("unrecorded_ns", nanoseconds(op + " unrecorded") - kernel)
                      .add("recorded_ns", nanoseconds(op + " recorded") - kernel));
    if (op != "matmul")
      journal.compare(op + " recorded beyond the kernel, ns",
                      nanoseconds(op + " recorded") - kernel, 150);
  }
}

void small_graph(const Options& options, Journal& journal) {
  const SmallGraph graph(options.dtype);
  const std::vector<Tensor> g = graph.gradients();
  journal.validate("d(a b)/da against b", distance(g[0].values(), graph.b.values()), 0);
  journal.validate("d(a b)/db against a", distance(g[1].values(), graph.a.values()), 0);

  const auto with = [&](bool bound) {
    return [&graph, bound] {
      engine_switches().bound_discovery = bound;
      graph.gradients();
    };
  };
  const std::int64_t calls = options.count_or(10000);
  const Switched restored(engine_switches());
  const std::map<std::string, Samples> samples = measure(
      {row("bound on", calls, with(true)), row("bound off", calls, with(false))}, options, journal);
  if (options.serve || options.samples == 0 || !options.row.empty()) return;
  const double bounded = 1e6 * median(samples.at("bound on").cpu),
               unbounded = 1e6 * median(samples.at("bound off").cpu);
  journal.compare("microseconds a call", bounded, 2);
  journal.compare("bound on / off", bounded / unbounded, 1.03);
}

}  // namespace pinn::bench
