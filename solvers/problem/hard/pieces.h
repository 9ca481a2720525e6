#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/problem/hard.h"
#include "solvers/problem/hard/surfaces.h"

namespace pinn::hard {

/// Condition that one residual sets on one whole face of the domain: there a field, or its first
/// derivative across the face, has the values of a formula of the other coordinates.
struct Piece {
  std::size_t of = 0;  ///< the number of its residual, in the order of all that were looked at
  int field = 0;
  int coordinate = 0;
  bool upper = false;
  int order = 0;        ///< 0: the values, 1: the derivative by `coordinate`
  ExpressionPtr value;  ///< the coordinate of the face is a number in it
};

/// Condition that one residual sets on one whole surface of the domain: there a field has these
/// values.
struct Sheet {
  std::size_t of = 0;  ///< as above
  int field = 0;
  std::size_t surface = 0;  ///< of Surfaces::all()
  ExpressionPtr value;
};

/// A residual that was looked at: its pieces, or why it has none.
struct ConditionForm {
  std::string name;
  std::vector<Piece> pieces;
  std::vector<Sheet> sheets = {};
  std::string why;     ///< empty: it can be exact as far as it alone is concerned
  bool rough = false;  ///< that is, for its value has kinks or jumps, and is no pulse
};

/// Conditions that a residual of a requirement sets on whole faces and surfaces, or, of a residual
/// cut by regions, on all that one of its pieces has of them.
ConditionForm asked_by(const Problem& problem, const Surfaces& surfaces,
                       const Requirement& requirement, const Residual& residual, std::size_t number,
                       std::size_t piece = 0);

/// "x = -1"
std::string face_text(const Problem& problem, int coordinate, bool upper);
double end_of(const Problem& problem, int coordinate, bool upper);

/// True of points of one piece of a field; null: of all.
using Belongs = std::function<bool(std::span<const double>)>;
bool holds_any(const Region& part, const Belongs& belongs);

/// The face that a part of a region is: all of it, or all that belongs to a piece; nothing for
/// other parts. Of a domain that is no box a face may be in parts.
struct End {
  int coordinate;
  bool upper;
};
std::optional<End> whole_face(const Problem& problem, const Region& region, const Region& part,
                              const Belongs& belongs);

/// The formula with a coordinate held at a number; zeros, ones and numbers are folded.
ExpressionPtr held(const ExpressionPtr& formula, int coordinate, double at);

/// Point where a formula f of the coordinates is furthest from 0, and |f| there, on the domain with
/// some coordinates held at ends: out of many points without pattern and the corners.
struct Furthest {
  double value = 0;
  std::vector<double> at;
};
Furthest furthest(const Problem& problem, const std::vector<End>& held, const ExpressionPtr& f);

/// Takes from `asked` the pieces of those that disagree with one another or with what is periodic,
/// and says why.
void settle(const Problem& problem, const std::vector<bool>& periodic,
            const std::vector<int>& periodic_order, std::vector<ConditionForm>& asked);

/// Says why of those in `asked` whose values have no value at a corner, or not as many continuous
/// derivatives within the domain as are asked of the field: the form would carry a pole, a jump or
/// a kink along, where no residual at points sees it and no smooth network takes it back.
void settle_smooth(const Problem& problem, std::vector<ConditionForm>& asked);

/// ... of those whose values on faces are concentrated in a small part of the domain, though they
/// could be exact.
void settle_sharp(const Problem& problem, std::vector<ConditionForm>& asked);

/// ... and of surfaces that disagree with others, or with faces of space, where the two meet.
void settle_sheets(const Problem& problem, const Surfaces& surfaces,
                   std::vector<ConditionForm>& asked);

/// G + D N of a field from pieces that agree, and sheets.
ExpressionPtr blended(const Problem& problem, const std::vector<Piece>& pieces,
                      const Surfaces& surfaces, const std::vector<Sheet>& sheets);

}  // namespace pinn::hard
