#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pinn {

/// View of a run in progress, for people.
struct ProgressView {
  std::string stage;  ///< its name
  std::int64_t stage_number = 1, stages = 1;
  std::int64_t step = 0, steps = 0;  ///< made, and to make, in this stage
  double loss = 0;
  std::optional<double> held_out = {};  ///< the loss at held-out points, when it was last asked for
  double largest = 0;                   ///< residual there, in absolute value,
  std::string largest_in = {};          ///< ... and the term that it is of
  std::vector<std::pair<std::string, double>> terms;  ///< of the loss
  std::vector<std::pair<std::string, double>>
      errors;  ///< against the reference, per field; may be empty
  std::vector<std::pair<std::string, double>> unknowns;  ///< numbers that are looked for
  std::int64_t points = 0;                               ///< points per step
};

/// How to show it.
enum class ProgressStyle {
  line,    ///< one line of a terminal, drawn again at most ten times a second
  log,     ///< lines one below the other: after 1 s, 2.5 s, ... , then at most a minute apart
  quiet,   ///< nothing but messages
  silent,  ///< nothing
};

/// Destination of the text, and its width; a test puts strings and numbers there.
struct ProgressScreen {
  std::function<void(const std::string&)> write;
  std::function<int()> width;
  std::function<double()> clock;  ///< seconds
};

/// stderr of this process.
ProgressScreen standard_error();
/// `line` on a terminal, else `log`.
ProgressStyle standard_style(bool quiet);

/// Shows a run in progress and passes messages without tearing its line.
class Progress {
 public:
  Progress(ProgressStyle style, ProgressScreen screen);
  ~Progress();
  Progress(const Progress&) = delete;

  /// True if show() would show something now: cheap, so that figures are collected only if so.
  bool due() const;
  void show(const ProgressView& view);
  /// Shows the view whether or not it is due, and leaves it standing: the end of a stage.
  void leave(const ProgressView& view);
  /// A line of its own.
  void message(const std::string& text);

 private:
  void measure(const ProgressView& view);
  std::string text(const ProgressView& view) const;
  void clear();

  const ProgressStyle style_;
  const ProgressScreen screen_;
  const double started_;
  double next_;         ///< when show() is due
  bool drawn_ = false;  ///< a line stands on the terminal
  std::string stage_;   ///< the one that rate_ is of
  double measured_at_ = 0;
  std::int64_t measured_step_ = 0;
  double rate_ = 0;  ///< steps per second, a mean over about ten seconds; 0: unknown
};

/// "0:42", "12:05", "3:07:09", "2 d 3 h"
std::string duration(double seconds);
/// "adam 1/2"; "stage 1 of 2" of a stage that has its number for a name.
std::string numbered_stage(const std::string& name, std::int64_t number, std::int64_t stages);

}  // namespace pinn
