#include <algorithm>
#include <cmath>

#include "bench/net_step.h"
#include "bench/tensors.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

using Numbers = std::vector<double>;

/// So many bytes of rows of J are made at a time, into one place: what uses them up finds them in
/// the second cache.
constexpr std::size_t rows_bytes = std::size_t(1) << 19;

/// Quantities that second-order methods ask of a step, and the answers.
struct Asked {
  Asked(const NetStep& step, DType dtype, const Way& way, int threads)
      : dtype(dtype), pool(threads), p(step.parameters), loss(step.loss(dtype, way, pool)) {
    v = normals(p.size(), "v");
    w = normals(loss->squares().rows(), "w");
    jv.resize(loss->squares().rows());
    jtw.resize(p.size());
    k.resize(loss->squares().rows() * loss->squares().rows());
    some =
        std::clamp<std::size_t>(rows_bytes / size_of(dtype) / p.size(), 1, loss->squares().rows());
  }
  void jacobian_times() { loss->squares().jacobian_times(p, v, jv); }
  void transposed_times() { loss->squares().transposed_times(p, w, jtw); }
  void gram() { loss->squares().gram(p, k); }
  /// In the number type of the step.
  template <class Eat> void each_rows(const Eat& eat) {
    visit_floating(dtype, [&]<class T>(T) {
      loss->squares().jacobian(p, some, [&](const JacobianRows<T>& rows) { eat(rows); });
    });
  }
  void jacobian_rows() {
    each_rows([](const auto&) {});
  }
  /// Every `step`-th row, for a comparison.
  Numbers jacobian(std::size_t step = 1) {
    Numbers some(loss->squares().rows() / step * p.size());
    each_rows([&](const auto& rows) {
      for (std::size_t i = 0; i < rows.count; ++i)
        if (const std::size_t row = rows.first + i;
            row % step == 0 && row / step * p.size() < some.size())
          std::copy_n(rows.row(i), p.size(), some.data() + row / step * p.size());
    });
    return some;
  }
  /// Numbers for a comparison: of J and K so many rows as say enough.
  Numbers answer(const Numbers Asked::*all) {
    const std::size_t step = std::max<std::size_t>(1, loss->squares().rows() / 20);
    if (!all) return jacobian(step);
    if (all != &Asked::k) return this->*all;
    Numbers some;
    for (std::size_t row = 0; row + step <= loss->squares().rows(); row += step)
      some.insert(some.end(), k.begin() + std::ptrdiff_t(row * loss->squares().rows()),
                  k.begin() + std::ptrdiff_t((row + 1) * loss->squares().rows()));
    return some;
  }

  DType dtype;
  ThreadPool pool;
  Numbers p;
  std::unique_ptr<Loss> loss;
  Numbers v, w, jv, jtw, k;
  std::size_t some = 1;
};

Numbers products_of_rows(const Numbers& j, std::size_t width) {
  const std::size_t rows = j.size() / width;
  Numbers k(rows * rows);
  for (std::size_t a = 0; a < rows; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < width; ++i) sum += j[a * width + i] * j[b * width + i];
      k[a * rows + b] = k[b * rows + a] = sum;
    }
  return k;
}

double apart(const Numbers& a, const Numbers& exact) { return distance(a, exact) / largest(exact); }

}  // namespace

void least_squares(const Options& options, Journal& journal) {
  const std::int64_t width = options.width_or(64), layers = options.layers_or(4),
                     count = options.points_or(1000);
  const NetStep step(burgers, width, layers, count);
  const auto asked = std::make_shared<Asked>(step, options.dtype, compiled, options.threads);
  struct What {
    const char* name;
    void (Asked::*act)();
    Numbers Asked::*answer;
  };
  const What all[] = {{"jacobian-times", &Asked::jacobian_times, &Asked::jv},
                      {"transposed-times", &Asked::transposed_times, &Asked::jtw},
                      {"jacobian-rows", &Asked::jacobian_rows, nullptr},
                      {"gram", &Asked::gram, &Asked::k}};
  if (options.only_write) {
    write_arrays(
        options.folder, "input",
        {{"parameters", step.parameters}, {"x", step.points.x}, {"v", asked->v}, {"w", asked->w}});
    Asked exact(step, DType::float64, by_reverse, 1);
    for (const What& what : all) {
      (exact.*what.act)();
      write_arrays(options.folder, "reference", {{what.name, exact.answer(what.answer)}});
    }
    return;
  }
  if (!options.serve) {
    const double limit = options.dtype == DType::float32 ? 2e-5 : 1e-11;
    Asked exact(step, DType::float64, by_reverse, 1);
    const Numbers j = exact.jacobian();
    journal.validate("rows of J against float64 by nested reverse", apart(asked->jacobian(), j),
                     limit);
    asked->jacobian_times(), exact.jacobian_times();
    asked->transposed_times(), exact.transposed_times();
    asked->gram();
    journal.validate("J v against it", apart(asked->jv, exact.jv), limit);
    journal.validate("J^T w against it", apart(asked->jtw, exact.jtw), limit);
    journal.validate("K against products of its rows",
                     apart(asked->k, products_of_rows(j, step.parameters.size())), limit);
  }
  std::vector<Row> rows;
  for (const What& what : all) {
    Row row;
    row.name = what.name;
    const double before = asked->loss->work().product_flops;
    ((*asked).*what.act)();
    row.flops = asked->loss->work().product_flops - before;
    row.facts.add("points", count).add("parameters", step.parameters.size());
    row.facts.add("width", width).add("layers", layers);
    row.act = [asked, act = what.act] { ((*asked).*act)(); };
    row.results = [asked, what] { return Arrays{{what.name, asked->answer(what.answer)}}; };
    rows.push_back(std::move(row));
  }
  measure(rows, options, journal);
}

}  // namespace pinn::bench
