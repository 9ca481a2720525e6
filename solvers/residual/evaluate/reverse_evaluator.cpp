#include "autograd/tape/engine.h"
#include "solvers/residual/evaluate/tensor_evaluator.h"

namespace pinn {
namespace {

class ReverseEvaluator : public TensorEvaluator {
 public:
  ReverseEvaluator(const Model& model, Block& block, const std::vector<Tensor>& parameters)
      : TensorEvaluator(model, block, parameters), value_table_(jet_table({MultiIndex{}})) {
    for (int i = 0; i < int(block.x.shape()[1]); ++i)
      coordinates_.push_back(select(block.x, 1, i).clone().set_requires_grad());
  }
  /// Evaluator of a block whose points are functions of others'.
  ReverseEvaluator(const Model& model, Block& block, const std::vector<Tensor>& parameters,
                   std::vector<Tensor> coordinates)
      : TensorEvaluator(model, block, parameters),
        value_table_(jet_table({MultiIndex{}})),
        coordinates_(std::move(coordinates)) {}

  Tensor derivative(const ExpressionPtr& e, const MultiIndex& a) override {
    int last = max_coordinates - 1;
    while (last >= 0 && a[std::size_t(last)] == 0) --last;
    if (last < 0) return e->kind == Expression::Kind::field ? field(e->index) : value(e);
    const Key key{e->kind == Expression::Kind::field ? nullptr : e.get(), e->index, a};
    const auto found = derivatives_.find(key);
    if (found != derivatives_.end()) return found->second;
    const Tensor below = derivative(e, a - unit_index(last));
    const Tensor& x = coordinates_[std::size_t(last)];
    Tensor result = below.requires_grad() ? grad({sum(below)}, {x}, {},
                                                 {.create_graph = true, .materialize = true})[0]
                                          : zeros_like(x);
    return derivatives_[key] = result;
  }

 protected:
  Tensor coordinate(int i) override { return coordinates_[std::size_t(i)]; }
  Tensor raw_output() override { return raw_; }
  Tensor elsewhere(const Expression& e) override {
    FieldsElsewhere& there = elsewhere_[{e.order, {e.inputs.begin() + 1, e.inputs.end()}}];
    if (!there.evaluator) {
      std::vector<Tensor> coordinates;  // each of its own, to differentiate by
      for (const Tensor& x : places(e))
        coordinates.push_back(x.requires_grad() ? x * 1.0 : x.detach().clone().set_requires_grad());
      there.block = block_at(coordinates);
      there.evaluator = std::make_unique<ReverseEvaluator>(model_, there.block, parameters_,
                                                           std::move(coordinates));
    }
    return there.evaluator->value(e.inputs[0]);
  }
  Tensor before(int f) override {
    if (!before_) {
      const Model& model = *model_.before()->model;
      before_block_ = block_before(block_, model_);
      before_parameters_.assign(block_.fixed.begin(),
                                block_.fixed.begin() + std::ptrdiff_t(model.blocks().size()));
      std::vector<Tensor> coordinates = coordinates_;
      const std::size_t t = std::size_t(before_block_.frozen);
      coordinates[t] = select(before_block_.x, 1, std::int64_t(t));
      before_ = std::make_unique<ReverseEvaluator>(model, before_block_, before_parameters_,
                                                   std::move(coordinates));
    }
    return before_->field(f);
  }

 private:
  /// Field f at every point, [points].
  Tensor field(int f) {
    const auto found = fields_.find(f);
    if (found != fields_.end()) return found->second;
    const Problem& problem = model_.problem();
    const auto [network, at] = model_.source(f);
    Tensor raw = select(network_output(network), 1, at);
    if (problem.fields[std::size_t(f)].scale != 1) raw = raw * problem.fields[std::size_t(f)].scale;
    const bool constrained =
        std::size_t(f) < problem.outputs.size() && problem.outputs[std::size_t(f)];
    if (!constrained) return fields_[f] = raw;
    raw_ = raw;
    return fields_[f] = value(problem.outputs[std::size_t(f)]);
  }

  Tensor network_output(std::size_t k) {
    Tensor& output = outputs_[k];
    if (!output.defined()) {
      const Network& network = *model_.networks()[k].network;
      const Tensor x = stack(coordinates_, 1);
      const Jet in{value_table_, reshape(x, x.shape().inserted(1, 1))};
      const Jet out = network.apply(network.embed(in), model_.parameters_of(k, parameters_),
                                    block_.layers_per_checkpoint);
      output = select(out.data, 1, 0);
    }
    return output;
  }

  /// A formula by its node, a field by its number.
  using Key = std::tuple<const Expression*, int, MultiIndex>;

  /// The fields at places that formulas name.
  struct FieldsElsewhere {
    Block block;
    std::unique_ptr<ReverseEvaluator> evaluator;
  };

  JetTablePtr value_table_;
  std::map<std::pair<MultiIndex, std::vector<ExpressionPtr>>, FieldsElsewhere> elsewhere_;
  std::vector<Tensor> coordinates_;
  std::map<std::size_t, Tensor> outputs_;  ///< of networks
  Tensor raw_;
  std::map<int, Tensor> fields_;
  std::map<Key, Tensor> derivatives_;
  Block before_block_;
  std::vector<Tensor> before_parameters_;
  std::unique_ptr<ReverseEvaluator> before_;
};

}  // namespace

std::unique_ptr<TensorEvaluator> reverse_evaluator(const Model& model, Block& block,
                                                   const std::vector<Tensor>& parameters) {
  return std::make_unique<ReverseEvaluator>(model, block, parameters);
}

}  // namespace pinn
