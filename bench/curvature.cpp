#include <algorithm>
#include <cstring>

#include "bench/clock.h"
#include "bench/row.h"
#include "bench/tensors.h"
#include "bench/workloads.h"
#include "solvers/optimize/dense/triangle.h"

namespace pinn::bench {
namespace {

/// Passes of a move of ssbroyden over its inverse Hessian, one or two, and those that memory
/// allows: each element is read, multiplied and written, or copied to another place.
struct Matrix {
  Matrix(std::int64_t rows, DType dtype, int threads)
      : h(identity_triangle(rows, dtype)), pool(threads) {
    const auto vector = [&](const char* name) { return normal({rows}, name, DType::float64); };
    const Tensor q = vector("q") * 1e-3, s = vector("s") * 1e-3;
    update = update_of(0.5, q, q, s, s);  // repeated it goes to a limit
    y = vector("y"), g = vector("g");
  }
  void move() { products = update_and_products(h, &update, {y, g}, &pool); }
  void two_passes() {
    products = {product(h, y, &pool)};
    products.push_back(update_and_products(h, &update, {g}, &pool)[0]);
  }
  void stream() {
    visit_floating(h.dtype(), [&]<class T>(T) { stream_of(h.data<T>()); });
  }
  void copy() {
    if (!other.defined()) other = empty(h.shape(), h.dtype());
    visit_floating(h.dtype(), [&]<class T>(T) {
      const std::span<const T> from = std::as_const(h).data<T>();
      const std::span<T> to = other.data<T>();
      const std::size_t n = from.size();
      pool.run(parts, [&](int part) {
        const std::size_t first = n * std::size_t(part) / parts,
                          end = n * std::size_t(part + 1) / parts;
        std::memcpy(to.data() + first, from.data() + first, (end - first) * sizeof(T));
      });
    });
  }

  static constexpr int parts = 64;
  Tensor h, y, g, other;
  ThreadPool pool;
  Update update;
  std::vector<Tensor> products;
  double factor = 0.9999;

 private:
  template <class T> void stream_of(std::span<T> all) {
    typedef T Lanes __attribute__((vector_size(32)));
    constexpr std::size_t lanes = sizeof(Lanes) / sizeof(T);
    const std::size_t each = all.size() / parts / lanes * lanes;
    pool.run(parts, [&, by = T(factor)](int part) {
      T* const from = all.data() + std::size_t(part) * each;
      for (std::size_t i = 0; i < each; i += lanes) {
        Lanes x;
        std::memcpy(&x, from + i, sizeof x);
        x *= by;
        std::memcpy(from + i, &x, sizeof x);
      }
    });
  }
};

/// H x in plain loops.
std::vector<double> plain_product(const Tensor& h, const Tensor& x) {
  const std::vector<double> all = h.values(), v = x.values();
  std::vector<double> y(v.size());
  for (std::size_t i = 0, k = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j, ++k) {
      y[i] += all[k] * v[j];
      if (j < i) y[j] += all[k] * v[i];
    }
  return y;
}

void validate(std::int64_t rows, DType dtype, int threads, Journal& journal) {
  Matrix one(rows, dtype, 1), many(rows, dtype, std::max(2, threads));
  for (Matrix* m : {&one, &many})
    for (int i = 0; i < 3; ++i) m->move();
  const std::string name = fmt::format("{} rows, {}", rows, name_of(dtype));
  const std::vector<double> exact = plain_product(one.h, one.y);
  journal.validate("H y of plain loops, " + name,
                   distance(one.products[0].values(), exact) / largest(exact),
                   dtype == DType::float32 ? 1e-6 : 1e-12);
  journal.validate("threads change nothing, " + name,
                   distance(one.products[1].values(), many.products[1].values()) +
                       distance(one.h.values(), many.h.values()),
                   0);
}

}  // namespace

void curvature(const Options& options, Journal& journal) {
  struct What {
    const char* name;
    void (Matrix::*act)();
  };
  const What all[] = {{"move", &Matrix::move},
                      {"two-passes", &Matrix::two_passes},
                      {"stream", &Matrix::stream},
                      {"copy", &Matrix::copy}};
  std::vector<std::int64_t> sizes = {500, 1000, 2000, 4000};
  if (options.points) sizes = {options.points};
  std::vector<int> threads = {1};
  if (options.threads > 1) threads.push_back(options.threads);
  for (const std::int64_t rows : sizes) {
    std::vector<Row> timed;
    for (const DType dtype : {DType::float64, DType::float32}) {
      validate(rows, dtype, options.threads, journal);
      for (const int n : threads) {
        const auto matrix = std::make_shared<Matrix>(rows, dtype, n);
        for (const What& what : all) {
          Row row;
          row.name = fmt::format("{}-{}-{}-on-{}", what.name, rows, name_of(dtype), n);
          row.facts.add("parameters", rows).add("bytes", 2 * size_of(dtype) * matrix->h.numel());
          row.act = [matrix, act = what.act] { ((*matrix).*act)(); };
          row.calls = std::max<std::int64_t>(1, 4'000'000 / matrix->h.numel());
          timed.push_back(std::move(row));
        }
      }
    }
    const std::map<std::string, Samples> found = measure(timed, options, journal);
    for (const DType dtype : {DType::float64, DType::float32})
      for (const int n : threads) {
        const std::string end = fmt::format("-{}-{}-on-{}", rows, name_of(dtype), n);
        if (!found.contains("move" + end) || !found.contains("stream" + end) ||
            !found.contains("two-passes" + end) || !found.contains("copy" + end))
          continue;
        const auto ratio = [&](const char* a, const char* b) {
          std::vector<double> ratios;  // of neighbors in time
          const std::vector<double>&over = found.at(a + end).wall, &under = found.at(b + end).wall;
          for (std::size_t i = 0; i < over.size(); ++i) ratios.push_back(over[i] / under[i]);
          return median(ratios);
        };
        journal.print(Line()
                          .add("ratios", end.substr(1))
                          .add("move_to_stream", ratio("move", "stream"))
                          .add("move_to_copy", ratio("move", "copy"))
                          .add("two_passes_to_move", ratio("two-passes", "move")));
      }
  }
}

}  // namespace pinn::bench
