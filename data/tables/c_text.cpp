#include "data/tables/table_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pinn {
namespace {

/// "  static const double knots[] = {0, 0.5, 1};", some numbers a line.
std::string array(const char* name, const std::vector<double>& numbers) {
  std::string text = fmt::format("  static const double {}[] = {{", name);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : k % 8 == 0 ? ",\n      " : ", ", numbers[k]);
  return text + "};\n";
}

std::string sizes_text(const char* name, const std::vector<std::size_t>& sizes) {
  return fmt::format("  static const int {}[] = {{{}}};\n", name, fmt::join(sizes, ", "));
}

/// Weights of values and slopes at both ends of a cell, share[i][end][value or slope]; the formulas
/// are those of grid_table.cpp.
const char* shares_text(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::nearest:
      return R"(    w[0][0] = order[i] > 0 ? 0 : s < 0.5 ? 1 : 0;
    w[1][0] = order[i] > 0 ? 0 : s < 0.5 ? 0 : 1;
)";
    case Interpolation::linear:
      return R"(    w[0][0] = order[i] == 0 ? 1 - s : order[i] == 1 ? -1 / h : 0;
    w[1][0] = order[i] == 0 ? s : order[i] == 1 ? 1 / h : 0;
)";
    default:
      return R"(    if (order[i] == 0) {
      w[0][0] = (1 + 2 * s) * (1 - s) * (1 - s), w[0][1] = h * s * (1 - s) * (1 - s);
      w[1][0] = s * s * (3 - 2 * s), w[1][1] = h * s * s * (s - 1);
    } else if (order[i] == 1) {
      w[0][0] = 6 * s * (s - 1) / h, w[0][1] = (1 - s) * (1 - 3 * s);
      w[1][0] = 6 * s * (1 - s) / h, w[1][1] = s * (3 * s - 2);
    } else if (order[i] == 2) {
      w[0][0] = (12 * s - 6) / (h * h), w[0][1] = (6 * s - 4) / h;
      w[1][0] = (6 - 12 * s) / (h * h), w[1][1] = (6 * s - 2) / h;
    } else if (order[i] == 3) {
      w[0][0] = 12 / (h * h * h), w[1][0] = -12 / (h * h * h);
      w[0][1] = w[1][1] = 6 / (h * h);
    } else {
      w[0][0] = w[0][1] = w[1][0] = w[1][1] = 0;
    }
)";
  }
}

/// The search of TableAxis::find, before and after what lies outside is dealt with.
constexpr const char* axis_text = R"(  for (int i = 0, first = 0; i < inputs; first += sizes[i++]) {
    const double* const own = knots + first;
    const double low = own[0], high = own[sizes[i] - 1];
    double u = x[i];
    int cell = 0, above = sizes[i] - 1;
    if (!(u - u == 0)) return NAN;
)";
constexpr const char* cell_text = R"(    u = u < low ? low : u > high ? high : u;
    while (above - cell > 1) {
      const int middle = cell + (above - cell) / 2;
      if (own[middle] <= u) cell = middle;
      else above = middle;
    }
    const double h = own[cell + 1] - own[cell], s = (u - own[cell]) / h;
    double (*const w)[kept] = share[i];
    at += (size_t)(cell * steps[i]);
)";
constexpr const char* sum_text = R"(  }
  for (int corner = 0; corner < 1 << inputs; ++corner)
    for (int set = 0; set < sets; ++set) {
      double weight = 1;
      size_t place = at;
      for (int i = 0; i < inputs; ++i) {
        const int end = corner >> i & 1;
        weight *= share[i][end][kept > 1 ? set >> i & 1 : 0];
        place += (size_t)(end * steps[i]);
      }
      if (weight != 0) sum += weight * values[place * sets + (size_t)set];
    }
  return sum;
}
)";

}  // namespace

TableText grid_text(const std::string& name, const TableOptions& options,
                    const std::vector<TableAxis>& axes, const std::vector<double>& values) {
  const bool cubic = options.interpolation == Interpolation::cubic;
  const bool periodic = options.outside == Outside::periodic;
  std::vector<double> knots;
  std::vector<std::size_t> sizes, steps(axes.size(), 1);
  for (const TableAxis& axis : axes) {
    knots.insert(knots.end(), axis.knots().begin(), axis.knots().end());
    sizes.push_back(axis.size());
  }
  for (std::size_t i = axes.size() - 1; i-- > 0;) steps[i] = steps[i + 1] * sizes[i + 1];
  std::string text =
      fmt::format("\n/* The table {}. */\nstatic double {}(const int* order, const double* x) {{\n",
                  options.name, name);
  text += fmt::format("  enum {{ inputs = {}, kept = {}, sets = {} }};\n", axes.size(),
                      cubic ? 2 : 1, cubic ? 1 << axes.size() : 1);
  text += array("knots", knots) + sizes_text("sizes", sizes) + sizes_text("steps", steps) +
          array("values", values) +
          "  double share[inputs][2][kept], sum = 0;\n  size_t at = 0;\n" + axis_text;
  text += periodic ? "    u -= (high - low) * floor((u - low) / (high - low));\n"
                   : "    const double slack = 1e-6 * (high - low) +\n"
                     "        2e-7 * (fabs(low) > fabs(high) ? fabs(low) : fabs(high));\n"
                     "    if (order[i] > 0 && (u < low - slack || u > high + slack)) return 0;\n";
  text += cell_text;
  text += shares_text(options.interpolation);
  return {text + sum_text,
          periodic ? std::vector<std::string>{"floor"} : std::vector<std::string>{"fabs"}};
}

TableText nearest_text(const std::string& name, const std::vector<TableAxis>& ranges,
                       const std::vector<double>& points, const std::vector<double>& values) {
  std::vector<double> lower, length;
  for (const TableAxis& axis : ranges) {
    lower.push_back(axis.lower());
    length.push_back(axis.size() > 1 ? axis.upper() - axis.lower() : 1);
  }
  return {fmt::format("\nstatic double {}(const int* order, const double* x) {{\n"
                      "  enum {{ inputs = {}, count = {} }};\n",
                      name, ranges.size(), values.size()) +
          array("lower", lower) + array("length", length) + array("points", points) +
          array("values", values) + R"(  double u[inputs], least = INFINITY;
  int nearest = 0;
  for (int i = 0; i < inputs; ++i) {
    if (!(x[i] - x[i] == 0)) return NAN;
    u[i] = (x[i] - lower[i]) / length[i];
    u[i] = u[i] < 0 ? 0 : u[i] > 1 ? 1 : u[i];
  }
  for (int i = 0; i < inputs; ++i)
    if (order[i] > 0) return 0;
  for (int p = 0; p < count; ++p) {
    double distance = 0;
    for (int i = 0; i < inputs; ++i) {
      const double gap = u[i] - points[p * inputs + i];
      distance += gap * gap;
    }
    if (distance < least) least = distance, nearest = p;
  }
  return values[nearest];
}
)"};
}

}  // namespace pinn
