#include "tests/autograd/tape/compare_programs.h"

#include <fmt/format.h>

#include "autograd/core/error.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/hooks.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/save_on.h"
#include "tests/autograd/tape/helpers.h"
#include "tests/autograd/tape/run_program.h"

namespace pinn::test {
namespace {

using Values = std::vector<double>;

/// The values of t, or zeros where it is undefined.
Values values_or_zeros(const Tensor& t, std::size_t count) {
  return t.defined() ? t.values() : Values(count, 0);
}

/// One program, computed in every way the engine has.
class Comparison {
 public:
  Comparison(std::uint64_t number, const Habits& habits)
      : program_(random_program(number, habits)),
        watches_(habits.manners && number % 4 == 0),
        saves_on_disk_(habits.manners && number % 16 == 1) {
    const Tensor z = normal({RandomProgram::inputs}, 3 * number + 1);
    z_ = z.values();
    v_ = normal(z.shape(), 3 * number + 2).values();
    expected_ = interpret(program_, z_, v_);
  }

  /// Numbers of this size say little about derivatives.
  bool is_tame() const { return expected_.largest < 1e4; }
  const RandomProgram& program() const { return program_; }

  /// Difference found; nothing where all is equal. Errors: those of the engine's refusals.
  std::string difference(const std::vector<Way>& others, Outcome& outcome) {
    const WarningSink silent([](const std::string&) {});
    std::optional<AnomalyMode> mode;
    std::optional<SaveOnDisk> disk;
    if (watches_) mode.emplace();
    if (saves_on_disk_) disk.emplace(".", OffloadOptions{.threshold = 0, .in_flight = 0});
    by_reverse_mode();
    by_forward_mode(true, expected_.along);
    by_forward_mode(false, interpret(program_, z_, v_, false).along);
    by_forward_over_reverse();
    // Values that are not recorded are not differentiated again by reverse mode, and those that a
    // hook scaled are scaled again.
    if (!program_.has_no_grad && !program_.has_scaled) by_reverse_over_both();
    for (const Way& way : others) by(way, outcome);
    return different_;
  }

 private:
  Tensor inputs(bool requires_grad = true) const {
    return from_values(z_, {RandomProgram::inputs}).set_requires_grad(requires_grad);
  }
  Tensor direction() const { return from_values(v_, {RandomProgram::inputs}); }

  void check(const std::string& what, const Values& found, const Values& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!(std::fabs(found.at(i) - expected[i]) <= 1e-9 * expected_.largest))
        different_ += fmt::format("{}: {} is not {}, {} among numbers up to {}\n", what, found[i],
                                  expected[i], found[i] - expected[i], expected_.largest);
  }

  void by(const Way& way, Outcome& outcome) {
    const std::optional<Derivatives> found = way.of(program_, z_, v_);
    if (!found) return;
    ++outcome.ways[way.name];
    const std::string name = way.name;
    check(name + ", value", {found->value}, {expected_.value});
    check(name + ", jvp", {found->along}, {expected_.along});
    check(name + ", gradient", found->gradient, expected_.gradient);
    check(name + ", hvp", found->curvature, expected_.curvature);
  }

  void by_reverse_mode() {
    const Tensor z = inputs(), y = run_program(program_, z);
    check("value", {y.item()}, {expected_.value});
    if (!y.requires_grad()) return check("gradient of none", expected_.gradient, Values(z_.size()));
    const GradOptions options{.retain_graph = true, .materialize = true};
    check("gradient", grad(y, z, options).values(), expected_.gradient);
    const Tensor two = grad({y}, {z}, {ones({2})},
                            {.retain_graph = true, .materialize = true, .batched = true})[0];
    check("batched gradient", slice(two, 0, 1, 2).values(), expected_.gradient);
    int accumulated = 0;
    after_accumulation(z, [&](const Tensor&) { ++accumulated; });
    backward(y);
    check("times accumulated", {double(accumulated)}, {z.grad().defined() ? 1. : 0.});
    check("grad()", values_or_zeros(z.grad(), z_.size()), expected_.gradient);
  }

  void by_forward_mode(bool requires_grad, double expected) {
    const TensorFunction f = [&](const auto& in) { return run_program(program_, in[0]); };
    const Jvp j = jvp(f, {inputs(requires_grad)}, {direction()});
    check("value of jvp", {j.value.item()}, {expected_.value});
    check("jvp", values_or_zeros(j.tangent, 1), {expected});
  }

  void by_forward_over_reverse() {
    if (!run_program(program_, inputs()).requires_grad()) return;
    const Hvp h =
        hvp([&](const Tensor& x) { return run_program(program_, x); }, inputs(), direction());
    check("gradient of hvp", h.gradient.values(), expected_.gradient);
    check("hvp", h.product.values(), expected_.curvature);
  }

  void by_reverse_over_both() {
    const Tensor z = inputs(), y = run_program(program_, z);
    if (!y.requires_grad()) return;
    const Tensor g = grad(y, z, {.create_graph = true, .materialize = true});
    check("reverse over reverse", derivative(sum(g * direction()), z), expected_.curvature);
    const TensorFunction f = [&](const auto& in) { return run_program(program_, in[0]); };
    const Tensor x = inputs(), t = jvp(f, {x}, {direction()}).tangent;
    check("reverse over forward", t.defined() ? derivative(t, x) : Values(z_.size(), 0),
          expected_.curvature);
  }

  static Values derivative(const Tensor& y, const Tensor& z) {
    if (!y.requires_grad()) return Values(std::size_t(z.numel()), 0);
    return grad(y, z, {.materialize = true}).values();
  }

  RandomProgram program_;
  bool watches_;        ///< in an AnomalyMode
  bool saves_on_disk_;  ///< what no line packs itself
  Values z_, v_;
  Derivatives expected_;
  std::string different_;
};

/// True if a message is one of those that refuse a change in place or its consequence.
bool is_refusal(const std::string& message) {
  return message.find("in place") != std::string::npos ||
         message.find("inplace") != std::string::npos ||
         message.find("expanded tensor") != std::string::npos;
}

void compare(std::uint64_t number, const Habits& habits, const std::vector<Way>& others,
             Outcome& outcome) {
  Comparison comparison(number, habits);
  if (!comparison.is_tame()) return;
  std::string different;
  try {
    different = comparison.difference(others, outcome);
  } catch (const Error& e) {
    const std::string& what = e.report.what;
    if (is_refusal(what)) {
      ++outcome.refused;
      ++outcome.refusals[what.substr(0, 75)];
      return;
    }
    different = e.what();
  }
  outcome.equal += different.empty();
  if (!different.empty() && outcome.different.size() < 4000)
    outcome.different +=
        fmt::format("program {}\n{}{}", number, text_of(comparison.program()), different);
}

}  // namespace

Outcome compared(std::uint64_t first, std::uint64_t last, const Habits& habits,
                 const std::vector<Way>& others, bool alone) {
  Outcome outcome;
  for (std::uint64_t number = first; number < last; ++number) {
    const std::int64_t nodes = live_nodes(), tensors = live_tensors();
    compare(number, habits, others, outcome);
    if (alone && (live_nodes() != nodes || live_tensors() != tensors))
      outcome.different += fmt::format("program {} leaves nodes or tensors\n{}", number,
                                       text_of(random_program(number, habits)));
  }
  return outcome;
}

void check(const Outcome& outcome) {
  std::string refusals;
  for (const auto& [what, times] : outcome.refusals)
    refusals += fmt::format("{} x {}\n", times, what);
  INFO(outcome.equal << " equal, " << outcome.refused << " refused\n" << refusals);
  INFO(outcome.different);
  CHECK(outcome.different.empty());
  CHECK(10 * outcome.refused <= outcome.equal + outcome.refused);
}

}  // namespace pinn::test
