#pragma once
#include <memory>
#include <span>
#include <vector>

#include "solvers/residual/loss/options.h"
#include "solvers/residual/parts/part.h"

namespace pinn {

/// Parts of a loss: which requirement and piece each is of, and where its terms, points and rows
/// stand among all.
///
/// A requirement in pieces (solvers/problem/pieces.h) has a part of its own for each: a point goes
/// to the part of the piece that it lies in, and rows follow the pieces, within one the order of
/// the points.
class PartTable {
 public:
  /// Requirement and piece of a part, and the place of its points among those of the requirement.
  struct Share {
    std::size_t requirement = 0, piece = 0;
    std::size_t first = 0;               ///< point, in the order of the pieces
    std::vector<std::size_t> from = {};  ///< the points as they were given; empty: all, in order
  };

  PartTable(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool);

  // As those of Loss.
  void require_fit(std::size_t r, const PointSet& points) const;
  void set_points(std::size_t r, PointSet points);
  void drop_points(std::size_t r);
  void set_weights(std::span<const double> weights);
  void set_point_weights(std::size_t r, std::span<const double> weights);
  void set_directions(std::span<const double> vectors);
  std::size_t points() const;
  std::size_t points(std::size_t r) const;
  std::size_t rows(std::size_t r) const;
  std::size_t rows() const { return first_row_.back(); }
  std::size_t point_weights(std::size_t r) const;

  const Model& model() const { return *model_; }
  const std::vector<LossTerm>& terms() const { return terms_; }
  std::size_t requirements() const { return first_part_.size() - 1; }
  std::size_t size() const { return parts_.size(); }
  LossPart& operator[](std::size_t part) const { return *parts_[part]; }
  const Share& share(std::size_t part) const { return shares_[part]; }

  bool has_pieces(std::size_t r) const { return first_part_[r + 1] - first_part_[r] > 1; }
  /// The first term, and row, of a requirement; of one more than the last the end.
  std::size_t first_term(std::size_t r) const { return first_term_[r]; }
  std::size_t first_row_of(std::size_t r) const { return first_row_[r]; }
  std::size_t terms_in(std::size_t r) const { return first_term_[r + 1] - first_term_[r]; }
  std::size_t terms_of_part(std::size_t i) const { return terms_in(shares_[i].requirement); }
  /// The first row of a term of a part.
  std::size_t first_row(std::size_t part, std::size_t term) const;
  /// move(own, all, count) for rows of a part [terms, points] and their places among all of its
  /// requirement.
  template <class Move> void move_rows(std::size_t part, const Move& move) const {
    const std::size_t count = parts_[part]->points();
    for (std::size_t k = 0; k < terms_of_part(part); ++k)
      move(k * count, first_row(part, k), count);
  }
  /// Errors: InternalError where a requirement has no points yet.
  void must_have_points() const;

 private:
  void add_part(PartOptions options, bool compiled, const std::vector<LossTerm>& terms);
  void share_points(std::size_t r, const PointSet& points);
  void weigh(std::size_t r);
  void count_rows();

  std::shared_ptr<const Model> model_;
  std::vector<LossTerm> terms_;
  std::vector<std::unique_ptr<LossPart>> parts_;
  std::vector<Share> shares_;            ///< of each part
  std::vector<std::size_t> first_part_;  ///< of each requirement, and the end
  std::vector<std::size_t> first_term_;  ///< likewise
  std::vector<std::size_t> first_row_;   ///< likewise, with the points that there are
};

}  // namespace pinn
