#include "solvers/source/fmu/fmu_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/c_text/statements.h"
#include "autograd/core/sha256.h"
#include "autograd/core/version.h"
#include "data/files/disk.h"
#include "data/files/sealed.h"
#include "data/files/zip.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/needs.h"
#include "solvers/records/fields/export.h"
#include "solvers/source/c_file.h"
#include "solvers/source/fmu/description.h"

namespace pinn {
namespace {

/// The derivative of a formula by a coordinate, exact wherever there is one.
ExpressionPtr derivative(const NamedFormula& f, int coordinate) {
  for (const auto kind : {Expression::Kind::elsewhere, Expression::Kind::integral})
    if (contains(*f.expression, kind))
      throw ConfigError(
          {fmt::format("not yet: {} in an FMU, which gives derivatives of its outputs",
                       quoted(f.name)),
           "it asks for integrals, or for fields at other places",
           "leave it out of --fields, or write a .c file"});
  ExpressionPtr slope = differentiate(f.expression, coordinate);
  for (const Need& need : needs(*slope))
    if (order(need.index) > max_order)
      throw ConfigError(
          {fmt::format(
               "{} has derivatives of order {}, and an FMU gives derivatives of its outputs",
               quoted(f.name), max_order),
           "--fields", "leave it out, or write a .c file"});
  return slope;
}

/// Those of every formula by every coordinate, these running faster.
std::vector<NamedFormula> derivatives(const Problem& problem,
                                      const std::vector<NamedFormula>& formulas) {
  std::vector<NamedFormula> all;
  for (const NamedFormula& f : formulas)
    for (std::size_t i = 0; i < problem.coordinates.size(); ++i)
      all.push_back({fmt::format("d({}, {})", f.name, problem.coordinates[i].name), "",
                     derivative(f, int(i))});
  return all;
}

/// The numbers that the functions of FMI go by.
std::string numbers_text(const Fmu& fmu) {
  std::vector<std::string> names, lower, upper, start;
  const auto number = [](double x) { return c_text::literal(x, DType::float64); };
  for (std::size_t i = 0; i < fmu.variables.size(); ++i) {
    const FmuVariable& v = fmu.variables[i];
    if (v.causality == "output") break;
    names.push_back('"' + v.name + '"');
    lower.push_back(number(v.lower));
    upper.push_back(number(v.upper));
    start.push_back(number(i == fmu.time ? v.lower : v.start()));
  }
  return fmt::format(
      "/* The functions of FMI {0}.0, written by pinn {1}. */\n"
      "#include \"{2}_values.h\"\n#include \"{2}_jacobian.h\"\n\n"
      "#define TOKEN \"{3}\"\n"
      "#define values_at FASTEST({2}_values)\n#define jacobian_at FASTEST({2}_jacobian)\n"
      "#ifdef HAS_FMA /* the functions once more, for processors with AVX2 and FMA */\n"
      "#define FASTEST(name) \\\n"
      "  (__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? name##_fma_at : "
      "name##_at)\n"
      "void {2}_values_fma_at(const double*, double*);\n"
      "void {2}_jacobian_fma_at(const double*, double*);\n"
      "#else\n#define FASTEST(name) name##_at\n#endif\n"
      "enum {{ coordinates = {4}, variables = {5}, outputs = {6}, time_at = {7} }};\n"
      "static const char* const names[] = {{{8}}};\n"
      "static const double lower[] = {{{9}}};\nstatic const double upper[] = {{{10}}};\n"
      "static const double start[] = {{{11}}};\n\n",
      fmu.version, version(), fmu.name, fmu.token, fmu.coordinates, names.size(),
      fmu.variables.size() - names.size(), fmu.time, fmt::join(names, ", "), fmt::join(lower, ", "),
      fmt::join(upper, ", "), fmt::join(start, ", "));
}

/// All but binaries, by their place in the archive; the token is a hash of the rest.
FmuFiles contents(Fmu& fmu, const CSource& values, const CSource& jacobian) {
  fmu.sources = {fmu.name + ".c", fmu.name + "_values.c", fmu.name + "_jacobian.c"};
  const std::string functions = fmi_text(fmu.version);
  fmu.token =
      sha256(model_description(fmu) + numbers_text(fmu) + functions + values.text + jacobian.text);
  FmuFiles files = {{"modelDescription.xml", model_description(fmu)},
                    {"sources/" + fmu.sources[0], numbers_text(fmu) + functions},
                    {"sources/" + fmu.sources[1], values.text},
                    {"sources/" + fmu.name + "_values.h", values.header},
                    {"sources/" + fmu.sources[2], jacobian.text},
                    {"sources/" + fmu.name + "_jacobian.h", jacobian.header}};
  if (fmu.version == 3) files.push_back({"sources/buildDescription.xml", build_description(fmu)});
  return files;
}

}  // namespace

Written export_fmu(const Run& run, const Checkpoint& checkpoint, const std::string& fields,
                   const std::string& path, int version, const std::string& status) {
  const std::string name = function_name(path, ".fmu");
  require_not_sealed(path);
  const std::vector<NamedFormula> formulas =
      formulas_in(run, fields, *interior(run.problem), "--fields");
  Fmu fmu = fmu_of(run, formulas);
  fmu.version = version;
  fmu.name = name;
  const auto source = [&](const std::string& of, const std::vector<NamedFormula>& what) {
    return c_source(run, checkpoint, status, name + of, what, DType::float64);
  };
  FmuFiles files = contents(fmu, source("_values", formulas),
                            source("_jacobian", derivatives(run.problem, formulas)));
  const std::string note = add_binary(fmu, files);
  write_atomically(path, {zipped(files)});
  return {{path}, note};
}

}  // namespace pinn
