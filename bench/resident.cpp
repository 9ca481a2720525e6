#include "bench/resident.h"

#include <algorithm>
#include <chrono>
#include <fstream>

namespace pinn::bench {

std::int64_t status_bytes(const std::string& key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.rfind(key + ":", 0) == 0) return 1024 * std::stoll(line.substr(key.size() + 1));
  return 0;
}

void reset_resident_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

AnonymousPeak::AnonymousPeak()
    : watcher_([this](std::stop_token stop) {
        while (!stop.stop_requested()) {
          peak_ = std::max<std::int64_t>(peak_, status_bytes("RssAnon"));
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      }) {}

std::int64_t AnonymousPeak::bytes() {
  watcher_.request_stop();
  if (watcher_.joinable()) watcher_.join();
  return peak_;
}

}  // namespace pinn::bench
