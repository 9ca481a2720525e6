#include <algorithm>
#include <deque>

#include "solvers/residual/products.h"

namespace pinn {
namespace {

/// Adds the values of tensors that belong to parameter blocks; an undefined one is zero.
void add_values(const std::vector<Tensor>& tensors, const std::vector<ParameterBlock>& blocks,
                std::span<double> sums) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) continue;
    const std::vector<double> values = tensors[i].values();
    double* into = sums.data() + blocks[i].offset;
    for (std::size_t k = 0; k < values.size(); ++k) into[k] += values[k];
  }
}

class EagerProducts : public PartProducts {
 public:
  EagerProducts(const PartOptions& options, const ChannelPlan& plan, std::vector<BlockPair>& blocks)
      : options_(options), plan_(plan), model_(*options.model), blocks_(blocks) {
    for (const BlockPair& b : blocks) points_ += std::size_t(b.near.points());
    const std::vector<double> roots = row_roots(options, points_);
    roots_ = from_values(roots, {std::int64_t(roots.size())}, options.dtype, options.device);
  }

  void prepare(ProductKind product, std::span<const double> p,
               std::span<const double> direction) override {
    const auto flat = [&](std::span<const double> values) {
      return from_values(values, {std::int64_t(values.size())}, options_.dtype, options_.device);
    };
    product_ = product;
    parameters_ = flat(p);
    direction_ = direction.empty() ? Tensor() : flat(direction);
  }

  std::size_t block() const override { return std::size_t(blocks_[0].near.points()); }
  std::size_t sums() const override { return gives_rows(product_) ? 0 : model_.parameter_count(); }

  void run(std::size_t begin, std::size_t end, std::span<double> sums,
           std::span<double> rows) override {
    for (; begin < end; begin += block()) {
      BlockPair& block = blocks_[begin / this->block()];
      const std::vector<Tensor> values = product_of(block, begin);
      if (!gives_rows(product_))
        add_values(values, model_.blocks(), sums);
      else
        for (std::size_t k = 0; k < values.size(); ++k) {
          std::vector<double> row(std::size_t(block.near.points()), 0);
          if (values[k].defined()) row = values[k].values();
          std::copy(row.begin(), row.end(), rows.data() + k * points_ + begin);
        }
    }
  }

  void finish(std::span<double> sums, std::span<double> result) override {
    for (std::size_t i = 0; i < sums.size(); ++i) result[i] += sums[i];
  }

  void run_jacobian(std::size_t term, std::size_t begin, std::size_t end,
                    std::span<double> rows) override {
    const std::size_t first = begin / block() * block();
    const std::vector<Batch> parts = at(blocks_[begin / block()]).jacobian(term);
    std::deque<std::vector<double>> arrays;
    std::vector<RowPart> all;
    for (std::size_t i = 0; i < parts.size(); ++i) add_parts(parts[i], i, arrays, all);
    const std::size_t count = model_.parameter_count();
    std::fill(rows.begin(), rows.end(), 0);
    for (std::size_t point = begin; point < end; ++point)
      add_to_row(all, point - first, rows.subspan((point - begin) * count, count));
  }

 private:
  BlockProducts at(BlockPair& block) const {
    return {options_, plan_, block, block_tensors(parameters_, model_.blocks()), roots_};
  }

  std::vector<Tensor> product_of(BlockPair& block, std::size_t begin) const {
    const BlockProducts products = at(block);
    switch (product_) {
      case ProductKind::residual:
        return products.residual();
      case ProductKind::jacobian_times:
        return products.jacobian_times(block_tensors(direction_, model_.blocks()));
      case ProductKind::hessian_times:
        return products.hessian_times(block_tensors(direction_, model_.blocks()));
      default:
        break;
    }
    std::vector<Tensor> w;
    for (std::size_t k = 0; k < options_.weights.size(); ++k) {
      const std::int64_t from = std::int64_t(k * points_ + begin);
      w.push_back(slice(direction_, 0, from, from + block.near.points()));
    }
    return products.transposed_times(w);
  }

  /// What one parameter block gives, its numbers kept in `arrays`.
  void add_parts(const Batch& batch, std::size_t i, std::deque<std::vector<double>>& arrays,
                 std::vector<RowPart>& all) const {
    const auto kept = [&](const Tensor& t) -> std::span<const double> {
      return arrays.emplace_back(t.values());
    };
    RowPart part{
        model_.blocks()[i].offset, 1, std::size_t(model_.blocks()[i].shape.numel()), 0, {}, {}};
    if (batch.elements.defined()) {
      part.x = kept(batch.elements);
      all.push_back(part);
    }
    for (const OuterProduct& product : batch.products) {
      part.k = std::size_t(product.x.shape()[product.x.rank() - 1]);
      part.n = std::size_t(product.g.shape()[product.g.rank() - 1]);
      part.channels = std::size_t(product.x.numel() / product.x.shape()[0]) / part.k;
      part.x = kept(product.x);
      part.g = kept(product.g);
      all.push_back(part);
    }
  }

  const PartOptions& options_;
  const ChannelPlan& plan_;
  const Model& model_;
  std::vector<BlockPair>& blocks_;
  std::size_t points_ = 0;
  Tensor roots_;
  ProductKind product_ = ProductKind::residual;
  Tensor parameters_, direction_;
};

}  // namespace

std::unique_ptr<PartProducts> eager_products(const PartOptions& options, const ChannelPlan& plan,
                                             std::vector<BlockPair>& blocks) {
  return std::make_unique<EagerProducts>(options, plan, blocks);
}

}  // namespace pinn
