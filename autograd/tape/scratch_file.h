#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "autograd/tape/offload.h"

namespace pinn {

/// A file without a name in a folder: it is gone as soon as nobody holds it open, also after a
/// crash or a power cut. One thread writes and reads it (pwrite and pread, no maps), reads first.
class ScratchFile : public OffloadPlace {
 public:
  /// The folder is made if there is none. Errors: FileError.
  explicit ScratchFile(const std::string& folder);
  ~ScratchFile() override;

  std::shared_ptr<Copy> begin_write(const std::shared_ptr<Storage>& from) override;
  void begin_read(const std::shared_ptr<Copy>& copy, const std::shared_ptr<Storage>& into) override;
  /// Errors: FileError, which names the folder, when it is full or failed.
  void wait(const Copy& copy) override;

  /// Bytes the file has reached; the room of copies that died is used again.
  std::size_t size() const;

 private:
  struct Extent;
  struct Job {
    std::weak_ptr<Extent> extent;
    std::shared_ptr<Storage> into;  ///< to be read into; null for a write
  };

  void work();
  void run(Extent& extent, Storage& memory, bool write);
  void transfer(Storage& memory, bool write, std::size_t offset);
  [[noreturn]] void fail(bool write, std::size_t bytes, int code) const;

  std::string folder_;
  int file_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Job> writes_, reads_;
  std::vector<std::shared_ptr<Storage>> used_;  ///< freed by whoever comes next, not by our thread
  std::multimap<std::size_t, std::size_t> free_;  ///< size, offset
  std::size_t end_ = 0;
  bool stopping_ = false;
  std::jthread worker_;
};

}  // namespace pinn
