#include <mutex>

#include "autograd/compile.h"
#include "autograd/core/error.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/modes.h"
#include "solvers/residual/part.h"

namespace pinn {
namespace {

/// The names of a block's arrays among the inputs of a step.
struct BlockNames {
  const char *x, *normals, *columns;
};
constexpr BlockNames near_names{"x", "normals", "columns"};
constexpr BlockNames far_names{"far x", "far normals", "far columns"};

/// How many numbers each array of a point set has per point.
struct Widths {
  explicit Widths(const PointSet& set)
      : x(set.x.size() / set.count),
        normals(set.normals.size() / set.count),
        columns(set.columns.size() / set.count) {}
  std::size_t x, normals, columns;
  bool operator==(const Widths&) const = default;
};

class CompiledPart : public LossPart {
 public:
  explicit CompiledPart(PartOptions options)
      : options_(std::move(options)),
        model_(*options_.model),
        requirement_(model_.problem().requirements[options_.requirement]) {}

  void set_points(const PointSet& points) override {
    const Widths widths(points);
    if (!widths_ || !(*widths_ == widths)) {
      widths_ = widths;
      for (std::unique_ptr<Compiled>& c : compiled_) c.reset();
    }
    near_ = points;
    if (requirement_.periodic) far_ = far_points(points, requirement_, model_.problem());
  }

  std::size_t points() const override { return near_.count; }
  std::size_t blocks() const override {
    const std::size_t size = std::size_t(compiled(true).program().block);
    return (near_.count + size - 1) / size;
  }

  std::size_t prepare(std::span<const double> p, bool with_gradient) override {
    with_gradient_ = with_gradient;
    Compiled& c = compiled(with_gradient);
    scales_.clear();
    for (const double w : options_.weights) scales_.push_back(w / double(near_.count));
    std::vector<std::span<const double>> fixed;
    for (const FixedInput& input : c.program().fixed) {
      if (input.name == "scales") {
        fixed.push_back(scales_);
        continue;
      }
      for (const ParameterBlock& b : model_.blocks())
        if (b.name == input.name)
          fixed.push_back(p.subspan(std::size_t(b.offset), std::size_t(b.shape.numel())));
    }
    c.executor->prepare(fixed);
    return std::size_t(c.program().sums);
  }

  void run(std::size_t first, std::size_t last, std::span<double> sums) override {
    Compiled& c = compiled(with_gradient_);
    const std::size_t size = std::size_t(compiled(true).program().block);
    auto workspace = c.take_workspace();
    c.executor->run(rows_of(c.program()), first * size, std::min(near_.count, last * size),
                    *workspace, sums);
    c.give_back(std::move(workspace));
  }

  void finish(std::span<double> sums, std::span<double> squares,
              std::span<double> gradient) override {
    Compiled& c = compiled(with_gradient_);
    c.executor->finish(sums);
    for (std::size_t k = 0; k < squares.size(); ++k)
      c.executor->read(k, sums, squares.subspan(k, 1));
    for (std::size_t i = 0; i < c.gradient_blocks.size() && !gradient.empty(); ++i) {
      const ParameterBlock& b = model_.blocks()[c.gradient_blocks[i]];
      part_.resize(std::size_t(b.shape.numel()));
      c.executor->read(squares.size() + i, sums, part_);
      for (std::size_t k = 0; k < part_.size(); ++k)
        gradient[std::size_t(b.offset) + k] += part_[k];
    }
  }

 private:
  /// A step that is ready to run.
  struct Compiled {
    std::unique_ptr<cpu::Executor> executor;
    std::vector<std::size_t> gradient_blocks;  ///< parameter blocks whose gradients are outputs
    std::mutex lock;
    std::vector<std::unique_ptr<cpu::Executor::Workspace>> idle;

    const Program& program() const { return executor->program(); }
    std::unique_ptr<cpu::Executor::Workspace> take_workspace() {
      const std::lock_guard guard(lock);
      if (idle.empty()) return executor->workspace();
      auto taken = std::move(idle.back());
      idle.pop_back();
      return taken;
    }
    void give_back(std::unique_ptr<cpu::Executor::Workspace> workspace) {
      const std::lock_guard guard(lock);
      idle.push_back(std::move(workspace));
    }
  };

  Compiled& compiled(bool with_gradient) const {
    std::unique_ptr<Compiled>& c = compiled_[with_gradient];
    if (!c) c = compile_step(with_gradient);
    return *c;
  }

  Block traced_block(Trace& trace, const BlockNames& names) const {
    const auto row = [&](const char* name, std::size_t width) {
      if (width == 0) return Tensor();
      return trace.input(name, {any_points, std::int64_t(width)}, options_.dtype, Extent::row);
    };
    Block block;
    block.x = row(names.x, widths_->x);
    block.normals = row(names.normals, widths_->normals);
    block.columns = row(names.columns, widths_->columns);
    return block;
  }

  std::unique_ptr<Compiled> compile_step(bool with_gradient) const {
    auto c = std::make_unique<Compiled>();
    Trace trace;
    const RecordingGuard mode(with_gradient || options_.derivatives == Derivatives::reverse);
    BlockPair block{traced_block(trace, near_names), {}};
    if (requirement_.periodic) block.far = traced_block(trace, far_names);
    std::vector<Tensor> parameters;
    for (const ParameterBlock& b : model_.blocks()) {
      parameters.push_back(trace.input(b.name, b.shape, options_.dtype, Extent::fixed));
      if (with_gradient) parameters.back().set_requires_grad();
    }
    const std::vector<Tensor> rs =
        residuals(model_, requirement_, options_.derivatives,
                  plan_channels(requirement_, model_.problem()), block, parameters);
    const Tensor scales =
        trace.input("scales", {std::int64_t(rs.size())}, options_.dtype, Extent::fixed);
    std::vector<Tensor> outputs, seeds;
    for (std::size_t k = 0; k < rs.size(); ++k) {
      outputs.push_back(sum(square(rs[k])));
      seeds.push_back(2.0 * select(scales, 0, std::int64_t(k)) * rs[k].detach());
    }
    if (with_gradient) add_gradients(rs, seeds, parameters, outputs, *c);
    c->executor = cpu::make_executor(plan(optimized(trace.finish(outputs))));
    return c;
  }

  /// J^T s with the seeds s = 2 w r / n: the gradient of the sum of squares.
  static void add_gradients(const std::vector<Tensor>& rs, const std::vector<Tensor>& seeds,
                            const std::vector<Tensor>& parameters, std::vector<Tensor>& outputs,
                            Compiled& c) {
    std::vector<Tensor> from, with;
    for (std::size_t k = 0; k < rs.size(); ++k) {
      if (!rs[k].requires_grad()) continue;
      from.push_back(rs[k]);
      with.push_back(seeds[k]);
    }
    if (from.empty()) return;
    const std::vector<Tensor> gradients = grad(from, parameters, with, {.allow_unused = true});
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) continue;
      outputs.push_back(gradients[i]);
      c.gradient_blocks.push_back(i);
    }
  }

  std::vector<cpu::RowArray> rows_of(const Program& program) const {
    std::vector<cpu::RowArray> rows;
    for (const RowInput& row : program.rows) {
      const bool far = row.name.starts_with("far");
      const PointSet& set = far ? far_ : near_;
      const BlockNames& names = far ? far_names : near_names;
      const std::vector<double>& from = row.name == names.x         ? set.x
                                        : row.name == names.normals ? set.normals
                                                                    : set.columns;
      rows.push_back({from.data(), from.size() / set.count});
    }
    return rows;
  }

  PartOptions options_;
  const Model& model_;
  const Requirement& requirement_;
  std::optional<Widths> widths_;
  PointSet near_, far_;
  mutable std::unique_ptr<Compiled> compiled_[2];  ///< without and with the gradient
  bool with_gradient_ = false;
  std::vector<double> scales_, part_;
};

}  // namespace

std::unique_ptr<LossPart> compiled_part(PartOptions options) {
  return std::make_unique<CompiledPart>(std::move(options));
}

}  // namespace pinn
