#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "solvers/problem/problem.h"
#include "solvers/state/run.h"

namespace pinn::pages {

/// Letters of ASCII, and how they stand against others.
struct Spelled {
  std::string letters;
  double size = 1, width = 1;
  double raised = 0;  ///< in heights of a capital
};

/// A text in UTF-8 by letters of ASCII.
std::vector<Spelled> spelled(std::string_view text);

/// A formula as mathematics for a page (MathML Core): names as symbols with indices, derivatives as
/// indices too, fractions, powers, roots. `columns`: the names of local columns of data. What is
/// too long to read is the text itself.
std::string mathml(const Expression& formula, const Problem& problem,
                   const std::vector<std::string>& columns = {});

/// The same without the outermost element.
std::string mathml_content(const Expression& formula, const Problem& problem);

/// A residual, written as `text`, as an equation: its two sides, or itself and 0.
std::string mathml_equation(const std::string& text, const Expression& residual,
                            const Problem& problem, const std::vector<std::string>& columns = {});

/// A name: "nu" is a Greek letter, "x1" has an index.
std::string mathml_name(std::string_view name);

/// A JSON object for a page's script, which may stand between its tags: "<" is written as a number.
/// Numbers have seven digits, and null stands for those that JSON cannot say.
class Json {
 public:
  Json& add(std::string_view name, double value);
  Json& add(std::string_view name, const std::string& value);
  Json& add(std::string_view name, const std::vector<double>& values);
  Json& add(std::string_view name, const std::vector<std::string>& values);
  Json& add(std::string_view name, const std::vector<Json>& values);
  std::string text() const { return "{" + entries_ + "}"; }

 private:
  Json& raw(std::string_view name, std::string_view value);

  std::string entries_;
};

/// The equations and conditions of a run, typeset, each with its points and where it is asked; as
/// HTML.
std::string requirements_html(const Run& run);

/// Coordinates, fields, constants, unknowns, networks and stages as rows of a table; as HTML.
std::string problem_html(const Run& run);

/// Rows of a table with two columns; the second is HTML already.
std::string row_html(std::string_view name, std::string_view html);

}  // namespace pinn::pages
