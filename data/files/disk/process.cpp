#include "data/files/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "data/files/disk.h"

namespace pinn {

OwnFolder::OwnFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "pinn-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw_file_error("cannot make the folder", name, errno);
  path_ = name;
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ProgramEnd run_program(const std::vector<std::string>& words, const std::string& output) {
  std::vector<std::string> texts = words;
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_EXCL,
                                     0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed) return {};
  int status = 0;
  if (again([&] { return ::waitpid(child, &status, 0); }) < 0)
    throw_file_error("cannot wait for the program", words[0], errno);
  return {true, WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(output)};
}

}  // namespace pinn
