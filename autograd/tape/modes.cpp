#include "autograd/tape/modes.h"

#include <utility>

namespace pinn {
namespace {

constinit thread_local bool records = true;
constinit thread_local bool infers = false;

}  // namespace

bool recording() { return records; }

RecordingGuard::RecordingGuard(bool on) : before_(std::exchange(records, on)) {}
RecordingGuard::~RecordingGuard() { records = before_; }

bool inference_mode() { return infers; }

InferenceMode::InferenceMode() : before_(std::exchange(infers, true)) {}
InferenceMode::~InferenceMode() { infers = before_; }

}  // namespace pinn
