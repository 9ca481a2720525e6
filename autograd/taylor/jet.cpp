#include "autograd/taylor/jet.h"

#include "autograd/core/error.h"

namespace pinn {
namespace {

/// x^y = exp(y log x): for exponents that vary; constant ones are power's.
Jet pow(const Jet& x, const Jet& y) {
  return apply_unary(unary_id<op::Exp>, y * apply_unary(unary_id<op::Log>, x));
}

/// The angle of (x, y) is that of a fixed direction, plus the arc tangent of what is left when the
/// plane is turned by it: at the fixed direction (x0, y0) = (x, y) itself the rest has value 0.
Jet atan2(const Jet& y, const Jet& x) {
  const Tensor y0 = y.value().detach(), x0 = x.value().detach();
  const Jet across{y.table, y.data * x0 - x.data * y0}, along{y.table, x.data * x0 + y.data * y0};
  const Jet rest = apply_unary(unary_id<op::Atan>, across / along);
  return constant_jet(y.table, select(pinn::atan2(y0, x0), 1, 0)) + rest;
}

}  // namespace

Jet constant_jet(const JetTablePtr& table, const Tensor& value) {
  const Tensor thick = reshape(value, value.shape().inserted(1, 1));
  Shape shape = thick.shape();
  shape[1] = table->size();
  return {table, embed(thick, shape, 1, 0)};
}

Jet coordinate_jet(const JetTablePtr& table, const Tensor& x) {
  Jet jet = constant_jet(table, x);
  const std::int64_t n = x.shape()[1];
  const std::vector<Channel>& channels = table->channels();
  std::vector<double> ones(std::size_t(table->size() * n), 0);
  for (std::size_t c = 0; c < channels.size(); ++c)
    for (int i = 0; i < n; ++i) {
      const auto part = channels[c].find(unit_index(i));
      if (part != channels[c].end()) ones[c * std::size_t(n) + std::size_t(i)] = part->second;
    }
  jet.data = jet.data + from_values(ones, {1, table->size(), n}, x.dtype(), x.device());
  return jet;
}

Jet operator+(const Jet& a, const Jet& b) { return {a.table, a.data + b.data}; }
Jet operator-(const Jet& a, const Jet& b) { return {a.table, a.data - b.data}; }
Jet operator*(const Jet& a, const Jet& b) { return {a.table, jet_mul(a.table, a.data, b.data)}; }
Jet operator/(const Jet& a, const Jet& b) { return a * apply_unary(unary_id<op::Recip>, b); }
Jet operator-(const Jet& a) { return {a.table, -a.data}; }
Jet operator*(double c, const Jet& a) { return {a.table, a.data * c}; }

Jet operator+(double c, const Jet& a) {
  std::vector<double> shift(std::size_t(a.table->size()), 0);
  shift[0] = c;
  return {a.table,
          a.data + from_values(shift, {1, a.table->size(), 1}, a.data.dtype(), a.data.device())};
}

Jet apply_unary(int id, const Jet& a, double parameter) {
  return {a.table, jet(id, parameter, 0, a.table, a.data)};
}

Jet apply_binary(int id, const Jet& a, const Jet& b) {
  if (id == binary_id<op::Add>) return a + b;
  if (id == binary_id<op::Sub>) return a - b;
  if (id == binary_id<op::Mul>) return a * b;
  if (id == binary_id<op::Div>) return a / b;
  if (id == binary_id<op::Pow>) return pow(a, b);
  if (id == binary_id<op::Atan2>) return atan2(a, b);
  if (id == binary_id<op::Min> || id == binary_id<op::Max>) {
    const bool smaller = id == binary_id<op::Min>;
    const Tensor x = smaller ? a.value() : b.value(), y = smaller ? b.value() : a.value();
    const Tensor share = 0.5 * (less(x, y) + less_equal(x, y));  // 1, 0, and 1/2 at a tie
    return {a.table,
            where(share, share * a.data, 0.0) + where(1.0 - share, (1.0 - share) * b.data, 0.0)};
  }
  return constant_jet(a.table, select(pinn::apply_binary(id, a.value(), b.value()), 1, 0));
}

Jet where(const Jet& mask, const Jet& a, const Jet& b) {
  return {a.table, where(mask.value(), a.data, b.data)};
}

Jet concat(const std::vector<Jet>& parts) {
  std::vector<Tensor> data;
  for (const Jet& p : parts) data.push_back(p.data);
  return {parts.at(0).table, concat(data, 2)};
}

Jet features(const Jet& a, std::int64_t begin, std::int64_t end) {
  return {a.table, slice(a.data, 2, begin, end)};
}

}  // namespace pinn
