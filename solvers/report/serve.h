#pragma once
#include <functional>
#include <string>

namespace pinn {

struct ServeRequest {
  std::string folder;                   ///< of a run, that is at work or not
  int port = 0;                         ///< 0: a free one
  std::function<std::string()> report;  ///< the whole page of the run
  std::function<void(const std::string& line)> say;
};

/// Shows a run in browsers of this machine until a signal comes that ends the process: a page at
/// http://127.0.0.1:PORT/ that follows it, and its report. It listens on the loopback address
/// alone, answers GET and HEAD of its few paths, and only where the browser was asked for that very
/// address: no name of another page leads here. Whoever has an account on this machine can ask it.
///
///   errors   ConfigError when there is no such folder, or it holds no run; FileError when the port
///            is taken
void serve(const ServeRequest& request);

}  // namespace pinn
