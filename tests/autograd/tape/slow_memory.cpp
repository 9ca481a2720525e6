#include "tests/autograd/tape/slow_memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "tests/larger.h"

namespace pinn::test {
namespace {

constexpr std::size_t n = RandomProgram::inputs;

/// a + b e + sum_i (c_i + d_i e) f_i with e^2 = 0 and f_i f_j = 0: a number with its derivative
/// along v, its gradient, and that of the gradient along v.
struct Number {
  double a = 0, b = 0;
  std::array<double, n> c{}, d{};
};

template <class F> Number each(const Number& x, const Number& y, F f) {
  Number z{f(x.a, y.a), f(x.b, y.b)};
  for (std::size_t i = 0; i < n; ++i) z.c[i] = f(x.c[i], y.c[i]), z.d[i] = f(x.d[i], y.d[i]);
  return z;
}
Number operator+(const Number& x, const Number& y) { return each(x, y, std::plus<>()); }
Number operator-(const Number& x, const Number& y) { return each(x, y, std::minus<>()); }
Number operator*(const Number& x, const Number& y) {
  Number z{x.a * y.a, x.a * y.b + x.b * y.a};
  for (std::size_t i = 0; i < n; ++i) {
    z.c[i] = x.a * y.c[i] + x.c[i] * y.a;
    z.d[i] = x.a * y.d[i] + x.b * y.c[i] + x.c[i] * y.b + x.d[i] * y.a;
  }
  return z;
}
Number sizes(const Number& x) {
  return each(x, x, [](double a, double) { return std::fabs(a); });
}
Number apply(const Smooth& op, const Number& x) {
  const double slope = op.df(x.a), bend = op.ddf(x.a);
  Number z{op.f(x.a), slope * x.b};
  for (std::size_t i = 0; i < n; ++i) {
    z.c[i] = slope * x.c[i];
    z.d[i] = slope * x.d[i] + bend * x.b * x.c[i];
  }
  return z;
}

const Smooth reciprocal = {"recip",
                           [](double x) { return 1 / x; },
                           [](double x) { return -1 / (x * x); },
                           [](double x) { return 2 / (x * x * x); },
                           nullptr,
                           nullptr};

/// Derivatives of the numbers in a piece of memory, as one tensor and all that follows it have
/// them.
struct Family {
  std::vector<Number> numbers;  ///< their values are in the memory
  bool requires_grad = false;
};

struct Array {
  std::shared_ptr<std::vector<double>> memory;
  std::shared_ptr<Family> family;
  Shape shape;
  Sizes strides{};
  std::int64_t offset = 0;

  std::size_t place(std::int64_t i) const {
    std::int64_t at = offset;
    for (int k = shape.rank() - 1; k >= 0; --k) {
      at += i % shape[k] * strides[std::size_t(k)];
      i /= shape[k];
    }
    return std::size_t(at);
  }
  Number read(std::int64_t i) const {
    Number x = family->numbers[place(i)];
    x.a = (*memory)[place(i)];
    return x;
  }
  std::vector<Number> all() const {
    std::vector<Number> numbers;
    for (std::int64_t i = 0; i < shape.numel(); ++i) numbers.push_back(read(i));
    return numbers;
  }
  bool is_contiguous() const {
    const Sizes expected = contiguous_strides(shape);
    for (int k = 0; k < shape.rank(); ++k)
      if (shape[k] != 1 && strides[std::size_t(k)] != expected[std::size_t(k)]) return false;
    return true;
  }
};

class Machine {
 public:
  Machine(const std::vector<double>& z, const std::vector<double>& v, bool by_gradient) {
    std::vector<Number> numbers(n);
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = {z[i], v[i]};
      if (by_gradient) numbers[i].c[i] = 1;
    }
    const std::int64_t half = n / 2;
    arrays_ = {made({n}, numbers, by_gradient)};
    for (const std::int64_t begin : {std::int64_t(0), half}) {
      Array part = arrays_[0];
      part.shape = {half};
      part.offset = begin;
      arrays_.push_back(part);
    }
  }

  void run(const Line& line) {
    const Array& a = arrays_[std::size_t(line.a)];
    switch (line.act) {
      case Act::fresh:
        return keep(constant(line.shape, numbers_of(line.number, line.shape.numel())));
      case Act::unary:
      case Act::binary:
      case Act::concat:
      case Act::clone:
        return keep(recorded(line, computed(line)));
      case Act::slice:
      case Act::select:
      case Act::transpose:
      case Act::reshape:
      case Act::expand:
        return keep(view(line, a));
      case Act::detach:
        return keep(detached(a));
      case Act::same:
        return keep(a);
      case Act::read:
        return read(a, numbers_of(line.number, a.shape.numel()));
      default:
        change(line, a);
    }
  }

  Derivatives result() const {
    return {
        sum_.a, sum_.b, {sum_.c.begin(), sum_.c.end()}, {sum_.d.begin(), sum_.d.end()}, largest_};
  }

 private:
  static Array made(const Shape& shape, std::vector<Number> numbers, bool requires_grad) {
    Array array;
    array.memory = std::make_shared<std::vector<double>>();
    for (const Number& x : numbers) array.memory->push_back(x.a);
    array.family = std::make_shared<Family>(Family{std::move(numbers), requires_grad});
    array.shape = shape;
    array.strides = contiguous_strides(shape);
    return array;
  }
  static Array constant(const Shape& shape, const std::vector<double>& values) {
    std::vector<Number> numbers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) numbers[i].a = values[i];
    return made(shape, numbers, false);
  }
  /// The same memory, to which nothing is known.
  static Array detached(Array a) {
    a.family = std::make_shared<Family>();
    a.family->numbers.resize(a.memory->size());
    return a;
  }

  void keep(Array array) { arrays_.push_back(std::move(array)); }
  void note(double x) { largest_ = larger(largest_, std::isfinite(x) ? std::fabs(x) : INFINITY); }
  void note(const Number& x) {
    note(x.a);
    note(x.b);
    for (const double y : x.c) note(y);
    for (const double y : x.d) note(y);
  }

  /// Element i of b as broadcast to a's shape.
  static Number broadcast_element(const Array& b, const Shape& to, std::int64_t i) {
    std::int64_t at = 0, step = 1;
    for (int k = to.rank() - 1, j = b.shape.rank() - 1; j >= 0; --k, --j) {
      at += (b.shape[j] == 1 ? 0 : i % to[k]) * step;
      step *= b.shape[j];
      i /= to[k];
    }
    return b.read(at);
  }

  std::vector<Number> computed(const Line& line) {
    const Array& a = arrays_[std::size_t(line.a)];
    std::vector<Number> out = a.all();
    if (line.act == Act::unary)
      for (Number& x : out) x = apply(smooth_ops()[std::size_t(line.kind)], x);
    if (line.act == Act::binary)
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Number y = broadcast_element(arrays_[std::size_t(line.b)], a.shape, std::int64_t(i));
        out[i] = line.kind == 0 ? out[i] + y : line.kind == 1 ? out[i] - y : out[i] * y;
      }
    return line.act == Act::concat ? joined(a, arrays_[std::size_t(line.b)], line) : out;
  }

  static std::vector<Number> joined(const Array& a, const Array& b, const Line& line) {
    std::int64_t inner = 1;
    for (int k = line.axis; k < a.shape.rank(); ++k) inner *= a.shape[k];
    std::vector<Number> out;
    for (std::int64_t begin = 0; begin < a.shape.numel(); begin += inner) {
      for (std::int64_t i = 0; i < inner; ++i) out.push_back(a.read(begin + i));
      for (std::int64_t i = 0; i < inner; ++i) out.push_back(b.read(begin + i));
    }
    return out;
  }

  bool requires_grad(int at) const {
    return at >= 0 && arrays_[std::size_t(at)].family->requires_grad;
  }

  Array recorded(const Line& line, std::vector<Number> numbers) {
    const bool is_recorded = !line.in_no_grad && line.manner != Manner::inference;
    const bool needs = is_recorded && (requires_grad(line.a) || requires_grad(line.b));
    for (Number& x : numbers) {
      if (line.manner == Manner::checkpoint) x = Number{line.number} * x;
      if (!needs) x.c = x.d = {};
      if (line.manner == Manner::scaled)
        for (std::size_t i = 0; i < n; ++i) x.c[i] *= 2, x.d[i] *= 2;
      note(x);
    }
    return made(line.shape, std::move(numbers), needs);
  }

  Array view(const Line& line, const Array& a) {
    if (line.act == Act::reshape && !a.is_contiguous()) return recorded(line, a.all());
    Array made = a;
    made.shape = line.shape;
    const std::size_t axis = std::size_t(line.axis);
    switch (line.act) {
      case Act::slice:
        made.offset += line.begin * a.strides[axis];
        break;
      case Act::select:
        made.offset += line.begin * a.strides[axis];
        std::copy(a.strides.begin() + line.axis + 1, a.strides.end(),
                  made.strides.begin() + line.axis);
        break;
      case Act::transpose:
        std::swap(made.strides[axis], made.strides[std::size_t(line.other_axis)]);
        break;
      case Act::reshape:
        made.strides = contiguous_strides(line.shape);
        break;
      default:
        made.strides = {};
        for (int k = a.shape.rank() - 1, to = line.shape.rank() - 1; k >= 0; --k, --to)
          made.strides[std::size_t(to)] =
              a.shape[k] == line.shape[to] ? a.strides[std::size_t(k)] : 0;
    }
    if (!line.in_no_grad || !a.family->requires_grad) return made;
    made.family = std::make_shared<Family>(*a.family);  // no longer follows what a depends on
    made.family->requires_grad = false;
    for (Number& x : made.family->numbers) x.c = x.d = {};
    return made;
  }

  Number changed(Act act, const Number& x, const Number& y) {
    switch (act) {
      case Act::add_in_place:
        return x + y;
      case Act::sub_in_place:
        return x - y;
      case Act::mul_in_place:
        return x * y;
      case Act::div_in_place:
        note(apply(reciprocal, y));                    // by which gradients are multiplied
        note(sizes(x) * sizes(apply(reciprocal, y)));  // of which the sum may be much smaller
        return x * apply(reciprocal, y);
      default:
        return y;
    }
  }

  void change(const Line& line, const Array& a) {
    const std::vector<Number> old = a.all();
    std::vector<Number> now;
    for (std::int64_t i = 0; i < a.shape.numel(); ++i) {
      Number y{line.number};
      if (line.b >= 0) y = broadcast_element(arrays_[std::size_t(line.b)], a.shape, i);
      now.push_back(changed(line.act, old[std::size_t(i)], y));
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (line.in_no_grad) now[i].c = old[i].c, now[i].d = old[i].d;
      note(now[i]);
      (*a.memory)[a.place(std::int64_t(i))] = now[i].a;
      a.family->numbers[a.place(std::int64_t(i))] = now[i];
    }
    if (!line.in_no_grad && requires_grad(line.b)) a.family->requires_grad = true;
  }

  void read(const Array& a, const std::vector<double>& weights) {
    for (std::int64_t i = 0; i < a.shape.numel(); ++i)
      sum_ = sum_ + Number{weights[std::size_t(i)]} * a.read(i);
    note(sum_);
  }

  std::vector<Array> arrays_;
  Number sum_;
  double largest_ = 1;
};

}  // namespace

Derivatives interpret(const RandomProgram& program, const std::vector<double>& z,
                      const std::vector<double>& v, bool by_gradient) {
  Machine machine(z, v, by_gradient);
  for (const Line& line : program.lines) machine.run(line);
  return machine.result();
}

}  // namespace pinn::test
