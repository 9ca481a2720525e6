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
#include "solvers/train/metrics.h"

namespace pinn {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";
constexpr const char* status_name = "status.json";

/// What a run writes into its folder.
constexpr const char* outputs[] = {checkpoint_name, previous_name,   "fields.h5",
                                   "fields.xdmf",   "metrics.jsonl", status_name};

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

/// Whether it is a run's: it holds one, or whoever writes it has not come so far yet.
bool is_run(const std::string& folder) { return holds_run(folder) || writer_of(folder) != 0; }

/// The highest number of a run; 0 when the problem was never run under its name.
long highest_number(const FolderRequest& request) {
  long highest = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(request.root, ignored))
    if (const long number = number_of(entry.path().filename().string(), request.name);
        number > highest && is_run(entry.path().string()))
      highest = number;
  return highest;
}

/// The run of the same problem file under `root` that was at work last; empty when there is none.
std::string run_elsewhere(const FolderRequest& request) {
  const std::string named = JsonObject().add("problem", request.problem).text();
  const std::string wanted = named.substr(1, named.size() - 2);
  fs::path latest;
  fs::file_time_type when;
  std::error_code ignored;
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator(request.root, options, ignored)) {
    if (entry.path().filename() != status_name || !entry.is_regular_file()) continue;
    const bool later = latest.empty() || entry.last_write_time() > when;
    if (!later || read_file(entry.path().string()).find(wanted) == std::string::npos) continue;
    latest = entry.path().parent_path();
    when = entry.last_write_time();
  }
  return latest.string();
}

void make_folders(const std::string& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (problem) throw_file_error("cannot make the folder", path, problem.value());
}

/// The process id in a lock file; 0 when it cannot be read.
long pid_in(int lock) {
  char text[32] = {};
  const ssize_t count = ::pread(lock, text, sizeof text - 1, 0);
  long pid = 0;
  if (count > 0) std::from_chars(text, text + count, pid);
  return pid;
}

}  // namespace

bool holds_run(const std::string& folder) {
  std::error_code ignored;
  return std::any_of(std::begin(outputs), std::end(outputs), [&](const char* name) {
    return fs::exists(fs::path(folder) / name, ignored);
  });
}

std::string named_in_status(const std::string& problem_file) {
  return fs::proximate(fs::weakly_canonical(problem_file)).string();
}

std::string RunFolder::chosen(const FolderRequest& request) {
  if (!request.out.empty()) {
    const bool taken = holds_run(request.out);
    if (taken && !request.resume && !request.overwrite)
      throw ConfigError({"the folder holds a run already", request.out,
                         "add --resume to go on with it, or --overwrite to lose it"});
    if (!taken && request.resume)
      choice_ = fmt::format("--resume: {} holds no run: a new one begins there", request.out);
    make_folders(request.out);
    return request.out;
  }
  if (request.resume) return resumed(request);
  if (request.overwrite && fs::exists(numbered(request, 1))) return numbered(request, 1);
  return fresh(request);
}

std::string RunFolder::resumed(const FolderRequest& request) {
  if (const long number = highest_number(request); number > 0) return numbered(request, number);
  const std::string looked = fmt::format("--resume: there is no run {}", numbered(request, 1));
  if (const std::string other = run_elsewhere(request); !other.empty()) {
    choice_ = fmt::format("{}; {} is the latest of {}", looked, other, request.problem);
    return other;
  }
  choice_ = fmt::format(
      "{}, and none of {} elsewhere in {}: a new one begins; one that was begun with --out "
      "elsewhere goes on with the same --out",
      looked, request.problem, request.root);
  return fresh(request);
}

/// Makes the first of NAME, NAME-2, ... that is free. mkdir decides, so two runs never share one.
std::string RunFolder::fresh(const FolderRequest& request) {
  make_folders(request.root);
  made_ = true;
  for (long number = 1;; ++number) {
    const std::string path = numbered(request, number);
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) throw_file_error("cannot make the folder", path, errno);
  }
}

RunFolder::RunFolder(const FolderRequest& request) : path_(chosen(request)) {
  lock();
  remove_drafts();
  if (request.overwrite && !request.resume) remove_run();
}

RunFolder::~RunFolder() {
  if (made_ && !holds_run(path_)) {  // the run was refused before it began
    ::unlink(file(lock_name).c_str());
    ::rmdir(path_.c_str());
  }
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

}  // namespace pinn
