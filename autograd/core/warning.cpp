#include "autograd/core/warning.h"

#include <cstdio>
#include <utility>

namespace pinn {
namespace {

WarningSink*& innermost() {
  static thread_local WarningSink* sink = nullptr;
  return sink;
}

}  // namespace

WarningSink::WarningSink(std::function<void(const std::string&)> take)
    : take_(std::move(take)), outer_(std::exchange(innermost(), this)) {}

WarningSink::~WarningSink() { innermost() = outer_; }

void warn(const std::string& text) {
  if (WarningSink* sink = innermost()) {
    if (sink->told_.insert(text).second) sink->take_(text);
    return;
  }
  static thread_local std::set<std::string> told;
  if (told.insert(text).second) std::fprintf(stderr, "warning: %s\n", text.c_str());
}

}  // namespace pinn
