#include "solvers/sweep/conduct.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "solvers/state/signals.h"

namespace pinn::sweep {
namespace {

constexpr int between_looks_ms = 20;
constexpr double between_searches = 1;  ///< seconds: every member's folder is looked at

std::size_t size_of(const std::string& file) {
  std::error_code none;
  const auto size = std::filesystem::file_size(file, none);
  return none ? 0 : std::size_t(size);
}

}  // namespace

Conductor::Conductor(const Sweep& sweep, const Work& work) : sweep_(sweep), work_(work) {
  for (std::size_t k = 0; k < sweep.members.size(); ++k) {
    const MemberRecord record = read_record(folder(k));
    ended_.push_back(record.code ? record.sittings : 0);
  }
}

Conductor::~Conductor() { stop(); }

std::string Conductor::folder(std::size_t member) const {
  return work_.folder + "/" + sweep_.members[member].name;
}

/// True if a member is for this process to train: one that another had since this one began is not
/// tried again, unless that was killed.
bool Conductor::is_open(std::size_t member, const MemberRecord& record) const {
  const State state = state_of(record);
  if (state == State::done || state == State::promise_broken || state == State::diverged)
    return false;
  return !record.code || record.sittings == ended_[member];
}

bool Conductor::advance() {
  reap();
  fill();
  return !busy_.empty() || (work_.waits && others_busy_ && !stopping_);
}

void Conductor::stop() {
  stopping_ = true;
  for (const Busy& busy : busy_) busy.child.stop();
}

void Conductor::reap() {
  for (std::size_t k = 0; k < busy_.size();) {
    const std::optional<int> code = busy_[k].child.ended();
    if (!code) {
      ++k;
      continue;
    }
    Busy busy = std::move(busy_[k]);
    busy_.erase(busy_.begin() + std::ptrdiff_t(k));
    end(busy, *code);
    looked_at_ = -1;  // there is room for another one
  }
}

/// Writes down how it ended, before others may have it.
void Conductor::end(Busy& busy, int code) {
  const std::string place = folder(busy.member);
  busy.record.code = exit_code_of(code, stopping_);
  busy.record.error = error_in(place + "/" + log_name, busy.log_before, *busy.record.code);
  busy.record.results = results_of(place);
  write_record(place, busy.record);
  busy.lock = Lock::none();
  work_.tell(fmt::format("{}: {}{}", sweep_.members[busy.member].name,
                         state_text(state_of(busy.record), busy.record),
                         busy.record.error.empty() ? "" : ", " + busy.record.error));
  write_table(work_.folder, sweep_);
}

/// Starts what there is room for.
void Conductor::fill() {
  const auto has_room = [&] { return !stopping_ && busy_.size() < std::size_t(work_.jobs); };
  if (!has_room() || (looked_at_ >= 0 && clock() - looked_at_ < between_searches)) return;
  others_busy_ = false;
  for (std::size_t k = 0; k < sweep_.members.size() && has_room(); ++k)
    if (!tried_.contains(k) && !start(k))
      others_busy_ |= state_of(folder(k), read_record(folder(k))) == State::running;
  looked_at_ = clock();
}

bool Conductor::start(std::size_t member) {
  const std::string place = folder(member);
  const MemberRecord before = read_record(place);
  if (!is_open(member, before) || state_of(place, before) == State::running) return false;
  require_same_problem();
  require_member_folder(place);
  std::filesystem::create_directories(place);
  Lock lock = Lock::tried(place);
  if (!lock) return false;
  MemberRecord record = read_record(place);  // it may have ended while nobody had the lock
  if (!is_open(member, record)) return false;
  const Member& of = sweep_.members[member];
  ++record.sittings;
  record.code.reset();
  record.error.clear();
  record.overrides = of.overrides;
  record.data = of.data;
  write_record(place, record);
  const std::string log = place + "/" + log_name;
  const std::size_t log_before = size_of(log);
  Child child(words(of), log, lock);
  work_.tell(fmt::format("{}: {}, member {} of {}", of.name,
                         record.sittings > 1 ? "goes on" : "begins", member + 1,
                         sweep_.members.size()));
  tried_.insert(member);
  busy_.push_back({member, std::move(lock), std::move(record), log_before, std::move(child)});
  return true;
}

std::vector<std::string> Conductor::words(const Member& member) const {
  std::vector<std::string> all = {
      work_.trainer, sweep_.problem, "--out",     work_.folder + "/" + member.name,
      "--resume",    "--quiet",      "--threads", std::to_string(work_.threads)};
  for (const std::string& text : member.overrides) all.insert(all.end(), {"--set", text});
  return all;
}

/// Each member reads the file for itself.
void Conductor::require_same_problem() const {
  const bool as_long = OpenFile(sweep_.problem).size() == sweep_.text.size();
  if (as_long && read_file(sweep_.problem) == sweep_.text) return;
  throw ConfigError(
      {"the problem file was changed while the sweep was at work", sweep_.problem,
       "change it back, or begin another sweep with --out; what is trained is saved"});
}

namespace {

/// Asks the children to save and waits for them. What launchers tell a process they tell its
/// children, too; two signals at once would be haste, which ends a run without saving.
std::string stop(Conductor& conductor, const std::string& reason, const Work& work) {
  if (conductor.has_children()) work.tell(reason + ": the members at work save their state");
  ::poll(nullptr, 0, 10 * between_looks_ms);
  conductor.stop();
  while (conductor.advance()) ::poll(nullptr, 0, between_looks_ms);
  return reason;
}

}  // namespace

std::string train(const Sweep& sweep, const Work& work) {
  const Signals signals;
  const double started = clock();
  const auto reason_now = [&] { return reason_to_stop(true, work.max_time, started); };
  Conductor conductor(sweep, work);
  while (conductor.advance()) {
    const std::string reason = reason_now();
    if (!reason.empty()) return stop(conductor, reason, work);
    ::poll(nullptr, 0, between_looks_ms);
  }
  return "";
}

}  // namespace pinn::sweep
