#include "solvers/trust/product_basis.h"

#include <algorithm>
#include <cmath>

namespace pinn {
namespace {

constexpr std::size_t most_in_tensor = 3;  ///< inputs of which all products are taken

bool is_tensor(std::size_t inputs) { return inputs <= most_in_tensor; }

/// Appends all tuples below `sizes` whose numbers, each over its size, add up to at most `sum`.
void add_tuples(const std::vector<std::size_t>& sizes, double sum, std::vector<std::size_t>& prefix,
                std::vector<std::size_t>& all) {
  if (prefix.size() == sizes.size()) {
    all.insert(all.end(), prefix.begin(), prefix.end());
    return;
  }
  const std::size_t size = sizes[prefix.size()];
  for (std::size_t k = 0; k < size && double(k) / double(size) <= sum + 1e-9; ++k) {
    prefix.push_back(k);
    add_tuples(sizes, sum - double(k) / double(size), prefix, all);
    prefix.pop_back();
  }
}

std::vector<std::size_t> products(const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> prefix, all;
  add_tuples(sizes, is_tensor(sizes.size()) ? double(sizes.size()) : 1, prefix, all);
  return all;
}

/// As many functions along each input as give about `most` products.
std::vector<std::size_t> sizes_for(const std::vector<double>& reach, std::size_t most) {
  const auto scaled = [&](double by) {
    std::vector<std::size_t> sizes;
    for (const double r : reach) sizes.push_back(std::size_t(std::max(1.0, std::round(r * by))));
    return sizes;
  };
  constexpr double finer = 1.03;
  double by = 1;
  while (products(scaled(by * finer)).size() / reach.size() <= most) by *= finer;
  return scaled(by);
}

}  // namespace

LineBasis::LineBasis(const Coordinate& coordinate, bool periodic, std::size_t functions,
                     std::size_t degree)
    : lower_(coordinate.lower),
      upper_(coordinate.upper),
      periodic_(periodic),
      size_(functions),
      degree_(std::min(degree, functions - 1)) {}

LineBasis::Values LineBasis::at(double x, std::size_t orders) const {
  return periodic_ ? waves(x, orders) : splines(x, orders);
}

LineBasis::Values LineBasis::waves(double x, std::size_t orders) const {
  const double turn = 2 * M_PI / (upper_ - lower_), angle = turn * (x - lower_);
  Values values{0, size_, std::vector<double>(orders * size_, 0)};
  values.derivatives[0] = 1;
  for (std::size_t i = 1; i < size_; ++i) {
    const double k = double((i + 1) / 2);
    for (std::size_t m = 0; m < orders; ++m)
      values.derivatives[m * size_ + i] =
          std::pow(k * turn, double(m)) *
          std::cos(k * angle + M_PI / 2 * (double(m) - double(i % 2 == 0)));
  }
  return values;
}

// Cox and de Boor's recursion (de Boor, A Practical Guide to Splines, 1978) gives values degree by
// degree; a derivative is a difference of functions of one degree less.
LineBasis::Values LineBasis::splines(double x, std::size_t orders) const {
  const std::size_t cells = size_ - degree_;
  const double width = (upper_ - lower_) / double(cells);
  const double place = std::clamp(std::floor((x - lower_) / width), 0.0, double(cells) - 1);
  const std::size_t cell = std::size_t(place);
  const auto knot = [&](std::size_t i) {  // of all functions that are not 0 in the cell
    const double k = std::clamp(place + double(i) - double(degree_), 0.0, double(cells));
    return lower_ + k * width;
  };
  const auto share = [](double of, double whole) { return whole > 0 ? of / whole : 0; };
  std::vector<std::vector<double>> by_degree{std::vector<double>(2 * degree_ + 2, 0)};
  by_degree[0][degree_] = 1;
  for (std::size_t p = 1; p <= degree_; ++p) {
    const std::vector<double>& below = by_degree[p - 1];
    std::vector<double> n(below.size(), 0);
    for (std::size_t i = 0; i + p < 2 * degree_ + 1; ++i)
      n[i] = share(x - knot(i), knot(i + p) - knot(i)) * below[i] +
             share(knot(i + p + 1) - x, knot(i + p + 1) - knot(i + 1)) * below[i + 1];
    by_degree.push_back(std::move(n));
  }
  Values values{cell, degree_ + 1, std::vector<double>(orders * (degree_ + 1), 0)};
  for (std::size_t m = 0; m < orders && m <= degree_; ++m) {
    std::vector<double> n = by_degree[degree_ - m];
    for (std::size_t p = degree_ - m + 1; p <= degree_; ++p)
      for (std::size_t i = 0; i + p < 2 * degree_ + 1; ++i)
        n[i] = double(p) * (share(n[i], knot(i + p) - knot(i)) -
                            share(n[i + 1], knot(i + p + 1) - knot(i + 1)));
    std::copy_n(n.begin(), degree_ + 1,
                values.derivatives.begin() + std::ptrdiff_t(m * (degree_ + 1)));
  }
  return values;
}

ProductBasis::ProductBasis(const Problem& problem, std::vector<int> inputs,
                           const std::vector<double>& reach, std::size_t most, int smooth)
    : inputs_(std::move(inputs)) {
  if (inputs_.empty()) return;
  const std::vector<std::size_t> sizes = sizes_for(reach, most);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::size_t c = std::size_t(inputs_[i]);
    const bool periodic = c < problem.periodic.size() && problem.periodic[c];
    const std::size_t degree = is_tensor(inputs_.size()) ? std::size_t(smooth) + 1 : sizes[i];
    lines_.emplace_back(problem.coordinates[c], periodic, sizes[i], degree);
  }
  numbers_ = products(sizes);
}

/// Functions that are not 0 at a point; where the basis has all products, these stand in the order
/// of their numbers.
std::vector<std::size_t> ProductBasis::functions_at(
    const std::vector<LineBasis::Values>& lines) const {
  std::vector<std::size_t> found;
  if (!is_tensor(inputs_.size())) {
    for (std::size_t k = 0; k < size(); ++k) found.push_back(k);
    return found;
  }
  found.push_back(0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::size_t> next;
    for (const std::size_t k : found)
      for (std::size_t j = 0; j < lines[i].count; ++j)
        next.push_back(k * lines_[i].size() + lines[i].first + j);
    found = std::move(next);
  }
  return found;
}

ProductBasis::Values ProductBasis::at(std::span<const double> x,
                                      std::span<const MultiIndex> orders) const {
  std::vector<LineBasis::Values> lines;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    std::size_t highest = 0;
    for (const MultiIndex& a : orders)
      highest = std::max<std::size_t>(highest, a[std::size_t(inputs_[i])]);
    lines.push_back(lines_[i].at(x[std::size_t(inputs_[i])], highest + 1));
  }
  Values values{functions_at(lines), {}};
  for (const MultiIndex& a : orders) {
    int along_inputs = 0;
    for (const int c : inputs_) along_inputs += a[std::size_t(c)];
    const double others = along_inputs == order(a) ? 1 : 0;
    for (const std::size_t k : values.functions) {
      double product = others;
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        product *= lines[i].derivatives[a[std::size_t(inputs_[i])] * lines[i].count +
                                        numbers_[k * inputs_.size() + i] - lines[i].first];
      values.derivatives.push_back(product);
    }
  }
  return values;
}

}  // namespace pinn
