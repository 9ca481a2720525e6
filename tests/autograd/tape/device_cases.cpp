#include "tests/autograd/tape/device_helpers.h"

namespace pinn::test {
namespace {

using Tensors = std::vector<Tensor>;

void add_elementwise(std::vector<Case>& cases) {
  for (int id = 0; id < Unary::size; ++id)
    visit_unary(id, [&]<class Op>() {
      const double parameter = Op::has_parameter ? 2.5 : 0;
      const auto f = [id, parameter](const Tensors& x) { return apply_unary(id, x[0], parameter); };
      cases.push_back({Op::name, f, {uniform(Op::from, Op::to, {3, 5}, 1)}});
    });
  for (int id = 0; id < Binary::size; ++id) {
    const auto f = [id](const Tensors& x) { return apply_binary(id, x[0], x[1]); };
    const std::string name(binary_name(id));
    cases.push_back({name, f, {uniform(0.5, 2, {3, 5}, 1), uniform(0.5, 2, {3, 5}, 2)}});
    cases.push_back({name + " of a row and a column",
                     f,
                     {uniform(0.5, 2, {5}, 1), uniform(0.5, 2, {4, 3, 1}, 2)}});
    cases.push_back({name + " with a transposed one",
                     [id](const Tensors& x) { return apply_binary(id, transpose(x[0]), x[1]); },
                     {uniform(0.5, 2, {5, 3}, 1), uniform(0.5, 2, {3, 5}, 2)}});
  }
  cases.push_back({"numbers",
                   [](const Tensors& x) { return 2.0 * x[0] + 1.0 / x[0] - 0.5; },
                   {uniform(0.5, 2, {7}, 1)}});
  cases.push_back({"where",
                   [](const Tensors& x) { return where(less(x[0], 0.0), x[0], x[1]); },
                   {normal({6, 2}, 1), normal({2}, 2)}});
}

void add_shapes(std::vector<Case>& cases) {
  const Tensor x = normal({4, 3, 5}, 3);
  const auto add = [&](const char* name, const TensorFunction& f) {
    cases.push_back({name, f, {x}});
  };
  add("sum of all", [](const Tensors& t) { return sum(t[0]); });
  add("sum over the first axis", [](const Tensors& t) { return sum(t[0], {0}); });
  add("sum over the last axis", [](const Tensors& t) { return sum(t[0], {2}, true); });
  add("sum over the outer axes", [](const Tensors& t) { return sum(t[0], {0, 2}); });
  add("sum of a transposed one", [](const Tensors& t) { return sum(transpose(t[0]), {1}); });
  add("mean", [](const Tensors& t) { return mean(t[0], {1}); });
  add("reshape", [](const Tensors& t) { return reshape(transpose(t[0], 0, 2), {15, 4}) * 2.0; });
  add("slice", [](const Tensors& t) { return square(slice(t[0], 1, 1, 3)); });
  add("select", [](const Tensors& t) { return square(select(t[0], 2, 4)); });
  add("expand", [](const Tensors& t) { return expand(select(t[0], 0, 1), {2, 3, 5}) * 3.0; });
  add("embed", [](const Tensors& t) { return embed(t[0], {4, 6, 5}, 1, 2); });
  add("concat", [](const Tensors& t) { return concat({t[0], slice(t[0], 2, 0, 2)}, 2); });
  add("gather", [](const Tensors& t) { return gather(t[0], 1, {2, 0, 2, 1}); });
  add("cast", [](const Tensors& t) { return cast(cast(t[0], DType::float32), DType::float64); });
}

void add_products(std::vector<Case>& cases) {
  const auto product = [](const Tensors& t) { return matmul(t[0], t[1]); };
  cases.push_back({"matmul", product, {normal({6, 4}, 1), normal({4, 3}, 2)}});
  cases.push_back({"matmul of stacked rows", product, {normal({2, 5, 4}, 1), normal({4, 3}, 2)}});
  cases.push_back({"matmul of transposed ones",
                   [](const Tensors& t) { return matmul(transpose(t[0]), transpose(t[1])); },
                   {normal({4, 6}, 1), normal({3, 4}, 2)}});
  cases.push_back({"matmul of a slice",
                   [](const Tensors& t) { return matmul(slice(t[0], 1, 1, 3), t[1]); },
                   {normal({6, 4}, 1), normal({2, 3}, 2)}});
  cases.push_back({"matmul of a batch", product, {normal({3, 5, 4}, 1), normal({3, 4, 2}, 2)}});
  cases.push_back({"matmul of a batch of views",
                   [](const Tensors& t) { return matmul(transpose(t[0]), slice(t[1], 2, -3)); },
                   {normal({3, 4, 5}, 1), normal({3, 4, 6}, 2)}});
  cases.push_back({"changes in place",
                   [](const Tensors& t) {
                     Tensor y = square(t[0]);
                     y += t[1];
                     y *= 2.0;
                     y -= t[0];
                     return y /= 4.0 + t[1];
                   },
                   {normal({4, 3}, 1), normal({3}, 2)}});
  cases.push_back({"contract",
                   [](const Tensors& t) { return contract(t[0], t[1]); },
                   {normal({5, 2, 4}, 1), normal({5, 2, 3}, 2)}});
  cases.push_back({"linear",
                   [](const Tensors& t) { return linear(t[0], t[1], t[2]); },
                   {normal({5, 3, 4}, 1), normal({4, 2}, 2), normal({2}, 3)}});
}

void add_jets(std::vector<Case>& cases) {
  const JetTablePtr second = jet_table({MultiIndex{2, 0}, MultiIndex{1, 1}});
  const JetTablePtr laplacian = jet_table({MultiIndex{1, 0}, MultiIndex{0, 1}},
                                          {{{MultiIndex{2, 0}, 1.0}, {MultiIndex{0, 2}, 1.0}}});
  const JetTablePtr fourth = jet_table({MultiIndex{4, 0}});
  for (const JetTablePtr& table : {second, laplacian, fourth}) {
    const std::int64_t n = table->size();
    for (const int id : {unary_id<op::Tanh>, unary_id<op::Sin>, unary_id<op::Square>})
      cases.push_back({"jet of " + std::string(unary_name(id)),
                       [=](const Tensors& t) { return jet(id, 0, 0, table, t[0]); },
                       {0.5 * normal({3, n, 2}, 4)}});
    cases.push_back({"jet_mul",
                     [=](const Tensors& t) { return jet_mul(table, t[0], t[1]); },
                     {normal({3, n, 2}, 4), normal({3, n, 1}, 5)}});
    cases.push_back({"jet_mul_transposed",
                     [=](const Tensors& t) { return jet_mul_transposed(table, t[0], t[1]); },
                     {normal({3, n, 2}, 4), normal({3, n, 2}, 5)}});
  }
}

}  // namespace

std::vector<Case> device_cases() {
  std::vector<Case> cases;
  add_elementwise(cases);
  add_shapes(cases);
  add_products(cases);
  add_jets(cases);
  return cases;
}

}  // namespace pinn::test
