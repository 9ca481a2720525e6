#include <algorithm>
#include <cmath>

#include "autograd/tape/engine.h"
#include "autograd/tape/modes.h"
#include "solvers/residual/products.h"

namespace pinn {
namespace {

/// Of one layer's jet. On a CPU several fit in L2; on a GPU a kernel takes longer than its launch.
constexpr std::size_t block_bytes = std::size_t(1) << 18;
constexpr std::size_t block_bytes_on_gpu = std::size_t(1) << 25;

/// Points per block: enough that the cost per op does not matter, few enough for the cache, or for
/// the memory of a GPU.
std::size_t block_points(const Model& model, int channels, DType dtype, Device device) {
  std::int64_t widest = 1;
  for (const ParameterBlock& b : model.network().blocks())
    if (b.shape.rank() == 2) widest = std::max(widest, b.shape[1]);
  const std::size_t row = std::size_t(widest) * std::size_t(channels) * size_of(dtype);
  if (!device.is_cpu()) return std::max<std::size_t>(block_bytes_on_gpu / row, 1024);
  return std::clamp<std::size_t>(block_bytes / row, 32, 1024);
}

class EagerPart : public LossPart {
 public:
  explicit EagerPart(PartOptions options)
      : options_(std::move(options)),
        model_(*options_.model),
        requirement_(model_.problem().requirements[options_.requirement]),
        plan_(plan_channels(requirement_, model_.problem())) {}

  void set_points(PointSet points) override {
    const std::size_t size = options_.block > 0 ? options_.block
                                                : block_points(model_, plan_.table->size(),
                                                               options_.dtype, options_.device);
    count_ = points.count;
    blocks_.clear();
    products_.reset();
    for (std::size_t begin = 0; begin < points.count; begin += size) {
      const std::size_t end = std::min(points.count, begin + size);
      BlockPair pair = with_far_end(make_block(points, begin, end, options_.dtype, options_.device),
                                    requirement_, model_.problem());
      if (options_.saved)
        for (Block* block : {&pair.near, &pair.far})
          block->layers_per_checkpoint = options_.saved->layers_per_checkpoint();
      blocks_.push_back(std::move(pair));
    }
  }

  std::size_t points() const override { return count_; }
  std::size_t blocks() const override { return blocks_.size(); }

  std::size_t prepare(std::span<const double> p, bool with_gradient) override {
    parameters_ = from_values(p, {std::int64_t(p.size())}, options_.dtype, options_.device);
    with_gradient_ = with_gradient;
    return options_.weights.size() + (with_gradient ? p.size() : 0);
  }

  void run(std::size_t first, std::size_t last, std::span<double> sums) override {
    for (std::size_t b = first; b < last; ++b) run_block(blocks_[b], sums);
  }

  void finish(std::span<double> sums, std::span<double> squares,
              std::span<double> gradient) override {
    std::copy_n(sums.begin(), squares.size(), squares.begin());
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += sums[squares.size() + i];
  }

  double product_flops(bool) const override { return std::nan(""); }

  PartProducts& products() override {
    if (!products_) products_ = eager_products(options_, plan_, blocks_);
    return *products_;
  }

 private:
  void run_block(BlockPair& block, std::span<double> sums) {
    const SavedHooksScope hooks(options_.saved ? options_.saved->hooks() : nullptr);
    const RecordingGuard mode(with_gradient_ || options_.derivatives == Derivatives::reverse);
    std::vector<Tensor> parameters = block_tensors(parameters_, model_.blocks());
    if (with_gradient_)
      for (Tensor& t : parameters) t.set_requires_grad();
    const std::vector<Tensor> rs =
        residuals(model_, requirement_, options_.derivatives, plan_, block, parameters);
    const SavedHooksScope kept(nullptr);  // a residual is a column, and its square's slope
    Tensor loss;
    for (std::size_t k = 0; k < rs.size(); ++k) {
      const Tensor weights = block.near.weights_of(k);
      const Tensor squares = sum(weights.defined() ? weights * square(rs[k]) : square(rs[k]));
      sums[k] += squares.item();
      const Tensor weighted = squares * (options_.weights[k] / double(count_));
      loss = loss.defined() ? loss + weighted : weighted;
    }
    if (!with_gradient_ || !loss.requires_grad()) return;
    const std::vector<Tensor> gradients = grad({loss}, parameters, {}, {.allow_unused = true});
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) continue;
      const std::vector<double> g = gradients[i].values();
      double* into = sums.data() + rs.size() + model_.blocks()[i].offset;
      for (std::size_t k = 0; k < g.size(); ++k) into[k] += g[k];
    }
  }

  PartOptions options_;
  const Model& model_;
  const Requirement& requirement_;
  ChannelPlan plan_;
  std::size_t count_ = 0;
  std::vector<BlockPair> blocks_;
  std::unique_ptr<PartProducts> products_;
  Tensor parameters_;
  bool with_gradient_ = false;
};

}  // namespace

std::unique_ptr<LossPart> eager_part(PartOptions options) {
  return std::make_unique<EagerPart>(std::move(options));
}

}  // namespace pinn
