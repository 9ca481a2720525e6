#include <algorithm>
#include <list>

#include "solvers/residual/parts/part.h"
#include "solvers/residual/step/sweep.h"

namespace pinn {
namespace {

/// Bytes of one layer's jet in a block. On a CPU several fit in L2; on a GPU a kernel takes longer
/// than its launch.
constexpr std::size_t block_bytes = std::size_t(1) << 18;
constexpr std::size_t block_bytes_on_gpu = std::size_t(1) << 25;

/// Points per block: enough that the cost per op does not matter, few enough for the cache, or for
/// the memory of a GPU.
std::size_t block_points(const Model& model, int channels, DType dtype, Device device) {
  std::int64_t widest = 1;
  for (const ParameterBlock& b : model.blocks())
    if (b.shape.rank() == 2) widest = std::max(widest, b.shape[1]);
  const std::size_t row = std::size_t(widest) * std::size_t(channels) * size_of(dtype);
  if (!device.is_cpu()) return std::max<std::size_t>(block_bytes_on_gpu / row, 1024);
  return std::clamp<std::size_t>(block_bytes / row / 32 * 32, 32, 1024);
}

/// Adds the values of tensors that belong to parameter blocks, all of them again and again; an
/// undefined one is zero.
void add_values(const std::vector<Tensor>& tensors, const Model& model, double* sums) {
  const std::vector<ParameterBlock>& blocks = model.blocks();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) continue;
    const std::vector<double> values = tensors[i].values();
    double* const to = sums + i / blocks.size() * model.parameter_count() +
                       std::size_t(blocks[i % blocks.size()].offset);
    for (std::size_t k = 0; k < values.size(); ++k) to[k] += values[k];
  }
}

/// The elements of a tensor [rows, ...] as lanes (row_factors.h) of some of the rows.
struct Lanes {
  Lanes(const Tensor& t, std::size_t first, std::size_t count, DType dtype) {
    const std::vector<double> values = t.values();
    const std::size_t width = values.size() / std::size_t(t.shape()[0]), line = 64;
    visit_floating(dtype, [&]<class T>(T) {
      const std::size_t room = (count * sizeof(T) + line - 1) / line * line;
      numbers.resize(width * room);
      for (std::size_t e = 0; e < width; ++e) {
        T* const lane = reinterpret_cast<T*>(numbers.data() + e * room);
        for (std::size_t i = 0; i < count; ++i) lane[i] = T(values[(first + i) * width + e]);
        all.push_back(lane);
      }
    });
  }
  std::vector<std::byte> numbers;
  std::vector<const void*> all;
};

class EagerPart : public LossPart {
 public:
  explicit EagerPart(PartOptions options)
      : options_(std::move(options)),
        model_(*options_.model),
        requirement_(requirement_of(options_)),
        plan_(channels_of(options_)) {}

  void set_points(PointSet points) override {
    points_ = std::move(points);
    make_blocks();
  }
  void set_point_weights(std::span<const double> weights) override {
    points_.weights.assign(weights.begin(), weights.end());
    make_blocks();
  }
  void set_weights(std::span<const double> weights) override {
    options_.weights.assign(weights.begin(), weights.end());
  }
  void set_directions(std::span<const double> vectors) override {
    directions_.assign(vectors.begin(), vectors.end());
    if (!plan_.along.empty()) make_blocks();
  }
  std::size_t points() const override { return points_.count; }
  std::size_t weights() const override { return points_.weights.size(); }

  SweepSize size(Sweep kind) override {
    const bool sums =
        kind == Sweep::gradient || kind == Sweep::transposed_times || kind == Sweep::hessian_times;
    return {block_, squares(kind) + (sums ? copies(kind) * model_.parameter_count() : 0)};
  }

  void prepare(Sweep kind, std::span<const double> p, std::span<const double> direction) override {
    std::vector<double> scales;
    for (const double w : options_.weights) scales.push_back(w / double(points_.count));
    kind_ = kind;
    scales_ = flat(scales);
    parameters_ = flat(p);
    direction_ = direction.empty() ? Tensor() : flat(direction);
  }

  void run(std::size_t begin, std::size_t end, std::span<double> sums,
           std::span<double> rows) override {
    for (; begin < end; begin += block_) {
      const SweepOutputs out = at(begin, 0);
      for (std::size_t k = 0; k < out.squares.size(); ++k) sums[k] += out.squares[k].item();
      add_values(out.sums, model_, sums.data() + out.squares.size());
      for (std::size_t k = 0; k < out.rows.size(); ++k) {
        std::vector<double> row(std::min(block_, points_.count - begin), 0);
        if (out.rows[k].defined()) row = out.rows[k].values();
        std::copy(row.begin(), row.end(), rows.data() + k * points_.count + begin);
      }
    }
  }

  void finish(std::span<double> sums, std::span<double> squares,
              std::span<double> result) override {
    std::copy_n(sums.begin(), squares.size(), squares.begin());
    for (std::size_t i = squares.size(); i < sums.size(); ++i)
      result[i - squares.size()] += sums[i];
  }

  double factors(std::size_t term, std::size_t begin, std::size_t end,
                 const FactorUser& use) override {
    const std::size_t first = begin / block_ * block_;
    const SweepOutputs out = at(first, term);
    std::vector<RowFactor> all;
    std::list<Lanes> lanes;
    const auto keep = [&](const Tensor& t) {
      return lanes.emplace_back(t, begin - first, end - begin, options_.dtype).all.data();
    };
    for (std::size_t i = 0; i < out.factors.size(); ++i) {
      const ParameterBlock& b = model_.blocks()[i];
      const Batch& batch = out.factors[i];
      if (batch.elements.defined())
        all.push_back({b.offset, 1, std::size_t(b.shape.numel()), 0, keep(batch.elements)});
      for (const OuterProduct& product : batch.products) {
        const std::size_t k = std::size_t(product.x.shape()[product.x.rank() - 1]);
        const std::size_t n = std::size_t(product.g.shape()[product.g.rank() - 1]);
        const void* const* const x = keep(product.x);
        all.push_back({b.offset, lanes.back().all.size() / k, k, n, x, keep(product.g)});
      }
    }
    use(all);
    return SweepSize().product_flops;
  }

 private:
  std::size_t squares(Sweep kind) const {
    const std::size_t terms = options_.weights.size();
    if (options_.integrands) return has_direction(kind) ? 2 * terms : terms;
    return is_loss(kind) ? terms : 0;
  }
  /// How often there is a number for each parameter.
  std::size_t copies(Sweep kind) const {
    if (!options_.integrands) return 1;
    return options_.weights.size() * (kind == Sweep::hessian_times ? 2 : 1);
  }
  Tensor flat(std::span<const double> values) const {
    return from_values(values, {std::int64_t(values.size())}, options_.dtype, options_.device);
  }

  void add_directions(Block& block) const {
    const std::size_t count = plan_.along.size() * model_.problem().coordinates.size();
    if (count == 0 || directions_.size() != count) return;
    block.along = plan_.along;
    block.directions =
        reshape(flat(directions_), {std::int64_t(plan_.along.size()), block.x.shape()[1]});
  }

  void make_blocks() {
    block_ = options_.block > 0
                 ? options_.block
                 : block_points(model_, plan_.table->size(), options_.dtype, options_.device);
    blocks_.clear();
    for (std::size_t begin = 0; begin < points_.count; begin += block_) {
      const std::size_t end = std::min(points_.count, begin + block_);
      Block near = make_block(points_, begin, end, options_.dtype, options_.device);
      near.fixed = fixed_tensors(model_, options_.dtype, options_.device);
      add_directions(near);
      BlockPair pair = with_far_end(std::move(near), requirement_, model_.problem());
      if (options_.saved)
        for (Block* block : {&pair.near, &pair.far})
          block->layers_per_checkpoint = options_.saved->layers_per_checkpoint();
      blocks_.push_back(std::move(pair));
    }
  }

  /// The sweep that was prepared, at the block that begins with a point.
  SweepOutputs at(std::size_t begin, std::size_t term) {
    BlockPair& block = blocks_[begin / block_];
    SweepInputs in;
    in.parameters = block_tensors(parameters_, model_.blocks());
    in.scales = scales_;
    in.term = term;
    if (is_loss(kind_) && options_.saved) in.hooks = options_.saved->hooks();
    if (has_direction(kind_)) in.direction = block_tensors(direction_, model_.blocks());
    if (kind_ == Sweep::transposed_times)
      for (std::size_t k = 0; k < options_.weights.size(); ++k) {
        const std::int64_t from = std::int64_t(k * points_.count + begin);
        in.seeds.push_back(slice(direction_, 0, from, from + block.near.points()));
      }
    return sweep(kind_, options_, plan_, block, in);
  }

  PartOptions options_;
  const Model& model_;
  const Requirement& requirement_;
  ChannelPlan plan_;
  PointSet points_;
  std::vector<double> directions_;
  std::size_t block_ = 1;
  std::vector<BlockPair> blocks_;
  Sweep kind_ = Sweep::value;
  Tensor parameters_, direction_, scales_;
};

}  // namespace

std::unique_ptr<LossPart> eager_part(PartOptions options) {
  return std::make_unique<EagerPart>(std::move(options));
}

}  // namespace pinn
