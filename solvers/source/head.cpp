#include "solvers/source/c_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/core/version.h"
#include "solvers/records/checkpoints/recorded_trust.h"
#include "solvers/results/results.h"
#include "solvers/state/windows.h"

namespace pinn {
namespace {

std::string unit_text(const std::string& unit) { return unit.empty() ? "" : " [" + unit + "]"; }

std::string inputs_text(const Run& run) {
  std::string text;
  for (std::size_t i = 0; i < run.problem.coordinates.size(); ++i) {
    const Coordinate& c = run.problem.coordinates[i];
    text += fmt::format(" *   x[{}]    {}{}, from {:.9g} to {:.9g}\n", i, c.name, unit_text(c.unit),
                        c.lower, c.upper);
  }
  return text;
}

std::string outputs_text(const std::vector<NamedFormula>& formulas) {
  std::string text;
  for (std::size_t k = 0; k < formulas.size(); ++k)
    text += fmt::format(" *   out[{}]  {}{}\n", k, formulas[k].name, unit_text(formulas[k].unit));
  return text;
}

/// Estimated errors of fields, or why there are none; and unknowns with their standard errors.
std::string errors_text(const Run& run, const Checkpoint& checkpoint, const std::string& status) {
  const RecordedTrust trust = recorded_trust(status, checkpoint);
  std::string text;
  for (const RecordedEstimate& e : trust.estimates)
    text += fmt::format(" *   {}  {}{}\n", e.field, e.text(), e.is_relative() ? ", relative" : "");
  if (trust.estimates.empty())
    return fmt::format(" * Estimated errors: none ({}).\n", trust.no_estimates);
  return " * Estimated errors, root mean squares over the domain (relative: over that of the "
         "field):\n" +
         text +
         " * They are what the residual of the equations says of the values, not of derivatives.\n"
         " * \"about\" is right within a factor of 3 as a rule, \"at least\" is a lower bound.\n" +
         (run.problem.unknowns.empty() ? "" : " * Unknowns are numbers in the file.\n");
}

/// Lines on how the file is used, and how it behaves.
std::string use_text(const CFileFacts& facts) {
  std::string libm;
  for (const std::string& f : facts.libm)
    libm += (libm.empty() ? "" : ", ") + f + (facts.dtype == DType::float32 ? "f" : "");
  std::string text = fmt::format(
      " * {} numbers, C99. Reentrant; nothing is allocated; up to {} KB of stack. Points beyond "
      "the\n"
      " * ranges get what the formulas come to there. Functions of libm: {}, and fma where the\n"
      " * processor has it. Not for -ffast-math.\n",
      name_of(facts.dtype), (facts.stack + 40'000) / 1000, libm.empty() ? "none" : libm);
  if (facts.windows > 1)
    text += " * Time is cut into windows with a network each; at times without one all is NAN.\n";
  if (facts.pieces)
    text +=
        " * Regions have formulas of their own; a point within rounding of a border may get those "
        "of\n"
        " * either side.\n";
  return text;
}

std::string declarations(const CFileFacts& facts) {
  const char* real = facts.dtype == DType::float32 ? "float" : "double";
  return fmt::format(
      "/* One point. */\n"
      "void {0}_at(const {1}* x, {1}* out);\n"
      "/* n points: x[i] has their coordinate i, out[k] gets output k; an array of n each. */\n"
      "void {0}_block(size_t n, const {1}* const* x, {1}* const* out);\n",
      facts.name, real);
}

}  // namespace

std::string in_comment(std::string text) {
  for (const char* mark : {"*/", "/*"})
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at))
      text.insert(at + 1, " ");
  return visible(text);
}

std::string c_head(const Run& run, const Checkpoint& checkpoint, const std::string& status,
                   const CFileFacts& facts) {
  const std::string text = fmt::format(
      " * {}: fields of the problem {}, trained by pinn {}\n"
      " * ({}).\n *\n{}{} *\n{} *\n{}",
      facts.name, run.name, version(), which_network(checkpoint.state), inputs_text(run),
      outputs_text(facts.formulas), errors_text(run, checkpoint, status), use_text(facts));
  return "/*\n" + in_comment(text) + " */\n";
}

std::string c_header(const Run& run, const CFileFacts& facts) {
  std::string guard;
  for (const char c : facts.name) guard += char(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(
      "/*\n{0} */\n#ifndef {1}_H\n#define {1}_H\n#include <stddef.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
      "enum {{ {2}_inputs = {3}, {2}_outputs = {4} }};\n\n{5}\n"
      "#ifdef __cplusplus\n}}\n#endif\n#endif\n",
      in_comment(inputs_text(run) + outputs_text(facts.formulas)), guard, facts.name,
      run.problem.coordinates.size(), facts.formulas.size(), declarations(facts));
}

}  // namespace pinn
