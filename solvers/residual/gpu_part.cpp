#include <algorithm>
#include <map>

#include "autograd/core/error.h"
#include "solvers/residual/compiled_part.h"

namespace pinn {
namespace {

/// The loss and its gradient run as captured graphs, with the points on the device.
class GpuPart : public CompiledPart {
 public:
  explicit GpuPart(PartOptions options)
      : CompiledPart(std::move(options)), gpu_(cuda::gpu(options_.device)) {}

  void set_points(PointSet points) override {
    CompiledPart::set_points(std::move(points));
    resident_.clear();
  }
  void set_point_weights(std::span<const double> weights) override {
    CompiledPart::set_point_weights(weights);
    resident_.clear();
  }

  bool sums_itself(Sweep kind) const override { return is_loss(kind); }
  void set_tree(Sweep kind, std::shared_ptr<const cuda::SumTree> tree) override {
    trees_[kind] = std::move(tree);
  }

  /// A GPU cuts its own blocks, and is asked for pieces.
  SweepSize size(Sweep kind) override {
    must_be_given(kind);
    SweepSize size = CompiledPart::size(kind);
    size.block = piece();
    return size;
  }

  void prepare(Sweep kind, std::span<const double> p, std::span<const double> direction) override {
    must_be_given(kind);
    if (!is_loss(kind)) return CompiledPart::prepare(kind, p, direction);
    kind_ = kind;
    now_ = {&with_points(kind, p)};
    executor(*now_[0]).start(now_[0]->inputs.fixed());
  }
  void run(std::size_t begin, std::size_t end, std::span<double> sums,
           std::span<double> rows) override {
    if (!is_loss(kind_)) return CompiledPart::run(begin, end, sums, rows);
    executor(*now_[0]).wait(sums);
  }
  void finish(std::span<double> sums, std::span<double> squares,
              std::span<double> result) override {
    if (!is_loss(kind_)) return CompiledPart::finish(sums, squares, result);
    read(*now_[0], sums, squares, result);
  }

  cuda::Gpu& gpu() const { return gpu_; }
  /// The step with its gradient, for the optimizer on the GPU.
  cuda::DescentPart descent_part() {
    const std::vector<double> none(model_.parameter_count());
    Ready& r = with_points(Sweep::gradient, none);
    r.executor->prepare(r.inputs.fixed());
    cuda::DescentPart part{&executor(r), options_.weights, double(points_.count), {}, {}};
    for (const FixedInput& input : r.program().fixed) {
      const Given given = r.traced().given[std::size_t(input.input)];
      part.inputs.push_back(given.what == Given::parameters ? model_.blocks()[given.index].offset
                                                            : -1);
    }
    for (const std::size_t b : r.traced().sums) part.gradients.push_back(model_.blocks()[b].offset);
    return part;
  }

 private:
  /// Points that are summed before anything else, about as many in each piece.
  std::size_t piece() const {
    const std::size_t most = options_.gpu_piece > 0 ? options_.gpu_piece : points_.count;
    const std::size_t pieces = most > 0 ? (points_.count + most - 1) / most : 1;
    return std::max<std::size_t>(1,
                                 (points_.count + pieces - 1) / std::max<std::size_t>(1, pieces));
  }

  std::unique_ptr<Executor> make(const Program& program) const override {
    return cuda::make_executor(program, gpu_,
                               {.block = options_.block, .products = options_.products});
  }
  static void must_be_given(Sweep kind) {
    if (is_loss(kind) || kind == Sweep::residual) return;
    throw EngineError(
        {"a GPU gives the loss, its gradient and residuals, and no products with the "
         "Jacobian or the Hessian yet",
         "", "evaluate them on the CPU"});
  }
  static cuda::GpuExecutor& executor(const Ready& r) {
    return static_cast<cuda::GpuExecutor&>(*r.executor);
  }

  /// A sweep with the points on the device, and its fixed inputs bound.
  Ready& with_points(Sweep kind, std::span<const double> p) {
    Ready& r = ready(kind);
    bind(r, p, {});
    const auto& tree = trees_[kind];
    const auto known = resident_.find(&r);
    const auto equal = [&](const auto& other) {
      return other == tree || (other && tree && *other == *tree);
    };
    if (known != resident_.end() && equal(known->second)) return r;
    resident_.erase(&r);
    if (tree)
      executor(r).set_rows(r.inputs.rows(), tree, options_.meeting);
    else
      executor(r).set_rows(r.inputs.rows(), points_.count);
    resident_[&r] = tree;
    return r;
  }

  cuda::Gpu& gpu_;
  std::map<Sweep, std::shared_ptr<const cuda::SumTree>> trees_;
  /// Those of whose points some are on the device, and along which tree they are summed.
  std::map<const Ready*, std::shared_ptr<const cuda::SumTree>> resident_;
};

}  // namespace

std::unique_ptr<LossPart> gpu_part(PartOptions options) {
  return std::make_unique<GpuPart>(std::move(options));
}

std::unique_ptr<Descent> descent_of(std::span<LossPart* const> parts, const Model& model) {
  if (!model.fixed().empty()) return nullptr;  // it knows of inputs that are parameters or scales
  std::vector<GpuPart*> on_gpu;
  for (LossPart* const part : parts) on_gpu.push_back(dynamic_cast<GpuPart*>(part));
  if (on_gpu.empty() || std::ranges::count(on_gpu, nullptr) > 0) return nullptr;
  std::vector<cuda::DescentPart> known;
  for (GpuPart* part : on_gpu) known.push_back(part->descent_part());
  return cuda::make_descent(on_gpu[0]->gpu(), known, model.parameter_count());
}

}  // namespace pinn
