#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "solvers/problem/names.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// The domain cut into regions that have names, so that every point lies in one of them.
class Partition {
 public:
  Partition(std::vector<NamedRegion> regions, const Problem& problem);

  std::size_t size() const { return regions_.size(); }
  const std::string& name(std::size_t region) const { return regions_[region].name; }
  std::vector<std::string> names() const;
  /// The number of the region of a name, or -1.
  int find(std::string_view name) const;
  /// The region that a point [coordinates] lies in: on a border the first, in a gap that rounding
  /// leaves the nearest.
  int at(std::span<const double> x) const;

  /// Looks for points of the domain that lie in no region, or inside of several, and for regions
  /// that hold nothing of it.
  ///
  ///   errors   ConfigError without a place, which says what is where
  void check(const Problem& problem) const;

 private:
  /// How far a point lies beyond a region, negative inside; +-1 where no distance is known.
  double beyond(std::size_t region, std::span<const double> x) const;
  bool knows_distance(std::size_t region, std::span<const double> x) const;
  bool holds(std::size_t region, std::span<const double> x) const;
  void check_point(std::span<const double> x, const Problem& problem) const;
  void check_border(std::size_t region, std::span<const double> x, const Problem& problem) const;
  std::vector<std::shared_ptr<const Region>> borders(std::size_t region,
                                                     const Problem& problem) const;
  [[noreturn]] void fail_overlap(std::size_t a, std::size_t b, std::span<const double> x,
                                 const Problem& problem) const;
  [[noreturn]] void fail_gap(std::span<const double> x, const Problem& problem) const;

  std::vector<NamedRegion> regions_;
  std::vector<int> space_;
  double near_ = 0;  ///< what is nothing beside the domain
};
using PartitionPtr = std::shared_ptr<const Partition>;

/// A constant or a define as the file has it: one text, or one for each region of a partition.
struct PiecewiseDefinition {
  Text name;
  std::vector<Text> texts;
  int partition = -1;  ///< -1: one text
  /// Those that its meaning depends on, its own and those of what it is made of, ascending.
  std::vector<int> partitions = {};
};

/// A field as the file has it: its number among Problem::fields in each region of a partition.
struct PiecewiseField {
  std::string name;
  int partition = 0;
  std::vector<int> fields;
};

/// Meanings of the names of a problem that mean something else in every region. In a dialect, where
/// regions are chosen, they are plain names of a plain problem; formulas are read in one dialect
/// for each region and joined (by_region).
class PieceNames {
 public:
  std::vector<PartitionPtr> partitions;
  std::vector<PiecewiseField> fields;
  std::vector<PiecewiseDefinition> constants, defines;  ///< all, in the order of the file

  /// Finds what the meaning of each definition depends on.
  void settle();
  /// The partitions on which the meaning of a name depends; none for others.
  std::vector<int> partitions_of(std::string_view name) const;
  /// Those of all names in a text, less what side(...) chooses.
  std::vector<int> mentioned(const Text& text) const;
  /// The same without names that are taken at other places, or at all: at(u, x = 0), mean(u).
  std::vector<int> mentioned_here(const Text& text) const;
  /// Names that mean nothing until more is chosen.
  std::vector<std::string> open_names(const std::vector<int>& chosen) const;
  bool is_open(std::string_view name, const std::vector<int>& chosen) const;
  /// Names of the regions of those partitions, for messages.
  std::string regions_text(const std::vector<int>& partitions) const;

  /// The problem as it is where these regions are chosen, one per partition, -1 for none; made from
  /// `problem` when first asked for, and kept. Errors: as of declare_constants, declare_defines.
  const Problem& dialect(const Problem& problem, const std::vector<int>& chosen,
                         Warnings& warnings) const;
  /// The same for some words of a text. A definition of another dialect may be what asks: then only
  /// those are declared that these words mean, so that definitions by region may use one another.
  ///
  ///   errors   ConfigError without a place for definitions that form a circle through regions
  const Problem& dialect_for(const std::vector<std::string>& words, const Problem& problem,
                             const std::vector<int>& chosen, Warnings& warnings) const;

 private:
  /// A name in a text, and the partitions whose region a side(...) around it chooses.
  struct Mention {
    std::string name;
    std::vector<int> chosen;
    bool elsewhere = false;  ///< it means what it does at another place, or at all of them
  };
  std::vector<Mention> mentions(const Text& text) const;
  std::vector<Definition> definitions(const std::vector<PiecewiseDefinition>& all,
                                      const std::vector<int>& chosen) const;
  /// The definitions that words mean where these regions are chosen, and all that those are made
  /// of.
  std::set<std::string> meant(const std::vector<std::string>& words,
                              const std::vector<int>& chosen) const;
  std::unique_ptr<const Problem> made(const Problem& problem, const std::vector<int>& chosen,
                                      const std::function<bool(const std::string&)>& wanted,
                                      Warnings& warnings) const;

  /// Regions that are chosen, and the definitions that are declared there; none: all.
  using Dialect = std::pair<std::vector<int>, std::optional<std::set<std::string>>>;
  mutable std::recursive_mutex mutex_;
  mutable std::map<Dialect, std::unique_ptr<const Problem>> dialects_;
  mutable std::vector<Dialect> in_the_making_;
};

/// Calls read(scope) in the scope of every region that the meaning of a text depends on, and joins
/// what it gives.
ExpressionPtr by_pieces(const Text& text, const Scope& scope, Warnings& warnings,
                        const std::function<ExpressionPtr(const Scope&, Warnings&)>& read);

/// Pieces on both sides of a region, for each partition of the problem.
///
///   errors   ConfigError without a place where parts of it have other sides than others; only of
///            partitions among `asked`
std::vector<Sides> sides_of(const Region& region, const Problem& problem,
                            const std::vector<int>& asked);

/// The partitions by which formulas, or what a requirement asks, are cut at their roots.
std::vector<PartitionPtr> partitions_of(const Expression& formula);
std::vector<PartitionPtr> partitions_of(const std::vector<ExpressionPtr>& formulas);
std::vector<PartitionPtr> partitions_of(const Requirement& requirement);
/// The number of a point's piece: of all combinations of regions of these, the last fastest.
std::size_t piece_at(const std::vector<PartitionPtr>& partitions, std::span<const double> x);
std::size_t piece_count(const std::vector<PartitionPtr>& partitions);
/// The formula as it is in one of the pieces.
ExpressionPtr in_piece(const ExpressionPtr& formula, const std::vector<PartitionPtr>& partitions,
                       std::size_t piece);
/// Applies `make` to a formula, or to each region's where it is cut at its root.
ExpressionPtr in_each_region(const ExpressionPtr& formula,
                             const std::function<ExpressionPtr(const ExpressionPtr&)>& make);
/// The requirement as it is in each of its pieces; none where it is in one.
std::vector<Requirement> pieces_of(const Requirement& requirement);

/// The fields as the file names them.
std::vector<std::string> whole_fields(const Problem& problem);
/// The number among Problem::fields of one of these at a point.
int field_at(const Problem& problem, const std::string& whole, std::span<const double> x);

}  // namespace pinn
