#include "solvers/train/sweep/failure.h"

#include <csignal>
#include <fstream>

#include "autograd/core/error.h"
#include "solvers/train/sweep/member_record.h"

namespace pinn::sweep {
namespace {

constexpr std::size_t longest_line = 300;

std::string shortened(const std::string& line) {
  return visible(line.size() <= longest_line ? line : line.substr(0, longest_line) + " ...");
}

}  // namespace

int exit_code_of(int code, bool stopping) {
  const int signal = code - code_of_signals;
  const bool asked = signal == SIGUSR1 || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  return stopping && asked ? code_interrupted : code;
}

std::string error_in(const std::string& log, std::size_t from, int code) {
  if (code == 0 || code == code_interrupted) return "";
  std::ifstream in(log, std::ios::binary);
  in.seekg(std::streamoff(from));
  std::string error, last;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("error: ")) error = line;
    if (!line.empty()) last = line;
  }
  return shortened(error.empty() ? last : error);
}

}  // namespace pinn::sweep
