#include "autograd/core/error.h"

#include "autograd/core/visible.h"

namespace pinn {
namespace {

std::string joined(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& r : reports) text += (text.empty() ? "" : "\n") + to_string(r);
  return text;
}

}  // namespace

std::string to_string(const Report& r) {
  std::string text = "error: " + r.what;
  if (!r.where.empty()) text += "\n  where: " + r.where;
  if (!r.excerpt.empty()) text += "\n" + r.excerpt;
  if (!r.fix.empty()) text += "\n  fix:   " + r.fix;
  return visible(text);  // names of files and keys may come from anywhere
}

ConfigError::ConfigError(std::vector<Report> all)
    : Error(all.at(0), joined(all)), reports(std::move(all)) {}

}  // namespace pinn
