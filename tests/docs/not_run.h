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
    {"apt-get", "installs a package, by root: packaging/try.sh does"},
    {"pip", "installs a package: packaging/try.sh does"},
    {"podman", "is not on every machine, and gets an image from a network"},
    {"cc", "builds against the installed library: tests/door/test_installed.cpp does"},
    {"cmake", "installs into the home of a user: tests/door/test_installed.cpp installs elsewhere"},
    {"python3", "asks the installed module: tests/door/test_installed.cpp does"},
    {"/lib64/ld-linux-x86-64.so.2", "asks what is installed: packaging/try/common.sh does"},
    {"packaging/deb.sh", "builds three times: minutes"},
    {"packaging/wheel.sh", "builds three times: minutes"},
    {"packaging/try.sh", "needs root and a network"},
    {".ci/setup", "installs packages and builds: this is how the tests came to be"},
};
