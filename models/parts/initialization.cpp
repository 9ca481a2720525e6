#include "models/parts/layers.h"

#include <cmath>

#include "autograd/core/error.h"

namespace pinn {
namespace {

constexpr double siren_frequency = 30;

}  // namespace

std::vector<std::string> initialization_names() {
  return {"glorot_normal", "glorot_uniform", "he_normal", "he_uniform",
          "lecun_normal",  "lecun_uniform",  "siren"};
}

Initialization::Initialization(const std::string& name) : siren_(name == "siren") {
  if (siren_) return;
  const std::size_t split = name.find('_');
  const std::string family = name.substr(0, split);
  const std::string kind = split == std::string::npos ? "" : name.substr(split + 1);
  const bool known = (family == "glorot" || family == "he" || family == "lecun") &&
                     (kind == "normal" || kind == "uniform");
  if (!known)
    throw ConfigError({"there is no initialization '" + name + "'", "[network] initialization",
                       "use siren, or glorot, he or lecun, followed by _normal or _uniform"});
  numerator_ = family == "lecun" ? 1 : 2;
  by_out_ = family == "glorot";
  normal_ = kind == "normal";
}

double Initialization::operator()(const Random& random, std::uint64_t index, std::int64_t in,
                                  std::int64_t out, bool reads_inputs) const {
  const auto uniform = [&](double bound) { return bound * (2 * random.uniform(index) - 1); };
  if (siren_)
    return uniform(reads_inputs ? siren_frequency / double(in) : std::sqrt(6 / double(in)));
  const double deviation = std::sqrt(numerator_ / double(by_out_ ? in + out : in));
  return deviation *
         (normal_ ? random.normal(index) : std::sqrt(3.0) * (2 * random.uniform(index) - 1));
}

}  // namespace pinn
