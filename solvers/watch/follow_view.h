#pragma once
#include <string>
#include <vector>

#include "solvers/records/logs/live_records.h"

namespace pinn {

/// How a small picture is drawn with characters.
struct SketchStyle {
  int columns = 40, rows = 5;  ///< characters
  bool braille = true;         ///< two by four dots in a character; else ASCII, one by two
  bool logarithmic = true;     ///< where all values are positive
};

/// A curve in rows of characters, with its upper and lower end written at the left.
///
///   x, y     of one length; what is not finite is left out
///   returns  the rows from above to below, each of `columns` characters at most
std::vector<std::string> sketch(const std::vector<double>& x, const std::vector<double>& y,
                                const SketchStyle& style);

/// Abilities of a terminal.
struct TerminalLook {
  int columns = 80, rows = 24;
  bool braille = true;  ///< else ASCII
  bool color = true;
};

/// How a run stands while it is at work, out of what it writes: status.json and metrics.jsonl.
struct FollowView {
  std::string folder, status;  ///< status: the text of status.json, or empty
  const LiveRecords& records;

  /// "adam 1/2  step 1200 of 5000, 1200 in all  812 steps/s  0:42 left  after 0:02"
  std::string progress() const;
  /// The latest value of each curve that tells how it goes, the most telling first.
  struct Value {
    std::string name, text;
  };
  std::vector<Value> values() const;
  /// "adam 1/2  step 1200 of 5000  loss 1.3e-03  ...  812 steps/s  0:42 left"
  std::string line() const;
  /// The same on several lines, and small curves below: loss, held-out residual, errors, unknowns,
  /// as many as there is room for. No line is wider than the terminal, and a row stays free.
  std::vector<std::string> lines(const TerminalLook& look) const;
};

}  // namespace pinn
