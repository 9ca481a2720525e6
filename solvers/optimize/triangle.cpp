#include "solvers/optimize/triangle.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "solvers/optimize/tall_qr.h"
#include "solvers/optimize/triangle_band.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

using RowNumbers = std::vector<std::int64_t>;

/// The first row of each band, and the number of rows: multiples of four, but for the last.
RowNumbers bands(std::int64_t rows) {
  const std::int64_t count =
      rows < 512 ? 1 : std::min<std::int64_t>(64, std::bit_floor(std::uint64_t(rows / 128)));
  RowNumbers first;
  for (std::int64_t b = 0; b < count; ++b)
    first.push_back(std::int64_t(std::sqrt(double(b) / double(count)) * double(rows)) / 4 * 4);
  first.push_back(rows);
  return first;
}

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
void run_band(T* h, const Pass& pass, bool updating, std::size_t products, double* const (&y)[2],
              std::int64_t first, std::int64_t last) {
  const auto run = [&](const auto& band) { band.run(first, last); };
  if (updating && products == 2) run(TriangleBand<T, true, 2>(h, pass, y));
  if (updating && products == 1) run(TriangleBand<T, true, 1>(h, pass, y));
  if (updating && products == 0) run(TriangleBand<T, true, 0>(h, pass, y));
  if (!updating && products == 2) run(TriangleBand<T, false, 2>(h, pass, y));
  if (!updating && products == 1) run(TriangleBand<T, false, 1>(h, pass, y));
}

/// The sums of bands [bands, P], each complete up to the end of its band, added up in order.
void add_up(const RowNumbers& first, const double* sums, int band, double* y) {
  const std::int64_t rows = first.back(), begin = first[std::size_t(band)],
                     end = first[std::size_t(band) + 1];
  std::copy(sums + band * rows + begin, sums + band * rows + end, y + begin);
  for (std::int64_t b = band + 1; b + 1 < std::int64_t(first.size()); ++b)
    for (std::int64_t j = begin; j < end; ++j) y[j] += sums[b * rows + j];
}

}  // namespace

std::int64_t triangle_size(std::int64_t rows) { return rows * (rows + 1) / 2; }

Tensor identity_triangle(std::int64_t rows, DType dtype) {
  const Tensor h = zeros({triangle_size(rows)}, dtype);
  visit_floating(dtype, [&]<class T>(T) {
    for (std::int64_t i = 0; i < rows; ++i) h.data<T>()[std::size_t(triangle_size(i) + i)] = 1;
  });
  return h;
}

Update update_of(double scale, const Tensor& q, const Tensor& a, const Tensor& s, const Tensor& b) {
  const Update update{scale, empty({4, q.numel()})};
  double* to = update.vectors.data<double>().data();
  for (const Tensor* t : {&q, &a, &s, &b}) to = std::ranges::copy(t->data<double>(), to).out;
  return update;
}

Tensor product(const Tensor& h, const Tensor& x, ThreadPool* threads) {
  Tensor same = h;
  return update_and_products(same, nullptr, {x}, threads)[0];
}

std::vector<Tensor> update_and_products(Tensor& h, const Update* update,
                                        const std::vector<Tensor>& x, ThreadPool* threads) {
  const Pass pass = pass_of(update, x);
  const std::int64_t rows = update ? update->vectors.size(1) : x[0].numel();
  const RowNumbers first = bands(rows);
  const int count = int(first.size()) - 1;
  const Tensor sums = empty({std::int64_t(x.size()), count, rows});
  const auto sums_of = [&](std::size_t k) {
    return sums.data<double>().data() + std::int64_t(k) * count * rows;
  };
  run_tasks(threads, count, [&](int band) {
    const std::int64_t begin = first[std::size_t(band)], end = first[std::size_t(band) + 1];
    double* y[2] = {};
    for (std::size_t k = 0; k < x.size(); ++k)
      std::fill_n(y[k] = sums_of(k) + band * rows, end, 0.0);
    visit_floating(h.dtype(), [&]<class T>(T) {
      run_band(h.data<T>().data(), pass, update != nullptr, x.size(), y, begin, end);
    });
  });
  std::vector<Tensor> y;
  for (std::size_t k = 0; k < x.size(); ++k) y.push_back(empty({rows}));
  run_tasks(threads, count, [&](int band) {
    for (std::size_t k = 0; k < x.size(); ++k)
      add_up(first, sums_of(k), band, y[k].data<double>().data());
  });
  return y;
}

}  // namespace pinn
