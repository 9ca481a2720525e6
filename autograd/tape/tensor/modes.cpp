#include "autograd/tape/modes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "autograd/core/error.h"
#include "autograd/tape/hooks.h"
#include "autograd/tape/node.h"

namespace pinn {
namespace {

constinit thread_local bool records = true;
constinit thread_local bool infers = false;

}  // namespace

bool recording() { return records; }

RecordingGuard::RecordingGuard(bool on) : before_(std::exchange(records, on)) {}
RecordingGuard::~RecordingGuard() { records = before_; }

bool inference_mode() { return infers; }

InferenceMode::InferenceMode(bool on) : RecordingGuard(!on), before_(std::exchange(infers, on)) {}
InferenceMode::~InferenceMode() { infers = before_; }

namespace {

constinit thread_local bool mode_on = false;
constinit thread_local bool looks_for_nan = false;

std::vector<std::string>& labels() {
  static thread_local std::vector<std::string> value;
  return value;
}

std::string joined_labels() {
  std::string text;
  for (const std::string& label : labels()) text += (text.empty() ? "" : " > ") + label;
  return text.empty() ? "a place without a label" : text;
}

}  // namespace

AnomalyMode::AnomalyMode(bool check_nan)
    : on_before_(std::exchange(mode_on, true)),
      check_before_(std::exchange(looks_for_nan, check_nan)) {}
AnomalyMode::~AnomalyMode() {
  mode_on = on_before_;
  looks_for_nan = check_before_;
}

bool anomaly_mode() { return mode_on; }

void AnomalyLabel::enter(std::string text) { labels().push_back(std::move(text)); }
void AnomalyLabel::leave() { labels().pop_back(); }

// One after another: derivatives of derivatives make long chains.
Creation::~Creation() {
  std::shared_ptr<const Creation> next = std::move(parent);
  while (next && next.use_count() == 1)
    next = std::exchange(const_cast<Creation&>(*next).parent, nullptr);
}

std::shared_ptr<const Creation> creation_here() {
  auto here = std::make_shared<Creation>();
  here->labels = joined_labels();
  if (const Node* node = running_node()) {
    here->running = node->name();
    here->parent = node->creation();
  }
  return here;
}

std::string creation_trace(const Node& node) {
  const Creation* at = node.creation().get();
  if (!at) return "";
  std::string text = "'" + std::string(node.name()) + "' was made in " + at->labels;
  for (; !at->running.empty(); at = at->parent.get()) {
    text += "\n  it was induced by the derivative of '" + at->running + "', which was ";
    if (!at->parent) return text + "made outside the anomaly mode";
    text += "made in " + at->parent->labels;
  }
  return text;
}

void must_not_be_nan(const Node& node, const Tensor& gradient, std::size_t i) {
  if (!looks_for_nan || !gradient.defined() || !gradient.body()->storage) return;
  const std::vector<double> values = gradient.values();
  if (std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) return;
  throw NumericsError({"Function '" + std::string(node.name()) +
                           "' returned nan values in its output " + std::to_string(i),
                       creation_trace(node),
                       "look for an infinite slope there, such as of sqrt at 0"});
}

void warn_of_exception(const Node& node) {
  warn("error detected in '" + std::string(node.name()) +
       "'; the forward call that caused it: " + creation_trace(node));
}

}  // namespace pinn
