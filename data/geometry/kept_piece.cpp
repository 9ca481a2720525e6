#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/measure.h"
#include "data/geometry/surface_test.h"

namespace pinn {
namespace {

/// The points of a piece that a test keeps.
class KeptPiece : public Sampler {
 public:
  KeptPiece(std::shared_ptr<const Sampler> piece, std::shared_ptr<const SurfaceTest> test,
            std::size_t leaf)
      : piece_(std::move(piece)), test_(std::move(test)), leaf_(leaf) {}
  int dimension() const override { return piece_->dimension(); }
  int numbers() const override { return piece_->numbers(); }
  double whole() const override { return piece_->whole(); }
  bool keeps_all() const override { return false; }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    double own[128];
    const std::span<double> normal(own, x.size());
    if (!piece_->sample(cube, x, normal)) return false;
    const int side = (*test_)(leaf_, x, normal);
    for (std::size_t c = 0; c < n.size(); ++c) n[c] = side * normal[c];
    return side != 0;
  }
  std::string patch() const override { return piece_->patch(); }

 private:
  const std::shared_ptr<const Sampler> piece_;
  const std::shared_ptr<const SurfaceTest> test_;
  const std::size_t leaf_;
};

/// All of a piece, seen from the other side.
class TurnedPiece : public Sampler {
 public:
  explicit TurnedPiece(std::shared_ptr<const Sampler> piece) : piece_(std::move(piece)) {}
  int dimension() const override { return piece_->dimension(); }
  int numbers() const override { return piece_->numbers(); }
  double whole() const override { return piece_->whole(); }
  bool keeps_all() const override { return piece_->keeps_all(); }
  std::optional<Panels> panels() const override { return piece_->panels(); }
  double measure() const override { return piece_->measure(); }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    const bool kept = piece_->sample(cube, x, n);
    for (double& c : n) c = -c;
    return kept;
  }
  std::string patch() const override { return piece_->patch(); }

 private:
  const std::shared_ptr<const Sampler> piece_;
};

}  // namespace

std::shared_ptr<const Sampler> kept_piece(std::shared_ptr<const Sampler> piece,
                                          std::shared_ptr<const SurfaceTest> test,
                                          std::size_t leaf) {
  const std::size_t d = std::size_t(test->formula().dimension());
  if (piece->keeps_all() && (piece->numbers() == 0 || test->is_alone(leaf))) {
    std::vector<double> x(d), n(d);
    const std::vector<double> cube(piece->numbers(), 0.4);
    piece->sample(cube, x, n);
    const int side = (*test)(leaf, x, n);
    if (side == 0) return nullptr;
    return side > 0 ? piece : std::make_shared<TurnedPiece>(std::move(piece));
  }
  if (piece->keeps_all() && piece->numbers() == 1) return kept_curve(piece, test, leaf);
  auto kept = tried_piece(std::move(piece), std::move(test), leaf);
  if (!keeps_any(*kept, 1 << 14)) return nullptr;
  return kept;
}

std::shared_ptr<const Sampler> tried_piece(std::shared_ptr<const Sampler> piece,
                                           std::shared_ptr<const SurfaceTest> test,
                                           std::size_t leaf) {
  return std::make_shared<KeptPiece>(std::move(piece), std::move(test), leaf);
}

std::vector<std::shared_ptr<const Sampler>> formula_surface(
    std::shared_ptr<const ShapeFormula> formula) {
  const auto test = std::make_shared<const SurfaceTest>(formula);
  const std::vector<Interval> box = formula->bounds().back();
  if (!formula->bounded())
    throw ConfigError({"a region reaches to infinity", "", "cut it to a bounded shape"});
  std::vector<std::shared_ptr<const Sampler>> kept;
  for (std::size_t leaf = 0; leaf < formula->leaves().size(); ++leaf)
    for (const auto& piece : formula->leaves()[leaf]->surface_within(box))
      if (auto part = kept_piece(piece, test, leaf)) kept.push_back(std::move(part));
  return kept;
}

}  // namespace pinn
