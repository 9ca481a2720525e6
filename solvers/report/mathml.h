#pragma once
#include <string>
#include <string_view>

#include "solvers/problem/problem.h"

namespace pinn::pages {

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

}  // namespace pinn::pages
