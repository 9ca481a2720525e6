#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/modes.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/evaluate/tensor_evaluator.h"
#include "solvers/residual/parts/part.h"

namespace pinn {
namespace {

/// A residual F(S, r) of integrals S and parameters r of unknowns, at some of both, with what it
/// changes with: z are both together.
struct OuterValue {
  double value = 0;
  std::vector<double> slopes;  ///< dF/dz
  std::vector<double> turns;   ///< d^2F/dz^2 dz, where a change dz was given
};

/// The formulas of integrals.
class Outer {
 public:
  Outer(const Model& model, const std::vector<ExpressionPtr>& formulas)
      : model_(model), formulas_(formulas) {}

  std::vector<OuterValue> made(std::span<const double> integrals, std::span<const double> p,
                               std::span<const double> change = {}) const {
    const RecordingGuard recording(true);
    Block block;
    block.x = full({1, std::int64_t(model_.problem().coordinates.size())}, 0.0);
    block.columns = from_values(integrals, {1, std::int64_t(integrals.size())}).set_requires_grad();
    std::vector<Tensor> parameters(model_.blocks().size()), z{block.columns};
    for (std::size_t i = parameters.size() - unknowns(); i < parameters.size(); ++i) {
      parameters[i] = full({1}, p[std::size_t(model_.blocks()[i].offset)]).set_requires_grad();
      z.push_back(parameters[i]);
    }
    const auto evaluator = reverse_evaluator(model_, block, parameters);
    std::vector<OuterValue> all;
    for (const ExpressionPtr& formula : formulas_)
      all.push_back(made(evaluator->value(formula), z, change));
    return all;
  }

  std::size_t unknowns() const { return model_.problem().unknowns.size(); }

 private:
  OuterValue made(const Tensor& value, const std::vector<Tensor>& z,
                  std::span<const double> change) const {
    OuterValue found;
    const Tensor f = value.is_number() ? value : sum(value);
    found.value = f.item();
    if (!f.requires_grad()) {
      found.slopes.assign(count(z), 0);
      found.turns.assign(count(z), 0);
      return found;
    }
    const std::vector<Tensor> slopes =
        grad({f}, z, {}, {.create_graph = true, .retain_graph = true, .materialize = true});
    found.slopes = numbers(slopes);
    if (change.empty()) return found;
    Tensor along;  // dF/dz dz
    std::size_t at = 0;
    for (const Tensor& slope : slopes) {
      const auto some = change.subspan(at, std::size_t(slope.numel()));
      at += some.size();
      const Tensor term = sum(slope * from_values(some, slope.shape()));
      along = along.defined() ? along + term : term;
    }
    found.turns.assign(count(z), 0);
    if (along.requires_grad())
      found.turns = numbers(grad({along}, z, {}, {.retain_graph = true, .materialize = true}));
    return found;
  }

  static std::size_t count(const std::vector<Tensor>& tensors) {
    std::size_t all = 0;
    for (const Tensor& t : tensors) all += std::size_t(t.numel());
    return all;
  }
  static std::vector<double> numbers(const std::vector<Tensor>& tensors) {
    std::vector<double> all;
    for (const Tensor& t : tensors)
      for (const double x : t.values()) all.push_back(x);
    return all;
  }

  const Model& model_;
  const std::vector<ExpressionPtr>& formulas_;
};

/// A few numbers per requirement. Its points are summed as integrals S_i with what these change
/// with, in one pass; what residuals F(S) make of them is done once that is summed:
///
///   loss = w F^2,   gradient = 2 w F (sum_i dF/dS_i dS_i/dp + dF/dp)
class IntegralPart : public LossPart {
 public:
  IntegralPart(PartOptions options, PartMaker make)
      : model_(*options.model),
        dtype_(options.dtype),
        weights_(options.weights),
        form_(whole_form(requirement_of(options))),
        outer_(model_, form_.formulas) {
    const Requirement& requirement = requirement_of(options);
    options.weights.assign(form_.of.size(), 1);
    options.integrands = std::make_shared<const Requirement>(integrands_of(requirement));
    nodes_ = make(std::move(options));
  }

  void set_points(PointSet points) override {
    double measure = 0;
    for (const double w : points.weights) measure += w;
    scales_.clear();
    for (const bool mean : form_.mean) scales_.push_back(mean ? 1 / measure : 1);
    nodes_->set_points(std::move(points));
  }
  void set_point_weights(std::span<const double>) override {
    throw InternalError({"points of an integral were given weights", "IntegralPart", ""});
  }
  void set_weights(std::span<const double> weights) override {
    weights_.assign(weights.begin(), weights.end());
  }
  std::size_t points() const override { return nodes_->points(); }
  std::size_t rows() const override { return 1; }
  std::size_t weights() const override { return 0; }

  bool sums_itself(Sweep kind) const override { return nodes_->sums_itself(of_nodes(kind)); }
  void set_tree(Sweep kind, std::shared_ptr<const SumTree> tree) override {
    nodes_->set_tree(of_nodes(kind), std::move(tree));
  }

  SweepSize size(Sweep kind) override { return nodes_->size(of_nodes(kind)); }

  void prepare(Sweep kind, std::span<const double> p, std::span<const double> direction) override {
    kind_ = kind;
    p_.assign(p.begin(), p.end());
    direction_.assign(direction.begin(), direction.end());
    if (kind == Sweep::jacobian)
      nodes_->set_tree(of_nodes(kind), nullptr);  // every rank makes all rows
    nodes_->prepare(of_nodes(kind), p, has_direction(kind) ? direction : std::span<const double>());
    if (kind == Sweep::jacobian) make_rows();
  }
  void run(std::size_t begin, std::size_t end, std::span<double> sums, std::span<double>) override {
    nodes_->run(begin, end, sums, {});
  }
  void finish(std::span<double> sums, std::span<double> squares,
              std::span<double> result) override {
    read(sums);
    const std::vector<OuterValue> made = outer_.made(integrals_, p_, changes_);
    for (std::size_t k = 0; k < squares.size(); ++k) squares[k] = made[k].value * made[k].value;
    for (std::size_t k = 0; k < made.size(); ++k) add_to(result, made[k], k);
  }
  void finish_rows(std::span<double> sums, std::span<double> rows) override {
    read(sums);
    const std::vector<OuterValue> made = outer_.made(integrals_, p_, changes_);
    for (std::size_t k = 0; k < made.size(); ++k) {
      const double of = kind_ == Sweep::jacobian_times ? along(made[k]) : made[k].value;
      rows[k] = std::sqrt(weights_[k]) * of;
    }
  }

  double factors(std::size_t term, std::size_t, std::size_t, const FactorUser& use) override {
    std::vector<RowFactor> all;
    for (const ParameterBlock& b : model_.blocks())
      all.push_back({b.offset, 1, std::size_t(b.shape.numel()), 0,
                     lanes_[term].data() + std::size_t(b.offset)});
    use(all);
    return SweepSize().product_flops;
  }

 private:
  static Sweep of_nodes(Sweep kind) {
    if (kind == Sweep::residual) return Sweep::value;
    const bool slopes = kind == Sweep::jacobian || kind == Sweep::transposed_times;
    return slopes ? Sweep::gradient : kind;
  }
  std::size_t count() const { return form_.of.size(); }
  std::size_t parameters() const { return model_.parameter_count(); }

  /// Integrals, and what they change with, out of the sums of a sweep.
  void read(std::span<double> sums) {
    const bool directed = has_direction(kind_), turned = kind_ == Sweep::hessian_times;
    const bool valued = kind_ == Sweep::value || kind_ == Sweep::residual;
    integrals_.assign(directed ? 2 * count() : count(), 0);
    slopes_.assign(
        valued || kind_ == Sweep::jacobian_times ? 0 : count() * parameters() * (turned ? 2 : 1),
        0);
    nodes_->finish(sums, integrals_, slopes_);
    for (std::size_t i = 0; i < integrals_.size(); ++i) integrals_[i] *= scales_[i % count()];
    for (std::size_t i = 0; i < slopes_.size(); ++i)
      slopes_[i] *= scales_[i / parameters() % count()];
    changes_.assign(integrals_.begin() + std::ptrdiff_t(count()), integrals_.end());
    if (directed)
      changes_.insert(changes_.end(), direction_.end() - std::ptrdiff_t(outer_.unknowns()),
                      direction_.end());
    integrals_.resize(count());
  }

  /// dF/dz dz
  double along(const OuterValue& made) const {
    double sum = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) sum += made.slopes[i] * changes_[i];
    return sum;
  }

  /// result += scale sum_i by[i] dz_i/dp
  void add(std::span<double> result, double scale, const std::vector<double>& by) const {
    for (std::size_t i = 0; i < count(); ++i)
      for (std::size_t j = 0; j < parameters(); ++j)
        result[j] += scale * by[i] * slopes_[i * parameters() + j];
    for (std::size_t i = count(); i < by.size(); ++i)
      result[parameters() - outer_.unknowns() + i - count()] += scale * by[i];
  }

  /// Adds the share of residual k to the result of a sweep.
  void add_to(std::span<double> result, const OuterValue& made, std::size_t k) const {
    if (kind_ == Sweep::gradient) add(result, 2 * weights_[k] * made.value, made.slopes);
    if (kind_ == Sweep::transposed_times)
      add(result, std::sqrt(weights_[k]) * direction_[k], made.slopes);
    if (kind_ != Sweep::hessian_times) return;
    add(result, 2 * weights_[k] * along(made), made.slopes);
    add(result, 2 * weights_[k] * made.value, made.turns);
    const std::size_t turned = count() * parameters();
    for (std::size_t i = 0; i < turned; ++i)
      result[i % parameters()] +=
          2 * weights_[k] * made.value * made.slopes[i / parameters()] * slopes_[turned + i];
  }

  /// The rows of J, [residuals][parameters], each number a lane of its own.
  void make_rows() {
    std::vector<double> sums(nodes_->size(Sweep::gradient).sums);
    nodes_->run(0, points(), sums, {});
    read(sums);
    const std::vector<OuterValue> made = outer_.made(integrals_, p_);
    numbers_.clear();
    lanes_.clear();
    for (std::size_t k = 0; k < made.size(); ++k) {
      std::vector<double> row(parameters());
      add(row, std::sqrt(weights_[k]), made[k].slopes);
      std::vector<Line>& lines = numbers_.emplace_back(parameters());
      std::vector<const void*>& lanes = lanes_.emplace_back();
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (dtype_ == DType::float32)
          *reinterpret_cast<float*>(lines[j].bytes) = float(row[j]);
        else
          *reinterpret_cast<double*>(lines[j].bytes) = row[j];
        lanes.push_back(lines[j].bytes);
      }
    }
  }

  struct Line {
    alignas(64) std::byte bytes[64] = {};
  };

  const Model& model_;
  const DType dtype_;
  std::vector<double> weights_;
  const WholeForm form_;
  const Outer outer_;
  std::unique_ptr<LossPart> nodes_;
  std::vector<double> scales_;  ///< of each integral
  Sweep kind_ = Sweep::value;
  std::vector<double> p_, direction_;
  std::vector<double> integrals_;  ///< S
  std::vector<double> changes_;    ///< dz along the direction
  std::vector<double> slopes_;     ///< dS/dp, then d^2S/dp^2 v; [integrals, parameters]
  std::vector<std::vector<Line>> numbers_;
  std::vector<std::vector<const void*>> lanes_;
};

}  // namespace

std::unique_ptr<LossPart> integral_part(PartOptions options, PartMaker make) {
  return std::make_unique<IntegralPart>(std::move(options), make);
}

}  // namespace pinn
