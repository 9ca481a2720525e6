#include "solvers/train/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "autograd/core/error.h"
#include "solvers/train/summary.h"
#include "solvers/train/warnings.h"

namespace pinn {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";

/// What a run writes into its folder.
constexpr const char* outputs[] = {checkpoint_name, previous_name,   "fields.h5",
                                   "fields.xdmf",   "metrics.jsonl", "status.json"};

/// k of "NAME-k", 1 of "NAME" itself, 0 of anything else.
long number_of(const std::string& folder, const std::string& name) {
  if (folder == name) return 1;
  if (!folder.starts_with(name + "-")) return 0;
  const char* begin = folder.data() + name.size() + 1;
  const char* end = folder.data() + folder.size();
  long number = 0;
  const auto [rest, problem] = std::from_chars(begin, end, number);
  return problem == std::errc() && rest == end && number >= 2 && *begin != '0' ? number : 0;
}

std::string numbered(const FolderRequest& request, long number) {
  return request.root + "/" + request.name + (number > 1 ? fmt::format("-{}", number) : "");
}

/// The highest number in use; 0 when the problem was never run.
long highest_number(const FolderRequest& request) {
  long highest = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(request.root, ignored))
    highest = std::max(highest, number_of(entry.path().filename().string(), request.name));
  return highest;
}

void make_folders(const std::string& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (problem) throw_file_error("cannot make the folder", path, problem.value());
}

/// Makes the first of NAME, NAME-2, ... that is free. mkdir decides, so two runs never share one.
std::string fresh_folder(const FolderRequest& request) {
  make_folders(request.root);
  for (long number = 1;; ++number) {
    const std::string path = numbered(request, number);
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) throw_file_error("cannot make the folder", path, errno);
  }
}

std::string given_folder(const FolderRequest& request) {
  if (holds_run(request.out) && !request.resume && !request.overwrite)
    throw ConfigError({"the folder holds a run already", request.out,
                       "add --resume to go on with it, or --overwrite to lose it"});
  make_folders(request.out);
  return request.out;
}

std::string chosen_folder(const FolderRequest& request) {
  if (!request.out.empty()) return given_folder(request);
  if (request.resume)
    if (const long number = highest_number(request); number > 0) return numbered(request, number);
  if (request.overwrite && fs::exists(numbered(request, 1))) return numbered(request, 1);
  return fresh_folder(request);
}

/// The process id in a lock file; 0 when it cannot be read.
long pid_in(int lock) {
  char text[32] = {};
  const ssize_t count = ::pread(lock, text, sizeof text - 1, 0);
  long pid = 0;
  if (count > 0) std::from_chars(text, text + count, pid);
  return pid;
}

/// The latest value of every column that was ever recorded, but for unknowns.
std::string history_line(const LossHistory& history) {
  std::string text;
  const std::size_t width = history.columns.size();
  for (std::size_t i = 0; i < width; ++i) {
    if (history.columns[i].starts_with("unknown:")) continue;
    std::size_t row = history.steps.size();
    while (row > 0 && std::isnan(history.values[(row - 1) * width + i])) --row;
    if (row > 0)
      text += fmt::format("{}{} {:.3e}", i == 0 ? "" : "  ", history.columns[i],
                          history.values[(row - 1) * width + i]);
  }
  return text;
}

/// What status.json says looked wrong; a folder may lack one.
Warnings kept_warnings(const std::string& folder) {
  const std::string file = folder + "/status.json";
  return fs::exists(file) ? warnings_in(read_file(file)) : Warnings{};
}

}  // namespace

bool holds_run(const std::string& folder) {
  std::error_code ignored;
  return std::any_of(std::begin(outputs), std::end(outputs), [&](const char* name) {
    return fs::exists(fs::path(folder) / name, ignored);
  });
}

RunFolder::RunFolder(const FolderRequest& request) : path_(chosen_folder(request)) {
  lock();
  remove_drafts();
  if (request.overwrite && !request.resume) remove_run();
}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::lock() {
  const std::string name = file(lock_name);
  lock_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) throw_file_error("cannot create the file", name, errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    const long pid = pid_in(lock_);
    if (code == EWOULDBLOCK) {
      ::close(std::exchange(lock_, -1));
      throw ConfigError(
          {fmt::format("process {} is writing this run", pid), path_,
           fmt::format("wait for it, stop it (kill {}), or choose another folder with --out",
                       pid)});
    }
    messages_.push_back(
        fmt::format("{} cannot be locked on this disk: start no second run in it", path_));
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock_, 0) != 0 || ::pwrite(lock_, pid.data(), pid.size(), 0) < 0)
    throw_file_error("cannot write the file", name, errno);
}

void RunFolder::remove_drafts() {
  std::vector<fs::path> drafts;
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path().extension() == ".tmp" && entry.is_regular_file())
      drafts.push_back(entry.path());
  for (const fs::path& draft : drafts) {
    fs::remove(draft);
    messages_.push_back(fmt::format("removed {}, which an interrupted run left", draft.string()));
  }
}

void RunFolder::remove_run() {
  for (const char* name : outputs) fs::remove(file(name));
}

Found RunFolder::recover() {
  Found found = newest_checkpoint(path_);
  for (const std::string& bad : found.skipped) {
    const std::string aside = bad.substr(0, bad.size() - 3) + ".damaged.h5";
    fs::rename(bad, aside);
    found.messages.push_back(fmt::format("kept {} as {}", bad, aside));
  }
  return found;
}

long writer_of(const std::string& folder) {
  const int lock = ::open((folder + "/" + lock_name).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return 0;
  const bool busy = ::flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const long pid = busy ? pid_in(lock) : 0;
  ::close(lock);
  return pid;
}

std::string status(const std::string& folder) {
  if (!holds_run(folder))
    throw ConfigError({"the folder holds no run", folder,
                       "name a problem file, or a folder that a run has written"});
  const Found found = newest_checkpoint(folder);
  std::string text;
  for (const std::string& message : found.messages) text += message + "\n";
  const long pid = writer_of(folder);
  if (found.checkpoint) {
    const TrainState& state = found.checkpoint->state;
    const RunRecord& record = found.checkpoint->record;
    text += fmt::format("run        {} of {}\n", folder, record.path);
    text += fmt::format("program    {}\n", record.program);
    text += fmt::format("saved      step {}, stage {}, after {:.0f} s\n", state.step,
                        state.stage + 1, state.seconds);
    if (const std::string line = history_line(state.history); !line.empty())
      text += fmt::format("losses     {}\n", line);
    text += fmt::format("result     {}\n", which_network(state.best, state.step));
    const bool judged = !state.best.parameters.empty();
    for (const auto& [name, value] :
         judged ? found.checkpoint->best_unknowns : found.checkpoint->unknowns)
      text += fmt::format("found      {} = {:.6g}\n", name, value);
  } else {
    text += fmt::format("run        {}, no checkpoint yet\n", folder);
  }
  text += warnings_text(kept_warnings(folder));
  text += pid != 0 ? fmt::format("now        process {} is training\n", pid)
                   : "now        nobody is training it\n";
  if (pid == 0) text += fmt::format("go on      pinn-train {} --resume\n", folder);
  if (found.checkpoint)
    text += fmt::format("export     pinn-export {} --on grid -o fields.csv\n", folder);
  return text;
}

}  // namespace pinn
