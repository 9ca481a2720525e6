#include "solvers/source/c_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "autograd/c_text/program_text.h"
#include "data/files/disk.h"
#include "data/files/sealed.h"
#include "data/tables/table_function.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/words.h"
#include "solvers/records/fields/export.h"
#include "solvers/source/c_texts.h"
#include "solvers/source/parts.h"

namespace pinn {
namespace {

/// A part's lanes are written before they are read, by loops that GCC takes for ones that may not
/// run.
constexpr const char* quiet = R"(#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that call libm become no vectors */
#endif

)";

std::pair<std::string, std::vector<std::string>> table_text(const PointFunction& table,
                                                            const std::string& name) {
  const auto* const writes = dynamic_cast<const WritesC*>(&table);
  if (!writes)
    throw ConfigError({fmt::format("not yet: the table '{}' as C", table.name()),
                       "its points fill no grid",
                       "put it on a grid, or leave the fields that need it out of --fields"});
  const TableText text = writes->c_text(name);
  return {text.text, text.libm};
}

}  // namespace

std::string function_name(const std::string& path, const std::string& ending) {
  const std::string name = std::filesystem::path(path).stem().string();
  const bool fits =
      std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  if (!path.ends_with(ending) || !fits || !is_letter(name[0]))
    throw ConfigError(
        {fmt::format("{} is no name for a file that C functions are named after",
                     pinn::quoted(path)),
         "-o",
         fmt::format("end it in {}, and before that write letters, digits and _, a letter first",
                     ending)});
  return name;
}

CSource c_source(const Run& run, const Checkpoint& checkpoint, const std::string& status,
                 const std::string& name, const std::vector<NamedFormula>& formulas, DType dtype) {
  ThreadPool pool(1);
  const SourceParts parts =
      source_parts(run, networks_of(run, checkpoint.state, pool, run.path), formulas);
  c_text::ProgramsText programs(dtype, table_text);
  for (std::size_t k = 0; k < parts.parts.size(); ++k)
    programs.add(fmt::format("part_{}", k), parts.parts[k].program, parts.parts[k].fixed);
  if (parts.distances) programs.add("distances", parts.distances->program, parts.distances->fixed);
  const CFileFacts facts{.name = name,
                         .dtype = dtype,
                         .formulas = formulas,
                         .libm = programs.libm(),
                         .stack = programs.stack(),
                         .windows = parts.edges.size() + 1,
                         .pieces = parts.distances.has_value()};
  return {c_head(run, checkpoint, status, facts) +
              fmt::format("#include \"{}.h\"\n\n#include <math.h>\n#include <stdint.h>\n\n{}", name,
                          quiet) +
              programs.text() +
              c_entries(name, run.problem.coordinates.size(), formulas.size(), parts, dtype),
          c_header(run, facts)};
}

Written export_c(const Run& run, const Checkpoint& checkpoint, const std::string& fields,
                 const std::string& path, DType dtype, const std::string& status) {
  const std::string name = function_name(path, ".c");
  require_not_sealed(path);
  const CSource source =
      c_source(run, checkpoint, status, name,
               formulas_in(run, fields, *interior(run.problem), "--fields"), dtype);
  const std::string header = path.substr(0, path.size() - 2) + ".h";
  write_atomically(path, {source.text});
  write_atomically(header, {source.header});
  return {{path, header}, ""};
}

}  // namespace pinn
