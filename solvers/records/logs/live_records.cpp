#include "solvers/records/logs/live_records.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace pinn {
namespace {

constexpr std::size_t most_curves = 500, most_beginnings = 40;
constexpr std::size_t longest_line = 64 << 20;

}  // namespace

void LiveCurve::add(double step, double seconds, double value) {
  latest_ = {step, seconds, value};
  if (count_++ % stride_ != 0) return;
  kept_.push_back(latest_);
  if (kept_.size() < most) return;
  for (std::size_t k = 0; 2 * k < kept_.size(); ++k) kept_[k] = kept_[2 * k];
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

std::vector<LiveCurve::Point> LiveCurve::points() const {
  std::vector<Point> all = kept_;
  if (count_ > 0 && (count_ - 1) % stride_ != 0) all.push_back(latest_);
  return all;
}

const LiveCurve* LiveRecords::curve(std::string_view name) const {
  const auto found = std::ranges::find(curves_, name, &LiveCurve::name);
  return found == curves_.end() ? nullptr : &*found;
}

void LiveRecords::begin_anew() {
  curves_.clear();
  beginnings_.clear();
  latest_.reset();
  read_to_ = lines_ = 0;
  sparse_to_ = size_ > read_whole_ ? size_ : 0;
  stride_ = std::max<std::int64_t>(size_ / read_whole_, 1);
}

void LiveRecords::take(std::string_view line) {
  if (read_to_ < sparse_to_ && lines_++ % stride_ != 0) return;
  std::optional<MetricRecord> record = record_in(line);
  if (!record) return;
  const double seconds = record->seconds();
  if (latest_ && beginnings_.size() < most_beginnings &&
      (latest_->stage != record->stage || latest_->window != record->window))
    beginnings_.push_back({double(latest_->step), latest_->seconds(), record->stage});
  auto next = curves_.begin();
  for (const auto& [name, value] : record->numbers) {
    if (name == "seconds") continue;
    auto at =
        std::find_if(next, curves_.end(), [&name = name](auto& c) { return c.name() == name; });
    if (at == curves_.end()) at = std::ranges::find(curves_, name, &LiveCurve::name);
    if (at == curves_.end()) {
      if (curves_.size() == most_curves) continue;
      at = curves_.insert(curves_.end(), LiveCurve(name));
    }
    at->add(double(record->step), seconds, value);
    next = at;
  }
  latest_ = std::move(record);
}

bool LiveRecords::read() {
  const int file = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat status = {};
  if (file < 0 || ::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    if (file >= 0) ::close(file);
    return false;
  }
  size_ = status.st_size;
  const bool same = device_ == status.st_dev && inode_ == status.st_ino && size_ >= read_to_;
  device_ = status.st_dev, inode_ = status.st_ino;
  bool changed = !same;
  if (!same) begin_anew();
  std::string rest;
  std::vector<char> buffer(1 << 20);
  for (ssize_t count; (count = ::pread(file, buffer.data(), buffer.size(),
                                       read_to_ + std::int64_t(rest.size()))) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    rest.append(buffer.data(), std::size_t(count));
    std::string_view text = rest;
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
      read_to_ += std::int64_t(end) + 1;
      take(text.substr(0, end));
      changed = true;
    }
    rest.erase(0, rest.size() - text.size());
    if (rest.size() > longest_line) break;  // no line of ours is that long
  }
  ::close(file);
  return changed;
}

}  // namespace pinn
