// The folder of a sweep: what it is a sweep of stands in a file there.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "autograd/core/error.h"
#include "autograd/core/sha256.h"
#include "data/files/disk.h"
#include "solvers/records/folder/folder.h"
#include "solvers/sweep/child.h"
#include "solvers/sweep/member_record.h"
#include "solvers/sweep/sweep.h"

namespace pinn::sweep {
namespace {

constexpr const char* what_name = "/sweep.txt";

/// Properties common to all members, a line each; a sweep is the same where these are.
std::vector<std::string> common(const Sweep& sweep) {
  std::vector<std::string> lines = {"problem " + sweep.name, "sha256 " + sha256(sweep.text)};
  for (const std::string& text : sweep.sets) lines.push_back("set " + text);
  for (const Axis& axis : sweep.axes) lines.push_back("over " + axis.key);
  return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1)
    if (text[at] != '#') lines.push_back(text.substr(at, end - at));
  return lines;
}

/// Those of the one that the other lacks.
std::string lacking(const std::vector<std::string>& some, const std::vector<std::string>& other) {
  std::string text;
  for (const std::string& line : some)
    if (std::ranges::find(other, line) == other.end())
      text +=
          (text.empty() ? "" : ", ") + line.substr(0, line.starts_with("sha256") ? 15 : line.npos);
  return text.empty() ? "nothing" : text;
}

void require_same(const std::string& folder, const std::vector<std::string>& there,
                  const std::vector<std::string>& ours) {
  if (there == ours) return;
  throw ConfigError(
      {fmt::format("the folder holds another sweep: that alone has {}, and this one {}",
                   lacking(there, ours), lacking(ours, there)),
       folder,
       "name another folder with --out; the same sweep has the same file, --set and "
       "keys of --over, in the same order"});
}

/// Requires that a member was trained with what it would be trained with now.
void require_same_member(const std::string& folder, const Member& member) {
  const std::string place = folder + "/" + member.name;
  const MemberRecord record = read_record(place);
  if (record.sittings == 0 || (record.data == member.data && record.overrides == member.overrides))
    return;
  throw ConfigError({record.data == member.data
                         ? "a member of that name was trained with other --set"
                         : "a member was trained with other data or reference files",
                     place, "name another folder with --out, or remove this one"});
}

/// Writes down what it is a sweep of, unless another process was first.
void begin(const std::string& folder, const std::vector<std::string>& lines) {
  const Lock lock = Lock::awaited(folder);
  if (holds_sweep(folder)) return;
  std::string text = "# what this folder is a sweep of\n";
  for (const std::string& line : lines) text += line + "\n";
  write_atomically(folder + what_name, {text});
}

}  // namespace

void require_member_folder(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status there = std::filesystem::symlink_status(path, ignored);
  if (!std::filesystem::exists(there) || std::filesystem::is_directory(there)) return;
  throw ConfigError({std::filesystem::is_symlink(there)
                         ? "a link stands in the place of a member's folder"
                         : "what stands in the place of a member's folder is none",
                     path, "move it away, or name another folder with --out"});
}

bool holds_sweep(const std::string& folder) { return is_there(folder + what_name); }

void enter(const std::string& folder, const Sweep& sweep) {
  if (std::filesystem::exists(folder) && holds_run(folder))
    throw ConfigError({"the folder holds a run, and no sweep", folder, "name another with --out"});
  std::filesystem::create_directories(folder);
  const std::vector<std::string> ours = common(sweep);
  if (!holds_sweep(folder)) begin(folder, ours);
  require_same(folder, lines_of(read_small_file(folder + what_name)), ours);
  for (const Member& member : sweep.members) {
    require_member_folder(folder + "/" + member.name);
    require_same_member(folder, member);
  }
}

}  // namespace pinn::sweep
