#include <map>
#include <optional>
#include <tuple>

#include "autograd/core/error.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/lookup.h"
#include "autograd/tape/modes.h"
#include "data/tables/table_function.h"
#include "solvers/problem/needs.h"
#include "solvers/residual/evaluate/forms.h"
#include "solvers/residual/evaluate/tensor_evaluator.h"

namespace pinn {
namespace {

class TaylorEvaluator : public TaylorFields {
 public:
  TaylorEvaluator(const Model& model, Block& block, const std::vector<Tensor>& parameters,
                  JetTablePtr table)
      : TaylorFields(model, block, parameters), table_(std::move(table)) {}

  Tensor derivative(const ExpressionPtr& e, const MultiIndex& a) override {
    if (e->kind == Expression::Kind::field) return column(e->index, a);
    const JetTablePtr& table = closure_of(a);
    const Jet jet = evaluate(e, table);
    return select(jet.channel(table->find(a)), 1, 0);
  }

  Tensor form(int field, const Channel& terms) override {
    Tensor sum;
    for (const Read& read : table_->read(terms)) {
      Tensor part = channel_column(field, read.channel);
      if (read.weight != 1) part = part * read.weight;
      sum = sum.defined() ? sum + part : part;
    }
    return sum;
  }

 protected:
  Tensor raw_output() override {
    throw InternalError({"N was evaluated outside a hard constraint", "", ""});
  }
  Tensor elsewhere(const Expression& e) override {
    const Needs needed = needs(*e.inputs[0]);
    FieldsElsewhere& there = elsewhere_[{e.order, {e.inputs.begin() + 1, e.inputs.end()}, needed}];
    if (!there.evaluator) {
      there.block = block_at(places(e));
      there.evaluator =
          std::make_unique<TaylorEvaluator>(model_, there.block, parameters_, table_for(needed));
    }
    return there.evaluator->value(e.inputs[0]);
  }
  Tensor before(int) override {
    throw InternalError({"a window's start was evaluated outside a hard constraint", "", ""});
  }

 private:
  using Memo = std::unordered_map<const Expression*, Jet>;

  /// d^a of field f at every point.
  Tensor column(int f, const MultiIndex& a) {
    const int channel = table_->find(a);
    if (channel < 0)
      throw InternalError({"the network does not carry a derivative that a formula needs", "", ""});
    return channel_column(f, channel);
  }

  Tensor channel_column(int f, int channel) {
    Tensor& kept = columns_[{f, channel}];
    if (!kept.defined()) kept = select(field_jet(f).channel(channel), 1, 0);
    return kept;
  }

  /// Field f with all channels of the network's table, [points, channels, 1].
  const Jet& field_jet(int f) {
    const auto found = fields_.find(f);
    if (found != fields_.end()) return found->second;
    const ExpressionPtr& output = std::size_t(f) < model_.problem().outputs.size()
                                      ? model_.problem().outputs[std::size_t(f)]
                                      : ExpressionPtr();
    const double scale = model_.problem().fields[std::size_t(f)].scale;
    const auto [network, at] = model_.source(f);
    Jet raw = features(network_output(network), at, at + 1);
    if (scale != 1) raw = scale * raw;
    if (!output) return fields_[f] = raw;
    raw_ = raw;
    return fields_[f] = evaluate(output, table_);
  }

  /// The coordinates; one that is frozen has no derivative.
  Jet coordinates(const JetTablePtr& table) {
    const bool drawn = table == table_ && block_.directions.defined();
    const Jet all = drawn ? coordinate_jet(table, block_.x, block_.directions, block_.along)
                          : coordinate_jet(table, block_.x);
    if (block_.frozen < 0) return all;
    const std::int64_t i = block_.frozen, d = block_.x.shape()[1];
    std::vector<Tensor> parts;
    if (i > 0) parts.push_back(slice(all.data, 2, 0, i));
    parts.push_back(constant_jet(table, slice(block_.x, 1, i, i + 1)).data);
    if (i + 1 < d) parts.push_back(slice(all.data, 2, i + 1, d));
    return {table, concat(parts, 2)};
  }

  /// The window of time before, at its end, with the channels of the network's table.
  TaylorEvaluator& window_before() {
    if (!before_) {
      const Model& model = *model_.before()->model;
      before_block_ = block_before(block_, model_);
      before_parameters_.assign(block_.fixed.begin(),
                                block_.fixed.begin() + std::ptrdiff_t(model.blocks().size()));
      before_ = std::make_unique<TaylorEvaluator>(model, before_block_, before_parameters_, table_);
    }
    return *before_;
  }

  const Jet& network_output(std::size_t k) {
    Jet& output = outputs_[k];
    if (output.table) return output;
    const Network& network = *model_.networks()[k].network;
    const auto key = std::pair{table_.get(), k};
    auto embedded = block_.embedded.find(key);
    if (embedded == block_.embedded.end()) {
      const bool moves = block_.x.requires_grad() || tangent_of(block_.x).defined();
      std::optional<NoGrad> fixed;
      if (!moves) fixed.emplace();
      embedded = block_.embedded.emplace(key, network.embed(coordinates(table_))).first;
    }
    return output = network.apply(embedded->second, model_.parameters_of(k, parameters_),
                                  block_.layers_per_checkpoint);
  }

  /// The formula as a jet [points, channels, 1] of any table below the network's.
  Jet evaluate(const ExpressionPtr& e, const JetTablePtr& table) {
    Memo& memo = jets_[table.get()];
    const auto known = [&](const Expression& node) {
      return memo.count(&node) > 0 || block_.kept.count({&node, table.get()}) > 0;
    };
    visit_postorder(e, known, [&](const Expression& node) {
      Jet jet = jet_of(node, table);
      if (block_.may_keep(node, table.get()))
        block_.kept[{&node, table.get()}] = jet.data;
      else
        memo[&node] = std::move(jet);
    });
    return lookup(*e, table);
  }

  Jet lookup(const Expression& e, const JetTablePtr& table) {
    const Memo& memo = jets_[table.get()];
    const auto found = memo.find(&e);
    return found != memo.end() ? found->second : Jet{table, block_.kept.at({&e, table.get()})};
  }

  Jet jet_of(const Expression& e, const JetTablePtr& table) {
    using Kind = Expression::Kind;
    switch (e.kind) {
      case Kind::coordinate:
        return features(coordinates(table), e.index, e.index + 1);
      case Kind::before:
        return window_before().field_jet(e.index);
      case Kind::raw_output:
        return raw_;
      case Kind::field:
        return leaf_jet(std::make_shared<const Expression>(e), {}, table);
      case Kind::derivative:
        return leaf_jet(e.inputs[0], e.order, table);
      case Kind::call:
        return call(e, table);
      case Kind::lookup:
        return looked_up(e, table);
      default:
        return constant_jet(table, constant(e));
    }
  }

  /// Channel g is the derivative a + g of e.
  Jet leaf_jet(const ExpressionPtr& e, const MultiIndex& a, const JetTablePtr& table) {
    if (e->kind == Expression::Kind::field && a == MultiIndex{} && table == table_)
      return field_jet(e->index);
    std::vector<Tensor> channels;
    for (const Channel& c : table->channels()) {
      Tensor sum;
      for (const auto& [g, weight] : c) {
        const Tensor part = weight == 1 ? derivative(e, a + g) : weight * derivative(e, a + g);
        sum = sum.defined() ? sum + part : part;
      }
      channels.push_back(sum);
    }
    const Tensor together = stack(channels, 1);
    return {table, reshape(together, together.shape().inserted(2, 1))};
  }

  /// A number, an unknown, or a column, as [points, 1].
  Tensor constant(const Expression& e) {
    Tensor t = value_of(e);
    if (t.is_number()) t = full({}, t.item(), dtype(), block_.x.device());
    return expand(t.rank() == 0 ? t : reshape(t, {-1, 1}), {block_.points(), 1});
  }

  Jet call(const Expression& e, const JetTablePtr& table) {
    std::vector<Jet> arguments;
    for (const ExpressionPtr& input : e.inputs) arguments.push_back(lookup(*input, table));
    if (e.name == "where") return where(arguments[0], arguments[1], arguments[2]);
    if (e.name == "pow" && e.inputs[1]->kind == Expression::Kind::number)
      return apply_unary(unary_id<op::Power>, arguments[0], e.inputs[1]->number);
    if (arguments.size() == 1) return apply_unary(find_unary(e.name), arguments[0]);
    for (const int k : {0, 1}) {
      const Expression& number = *e.inputs[std::size_t(k)];
      if (number.kind != Expression::Kind::number) continue;
      const Jet& other = arguments[std::size_t(1 - k)];
      if (const Tensor constant = varying(number); constant.defined()) {
        if (e.name == "mul") return {table, other.data * constant};
        if (e.name == "div" && k == 1) return {table, other.data / constant};
        continue;
      }
      if (e.name == "mul") return number.number * other;
      if (e.name == "add") return number.number + other;
      if (e.name == "div" && k == 1) return (1 / number.number) * other;
    }
    return apply_binary(find_binary(e.name), arguments[0], arguments[1]);
  }

  /// f(a + h) = sum_k f^(k)(a) h^k / k!, where h is an argument's jet without its value; what has
  /// more factors than the order of the channels is 0.
  Jet looked_up(const Expression& e, const JetTablePtr& table) {
    std::vector<Tensor> at;
    std::vector<Jet> change;
    for (const ExpressionPtr& input : e.inputs) {
      const Jet jet = lookup(*input, table);
      at.push_back(select(jet.channel(0), 1, 0));
      change.push_back(table->size() > 1 ? Jet{table, embed(slice(jet.data, 1, 1, table->size()),
                                                            jet.data.shape(), 1, 1)}
                                         : Jet());
    }
    const auto derivative_of = [&](const MultiIndex& k) {
      const Tensor f = pinn::lookup(e.table, e.order + k, at);
      return reshape(f, {f.shape()[0], 1, 1});
    };
    Jet sum = constant_jet(table, reshape(derivative_of({}), {at[0].shape()[0], 1}));
    std::map<MultiIndex, Jet> powers;
    for (int m = 1; m <= table->order(); ++m) {
      std::map<MultiIndex, Jet> next;
      for (std::size_t i = 0; i < e.inputs.size(); ++i) {
        if (!changes(*e.inputs[i])) continue;
        if (m == 1) next.emplace(unit_index(int(i)), change[i]);
        for (const auto& [k, power] : powers)
          if (!next.contains(k + unit_index(int(i))))
            next.emplace(k + unit_index(int(i)), power * change[i]);
      }
      powers = std::move(next);
      for (const auto& [k, power] : powers) {
        if (e.table->vanishes(e.order + k)) continue;
        double factorial = 1;
        for (const auto n : k)
          for (int j = 2; j <= n; ++j) factorial *= j;
        const Tensor f = derivative_of(k);
        sum.data = sum.data + (factorial == 1 ? f : f * (1 / factorial)) * power.data;
      }
    }
    return sum;
  }

  static bool changes(const Expression& e) {
    using Kind = Expression::Kind;
    return e.kind != Kind::number && e.kind != Kind::unknown && e.kind != Kind::column &&
           e.kind != Kind::normal;
  }

  /// One table per derivative asked for, so that jets on it are found again.
  const JetTablePtr& closure_of(const MultiIndex& a) {
    JetTablePtr& table = block_.tables[a];
    if (!table) table = jet_table({a});
    return table;
  }

  /// The fields at places that formulas name, with the channels that they need there.
  struct FieldsElsewhere {
    Block block;
    std::unique_ptr<TaylorEvaluator> evaluator;
  };

  JetTablePtr table_;
  std::map<std::tuple<MultiIndex, std::vector<ExpressionPtr>, Needs>, FieldsElsewhere> elsewhere_;
  std::map<std::size_t, Jet> outputs_;  ///< of networks
  Jet raw_;
  std::map<int, Jet> fields_;
  std::map<std::pair<int, int>, Tensor> columns_;
  std::map<const JetTable*, Memo> jets_;
  Block before_block_;
  std::vector<Tensor> before_parameters_;
  std::unique_ptr<TaylorEvaluator> before_;
};

}  // namespace

std::unique_ptr<TaylorFields> taylor_evaluator(const Model& model, Block& block,
                                               const std::vector<Tensor>& parameters,
                                               const JetTablePtr& table) {
  return std::make_unique<TaylorEvaluator>(model, block, parameters, table);
}

}  // namespace pinn
