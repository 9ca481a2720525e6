#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "data/files/process.h"
#include "door/failure.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/checkpoints/recorded_trust.h"
#include "solvers/state/run.h"
#include "solvers/state/windows.h"

namespace pinn::door {

/// A run that is open; formulas hold on to it.
struct OpenRun {
  std::shared_ptr<OwnFolder> own;  ///< where the run lies, if it is not the user's
  std::string folder;
  Run run;
  Checkpoint checkpoint;
  std::string notes;
  RecordedTrust trust;
};

using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// The lists of pinn_list, in its order.
std::vector<NamedNumbers> lists_of(const OpenRun& opened);

/// Opens the run of a folder.
std::shared_ptr<OpenRun> open_run(const std::string& folder);

/// A text that pinn_free frees; null where memory is out.
char* given(const std::string& text) noexcept;

/// Wrong use of the door by its caller.
struct WrongUsage {
  std::string what;
};

/// A text that a caller gave; `name` of the argument.
std::string taken(const char* text, const char* name);

/// Runs the body of a function of the door: no exception leaves it.
template <class Body> int guarded(char** error, Body&& body) noexcept {
  const auto fail = [&](int code, const std::string& text) {
    if (error) *error = given(text);
    return code;
  };
  try {
    try {
      return body();
    } catch (const WrongUsage& e) {
      return fail(PINN_WRONG_USAGE, "error: " + e.what);
    } catch (...) {
      const Failure failure = current_failure();
      return fail(failure.code, failure.text);
    }
  } catch (...) {  // no memory for the text
    if (error) *error = nullptr;
    return PINN_OUT_OF_MEMORY;
  }
}

}  // namespace pinn::door

struct pinn_run {
  std::shared_ptr<const pinn::door::OpenRun> opened;
  std::vector<pinn::door::NamedNumbers> lists;
  std::mutex at_work = {};  ///< held while a page is made
};

struct pinn_formulas {
  std::shared_ptr<const pinn::door::OpenRun> opened;
  std::vector<std::string> names;
  pinn::ThreadPool pool;
  pinn::RunFormulas formulas;
  std::mutex at_work = {};
};
