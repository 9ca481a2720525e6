#include <fmt/format.h>

#include <map>
#include <thread>

#include "autograd/core/error.h"
#include "autograd/tape/forward_mode.h"
#include "tests/autograd/tape/helpers.h"
#include "tests/autograd/tape/run_program.h"
#include "tests/autograd/tape/slow_memory.h"

using namespace pinn;
using namespace pinn::test;

namespace {

using Values = std::vector<double>;

/// The values of t, or zeros where it is undefined.
Values values_or_zeros(const Tensor& t, std::size_t count) {
  return t.defined() ? t.values() : Values(count, 0);
}

/// One program, computed in every way the engine has.
class Comparison {
 public:
  explicit Comparison(std::uint64_t number) : program_(random_program(number)) {
    const Tensor z = normal({RandomProgram::inputs}, 3 * number + 1);
    z_ = z.values();
    v_ = normal(z.shape(), 3 * number + 2).values();
    expected_ = interpret(program_, z_, v_);
  }

  /// Numbers of this size say little about derivatives.
  bool is_tame() const { return expected_.largest < 1e4; }
  const RandomProgram& program() const { return program_; }

  /// What differs; nothing where all is equal. Errors: those of the engine's refusals.
  std::string difference() {
    by_reverse_mode();
    by_forward_mode(true, expected_.along);
    by_forward_mode(false, interpret(program_, z_, v_, false).along);
    by_forward_over_reverse();
    // What is not recorded is neither differentiated again by reverse mode.
    if (!program_.has_no_grad) by_reverse_over_both();
    return different_;
  }

 private:
  Tensor inputs(bool requires_grad = true) const {
    return from_values(z_, {RandomProgram::inputs}).set_requires_grad(requires_grad);
  }
  Tensor direction() const { return from_values(v_, {RandomProgram::inputs}); }

  void check(const char* what, const Values& found, const Values& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!(std::fabs(found.at(i) - expected[i]) <= 1e-9 * expected_.largest))
        different_ += fmt::format("{}: {} is not {}, {} among numbers up to {}\n", what, found[i],
                                  expected[i], found[i] - expected[i], expected_.largest);
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
    backward(y);
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
  Values z_, v_;
  Derivatives expected_;
  std::string different_;
};

/// How many programs there were of each sort.
struct Outcome {
  int equal = 0, refused = 0;
  std::string different;                ///< the first few, whole
  std::map<std::string, int> refusals;  ///< by what is said
};

/// Whether a message is one of those that refuse a change in place or its consequence.
bool is_refusal(const std::string& message) {
  return message.find("in place") != std::string::npos ||
         message.find("inplace") != std::string::npos ||
         message.find("expanded tensor") != std::string::npos;
}

void try_program(std::uint64_t number, Outcome& outcome) {
  Comparison comparison(number);
  if (!comparison.is_tame()) return;
  std::string different;
  try {
    different = comparison.difference();
  } catch (const Error& e) {
    const std::string& what = e.report.what;
    if (is_refusal(what)) {
      ++outcome.refused;
      ++outcome.refusals[what.substr(0, 75)];
      return;
    }
    different = e.what();
  }
  if (different.empty())
    ++outcome.equal;
  else if (outcome.different.size() < 4000)
    outcome.different +=
        "program " + std::to_string(number) + "\n" + text_of(comparison.program()) + different;
}

Outcome try_programs(std::uint64_t first, std::uint64_t last) {
  Outcome outcome;
  for (std::uint64_t number = first; number < last; ++number) {
    const std::int64_t nodes = live_nodes(), tensors = live_tensors();
    try_program(number, outcome);
    if (live_nodes() != nodes || live_tensors() != tensors)
      outcome.different += "program " + std::to_string(number) + " leaves nodes or tensors\n" +
                           text_of(random_program(number));
  }
  return outcome;
}

void check(const Outcome& outcome, int count) {
  std::string refusals;
  for (const auto& [what, times] : outcome.refusals)
    refusals += std::to_string(times) + " x " + what + "\n";
  INFO(outcome.equal << " equal, " << outcome.refused << " refused\n" << refusals);
  INFO(outcome.different);
  CHECK(outcome.different.empty());
  CHECK(outcome.equal > count / 2);
  CHECK(10 * outcome.refused <= outcome.equal + outcome.refused);
}

}  // namespace

TEST_CASE("programs of views and changes in place have the derivatives of the numbers they move",
          "[autograd][tape]") {
  check(try_programs(0, 2000), 2000);
}

TEST_CASE("programs of views and changes in place may run in four threads",
          "[autograd][tape][threads]") {
  constexpr std::uint64_t share = 250;
  std::vector<Outcome> outcomes(4);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&outcomes, t] {
        for (std::uint64_t i = 0; i < share; ++i)
          try_program(200000 + share * t + i, outcomes[std::size_t(t)]);
      });
  }
  for (const Outcome& outcome : outcomes) check(outcome, int(share));
}

TEST_CASE("a hundred thousand programs of views and changes in place have the right derivatives",
          "[autograd][tape][slow]") {
  check(try_programs(0, 100000), 100000);
}
