#include <algorithm>
#include <map>

#include "solvers/residual/step_cache.h"

namespace pinn {
namespace {

class CompiledProducts : public PartProducts {
 public:
  CompiledProducts(const PartOptions& options, const PointSet& points)
      : options_(options), model_(*options.model), points_(points) {}

  void prepare(ProductKind product, std::span<const double> p,
               std::span<const double> direction) override {
    product_ = product;
    roots_ = row_roots(options_, points_.count);
    now_.clear();
    const std::size_t terms = product == ProductKind::jacobian ? options_.weights.size() : 1;
    for (std::size_t k = 0; k < terms; ++k) {
      now_.push_back(&ready(product, k));
      prepare_executor(*now_.back()->executor, p, direction);
    }
    direction_ = direction;
  }

  /// Of all terms, the block of the Jacobian that is largest; a GPU cuts its own.
  std::size_t block() const override {
    if (!options_.device.is_cpu()) return points_.count;
    int most = 1;
    for (const Ready* c : now_) most = std::max(most, c->executor->program().block);
    return std::size_t(most);
  }
  std::size_t sums() const override { return std::size_t(now_[0]->executor->program().sums); }

  void run(std::size_t begin, std::size_t end, std::span<double> sums,
           std::span<double> rows) override {
    const Ready& c = *now_[0];
    std::vector<double*> places;
    if (gives_rows(product_)) {
      clear_rows_of_none(c, begin, end, rows);
      for (const std::size_t k : c.traced().of) places.push_back(rows.data() + k * points_.count);
    }
    const auto workspace = c.executor->workspace();
    c.executor->run(inputs(c.executor->program(), 0), begin, end, *workspace, sums, places);
  }

  void finish(std::span<double> sums, std::span<double> result) override {
    const Ready& c = *now_[0];
    c.executor->finish(sums);
    std::vector<double> part;
    for (std::size_t i = 0; i < c.traced().of.size(); ++i) {
      const ParameterBlock& b = model_.blocks()[c.traced().of[i]];
      part.resize(std::size_t(b.shape.numel()));
      c.executor->read(i, sums, part);
      for (std::size_t k = 0; k < part.size(); ++k) result[std::size_t(b.offset) + k] += part[k];
    }
  }

  void run_jacobian(std::size_t term, std::size_t begin, std::size_t end,
                    std::span<double> rows) override {
    const Ready& c = *now_[term];
    const Program& program = c.executor->program();
    std::vector<std::vector<double>> arrays;
    std::vector<double*> places;
    for (const ProgramOutput& out : program.outputs)
      arrays.emplace_back((end - begin) * std::size_t(out.count));
    for (std::vector<double>& array : arrays) places.push_back(array.data());
    const auto workspace = c.executor->workspace();
    c.executor->run(inputs(program, begin), 0, end - begin, *workspace, {}, places);

    std::vector<RowPart> parts;
    for (const TracedProduct::Part& part : c.traced().parts) {
      parts.push_back(part.layout);
      parts.back().x = arrays[std::size_t(part.x)];
      if (part.g >= 0) parts.back().g = arrays[std::size_t(part.g)];
    }
    const std::size_t count = model_.parameter_count();
    std::fill(rows.begin(), rows.end(), 0);
    for (std::size_t i = 0; i < end - begin; ++i)
      add_to_row(parts, i, rows.subspan(i * count, count));
  }

 private:
  /// A product that is ready to run.
  struct Ready {
    std::shared_ptr<const CompiledProduct> compiled;
    std::unique_ptr<Executor> executor;

    const TracedProduct& traced() const { return compiled->traced; }
  };

  Ready& ready(ProductKind product, std::size_t term) {
    Ready& r = ready_[{product, term}];
    if (!r.executor) {
      r.compiled = options_.cache->product(options_, PointWidths(points_), product, term);
      r.executor = make_executor(r.compiled->program, options_.device, options_.products);
    }
    return r;
  }

  void prepare_executor(Executor& executor, std::span<const double> p,
                        std::span<const double> direction) const {
    const std::string tangent = TracedProduct::tangent;
    std::vector<std::span<const double>> fixed;
    for (const FixedInput& input : executor.program().fixed)
      fixed.push_back(input.name == TracedProduct::roots ? std::span<const double>(roots_)
                      : input.name.starts_with(tangent)
                          ? parameters_of(model_, input.name.substr(tangent.size()), direction)
                          : parameters_of(model_, input.name, p));
    executor.prepare(fixed);
  }

  /// The row inputs from point `first` on.
  std::vector<RowArray> inputs(const Program& program, std::size_t first) const {
    std::vector<RowArray> arrays;
    const std::string seed = TracedProduct::seed;
    for (const RowInput& row : program.rows) {
      const std::size_t term =
          row.name.starts_with(seed) ? std::stoul(row.name.substr(seed.size())) : 0;
      arrays.push_back(row.name.starts_with(seed)
                           ? RowArray{direction_.data() + term * points_.count, 1}
                           : row_of(row.name, points_));
      arrays.back().data += first * arrays.back().columns;
    }
    return arrays;
  }

  void clear_rows_of_none(const Ready& c, std::size_t begin, std::size_t end,
                          std::span<double> rows) const {
    for (std::size_t k = 0; k < options_.weights.size(); ++k)
      if (std::find(c.traced().of.begin(), c.traced().of.end(), k) == c.traced().of.end())
        std::fill_n(rows.data() + k * points_.count + begin, end - begin, 0.0);
  }

  const PartOptions& options_;
  const Model& model_;
  const PointSet& points_;
  std::vector<double> roots_;
  std::map<std::pair<ProductKind, std::size_t>, Ready> ready_;
  ProductKind product_ = ProductKind::residual;
  std::vector<Ready*> now_;  ///< of the Jacobian one per term
  std::span<const double> direction_;
};

}  // namespace

std::unique_ptr<PartProducts> compiled_products(const PartOptions& options,
                                                const PointSet& points) {
  return std::make_unique<CompiledProducts>(options, points);
}

}  // namespace pinn
