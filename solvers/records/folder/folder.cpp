#include "solvers/records/folder/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "data/files/disk.h"
#include "solvers/records/logs/event_file.h"
#include "solvers/records/logs/run_log.h"

namespace pinn {
namespace {

namespace fs = std::filesystem;

constexpr const char* status_name = "status.json";

/// Files that a run writes into its folder.
constexpr const char* outputs[] = {checkpoint_name, previous_name, "fields.h5", "fields.xdmf",
                                   "metrics.jsonl", "metrics.csv", status_name, "report.html"};

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

/// True if it is a run's: it holds one, or its writer has not come so far yet.
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
    if (!later || read_small_file(entry.path().string()).find(wanted) == std::string::npos)
      continue;
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

}  // namespace

bool holds_run(const std::string& folder) {
  return std::any_of(std::begin(outputs), std::end(outputs),
                     [&](const char* name) { return is_there(folder + "/" + name); });
}

std::string named_in_status(const std::string& problem_file) {
  return fs::proximate(fs::weakly_canonical(problem_file)).string();
}

std::optional<RunRecord> record_before(const std::string& problem_file, const std::string& out) {
  const FolderRequest request{.name = fs::path(problem_file).stem().string(),
                              .out = out,
                              .problem = named_in_status(problem_file)};
  const long number = out.empty() ? highest_number(request) : 0;
  const std::string folder = !out.empty() ? out
                             : number > 0 ? numbered(request, number)
                                          : run_elsewhere(request);
  const Found found = newest_checkpoint(folder, Contents::without_shared);
  if (!found.checkpoint) return {};
  return found.checkpoint->record;
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

RunFolder::RunFolder(const FolderRequest& request, FileSystem* files)
    : path_(chosen(request)),
      held_(path_, files ? *files : disk_),
      lock_(path_, held_.descriptor()) {
  if (!lock_.locked())
    messages_.push_back(
        fmt::format("{} cannot be locked on this disk: start no second run in it", path_));
  std::vector<std::string> ours = unfinished_event_files(path_);
  ours.push_back(request.name + ".pinn");
  ours.insert(ours.end(), std::begin(outputs), std::end(outputs));
  for (const std::string& name : remove_drafts(held_.descriptor(), ours))
    messages_.push_back(fmt::format("removed {}, which an interrupted run left", file(name)));
  if (request.overwrite && !request.resume) remove_run(request.name);
}

RunFolder::~RunFolder() {
  if (!made_ || std::any_of(std::begin(outputs), std::end(outputs),
                            [&](const char* name) { return holds(name); }))
    return;
  ::unlinkat(held_.descriptor(), lock_name, 0);  // the run was refused before it began
  ::rmdir(path_.c_str());
}

bool RunFolder::holds(const char* name) const noexcept {
  struct stat status;
  return ::fstatat(held_.descriptor(), name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

std::string RunFolder::place() const {
  struct stat held, named;
  const bool same = ::fstat(held_.descriptor(), &held) == 0 && ::stat(path_.c_str(), &named) == 0 &&
                    held.st_dev == named.st_dev && held.st_ino == named.st_ino;
  char now[4096] = {};
  const std::string link = fmt::format("/proc/self/fd/{}", held_.descriptor());
  if (same || ::readlink(link.c_str(), now, sizeof now - 1) <= 0) return path_;
  return now;
}

void RunFolder::remove_run(const std::string& name_of_run) {
  std::vector<std::string> all = event_files(path_);
  all.push_back(name_of_run + ".pinn");
  all.insert(all.end(), std::begin(outputs), std::end(outputs));
  for (const std::string& name : all)
    if (holds(name.c_str()) && held_.unlink(held_.descriptor(), name.c_str()) != 0)
      throw_file_error("cannot remove the file", file(name), errno);
}

Found RunFolder::recover() {
  Found found = newest_checkpoint(path_, Contents::without_shared);
  for (const std::string& bad : found.skipped) {
    const std::string name = fs::path(bad).filename().string();
    const std::string aside = name.substr(0, name.size() - 3) + ".damaged.h5";
    if (held_.rename(held_.descriptor(), name.c_str(), aside.c_str()) != 0)
      throw_file_error("cannot rename to " + aside, bad, errno);
    found.messages.push_back(fmt::format("kept {} as {}", bad, file(aside)));
  }
  return found;
}

}  // namespace pinn
