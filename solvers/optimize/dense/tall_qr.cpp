#include "solvers/optimize/dense/tall_qr.h"

#include <algorithm>
#include <functional>

#include "solvers/optimize/dense/dense.h"

namespace pinn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Columns that are eliminated together: two of Eigen's blocks.
constexpr Index panel_size = 96;

constexpr double rows_per_column = 1.5;  ///< of a leaf, at least

std::size_t leaves_of(double rows, double columns) {
  std::size_t leaves = 1;
  while (rows / double(2 * leaves) >= rows_per_column * columns) leaves *= 2;
  return leaves;
}

/// The columns of a strip that were made zero below their triangle.
struct Panel {
  MatrixXd compact;  ///< [rows, size]: the triangle, and below it the reflections
  MatrixXd inverse;  ///< of T [size, size] (below); on its diagonal 1 / tau
};

/// The reflections I - tau v v^T of a panel as one: Q = I - V T V^T (Schreiber, Van Loan, SIAM J.
/// Sci. Stat. Comput. 10 (1989) 53-57), by the inverse of T, which is the upper triangle of V^T V
/// with 1/tau on its diagonal (Joffrain et al., ACM Trans. Math. Softw. 32 (2006) 169-179).
class Reflections {
 public:
  /// For two triangles that are stacked, the upper one's rows in V are those of 1.
  Reflections(const Panel& panel, bool stacked)
      : v_(panel.compact.bottomRows(panel.compact.rows() - (stacked ? panel.compact.cols() : 0))),
        inverse_(&panel.inverse),
        identity_(stacked ? panel.compact.cols() : 0) {
    if (stacked) return;
    v_.topRows(v_.cols()).triangularView<Eigen::StrictlyUpper>().setZero();
    v_.diagonal().setOnes();
  }

  const MatrixXd& v() const { return v_; }

  /// c := Q^T c
  void apply(Part c) const {
    auto below = c.bottomRows(v_.rows());
    MatrixXd x = inner_product(v_, below);
    if (identity_ > 0) x += c.topRows(identity_);
    solve_upper_transposed(*inverse_, x);
    if (identity_ > 0) c.topRows(identity_) -= x;
    add_product(below, v_, x, -1);
  }

 private:
  MatrixXd v_;  ///< [rows, size], without its first `identity_` rows, which are those of 1
  const MatrixXd* inverse_;
  Index identity_;
};

void eliminate(Panel& panel, bool stacked) {
  const Eigen::VectorXd tau = reflections(panel.compact);
  const Reflections made(panel, stacked);
  panel.inverse = inner_product(made.v(), made.v());
  panel.inverse.diagonal() = tau.cwiseInverse();  // infinite where tau = 0
}

/// Rows that are made a triangle: a leaf, in place, or two triangles.
class Elimination {
 public:
  explicit Elimination(StripTriangle& leaf, Index rows) : upper_(leaf), rows_(rows) {}
  explicit Elimination(const StackedPair& pair) : upper_(*pair.upper), lower_(pair.lower) {}

  bool stacked() const { return lower_ != nullptr; }
  Index panel_rows(Index k) const {
    const StripCut& cut = upper_.cut();
    return stacked() ? cut.size(k) + cut.end(k) : rows_ - cut.first(k);
  }
  /// The rows of strip k that are eliminated; what is left there has room for their triangle.
  MatrixXd panel(Index k) const {
    MatrixXd panel = rows_of(k, k);
    upper_.strip(k).conservativeResize(upper_.cut().end(k), Eigen::NoChange);
    if (stacked()) lower_->strip(k).resize(0, 0);
    return panel;
  }
  void take_triangle(const MatrixXd& compact, Index k) const {
    const Index w = compact.cols();
    upper_.strip(k).bottomRows(w) = compact.topRows(w).triangularView<Eigen::Upper>();
  }
  /// Rows of another strip likewise.
  void reflect(const Reflections& by, Index k, Index strip) const {
    if (!stacked()) return by.apply(upper_.strip(strip).bottomRows(panel_rows(k)));
    MatrixXd both =
        rows_of(k, strip);  // rows of the lower triangle below these are zero in strip k
    by.apply(both);
    const Index w = upper_.cut().size(k), h = upper_.cut().end(k);
    upper_.strip(strip).middleRows(h - w, w) = both.topRows(w);
    lower_->strip(strip).topRows(h) = both.bottomRows(h);
  }

 private:
  MatrixXd rows_of(Index k, Index strip) const {
    if (!stacked()) return upper_.strip(strip).bottomRows(panel_rows(k));
    const Index w = upper_.cut().size(k), h = upper_.cut().end(k);
    MatrixXd both(panel_rows(k), upper_.strip(strip).cols());
    both.topRows(w) = upper_.strip(strip).middleRows(h - w, w);
    both.bottomRows(h) = lower_->strip(strip).topRows(h);
    return both;
  }

  StripTriangle& upper_;
  StripTriangle* const lower_ = nullptr;
  const Index rows_ = 0;
};

/// Makes all of them triangles, strip by strip: its owner hands out the panels, one to a rank, all
/// get what is made of them, and each lets that act on its own strips behind.
class Eliminations {
 public:
  Eliminations(std::vector<Elimination> all, const StripCut& cut, const Workers& workers)
      : all_(std::move(all)), cut_(cut), workers_(workers), ranks_(*workers.ranks) {}

  void run() {
    for (Index k = 0; k < cut_.count(); ++k) {
      std::vector<Panel> panels = begin(k);
      each(int(all_.size()), [&](int i) {
        if (maker(i, k) == ranks_.rank())
          eliminate(panels[std::size_t(i)], all_[std::size_t(i)].stacked());
      });
      hand_out(
          panels, [&](int i) { return maker(i, k); }, true);
      reflect(panels, k);
    }
  }

 private:
  using Owner = std::function<int(int)>;

  void each(int count, const std::function<void(int)>& task) const {
    run_tasks(workers_.threads, count, task);
  }
  int maker(int i, Index k) const { return (cut_.owner(k) + i) % ranks_.count(); }

  std::vector<Panel> begin(Index k) const {
    const Index w = cut_.size(k);
    std::vector<Panel> panels;
    for (const Elimination& one : all_)
      panels.push_back(
          {cut_.owns(k) ? one.panel(k) : MatrixXd(one.panel_rows(k), w), MatrixXd(w, w)});
    if (all_.size() > 1)
      hand_out(
          panels, [&](int) { return cut_.owner(k); }, false);
    return panels;
  }

  void hand_out(std::vector<Panel>& panels, const Owner& owner, bool with_inverse) const {
    if (ranks_.count() == 1) return;
    std::vector<std::vector<std::span<double>>> by_rank(std::size_t(ranks_.count()));
    for (std::size_t i = 0; i < panels.size(); ++i) {
      auto& own = by_rank[std::size_t(owner(int(i)))];
      for (MatrixXd* m : {&panels[i].compact, &panels[i].inverse})
        if (m == &panels[i].compact || with_inverse)
          own.push_back({m->data(), std::size_t(m->size())});
    }
    share_out(ranks_, by_rank);
  }

  void reflect(const std::vector<Panel>& panels, Index k) const {
    std::vector<Reflections> made;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      made.emplace_back(panels[i], all_[i].stacked());
      if (cut_.owns(k)) all_[i].take_triangle(panels[i].compact, k);
    }
    const std::vector<Index> own = cut_.own_from(k + 1);
    each(int(all_.size() * own.size()), [&](int task) {
      const std::size_t i = std::size_t(task) / own.size();
      all_[i].reflect(made[i], k, own[std::size_t(task) % own.size()]);
    });
  }

  const std::vector<Elimination> all_;
  const StripCut& cut_;
  const Workers& workers_;
  Ranks& ranks_;
};

}  // namespace

void stack(std::span<const StackedPair> pairs, const Workers& workers) {
  if (pairs.empty()) return;
  std::vector<Elimination> all;
  for (const StackedPair& pair : pairs) all.emplace_back(pair);
  Eliminations(std::move(all), pairs[0].upper->cut(), workers).run();
}

TallMatrix::TallMatrix(std::size_t rows, std::size_t columns, const Ranks& ranks)
    : cut_(Index(columns), panel_size, ranks) {
  const std::size_t leaves = leaves_of(double(rows), double(columns));
  per_leaf_ = std::max((rows + leaves - 1) / leaves, columns);
  leaves_.resize(leaves, StripTriangle(cut_, false));
  for (StripTriangle& leaf : leaves_)
    for (const Index s : cut_.own_from(0))
      leaf.strip(s) = MatrixXd::Zero(Index(per_leaf_), cut_.size(s));
}

void TallMatrix::take(LeastSquares& squares, std::span<const double> p, std::span<const double> r) {
  squares.jacobian(p, 64, LeastSquares::Eater<double>([this](const JacobianRows<double>& rows) {
                     for (std::size_t i = 0; i < rows.count; ++i)
                       set_row(rows.first + i, rows.row(i));
                   }));
  for (std::size_t i = 0; i < r.size(); ++i) set_last(i, r[i]);
}

void TallMatrix::set_row(std::size_t row, const double* values) {
  StripTriangle& leaf = leaves_[row / per_leaf_];
  for (const Index s : cut_.own_from(0)) {
    const Index first = cut_.first(s), count = std::min(cut_.size(s), cut_.columns() - 1 - first);
    leaf.strip(s).row(Index(row % per_leaf_)).head(count) =
        Eigen::Map<const Eigen::RowVectorXd>(values + first, count);
  }
}

void TallMatrix::set_last(std::size_t row, double value) {
  MatrixXd& strip = leaves_[row / per_leaf_].strip(cut_.count() - 1);
  if (strip.size() > 0) strip(Index(row % per_leaf_), strip.cols() - 1) = value;
}

StripTriangle TallMatrix::triangle(const Workers& workers) {
  std::vector<Elimination> all;
  for (StripTriangle& leaf : leaves_) all.emplace_back(leaf, Index(per_leaf_));
  Eliminations(std::move(all), cut_, workers).run();
  for (std::size_t step = 1; step < leaves_.size(); step *= 2) {
    std::vector<StackedPair> pairs;
    for (std::size_t i = 0; i < leaves_.size(); i += 2 * step)
      pairs.push_back({&leaves_[i], &leaves_[i + step]});
    stack(pairs, workers);
  }
  return std::move(leaves_[0]);
}

/// Panels are there as they are made and as they act, and once more where they go around.
double panel_numbers(double rows, int ranks) {
  return (ranks > 1 ? 3 : 2) * rows * double(panel_size);
}

double tall_qr_numbers(double rows, double columns, int ranks) {
  const double all = std::max(rows, double(leaves_of(rows, columns)) * columns);
  return all * columns / ranks + panel_numbers(all, ranks);
}

double stack_numbers(double pairs, double columns, int ranks) {
  return pairs * (columns * columns / ranks + panel_numbers(columns, ranks));
}

}  // namespace pinn
