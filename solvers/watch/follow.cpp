#include "solvers/watch/follow.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "solvers/records/folder/folder.h"
#include "solvers/records/logs/json_text.h"
#include "solvers/state/signals.h"

namespace pinn {
namespace {

constexpr double between_looks = 0.5;  ///< seconds from one look at the files to the next
constexpr double first_line = 1, follow_growth = 2.5,
                 longest_between = 60;  ///< of lines, as in a run's own log

volatile std::sig_atomic_t leave_by = 0;
extern "C" void note_leaving(int signal) { leave_by = signal; }

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// True if the locale's characters are UTF-8, by the variables that say so.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string locale = variable(name); !locale.empty())
      return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
  return false;
}

void print_all(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR && leave_by == 0) continue;
    if (count < 0 && errno != EINTR) throw_file_error("cannot print", "the standard output", errno);
    if (count < 0) return;
    done += std::size_t(count);
  }
}

std::optional<TerminalLook> terminal_look() {
  winsize size{};
  if (!::isatty(STDOUT_FILENO) || variable("TERM") == "dumb") return {};
  TerminalLook look;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
    look.columns = size.ws_col, look.rows = size.ws_row;
  look.braille = speaks_utf8();
  look.color = variable("NO_COLOR").empty();
  return look;
}

/// Draws pictures over one another, or writes lines from time to time.
class Painter {
 public:
  explicit Painter(const FollowScreen& screen)
      : screen_(screen), started_(screen.clock()), next_line_(started_ + first_line) {}

  void show(const FollowView& view, bool last) {
    if (const std::optional<TerminalLook> look = screen_.look()) return draw(view, *look);
    const double now = screen_.clock();
    if ((now < next_line_ && !last) || !view.records.latest()) return;
    screen_.write(view.line() + "\n");
    next_line_ = now + std::min((follow_growth - 1) * (now - started_), longest_between);
  }

 private:
  /// In one piece, line by line over what stands there: nothing flickers, and nothing of the
  /// terminal is changed that would have to be restored.
  void draw(const FollowView& view, const TerminalLook& look) {
    const std::vector<std::string> lines = view.lines(look);
    const int up = std::min(drawn_, look.rows - 1);
    std::string text = up > 0 ? fmt::format("\x1b[{}A\r", up) : "";
    for (const std::string& line : lines) text += line + "\x1b[K\n";
    screen_.write(text + "\x1b[J");
    drawn_ = int(lines.size());
  }

  const FollowScreen& screen_;
  const double started_;
  double next_line_;
  int drawn_ = 0;  ///< lines that stand on the terminal
};

}  // namespace

FollowScreen standard_output() { return {print_all, terminal_look, clock, Leaving::wait}; }

Leaving::Leaving() {
  leave_by = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    before_[k] = std::signal(kinds[k], note_leaving);
    if (before_[k] == SIG_IGN) std::signal(kinds[k], SIG_IGN);  // nohup
  }
}

Leaving::~Leaving() {
  for (std::size_t k = 0; k < 3; ++k) std::signal(kinds[k], before_[k]);
}

bool Leaving::wait(double seconds) {
  const double until = clock() + seconds;
  for (double left; leave_by == 0 && (left = until - clock()) > 0;)
    ::poll(nullptr, 0, std::max(int(std::min(left, 0.1) * 1000), 1));
  return leave_by == 0;
}

std::string status_json_of(const std::string& folder) {
  const std::string file = folder + "/status.json";
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) ? read_small_file(file) : "";
}

RunEnd end_of(const std::string& status) {
  const std::string state = json_text(json_entry(status, "state"));
  return state == "done"          ? RunEnd::done
         : state == "interrupted" ? RunEnd::interrupted
         : state == "diverged"    ? RunEnd::diverged
                                  : RunEnd::silent;
}

std::string end_text(RunEnd end, const std::string& folder) {
  const std::string name = visible(folder);
  switch (end) {
    case RunEnd::done:
      return fmt::format("the run is done: pinn-train {} tells what it came to", name);
    case RunEnd::interrupted:
      return fmt::format(
          "the run was interrupted, its state is saved; go on with: pinn-train {} "
          "--resume",
          name);
    case RunEnd::diverged:
      return "the run has diverged: its loss was no longer finite";
    default:
      return fmt::format(
          "nobody trains the run, and it did not say that it ends: it was killed, or "
          "failed; pinn-train {} tells what is saved",
          name);
  }
}

void require_run_to_follow(const std::string& folder) {
  if (!std::filesystem::is_directory(folder))
    throw ConfigError({"there is no such folder", folder,
                       "name the folder of a run, once pinn-train has begun it"});
  if (!holds_run(folder) && writer_of(folder) == 0)
    throw ConfigError({"the folder holds no run", folder, "name a folder that a run has written"});
}

std::optional<RunEnd> follow(const std::string& folder, const FollowScreen& screen) {
  require_run_to_follow(folder);
  const Leaving leaving;
  LiveRecords records(folder + "/metrics.jsonl");
  Painter painter(screen);
  for (;;) {
    const bool at_work = writer_of(folder) != 0;  // before the files are read: they are the last
    records.read();
    const FollowView view{folder, status_json_of(folder), records};
    painter.show(view, !at_work);
    if (!at_work) {
      const RunEnd end = end_of(view.status);
      screen.write(end_text(end, folder) + "\n");
      return end;
    }
    if (!screen.wait(between_looks)) return {};
  }
}

}  // namespace pinn
