#include "solvers/records/logs/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/state/signals.h"
#include "solvers/state/speed.h"

namespace pinn {
namespace {

constexpr double redraw = 0.1;   ///< seconds between drawings of a line
constexpr double first_log = 1;  ///< seconds before the first log line
constexpr double growth = 2.5;   ///< of the time from one log line to the next
constexpr double longest = 60;   ///< seconds between log lines at most
constexpr double memory = 10;    ///< seconds that the measured rate looks back

/// The first `width` characters of ASCII and UTF-8 text.
std::string cut(const std::string& text, int width) {
  int columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && ++columns > width) return text.substr(0, i);
  }
  return text;
}

std::string listed(const std::vector<std::pair<std::string, double>>& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{} {:.1e}", text.empty() ? "" : ", ", name, value);
  return text;
}

void write_all(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) return;  // the terminal is gone
    done += std::size_t(std::max<ssize_t>(count, 0));
  }
}

int terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressScreen standard_error() { return {write_all, terminal_width, clock}; }

ProgressStyle standard_style(bool quiet) {
  if (quiet) return ProgressStyle::quiet;
  return ::isatty(STDERR_FILENO) ? ProgressStyle::line : ProgressStyle::log;
}

std::string duration(double seconds) {
  const auto s = static_cast<std::int64_t>(std::lround(std::clamp(seconds, 0.0, 1e9)));
  if (s >= 2 * 86400) return fmt::format("{} d {} h", s / 86400, s / 3600 % 24);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string numbered_stage(const std::string& name, std::int64_t number, std::int64_t stages) {
  const bool plain = name == std::to_string(number);
  return plain ? fmt::format("stage {} of {}", number, stages)
               : fmt::format("{} {}/{}", name, number, stages);
}

Progress::Progress(ProgressStyle style, ProgressScreen screen)
    : style_(style), screen_(std::move(screen)), started_(screen_.clock()), next_(started_) {
  if (style_ == ProgressStyle::log) next_ = started_ + first_log;
}

Progress::~Progress() {
  if (drawn_) screen_.write("\n");
}

bool Progress::due() const { return style_ < ProgressStyle::quiet && screen_.clock() >= next_; }

void Progress::show(const ProgressView& view) {
  if (!due()) return;
  measure(view);
  const double now = screen_.clock();
  if (style_ == ProgressStyle::line) {
    screen_.write("\r" + cut(visible(text(view)), screen_.width() - 1) + "\x1b[K");
    drawn_ = true;
    next_ = now + redraw;
  } else {
    screen_.write(visible(text(view)) + "\n");
    next_ = now + std::min((growth - 1) * (now - started_), longest);
  }
}

void Progress::leave(const ProgressView& view) {
  if (style_ >= ProgressStyle::quiet) return;
  measure(view);
  clear();
  screen_.write(visible(text(view)) + "\n");
}

void Progress::message(const std::string& text) {
  if (style_ == ProgressStyle::silent) return;
  clear();
  screen_.write(visible(text) + "\n");
}

void Progress::clear() {
  if (drawn_) screen_.write("\r\x1b[K");
  drawn_ = false;
}

/// An exponential mean of the steps per second, begun anew with each stage: stages differ in speed.
void Progress::measure(const ProgressView& view) {
  const double now = screen_.clock(), passed = now - measured_at_;
  const bool same = stage_ == view.stage && view.step >= measured_step_;
  if (same && passed > 0) {
    const double rate = double(view.step - measured_step_) / passed;
    const double weight = rate_ == 0 ? 1 : 1 - std::exp(-passed / memory);
    rate_ += weight * (rate - rate_);
  }
  if (!same) rate_ = 0;
  stage_ = view.stage, measured_at_ = now, measured_step_ = view.step;
}

std::string Progress::text(const ProgressView& view) const {
  std::string text = fmt::format("{}  step {}/{}  loss {:.3e}",
                                 numbered_stage(view.stage, view.stage_number, view.stages),
                                 view.step, view.steps, view.loss);
  if (view.held_out)
    text += fmt::format("  held out {:.3e} (at most {:.1e} in {})", *view.held_out, view.largest,
                        view.largest_in);
  if (!view.errors.empty()) text += "  error " + listed(view.errors);
  for (const auto& [name, value] : view.unknowns) text += fmt::format("  {} {:.5g}", name, value);
  if (rate_ > 0) {
    text += fmt::format("  {} points/s", short_count(rate_ * double(view.points)));
    if (view.step < view.steps)
      text += fmt::format("  {} left", duration(double(view.steps - view.step) / rate_));
  }
  // Last, because a narrow terminal cuts the end off.
  if (view.terms.size() > 1) text += "  (" + listed(view.terms) + ")";
  return text;
}

}  // namespace pinn
