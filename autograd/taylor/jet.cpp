#include "autograd/taylor/jet.h"

#include <algorithm>

#include "autograd/core/error.h"

namespace pinn {
namespace {

/// The table of both. Errors: ShapeError where their channels are not the same.
const JetTablePtr& common_table(const Jet& a, const Jet& b, const std::string& op) {
  if (a.table == b.table || (a.table && b.table && *a.table == *b.table)) return a.table;
  throw ShapeError({op + ": the channels of two jets are not the same derivatives",
                    describe(a.data) + " and " + describe(b.data),
                    "use one table for all jets of a formula"});
}

/// Jet without its value; nilpotent.
Jet without_value(const Jet& a) {
  return {a.table, embed(slice(a.data, 1, 1, a.table->size()), a.data.shape(), 1, 1)};
}

/// 1 for the channels that n^m may have, else 0.
Tensor channels_of_power(const JetTable& table, int m, const Tensor& like) {
  std::vector<double> has(std::size_t(table.size()), 0);
  for (const int channel : table.power(m).channels) has[std::size_t(channel)] = 1;
  return from_values(has, {1, table.size(), 1}, like.dtype(), like.device());
}

/// x^p, where p has a value only: sum_m p (p-1) ... (p-m+1) x_0^(p-m) n^m / m! with n = x - x_0.
/// Once the product is 0 so is the term, also at x_0 = 0.
Jet fixed_power(const Jet& x, const Tensor& p) {
  const Tensor x0 = x.value();
  Jet sum = constant_jet(x.table, select(pinn::pow(x0, p), 1, 0));
  if (x.table->order() == 0) return sum;
  const Jet n = without_value(x);
  Tensor factor = p;
  Jet power = n;
  for (int m = 1;; ++m) {
    const Tensor exponent = pinn::where(abs(factor) + abs(x0), p - double(m), 0.0);
    const Tensor slope = masked(pinn::pow(x0, exponent), factor);  // infinite: p is used up at 0
    sum.data = sum.data + pinn::where(channels_of_power(*x.table, m, x0), slope, 0.0) * power.data;
    if (m == x.table->order()) return sum;
    factor = factor * (p - double(m)) * (1.0 / (m + 1));
    power = power * n;
  }
}

/// f(h) for a root f, whose slopes at 0 are infinite: where h is 0 and does not change with any
/// coordinate, f(h) does not either. value(h_0) is f for numbers; `is_root` is 0 where f is none.
template <class F, class Value>
Jet root(const Jet& h, const F& f, const Value& value, const Tensor& is_root = 1.0) {
  if (h.table->order() == 0) return f(h);
  const Tensor still = is_root * equal(sum(abs(h.data.detach()), {1}, true), 0.0), h0 = h.value();
  const Tensor fixed = value(pinn::where(still, h0, 1.0));
  const Tensor one = embed(ones(h0.shape(), h0.dtype(), h0.device()), h.data.shape(), 1, 0);
  const Jet elsewhere = f(Jet{h.table, pinn::where(still, one, h.data)});
  return {h.table, pinn::where(still, embed(fixed, h.data.shape(), 1, 0), elsewhere.data)};
}

/// x^y = x^(y_0) exp((y - y_0) log x). Where y is constant the second factor is 1, and x may have
/// either sign: then no logarithm is taken of it.
Jet pow(const Jet& x, const Jet& y) {
  const Tensor p = y.value(), x0 = x.value();
  const auto of_jet = [&](const Jet& base) { return fixed_power(base, p); };
  Tensor is_root = 1.0;  // whole exponents end in slopes of 0
  for (int k = 0; k <= x.table->order(); ++k) is_root = is_root * not_equal(p.detach(), double(k));
  const Jet fixed = root(
      x, of_jet, [&](const Tensor& base) { return pinn::pow(base, p); }, is_root);
  if (x.table->order() == 0) return fixed;
  const Jet change = without_value(y);
  const Tensor has_log = less(0.0, x0) + sum(abs(change.data.detach()), {1}, true);
  const Jet base{x.table, pinn::where(has_log, x.data, 1.0)};
  return fixed * apply_unary(unary_id<op::Exp>, change * apply_unary(unary_id<op::Log>, base));
}

/// The angle of (x, y) is that of a fixed direction, plus the arc tangent of what is left when the
/// plane is turned by it: at the fixed direction (x0, y0) = (x, y) itself the rest has value 0. The
/// point is moved to about 1 first, so that no product leaves the range of numbers. At the origin
/// and at infinity all derivatives are 0: the point (1, 0) stands in.
Jet atan2(const Jet& y, const Jet& x) {
  if (y.table->order() == 0)
    return constant_jet(y.table, select(pinn::atan2(y.value(), x.value()), 1, 0));
  const Tensor y0 = y.value().detach(), x0 = x.value().detach(), all = abs(x0) + abs(y0);
  const Tensor inside = less(0.0, all) * less_equal(all - all, 0.0);
  const Tensor size = pinn::where(inside, all, 1.0);
  const Jet stand_in = constant_jet(x.table, select(1.0 - inside, 1, 0));
  const Tensor u = masked(x.data, inside) / size + stand_in.data, v = masked(y.data, inside) / size;
  const Tensor cosine = slice(u, 1, 0, 1).detach(), sine = slice(v, 1, 0, 1).detach();
  const Jet across{y.table, v * cosine - u * sine}, along{y.table, u * cosine + v * sine};
  const Tensor rest = apply_unary(unary_id<op::Atan>, across / along).data;
  const Tensor nan_stays = pinn::where(less_equal(0.0, all), 0.0, all);
  const Jet fixed = constant_jet(y.table, select(pinn::atan2(y0, x0), 1, 0));
  return {y.table, fixed.data + (rest + nan_stays)};
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

Jet coordinate_jet(const JetTablePtr& table, const Tensor& x, const Tensor& vectors,
                   const std::vector<int>& along) {
  const std::int64_t n = x.shape()[1];
  std::vector<Tensor> rows;
  for (const Channel& channel : table->channels()) {
    Tensor row;
    std::vector<double> ones(std::size_t(n), 0);
    for (int i = 0; i < n; ++i) {
      const auto part = channel.find(unit_index(i));
      if (part == channel.end()) continue;
      const auto at = std::find(along.begin(), along.end(), i);
      if (at == along.end()) {
        ones[std::size_t(i)] = part->second;
        continue;
      }
      const Tensor v = slice(vectors, 0, at - along.begin(), at - along.begin() + 1) * part->second;
      row = row.defined() ? row + v : v;
    }
    const Tensor own = from_values(ones, {1, n}, x.dtype(), x.device());
    rows.push_back(row.defined() ? row + own : own);
  }
  Jet jet = constant_jet(table, x);
  jet.data = jet.data + reshape(concat(rows, 0), {1, table->size(), n});
  return jet;
}

Jet operator+(const Jet& a, const Jet& b) { return {common_table(a, b, "+"), a.data + b.data}; }
Jet operator-(const Jet& a, const Jet& b) { return {common_table(a, b, "-"), a.data - b.data}; }
Jet operator*(const Jet& a, const Jet& b) {
  const JetTablePtr& table = common_table(a, b, "*");
  return {table, jet_mul(table, a.data, b.data)};
}
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
  const auto of_jet = [&](const Jet& h) {
    return Jet{h.table, jet(id, parameter, 0, h.table, h.data)};
  };
  const auto of_value = [&](const Tensor& h) { return pinn::apply_unary(id, h, parameter); };
  const bool rooted = visit_unary(id, [&]<class Op>() { return is_root<Op>(parameter); });
  return rooted ? root(a, of_jet, of_value) : of_jet(a);
}

Jet apply_binary(int id, const Jet& a, const Jet& b) {
  common_table(a, b, std::string(binary_name(id)));
  if (id == binary_id<op::Add>) return a + b;
  if (id == binary_id<op::Sub>) return a - b;
  if (id == binary_id<op::Mul>) return a * b;
  if (id == binary_id<op::Div>) return a / b;
  if (id == binary_id<op::Pow>) return pow(a, b);
  if (id == binary_id<op::Atan2>) return atan2(a, b);
  if (id == binary_id<op::Min> || id == binary_id<op::Max>) {
    const bool smaller = id == binary_id<op::Min>;
    const Tensor x = smaller ? a.value() : b.value(), y = smaller ? b.value() : a.value();
    const Tensor share = op::share_of_smaller(x, y);  // 1, 0, and 1/2 at a tie
    return {a.table, masked(a.data, share) + masked(b.data, 1.0 - share)};
  }
  return constant_jet(a.table, select(pinn::apply_binary(id, a.value(), b.value()), 1, 0));
}

Jet where(const Jet& mask, const Jet& a, const Jet& b) {
  return {common_table(a, b, "where"), where(mask.value(), a.data, b.data)};
}

Jet concat(const std::vector<Jet>& parts) {
  std::vector<Tensor> data;
  for (const Jet& p : parts) {
    common_table(parts[0], p, "concat");
    data.push_back(p.data);
  }
  return {parts.at(0).table, concat(data, 2)};
}

Jet features(const Jet& a, std::int64_t begin, std::int64_t end) {
  return {a.table, slice(a.data, 2, begin, end)};
}

}  // namespace pinn
