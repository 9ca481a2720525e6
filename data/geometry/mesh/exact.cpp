#include "data/geometry/mesh/crossing.h"

namespace pinn::mesh {
namespace {

/// A number as a sum of doubles that do not overlap, smallest first (Shewchuk, section 2.4).
class Sum {
 public:
  void add(double x) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const double total = x + part_[i], grown = total - x;
      const double rest = (x - (total - grown)) + (part_[i] - grown);
      x = total;
      if (rest != 0) part_[kept++] = rest;
    }
    if (x != 0) part_[kept++] = x;
    count_ = kept;
  }
  void add_product(double a, double b) {
    const double high = a * b;
    add(std::fma(a, b, -high));
    add(high);
  }
  void add_product(double a, double b, double c) {
    const double high = a * b, low = std::fma(a, b, -high);
    add_product(low, c);
    add_product(high, c);
  }
  int sign() const { return count_ == 0 ? 0 : part_[count_ - 1] > 0 ? 1 : -1; }

 private:
  double part_[100];
  int count_ = 0;
};

void add_determinant(Sum& sum, const Vector& a, const Vector& b, const Vector& c) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum.add_product(a[i], b[j], c[k]);
    sum.add_product(-a[i], b[k], c[j]);
  }
}

}  // namespace

int likely_side_of(const Vector& a, const Vector& b, const Vector& c, const Vector& d) {
  const Vector u = a - d, v = b - d, w = c - d;
  double value = 0, size = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double first = v[j] * w[k], second = v[k] * w[j];
    value += u[i] * (first - second);
    size += std::fabs(u[i]) * (std::fabs(first) + std::fabs(second));
  }
  return sign_beyond(value, 10 * epsilon * size);
}

int side_of(const Vector& a, const Vector& b, const Vector& c, const Vector& d) {
  const int likely = likely_side_of(a, b, c, d);
  if (likely != unsure) return likely;
  Sum sum;
  add_determinant(sum, a, b, c);
  add_determinant(sum, b, a, d);
  add_determinant(sum, a, c, d);
  add_determinant(sum, c, b, d);
  return sum.sign();
}

int turn_of(const Vector& a, const Vector& b, const Vector& c, int i, int j) {
  const double left = (a[i] - c[i]) * (b[j] - c[j]), right = (a[j] - c[j]) * (b[i] - c[i]);
  const int likely = sign_beyond(left - right, 4 * epsilon * (std::fabs(left) + std::fabs(right)));
  if (likely != unsure) return likely;
  Sum sum;
  const Vector* const corner[] = {&a, &b, &c, &a};
  for (int k = 0; k < 3; ++k) {
    const Vector &p = *corner[k], &q = *corner[k + 1];
    sum.add_product(p[i], q[j]);
    sum.add_product(-p[j], q[i]);
  }
  return sum.sign();
}

}  // namespace pinn::mesh
