#include "solvers/residual/gpu_part.h"

#include <algorithm>

#include "solvers/residual/products.h"
#include "solvers/residual/step_cache.h"

namespace pinn {
namespace {

class GpuPart : public LossPart {
 public:
  explicit GpuPart(PartOptions options)
      : options_(std::move(options)), model_(*options_.model), gpu_(cuda::gpu(options_.device)) {}

  void set_points(PointSet points) override {
    if (const PointWidths widths(points); points.count > 0 && !(widths == widths_)) {
      widths_ = widths;
      for (Compiled& c : compiled_) c = {};
      products_.reset();
    }
    points_ = std::move(points);
    for (Compiled& c : compiled_) c.has_points = false;
  }

  std::size_t points() const override { return points_.count; }
  /// A GPU cuts its own blocks.
  std::size_t blocks() const override { return points_.count > 0 ? 1 : 0; }

  std::size_t prepare(std::span<const double> p, bool with_gradient) override {
    with_gradient_ = with_gradient;
    Compiled& c = ready(with_gradient);
    const std::vector<double> scales = scales_of(options_.weights, points_.count);
    c.executor->start(step_inputs(c.program(), c.input_offsets, p, scales));
    return std::size_t(c.program().sums);
  }

  void run(std::size_t, std::size_t, std::span<double> sums) override {
    compiled(with_gradient_).executor->wait(sums);
  }

  void finish(std::span<double> sums, std::span<double> squares,
              std::span<double> gradient) override {
    const Compiled& c = compiled(with_gradient_);
    read_step(*c.executor, c.gradient_blocks, model_, sums, squares, gradient);
  }

  double product_flops(bool with_gradient) const override {
    return compiled(with_gradient).product_flops;
  }

  PartProducts& products() override {
    if (!products_) products_ = compiled_products(options_, points_);
    return *products_;
  }

  cuda::Gpu& gpu() const { return gpu_; }
  /// The step with its gradient, for who moves parameters on the GPU.
  cuda::DescentPart descent_part() {
    Compiled& c = ready(true);
    const std::vector<double> none(model_.parameter_count()),
        scales = scales_of(options_.weights, points_.count);
    c.executor->prepare(step_inputs(c.program(), c.input_offsets, none, scales));
    cuda::DescentPart part{
        c.executor.get(), options_.weights, double(points_.count), c.input_offsets, {}};
    for (const std::size_t b : c.gradient_blocks)
      part.gradients.push_back(model_.blocks()[b].offset);
    return part;
  }

 private:
  /// A step that is ready to run.
  struct Compiled {
    std::unique_ptr<cuda::GpuExecutor> executor;
    double product_flops = 0;                  ///< per point
    std::vector<std::int64_t> input_offsets;   ///< of the fixed inputs
    std::vector<std::size_t> gradient_blocks;  ///< parameter blocks whose gradients are outputs
    bool has_points = false;                   ///< those that the part has now

    const Program& program() const { return executor->program(); }
  };

  /// The step with the points on the device.
  Compiled& ready(bool with_gradient) {
    Compiled& c = compiled(with_gradient);
    if (!c.has_points) c.executor->set_rows(rows_of(c.program(), points_), points_.count);
    c.has_points = true;
    return c;
  }

  Compiled& compiled(bool with_gradient) const {
    Compiled& c = compiled_[with_gradient];
    if (c.executor) return c;
    const auto step = options_.cache->step(options_, widths_, with_gradient);
    c.input_offsets = input_offsets(step->program, model_);
    c.gradient_blocks = step->traced.gradient_blocks;
    c.product_flops = report(step->program).product_flops;
    c.executor = cuda::make_executor(step->program, gpu_,
                                     {.block = options_.block, .products = options_.products});
    return c;
  }

  PartOptions options_;
  const Model& model_;
  cuda::Gpu& gpu_;
  PointWidths widths_;
  PointSet points_;
  mutable Compiled compiled_[2];  ///< without and with the gradient
  std::unique_ptr<PartProducts> products_;
  bool with_gradient_ = false;
};

}  // namespace

std::unique_ptr<LossPart> gpu_part(PartOptions options) {
  return std::make_unique<GpuPart>(std::move(options));
}

std::unique_ptr<Descent> descent_of(std::span<const std::unique_ptr<LossPart>> parts,
                                    const Model& model) {
  std::vector<GpuPart*> on_gpu;
  for (const auto& part : parts) on_gpu.push_back(dynamic_cast<GpuPart*>(part.get()));
  if (on_gpu.empty() || std::ranges::count(on_gpu, nullptr) > 0) return nullptr;
  std::vector<cuda::DescentPart> known;
  for (GpuPart* part : on_gpu) known.push_back(part->descent_part());
  return cuda::make_descent(on_gpu[0]->gpu(), known, model.parameter_count());
}

}  // namespace pinn
