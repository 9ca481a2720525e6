#include "solvers/optimize/dense/triangle.h"

#include <algorithm>

#include "solvers/optimize/dense/triangle_band.h"

namespace pinn {
namespace {

Pass pass_of(const Update* update, const std::vector<Tensor>& x) {
  Pass pass;
  if (update) {
    const std::size_t rows = std::size_t(update->vectors.size(1));
    pass.scale = update->scale;
    pass.q = update->vectors.data<double>().data();
    pass.a = pass.q + rows, pass.s = pass.a + rows, pass.b = pass.s + rows;
  }
  for (std::size_t k = 0; k < x.size(); ++k) pass.x[k] = x[k].data<double>().data();
  return pass;
}

template <class T>
void run_band(T* h, std::int64_t before, const Pass& pass, bool updating, std::size_t products,
              double* const (&y)[2], std::int64_t first, std::int64_t last) {
  const auto run = [&](const auto& band) { band.run(first, last); };
  if (updating && products == 2) run(TriangleBand<T, true, 2>(h, before, pass, y));
  if (updating && products == 1) run(TriangleBand<T, true, 1>(h, before, pass, y));
  if (updating && products == 0) run(TriangleBand<T, true, 0>(h, before, pass, y));
  if (!updating && products == 2) run(TriangleBand<T, false, 2>(h, before, pass, y));
  if (!updating && products == 1) run(TriangleBand<T, false, 1>(h, before, pass, y));
}

}  // namespace

std::int64_t triangle_size(std::int64_t rows) { return rows * (rows + 1) / 2; }

std::vector<std::size_t> triangle_shares(std::int64_t rows, int ranks) {
  const Bands bands(rows);
  std::vector<std::size_t> first;
  for (int r = 0; r <= ranks; ++r)
    first.push_back(std::size_t(triangle_size(bands.first(bands.of_rank(r, ranks)))));
  return first;
}

Tensor identity_triangle(std::int64_t rows, DType dtype, Ranks& ranks) {
  const std::vector<std::size_t> shares = triangle_shares(rows, ranks.count());
  const std::size_t first = shares[std::size_t(ranks.rank())],
                    end = shares[std::size_t(ranks.rank()) + 1];
  const Tensor h = zeros({std::int64_t(end - first)}, dtype);
  visit_floating(dtype, [&]<class T>(T) {
    for (std::int64_t i = 0; i < rows; ++i)
      if (const auto at = std::size_t(triangle_size(i) + i); at >= first && at < end)
        h.data<T>()[at - first] = 1;
  });
  return h;
}

Update update_of(double scale, const Tensor& q, const Tensor& a, const Tensor& s, const Tensor& b) {
  const Update update{scale, empty({4, q.numel()})};
  double* to = update.vectors.data<double>().data();
  for (const Tensor* t : {&q, &a, &s, &b}) to = std::ranges::copy(t->data<double>(), to).out;
  return update;
}

Tensor product(const Tensor& h, const Tensor& x, const Workers& workers) {
  Tensor same = h;
  return update_and_products(same, nullptr, {x}, workers)[0];
}

std::vector<Tensor> update_and_products(Tensor& h, const Update* update,
                                        const std::vector<Tensor>& x, const Workers& workers) {
  const Pass pass = pass_of(update, x);
  const Bands bands(update ? update->vectors.size(1) : x[0].numel());
  const int ranks = workers.ranks->count(), own = bands.of_rank(workers.ranks->rank(), ranks),
            count = bands.of_rank(workers.ranks->rank() + 1, ranks) - own;
  BandSums sums(bands, x.size(), workers);
  run_tasks(workers.threads, count, [&](int task) {
    double* y[2] = {};
    for (std::size_t k = 0; k < x.size(); ++k) y[k] = sums.begin(own + task, k);
    visit_floating(h.dtype(), [&]<class T>(T) {
      run_band(h.data<T>().data(), triangle_size(bands.first(own)), pass, update != nullptr,
               x.size(), y, bands.first(own + task), bands.first(own + task + 1));
    });
  });
  return sums.totals();
}

}  // namespace pinn
