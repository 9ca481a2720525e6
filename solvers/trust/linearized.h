#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/problem/evaluate.h"
#include "solvers/problem/needs.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/state/run.h"
#include "solvers/trust/product_basis.h"

namespace pinn {

/// Rows of numbers most of which are 0.
struct SparseRows {
  std::vector<std::size_t> ends;     ///< behind the last entry of each row
  std::vector<std::size_t> columns;  ///< of the entries, ascending within a row
  std::vector<double> values;

  std::size_t count() const { return ends.size(); }
  std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
  double times(std::size_t row, std::span<const double> v) const;
};

/// A space of corrections of the fields, D w times products of functions of single coordinates: D
/// is what the form of the field multiplies the network by, so that what is exact stays so; w is 1,
/// or a slope of the field itself, by which fronts move. Columns are counted through all fields;
/// those of unknowns come last.
struct CorrectionSpace {
  struct Family {
    std::size_t field;
    int slope;  ///< w is the derivative of the field by it; -1: w = 1
    ProductBasis basis;
    std::size_t first;  ///< column
  };
  std::vector<Family> families;
  std::size_t columns = 0;
};

/// The correction of the window of time before at its end, as functions of all other coordinates:
/// of each field, and of each of its time derivatives that is handed over.
class Carried {
 public:
  struct Part {
    Need what;  ///< a field, how often by time
    ProductBasis basis;
    std::vector<double> coefficients;
  };
  explicit Carried(std::vector<Part> parts) : parts_(std::move(parts)) {}

  /// A derivative at a point; `time`: the coordinate. 0 for what was not handed over.
  double operator()(const Need& need, int time, std::span<const double> x) const;

 private:
  std::vector<Part> parts_;
};

/// The products of derivatives a and b <= a in Leibniz' rule.
double binomial(const MultiIndex& a, const MultiIndex& b);

/// A slab of time behind the start within which what is left of an equation adds up to a part of
/// the field and of its own change: whatever follows does not follow from the start.
struct LostStart {
  std::string residual, field;
  double part = 0;   ///< of these, root mean squares
  double until = 0;  ///< time
};

/// A problem linearized around a network: what is left of every residual, and how it changes with
/// corrections of the fields that are functions of the coordinates and know nothing of a network.
/// Residuals are evaluated as formulas, from values and derivatives of the network.
class Linearized {
 public:
  /// `weights`: of the loss terms; `carried`: what the window before lacks, or null. All arguments
  /// outlive it.
  Linearized(const Run& run, std::shared_ptr<const Model> model, std::span<const double> p,
             std::span<const double> weights, const Carried* carried, ThreadPool& pool);

  /// The reason why the problem has no such rows; empty: it has.
  const std::string& absent() const { return absent_; }

  ThreadPool& pool() const { return pool_; }

  /// Fields as the file names them: one that is cut into pieces is one.
  std::size_t fields() const { return wholes_.size(); }

  /// `reach`: per coordinate, how fine its functions are beside the others'; about `most` columns;
  /// `slope`: a coordinate along which fronts may move, or -1.
  CorrectionSpace space(const std::vector<double>& reach, std::size_t most, int slope) const;

  /// The loss as least squares at fresh points.
  struct Rows {
    SparseRows matrix;
    std::vector<double> left;   ///< R
    std::vector<double> moved;  ///< R once a correction is made, without linearization
  };
  /// About `count` rows, others for each draw; `step` [columns] or empty: the correction.
  Rows rows(const CorrectionSpace& space, double count, std::uint32_t draw,
            std::span<const double> step = {});

  /// The corrections at points, a row for each, and what is carried there by the field's form: of a
  /// derivative of a field, or of one of `fields`.
  struct Changes {
    SparseRows matrix;
    std::vector<double> carried;
  };
  Changes at(const CorrectionSpace& space, const Need& what, const PointSet& points);
  Changes at(const CorrectionSpace& space, std::size_t whole, const PointSet& points);

  /// The deepest slab that is lost so, of slabs from half of all time down to a ten thousandth; of
  /// equations with a first derivative by time.
  std::optional<LostStart> lost_start();

  /// A correction at the end of time, for the next window.
  Carried carried_on(const CorrectionSpace& space, std::span<const double> step);

 private:
  /// A residual with all derivatives carried out, or what of a field agrees at two ends.
  struct LinearizedTerm {
    std::size_t requirement = 0, term = 0;  ///< of that
    int piece = -1;                         ///< in which it is asked; -1: everywhere
    std::vector<Need> needs;
    std::shared_ptr<const Evaluator> value;  ///< null: derivatives at two ends, which agree
    double weight = 1, sigma = 1;
  };
  /// Points with what the network has there.
  struct Table {
    PointSet points;
    std::vector<std::vector<double>> known;  ///< [derivative of a field][point]

    std::span<const double> of(const std::vector<double>& all, std::size_t point) const;
  };
  /// A space at a point.
  struct Local {
    std::vector<std::vector<double>> factors;  ///< of each family, derivatives of D w
    std::vector<ProductBasis::Values> basis;
  };
  /// A residual at a point, as its numbers are: what it asks of the fields, and the unknowns.
  struct Numbers {
    std::vector<double> needs, unknowns;
  };

  PointSet slab(double share) const;
  bool is_meant(int field, std::span<const double> x) const;
  double mean_square(const Need& what, const Table& table) const;
  double rate_left(const LinearizedTerm& asked, std::size_t n, const Table& table) const;
  void read(std::span<const double> weights);
  void read_piece(std::size_t r, int piece, const Requirement& requirement, std::size_t term,
                  std::span<const double> weights);
  Changes changes(const CorrectionSpace& space, const PointSet& points,
                  const std::function<Need(std::span<const double>)>& what);
  void ask_network();
  void read_form(std::size_t field);
  Table table(PointSet points);
  std::vector<double> factor(const Table& table, std::size_t point,
                             const CorrectionSpace::Family& family) const;
  Local local(const Table& table, std::size_t point, const CorrectionSpace& space) const;
  void add_entries(const Local& local, const LinearizedTerm& asked, std::span<const double> slopes,
                   const CorrectionSpace& space, SparseRows& rows) const;
  double value(const LinearizedTerm& asked, const Table& table, std::size_t point,
               const Numbers& numbers) const;
  double carried_by_form(const Need& need, std::span<const double> x) const;
  void add_row(const LinearizedTerm& asked, const Table& table, std::size_t point,
               const Local& local, double scale, const CorrectionSpace& space,
               std::span<const double> step, Rows& rows) const;
  void add_ends(const LinearizedTerm& asked, const Table& near, const Table& far, std::size_t point,
                double scale, const CorrectionSpace& space, Rows& rows) const;
  void add_requirement(const CorrectionSpace& space, std::size_t r, int count, std::uint32_t draw,
                       std::span<const double> step, Rows& rows);

  const Run& run_;
  const std::shared_ptr<const Model> model_;
  const std::span<const double> p_;
  const Carried* const carried_;
  ThreadPool& pool_;
  const int time_;  ///< the coordinate, or -1
  const std::vector<double> unknowns_;
  const std::vector<std::string> wholes_;
  std::string absent_;
  std::vector<LinearizedTerm> asked_;
  int highest_ = 0;                              ///< order of a derivative
  std::vector<std::vector<MultiIndex>> orders_;  ///< per field: all that divide what is asked
  /// Per field and order, the derivative of D; empty: D is 1.
  std::vector<std::vector<std::shared_ptr<const Evaluator>>> forms_;
  /// Per field, field before, and order: the derivative of what its form multiplies that by.
  std::vector<std::vector<std::vector<std::shared_ptr<const Evaluator>>>> before_;
  std::map<Need, std::size_t> at_;  ///< where a derivative of the network stands in a table
  std::unique_ptr<Formulas> network_;
};

}  // namespace pinn
