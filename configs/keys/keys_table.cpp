// The table of keys: every key of the format, once. They stand by owner: of the problem in
// keys_problem.cpp, of requirements and their points in keys_asked.cpp, of networks, stages, what a
// stage adapts, the run and what comes out in files of these names.
#include "configs/keys/bind.h"

namespace pinn::config {
namespace {

std::vector<Key> all_keys() {
  const Key format{.path = "format",
                   .says = "version of this format",
                   .syntax = syntax::integer,
                   .range = between(1, 1),
                   .get = [](const Draft&, std::size_t) { return std::string("1"); }};
  return joined({{format},
                 problem_keys(),
                 requirement_keys("equation.#", true),
                 requirement_keys("condition.#", true),
                 condition_keys(),
                 requirement_keys("data.#", false),
                 data_keys(),
                 sampling_keys(),
                 network_keys(),
                 stage_keys(),
                 adaptive_keys(),
                 run_keys(),
                 result_keys(),
                 window_keys()});
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = all_keys();
  return table;
}

const std::vector<Section>& sections() {
  static const std::vector<Section> table = {
      {"", "", "At the top of the file."},
      {"problem", "[problem]", "Every name a residual may use."},
      {"equation.#", "[[equation]]", "Residuals that vanish in the interior."},
      {"condition.#", "[[condition]]",
       "Residuals that vanish on faces, edges, corners and inner planes."},
      {"data.#", "[[data]]", "Residuals that vanish at measured points."},
      {"sampling", "[sampling]", "Defaults for `points`."},
      {"network", "[network]",
       "The function that is trained; several are [[network]], each with a `name` for the fields "
       "that come from it."},
      {"stage.#", "[[stage]]", "One optimizer's turn; stages run in order."},
      {"windows", "[windows]", "Time in slices, which all stages train one after the other."},
      {"run", "[run]", "How the run goes."},
      {"memory", "[memory]", "What is kept for the backward pass."},
      {"output", "[output]", "What is written into fields.h5, and where."},
      {"reference", "[reference]",
       "What the result is compared with. The best model is never chosen by it."},
  };
  return table;
}

}  // namespace pinn::config
