#pragma once
#include <memory>
#include <string>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/report/axis.h"
#include "solvers/report/heat_map.h"
#include "solvers/report/views.h"
#include "solvers/train/train.h"

// Common parts of maps of fields and maps of errors in files.
namespace pinn::pages {

/// Something to look at: a formula of the fields, less what is known of it.
struct Quantity {
  std::string title;
  ExpressionPtr formula, exact;          ///< exact: null where there is none
  std::shared_ptr<const Region> within;  ///< null: everywhere
  HeatMap::Look look = HeatMap::Look::value;
};

inline constexpr std::size_t nodes_of_curve = 401;
inline constexpr std::size_t nodes_alone = 121;   ///< of a map along each axis
inline constexpr std::size_t nodes_of_many = 61;  ///< ... where there is one for each place
inline constexpr std::size_t thirds = 11;         ///< these places

/// True if a point [coordinates] lies in a region, or in the domain where that is null.
bool is_there(const Run& run, const Region* within, std::span<const double> x);

/// Values of the quantities at points; NaN where there is nothing to see.
std::vector<std::vector<double>> values_of(const Run& run,
                                           const std::vector<TrainedNetwork>& networks,
                                           const std::vector<Quantity>& quantities,
                                           const PointSet& points, ThreadPool& pool);

/// Subtracts the mean of an error where fields are known up to their means.
void take_mean_out(std::vector<double>& values);

/// Points of a map at one place of the third coordinate: [up, across].
PointSet sheet_points(const Layout& layout, const std::vector<double>& x,
                      const std::vector<double>& y, double third);

/// A map with its names, and no values yet.
HeatMap empty_map(const Run& run, const Layout& layout, const std::string& title,
                  HeatMap::Look look);

/// A quantity over the one coordinate.
Chart curve_over(const Coordinate& coordinate, const Quantity& quantity,
                 const std::vector<double>& x, const std::vector<double>& values);

/// Errors at the nodes of a reference's file, of problems of one coordinate.
std::vector<Chart> error_curves_in_file(const Run& run, const std::vector<TrainedNetwork>& networks,
                                        ThreadPool& pool);

/// Errors at the nodes of a reference's file, along the axes that the layout shows; none where
/// these fill no grid, which a note of the views then says.
std::vector<HeatMap> errors_in_file(const Run& run, const std::vector<TrainedNetwork>& networks,
                                    const Layout& layout, ThreadPool& pool, Views& views);

}  // namespace pinn::pages
