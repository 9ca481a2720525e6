#pragma once

/// Commands that pages show and no test runs, by their first word; a test holds their blocks to the
/// shell's grammar, and every row to a page that needs it.
struct NotRun {
  const char* command;
  const char* because;
};

inline constexpr NotRun not_run[] = {
    {"tensorboard", "a server, of a package of its own: tests/apps/read_by_tensorboard.py reads"},
    {"sbatch", "needs a cluster; the script that it names is run"},
    {".ci/setup", "installs packages and builds: this is how the tests came to be"},
};
