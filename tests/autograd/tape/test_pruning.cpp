#include "tests/autograd/tape/network.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr std::int64_t points = 5, width = 4;
constexpr int layers = 5;  // square ones
const GradOptions keep{.retain_graph = true};
const GradOptions create{.create_graph = true};

Perceptron perceptron(int outputs) {
  std::vector<std::int64_t> widths{2};
  widths.insert(widths.end(), layers + 1, width);
  widths.push_back(outputs);
  return Perceptron(unary_id<op::Tanh>, widths);
}

}  // namespace

TEST_CASE("PRN-01 grad of an output by the inputs multiplies no weight gradients",
          "[autograd][tape]") {
  const Perceptron net = perceptron(3);
  const Tensor x = variable({points, 2}, 1), y = net(x);
  Counting count;
  column_gradient(y, 1, x);

  CHECK(count.square_products(points, width) == layers);
  CHECK(count.nodes("accumulator") == 0);
  CHECK(count.runs("add", 1) == 0);
  for (const Tensor& p : net.parameters()) CHECK_FALSE(p.grad().defined());

  const Switches off({.prune = false});
  count.restart();
  column_gradient(y, 1, x);
  CHECK(count.square_products(points, width) == 2 * layers);
}

TEST_CASE("PRN-04 pure derivatives cost what they must", "[autograd][tape]") {
  const int order = GENERATE(1, 2, 3, 4);
  const bool prune = GENERATE(true, false);
  const std::int64_t before[] = {10, 30, 70, 150}, after[] = {30, 90, 210, 450},
                     unpruned_after[] = {35, 115, 275, 595};
  const Switches switches({.prune = prune});
  const Perceptron net = perceptron(1);
  const Tensor x = variable({points, 2}, 1);
  const Counting count;

  const Tensor u = net(x), first = column_gradient(u, 0, x);
  Tensor loss = sum(square(u));
  for (int j = 0; j < 2; ++j) {
    Tensor g = first;
    for (int k = 1; k < order; ++k) g = column_gradient(g, j, x);
    loss = loss + sum(square(select(g, 1, j)));
  }
  const std::int64_t derivatives = count.square_products(points, width);
  backward(loss);

  if (prune) CHECK(derivatives == before[order - 1]);
  CHECK(count.square_products(points, width) ==
        (prune ? after[order - 1] : unpruned_after[order - 1]));
}

TEST_CASE("PRN-09 the formula of an operand that is not wanted does not run", "[autograd][tape]") {
  using Op = std::function<Tensor(const Tensor&, const Tensor&)>;
  const std::vector<std::pair<std::string, Op>> ops = {
      {"mul", [](auto& a, auto& b) { return a * b; }},
      {"div", [](auto& a, auto& b) { return a / b; }},
      {"add", [](auto& a, auto& b) { return a + b; }},
      {"sub", [](auto& a, auto& b) { return a - b; }},
      {"pow", [](auto& a, auto& b) { return pow(a, b); }},
      {"atan2", [](auto& a, auto& b) { return atan2(a, b); }},
      {"max", [](auto& a, auto& b) { return max(a, b); }},
      {"where", [](auto& a, auto& b) { return where(less(a, b), a, b); }},
      {"concat",
       [](auto& a, auto& b) {
         return concat({a, b}, 1);
       }},
      {"matmul", [](auto& a, auto& b) { return matmul(a, b); }}};
  const auto& [name, f] = ops[std::size_t(GENERATE(range(0, 10)))];
  const int wanted = GENERATE(0, 1);
  INFO(name);
  const std::vector<Tensor> inputs = {variable({3, 3}, 1), variable({3, 3}, 2)};
  const Counting count;

  grad({sum(f(inputs[0], inputs[1]))}, {inputs[std::size_t(wanted)]});

  CHECK(count.runs(name, wanted) == 1);
  CHECK(count.runs(name, 1 - wanted) == 0);
}

TEST_CASE("PRN-10 the logarithm of a negative base is not taken for the base's gradient",
          "[autograd][tape]") {
  const Tensor x = from_values({-2, 3}, {2}).set_requires_grad();
  const Tensor p = from_values({3, 2}, {2}).set_requires_grad();
  const Counting count;

  const Tensor g = grad({pow(x, p)}, {x}, {ones({2})})[0];

  CHECK(g.values()[0] == Approx(12).epsilon(1e-15));
  CHECK(g.values()[1] == Approx(6).epsilon(1e-15));
  CHECK(count.runs("pow", 1) == 0);
}

TEST_CASE("PRN-12 a frozen layer multiplies no gradient of its weights and saves nothing for it",
          "[autograd][tape]") {
  const Perceptron net = perceptron(1), frozen = perceptron(1);
  for (Tensor t : {frozen.w[2], frozen.b[2]}) t.set_requires_grad(false);
  const Tensor x = variable({points, 2}, 1);
  Counting count;
  backward(sum(net(x)));
  const std::int64_t all = stats().products;
  count.restart();

  Tensor h = x;
  for (std::size_t l = 0; l < 3; ++l) h = tanh(matmul(h, frozen.w[l]) + frozen.b[l]);
  const Tensor input = tanh(h);  // of a frozen product: it may change afterwards
  Tensor changed = input.detach();
  const Tensor y = matmul(input, frozen.w[2]);
  add_in_place(changed, ones(changed.shape()));
  CHECK_NOTHROW(grad({y}, {input}, {ones(y.shape())}, keep));

  count.restart();
  backward(sum(frozen(x)));
  CHECK(stats().products == all - 1);
  CHECK_FALSE(frozen.w[2].grad().defined());
  for (std::size_t l : {0, 1, 3, 4, 5}) CHECK(distance(frozen.w[l].grad(), net.w[l].grad()) == 0);
}

TEST_CASE("PRN-13 backward to one weight writes and multiplies nothing else", "[autograd][tape]") {
  const Perceptron net = perceptron(1);
  const Tensor x = normal({points, 2}, 1), y = sum(net(x));
  const Counting count;

  backward({y}, {}, {}, std::vector<Tensor>{net.w[2]});

  CHECK(net.w[2].grad().defined());
  for (std::size_t l : {0, 1, 3, 4, 5, 6}) CHECK_FALSE(net.w[l].grad().defined());
  for (const Tensor& b : net.b) CHECK_FALSE(b.grad().defined());
  CHECK(count.runs("matmul", 1) == 1);
  CHECK(count.runs("matmul", 0) == layers - 1);  // down from the last layer to layer 3
}

TEST_CASE("PRN-14 mixed derivatives through a pruned pass are exact", "[autograd][tape]") {
  const Perceptron net = perceptron(1);
  const Tensor x = variable({points, 2}, 1);
  const auto mixed = [&](bool prune) {
    const Switches switches({.prune = prune});
    const Tensor slope = column_gradient(net(x), 0, x);
    return grad(sum(square(slope)), net.w[2]);
  };

  CHECK(relative_distance(mixed(true), mixed(false)) <= 1e-12);
}

TEST_CASE("PRN-18 the part of a tensor that is not used adds nothing", "[autograd][tape]") {
  const Tensor x = variable({4, 2}, 1), h = tanh(x);
  const Tensor used = slice(h, 0, 0, 2), unused = exp(slice(h, 0, 2, 4));
  const Counting count;

  const Tensor g = grad(sum(used), x);

  CHECK(count.runs("exp", 0) == 0);
  CHECK(count.runs("slice", 0) == 1);
  CHECK(largest(slice(g, 0, 2, 4)) == 0);
}

TEST_CASE("PRN-18 a formula that is not wanted makes no zeros of undefined gradients",
          "[autograd][tape]") {
  const Tensor x = variable({3}, 1), a = x.detach().clone(), b = x.detach().clone();
  std::vector<bool> defined;
  record({a, b}, {x}, "split", [&](auto&, const Gradients& g) {
    for (const Tensor& t : g) defined.push_back(t.defined());
    return Gradients{g[1]};
  });

  grad({b}, {x}, {ones({3})});

  CHECK(defined == std::vector<bool>{false, true});
}

TEST_CASE("PRN-19 an input used twice gets both gradients for one product per layer",
          "[autograd][tape]") {
  const Tensor x = variable({points, width}, 1);
  std::vector<Tensor> w;
  for (std::uint64_t l = 0; l < 3; ++l) w.push_back(variable({width, width}, 10 + l));
  const Tensor h = tanh(matmul(tanh(matmul(x, w[0])), w[1])), y = sum(tanh(matmul(h + x, w[2])));
  const Counting count;

  const Tensor g = grad({y}, {x}, {}, keep)[0];
  CHECK(stats().products == 3);

  const Switches off({.prune = false, .bound_discovery = false});
  CHECK(grad({y}, {x}, {}, keep)[0].values() == g.values());
}

TEST_CASE("PRN-20 a weight used in two layers needs both products and no bias sums",
          "[autograd][tape]") {
  const Tensor x = variable({points, width}, 1), w = variable({width, width}, 2),
               b = variable({width}, 3);
  const Tensor y = sum(tanh(matmul(tanh(matmul(x, w) + b), w) + b));
  const Counting count;

  grad({y}, {w});

  CHECK(count.runs("matmul", 1) == 2);
  CHECK(count.runs("matmul", 0) == 1);
  CHECK(count.runs("add", 1) == 0);
}

TEST_CASE("PRN-21 nothing runs below an activation that is the target", "[autograd][tape]") {
  const Perceptron net = perceptron(1);
  const Tensor x = variable({points, 2}, 1);
  Tensor h = x, target;
  for (std::size_t l = 0; l < net.w.size(); ++l) {
    h = tanh(matmul(h, net.w[l]) + net.b[l]);
    if (l == 2) target = h;
  }
  const Counting count;

  grad({sum(h)}, {target});

  CHECK(count.runs("matmul", 0) == 4);
  CHECK(count.runs("matmul", 1) == 0);
}

TEST_CASE("PRN-24 after a pruned pass a retained graph still gives every weight's gradient",
          "[autograd][tape]") {
  const Perceptron net = perceptron(1), other = perceptron(1);
  const Tensor x = variable({points, 2}, 1), y = sum(net(x));

  grad({y}, {x}, {}, keep);
  grad({y}, {net.w[1]}, {}, keep);
  backward(y);
  backward(sum(other(x)));

  for (std::size_t i = 0; i < net.parameters().size(); ++i)
    CHECK(net.parameters()[i].grad().values() == other.parameters()[i].grad().values());
}
