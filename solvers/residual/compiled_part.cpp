#include <mutex>

#include "solvers/residual/gpu_part.h"
#include "solvers/residual/products.h"
#include "solvers/residual/step_cache.h"

namespace pinn {
namespace {

class CompiledPart : public LossPart {
 public:
  explicit CompiledPart(PartOptions options)
      : options_(std::move(options)), model_(*options_.model) {}

  void set_points(PointSet points) override {
    if (const PointWidths widths(points); points.count > 0 && !(widths == widths_)) {
      widths_ = widths;
      for (std::unique_ptr<Compiled>& c : compiled_) c.reset();
      products_.reset();
    }
    points_ = std::move(points);
  }

  std::size_t points() const override { return points_.count; }
  std::size_t blocks() const override {
    const std::size_t size = block();
    return (points_.count + size - 1) / size;
  }

  std::size_t prepare(std::span<const double> p, bool with_gradient) override {
    with_gradient_ = with_gradient;
    Compiled& c = compiled(with_gradient);
    const std::vector<double> scales = scales_of(options_.weights, points_.count);
    c.executor->prepare(step_inputs(c.program(), c.input_offsets, p, scales));
    return std::size_t(c.program().sums);
  }

  void run(std::size_t first, std::size_t last, std::span<double> sums) override {
    Compiled& c = compiled(with_gradient_);
    const std::size_t size = block();
    auto workspace = c.take_workspace();
    c.executor->run(rows_of(c.program(), points_), first * size,
                    std::min(points_.count, last * size), *workspace, sums);
    c.give_back(std::move(workspace));
  }

  void finish(std::span<double> sums, std::span<double> squares,
              std::span<double> gradient) override {
    Compiled& c = compiled(with_gradient_);
    c.executor->finish(sums);
    read_step(*c.executor, c.gradient_blocks, model_, sums, squares, gradient);
  }

  double product_flops(bool with_gradient) const override {
    return compiled(with_gradient).product_flops;
  }

  PartProducts& products() override {
    if (!products_) products_ = compiled_products(options_, points_);
    return *products_;
  }

 private:
  /// A step that is ready to run.
  struct Compiled {
    std::unique_ptr<Executor> executor;
    double product_flops = 0;                  ///< per point
    std::vector<std::int64_t> input_offsets;   ///< of the fixed inputs
    std::vector<std::size_t> gradient_blocks;  ///< parameter blocks whose gradients are outputs
    std::mutex lock;
    std::vector<std::unique_ptr<Executor::Workspace>> idle;

    const Program& program() const { return executor->program(); }
    std::unique_ptr<Executor::Workspace> take_workspace() {
      const std::lock_guard guard(lock);
      if (idle.empty()) return executor->workspace();
      auto taken = std::move(idle.back());
      idle.pop_back();
      return taken;
    }
    void give_back(std::unique_ptr<Executor::Workspace> workspace) {
      const std::lock_guard guard(lock);
      idle.push_back(std::move(workspace));
    }
  };

  /// Points per block.
  std::size_t block() const { return even_block(compiled(true).program(), points_.count); }

  Compiled& compiled(bool with_gradient) const {
    std::unique_ptr<Compiled>& c = compiled_[with_gradient];
    if (!c) c = compile_step(with_gradient);
    return *c;
  }

  std::unique_ptr<Compiled> compile_step(bool with_gradient) const {
    const auto step = options_.cache->step(options_, widths_, with_gradient);
    auto c = std::make_unique<Compiled>();
    c->input_offsets = input_offsets(step->program, model_);
    c->gradient_blocks = step->traced.gradient_blocks;
    c->product_flops = report(step->program).product_flops;
    c->executor = cpu::make_executor(step->program, options_.products);
    return c;
  }

  PartOptions options_;
  const Model& model_;
  PointWidths widths_;
  PointSet points_;
  mutable std::unique_ptr<Compiled> compiled_[2];  ///< without and with the gradient
  std::unique_ptr<PartProducts> products_;
  bool with_gradient_ = false;
};

}  // namespace

std::unique_ptr<LossPart> compiled_part(PartOptions options) {
  if (!options.cache) options.cache = std::make_shared<StepCache>();
  if (!options.device.is_cpu()) return gpu_part(std::move(options));
  return std::make_unique<CompiledPart>(std::move(options));
}

}  // namespace pinn
