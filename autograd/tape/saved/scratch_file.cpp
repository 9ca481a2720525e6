#include "autograd/tape/offload_places.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "autograd/core/error.h"

namespace pinn {
namespace {

constexpr std::size_t page = 4096;

/// A file in the folder that no name leads to.
int open_nameless(const std::string& folder) {
  std::error_code ignored;  // open says what is wrong
  std::filesystem::create_directories(folder, ignored);
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  // Not every file system can do that; there it has a name for an instant.
  std::string path = folder + "/saved-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named < 0)
    throw FileError({"cannot make a file for saved tensors: " + std::string(std::strerror(errno)),
                     folder, "choose a folder that can be written"});
  ::unlink(path.c_str());
  return named;
}

}  // namespace

/// Place of a copy in the file, and how far it is.
struct ScratchFile::Extent : Copy {
  ~Extent() override {
    if (!file) return;
    const std::lock_guard guard(file->mutex_);
    file->free_.emplace(room, offset);
  }
  ScratchFile* file = nullptr;  ///< which outlives its copies
  std::size_t offset = 0, room = 0;
  std::shared_ptr<Storage> source;  ///< until it is written; if the copy dies before, it is let go
  int pending = 0;                  ///< jobs that are not done
  bool written = false;
  std::exception_ptr error;
};

ScratchFile::ScratchFile(const std::string& folder)
    : folder_(folder), file_(open_nameless(folder)), worker_([this] { work(); }) {}

ScratchFile::~ScratchFile() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  worker_.join();
  ::close(file_);
}

std::shared_ptr<OffloadPlace::Copy> ScratchFile::begin_write(const std::shared_ptr<Storage>& from) {
  if (!from->device().is_cpu())
    throw EngineError({"saved tensors of " + name_of(from->device()) + " cannot wait on a disk",
                       folder_, "let them wait in the host's memory: saved = \"cpu\""});
  auto extent = std::make_shared<Extent>();
  extent->bytes = from->bytes();
  extent->room = (from->bytes() + page - 1) / page * page;
  std::vector<std::shared_ptr<Storage>> freed;
  {
    const std::lock_guard guard(mutex_);
    freed.swap(used_);
    const auto fits = free_.lower_bound(extent->room);
    if (fits != free_.end() && fits->first <= 2 * extent->room) {
      extent->room = fits->first;
      extent->offset = fits->second;
      free_.erase(fits);
    } else {
      extent->offset = end_;
      end_ += extent->room;
    }
    extent->file = this;
    extent->pending = 1;
    extent->source = from;
    writes_.push_back({extent, nullptr});
  }
  wake_.notify_one();
  return extent;
}

void ScratchFile::begin_read(const std::shared_ptr<Copy>& copy,
                             const std::shared_ptr<Storage>& into) {
  const auto extent = std::static_pointer_cast<Extent>(copy);
  std::vector<std::shared_ptr<Storage>> freed;
  {
    const std::lock_guard guard(mutex_);
    freed.swap(used_);
    ++extent->pending;
    (extent->written ? reads_ : writes_).push_back({extent, into});
  }
  wake_.notify_one();
}

void ScratchFile::wait(const Copy& copy) {
  const auto& extent = static_cast<const Extent&>(copy);
  std::vector<std::shared_ptr<Storage>> freed;
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return extent.pending == 0; });
  freed.swap(used_);
  const std::exception_ptr error = extent.error;
  lock.unlock();
  if (error) std::rethrow_exception(error);
}

std::size_t ScratchFile::size() const {
  const std::lock_guard guard(mutex_);
  return end_;
}

void ScratchFile::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !reads_.empty() || !writes_.empty(); });
    if (stopping_) return;
    std::deque<Job>& jobs = reads_.empty() ? writes_ : reads_;
    Job job = std::move(jobs.front());
    jobs.pop_front();
    std::shared_ptr<Extent> extent = job.extent.lock();  // null: it is not wanted any more
    const bool write = !job.into;
    std::shared_ptr<Storage> memory = write && extent ? extent->source : std::move(job.into);
    lock.unlock();
    if (extent) run(*extent, *memory, write);
    lock.lock();
    used_.push_back(std::move(memory));
    if (extent) {
      if (write) used_.push_back(std::move(extent->source));
      --extent->pending;
      extent->written |= write;
      done_.notify_all();
    }
    lock.unlock();
    extent.reset();  // which may free its room
    lock.lock();
  }
}

void ScratchFile::run(Extent& extent, Storage& memory, bool write) {
  if (extent.error) return;
  try {
    transfer(memory, write, extent.offset);
  } catch (...) {
    const std::lock_guard guard(mutex_);
    extent.error = std::current_exception();
  }
}

void ScratchFile::transfer(Storage& memory, bool write, std::size_t offset) {
  char* bytes = static_cast<char*>(memory.data());
  const std::size_t size = memory.bytes();
  for (std::size_t at = 0; at < size;) {
    const auto place = off_t(offset + at);
    const ssize_t n = write ? ::pwrite(file_, bytes + at, size - at, place)
                            : ::pread(file_, bytes + at, size - at, place);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(write, size, n < 0 ? errno : EIO);
    at += std::size_t(n);
  }
}

void ScratchFile::fail(bool write, std::size_t bytes, int code) const {
  const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  throw FileError({"saved tensors could not be " + std::string(write ? "written" : "read back") +
                       ": " + std::strerror(code) + " (" + std::to_string(bytes) + " bytes)",
                   folder_,
                   full ? "free space there, choose a folder on a larger disk, or recompute instead"
                        : "check that disk"});
}

}  // namespace pinn
