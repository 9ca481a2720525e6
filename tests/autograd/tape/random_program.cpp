#include "tests/autograd/tape/random_program.h"

#include <cmath>

#include "autograd/core/random.h"
#include "autograd/tape/functions.h"

namespace pinn::test {
namespace {

/// Writes one program.
class Author {
 public:
  Author(std::uint64_t number, const Habits& habits)
      : random_{.seed = 5, .stream = number}, habits_(habits) {
    const std::int64_t n = RandomProgram::inputs;
    shapes_ = {{n}, {n / 2}, {n / 2}};
    memory_ = {0, 0, 0};
    must_stay_ = {true, true, true};
    is_saved_ = {true};
  }

  RandomProgram write() {
    add({.act = Act::binary, .a = 0, .b = 0, .kind = 2, .shape = shapes_[0]});
    add({.act = Act::fresh, .number = uniform(), .shape = any_shape()});
    const int lines = habits_.lines / 2 + below(habits_.lines);
    while (int(program_.lines.size()) < lines) write_line();
    for (int i = 0; i < int(shapes_.size()); ++i)
      if (chance(0.5) || i + 1 == int(shapes_.size()))
        add({.act = Act::read, .a = i, .number = uniform()});
    return std::move(program_);
  }

 private:
  double uniform() { return random_.uniform(count_++); }
  bool chance(double p) { return uniform() < p; }
  int below(int n) { return int(uniform() * n); }
  int any() { return below(int(shapes_.size())); }
  Shape any_shape() {
    static const Shape shapes[] = {{}, {2}, {4}, {2, 2}, {2, 1}, {1, 2}, {2, 4}, {2, 2, 2}};
    return shapes[below(int(std::size(shapes)))];
  }
  /// A tensor that can be combined with shape `to`, or -1.
  int fitting(const Shape& to, bool exactly) {
    for (int tries = 0; tries < 8; ++tries) {
      const int at = any();
      if (exactly ? shapes_[at] == to : broadcasts_to(shapes_[at], to)) return at;
    }
    return -1;
  }

  void add(Line line) {
    line.in_no_grad |= line.act != Act::read && in_no_grad_;
    if (habits_.manners && (line.act == Act::unary || line.act == Act::binary) && chance(0.5))
      line.manner = Manner(1 + below(5));
    if (line.manner == Manner::checkpoint) line.number = 0.5 + uniform();
    program_.has_no_grad |= line.in_no_grad || line.manner == Manner::inference;
    program_.has_scaled |= line.manner == Manner::scaled;
    program_.lines.push_back(line);
    if (line.act < Act::add_in_place) note_made(line);
    const bool saves = line.act == Act::unary || (line.act == Act::binary && line.kind == 2);
    if (!saves) return;
    for (const int at : {line.a, line.b, int(memory_.size()) - 1})
      if (at >= 0) is_saved_[std::size_t(memory_[std::size_t(at)])] = true;
  }

  void note_made(const Line& line) {
    const bool shares = (line.act >= Act::slice && line.act <= Act::expand) ||
                        line.act == Act::detach || line.act == Act::same;
    shapes_.push_back(line.shape);
    if (!shares) is_saved_.push_back(false);
    memory_.push_back(shares ? memory_[std::size_t(line.a)] : int(is_saved_.size()) - 1);
    must_stay_.push_back(
        shares && (must_stay_[std::size_t(line.a)] || line.act == Act::expand || line.in_no_grad));
  }

  /// A tensor to change in place: rarely one that the engine refuses to change, and not often one
  /// that it is likely to miss. -1 if none is found.
  int any_to_change() {
    const bool may_stay = chance(0.02), may_be_saved = chance(0.2);
    for (int tries = 0; tries < 20; ++tries) {
      const int at = any();
      const bool is_saved = is_saved_[std::size_t(memory_[std::size_t(at)])];
      if ((may_stay || !must_stay_[std::size_t(at)]) && (may_be_saved || !is_saved)) return at;
    }
    return -1;
  }

  void write_line() {
    in_no_grad_ = chance(0.06);
    const double which = uniform();
    const double changes = habits_.changes ? 0.35 : 0;
    if (which < changes)
      write_change();
    else if (which < changes + 0.25)
      write_view();
    else if (which < 0.9)
      write_op();
    else
      write_other();
  }

  void write_change() {
    const int a = any_to_change();
    if (a < 0) return;
    Line line{.act = Act(int(Act::add_in_place) + below(5)), .a = a, .number = 0.5 + uniform()};
    const bool copies = line.act == Act::copy_in_place;
    if (copies || chance(0.75)) line.b = fitting(shapes_[std::size_t(a)], copies);
    if (copies && line.b < 0) return;
    add(line);
  }

  void write_view() {
    const int a = any();
    const Shape from = shapes_[std::size_t(a)];
    Line line{.act = Act(int(Act::slice) + below(5)), .a = a, .shape = from};
    if (from.rank() == 0 && line.act != Act::expand && line.act != Act::reshape) return;
    const int axis = line.axis = from.rank() == 0 ? 0 : below(from.rank());
    switch (line.act) {
      case Act::slice:
        line.begin = below(int(from[axis]));
        line.end = line.begin + 1 + below(int(from[axis] - line.begin));
        line.shape[axis] = line.end - line.begin;
        break;
      case Act::select:
        line.begin = below(int(from[axis]));
        line.shape = from.removed(axis);
        break;
      case Act::transpose:
        line.other_axis = below(from.rank());
        std::swap(line.shape[axis], line.shape[line.other_axis]);
        break;
      case Act::reshape:
        line.shape = any_shape();
        if (line.shape.numel() != from.numel()) return;
        break;
      default:
        line.shape = any_shape();
        if (from == line.shape || !broadcasts_to(from, line.shape)) return;
    }
    add(line);
  }

  void write_op() {
    const int a = any();
    if (chance(0.3))
      return add({.act = Act::unary,
                  .a = a,
                  .kind = below(int(smooth_ops().size())),
                  .shape = shapes_[std::size_t(a)]});
    const int b = fitting(shapes_[std::size_t(a)], false);
    if (b >= 0)
      add({.act = Act::binary, .a = a, .b = b, .kind = below(3), .shape = shapes_[std::size_t(a)]});
  }

  void write_other() {
    const int a = any();
    const Shape shape = shapes_[std::size_t(a)];
    switch (below(6)) {
      case 0:
        return add({.act = Act::fresh, .number = uniform(), .shape = any_shape()});
      case 1:
        return add({.act = Act::clone, .a = a, .shape = shape});
      case 2:
        return add({.act = Act::same, .a = a, .shape = shape});
      case 3:
        return add({.act = Act::read, .a = a, .number = uniform()});
      case 4:
        if (chance(0.3)) add({.act = Act::detach, .a = a, .shape = shape});
        return;
      default:
        break;
    }
    const int b = fitting(shape, true);
    if (shape.rank() == 0 || b < 0) return;
    Line line{.act = Act::concat, .a = a, .b = b, .axis = below(shape.rank()), .shape = shape};
    line.shape[line.axis] *= 2;
    add(line);
  }

  Random random_;
  Habits habits_;
  std::uint64_t count_ = 0;
  RandomProgram program_;
  std::vector<Shape> shapes_;
  std::vector<int> memory_;      ///< which piece of memory each tensor is in
  std::vector<bool> must_stay_;  ///< of a tensor: a leaf, expanded, or unrecorded
  std::vector<bool> is_saved_;   ///< of a piece of memory: some derivative may read it
  bool in_no_grad_ = false;
};

const char* const act_names[] = {
    "fresh",        "unary",        "binary",       "slice",        "select",        "transpose",
    "reshape",      "expand",       "concat",       "clone",        "detach",        "same",
    "add_in_place", "sub_in_place", "mul_in_place", "div_in_place", "copy_in_place", "read"};

}  // namespace

RandomProgram random_program(std::uint64_t number, const Habits& habits) {
  return Author(number, habits).write();
}

std::vector<double> numbers_of(double number, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(40 * number + double(i));
  return values;
}

std::string text_of(const RandomProgram& program) {
  std::string text;
  int made = 3;
  for (const Line& l : program.lines) {
    text += l.act < Act::add_in_place ? "t" + std::to_string(made++) + " = " : "";
    text += std::string(act_names[int(l.act)]) + " t" + std::to_string(l.a);
    text += l.b >= 0 ? " t" + std::to_string(l.b) : "";
    text += ", kind " + std::to_string(l.kind) + ", axes " + std::to_string(l.axis) + " " +
            std::to_string(l.other_axis) + ", " + std::to_string(l.begin) + ".." +
            std::to_string(l.end) + ", " + std::to_string(l.number) + ", " + to_string(l.shape) +
            ", manner " + std::to_string(int(l.manner)) + (l.in_no_grad ? ", NoGrad\n" : "\n");
  }
  return text;
}

const std::vector<Smooth>& smooth_ops() {
  static const std::vector<Smooth> ops = {
      {"sin", [](double x) { return std::sin(x); }, [](double x) { return std::cos(x); },
       [](double x) { return -std::sin(x); }, [](const Tensor& x) { return sin(x); },
       [](const Tensor& x) -> Tensor { return cos(x); }},
      {"cos", [](double x) { return std::cos(x); }, [](double x) { return -std::sin(x); },
       [](double x) { return -std::cos(x); }, [](const Tensor& x) { return cos(x); },
       [](const Tensor& x) -> Tensor { return -sin(x); }},
      {"square", [](double x) { return x * x; }, [](double x) { return 2 * x; },
       [](double) { return 2.; }, [](const Tensor& x) { return square(x); },
       [](const Tensor& x) -> Tensor { return 2.0 * x; }},
      {"neg", [](double x) { return -x; }, [](double) { return -1.; }, [](double) { return 0.; },
       [](const Tensor& x) { return -x; }, [](const Tensor&) -> Tensor { return Tensor(-1.0); }},
      {"tanh", [](double x) { return std::tanh(x); },
       [](double x) { return 1 - std::tanh(x) * std::tanh(x); },
       [](double x) { return -2 * std::tanh(x) * (1 - std::tanh(x) * std::tanh(x)); },
       [](const Tensor& x) { return tanh(x); },
       [](const Tensor& x) -> Tensor { return 1.0 - square(tanh(x)); }},
      {"exp", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); },
       [](double x) { return std::exp(x); }, [](const Tensor& x) { return exp(x); },
       [](const Tensor& x) -> Tensor { return exp(x); }},
  };
  return ops;
}

}  // namespace pinn::test
