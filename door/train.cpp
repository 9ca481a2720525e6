// Training from memory.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "configs/recorded.h"
#include "data/files/disk.h"
#include "door/handles.h"
#include "solvers/results/results.h"
#include "solvers/train/plan.h"
#include "solvers/train/train.h"
#include "solvers/watch/warnings.h"

namespace pinn::door {
namespace {

/// The request as this version knows it, whatever the caller's: what it lacks is 0.
pinn_request known(const pinn_request* request) {
  if (!request) throw WrongUsage{"the argument 'request' is NULL"};
  if (request->size < offsetof(pinn_request, overrides))
    throw WrongUsage{"'size' of the request is not sizeof(pinn_request)"};
  pinn_request all = {};
  std::memcpy(&all, request, std::min(request->size, sizeof all));
  return all;
}

Run run_of(const pinn_request& request) {
  std::vector<std::string> overrides;
  for (std::size_t k = 0; k < request.override_count; ++k)
    overrides.push_back(taken(request.overrides ? request.overrides[k] : nullptr, "overrides"));
  if (!request.text && !request.file) throw WrongUsage{"the request has neither a text nor a file"};
  const std::string file = request.file ? request.file : "problem.toml";
  const Begun begun =
      request.resume && request.folder ? begun_before(file, request.folder) : Begun{};
  if (!request.text) return read_run(file, overrides, {}, begun);
  return read_run_text(request.text, file, overrides, {}, 0, begun);
}

pinn_progress progress_of(const ProgressView& view, double seconds) {
  double error = NAN;
  for (const auto& [name, value] : view.errors)
    error = std::isnan(error) ? value : std::max(error, value);
  return {sizeof(pinn_progress),
          view.stage.c_str(),
          view.stage_number,
          view.stages,
          view.step,
          view.steps,
          view.loss,
          view.held_out.value_or(NAN),
          error,
          seconds};
}

TrainRequest train_request(const pinn_request& request, const std::string& name,
                           const std::string& folder) {
  TrainRequest asked{.folder = {name, folder, request.resume != 0, request.overwrite != 0}};
  asked.style = ProgressStyle::silent;
  asked.watch = [&request](const ProgressView& view, double seconds) {
    if (!request.progress) return true;
    const pinn_progress progress = progress_of(view, seconds);
    return request.progress(&progress, request.user) == 0;
  };
  return asked;
}

int trained(const pinn_request& request, pinn_run** run, char** error) {
  const Run asked = run_of(request);
  const auto own = request.folder ? nullptr : std::make_shared<OwnFolder>();
  const std::string folder = own ? own->path() + "/run" : request.folder;
  const TrainResult result = train(asked, train_request(request, asked.name, folder));
  const auto opened = open_run(result.folder);
  opened->own = own;
  opened->notes += warnings_text(result.warnings);
  *run = new pinn_run{opened, lists_of(*opened)};
  if (!result.interrupted && !result.failed) return PINN_DONE;
  if (error)
    *error = given(result.interrupted ? result.reason + ": stopped; the state is saved"
                                      : warnings_text(result.warnings));
  return result.interrupted ? PINN_INTERRUPTED : PINN_PROMISE_BROKEN;
}

}  // namespace
}  // namespace pinn::door

using namespace pinn::door;

int pinn_check(const pinn_request* request, char** plan, char** error) {
  return guarded(error, [&] {
    if (!plan) throw WrongUsage{"the argument 'plan' is NULL"};
    const pinn::Run run = run_of(known(request));
    char* text = given(pinn::plan_text(run) + pinn::warnings_text(pinn::warnings_of(run)));
    if (!text) throw std::bad_alloc();
    *plan = text;
    return PINN_DONE;
  });
}

int pinn_train(const pinn_request* request, pinn_run** run, char** error) {
  return guarded(error, [&] {
    if (!run) throw WrongUsage{"the argument 'run' is NULL"};
    const pinn_request all = known(request);
    return trained(all, run, error);
  });
}
