#include "solvers/residual/step/part_options.h"

#include "solvers/problem/integrals.h"

namespace pinn {

const Requirement& requirement_of(const PartOptions& options) {
  if (options.integrands) return *options.integrands;
  const std::vector<Requirement>& pieces = options.model->pieces(options.requirement);
  return pieces.empty() ? options.model->problem().requirements[options.requirement]
                        : pieces[options.piece];
}

ChannelPlan channels_of(const PartOptions& options) {
  const Requirement& requirement = requirement_of(options);
  const Problem& problem = options.model->problem();
  const bool drawn = options.directions > 0 && options.derivatives == Derivatives::taylor;
  return drawn ? plan_drawn_channels(requirement, problem, options.directions)
               : plan_channels(requirement, problem);
}

PartOptions traced_part(const std::shared_ptr<const Model>& model, std::size_t requirement) {
  const Requirement& asked = model->problem().requirements[requirement];
  const auto traced = std::make_shared<const Requirement>(integrands_of(asked));
  PartOptions part{.model = model, .requirement = requirement, .weights = {}};
  part.weights.assign(terms_of(*traced, model->problem()).size(), 1);
  if (is_integral(asked)) part.integrands = traced;
  return part;
}

}  // namespace pinn
