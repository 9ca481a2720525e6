#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "autograd/tape/offload.h"

namespace pinn {

/// A file without a name in a folder: it is gone as soon as it is not held open, also after a
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
  std::vector<std::shared_ptr<Storage>> used_;    ///< freed by the next caller, not by our thread
  std::multimap<std::size_t, std::size_t> free_;  ///< size, offset
  std::size_t end_ = 0;
  bool stopping_ = false;
  std::jthread worker_;
};

/// Pinned memory of the host, for the storages of GPUs; those of the CPU are not for it. Both ways
/// go on the GPU's copy stream and wait for nothing on the host:
///
///   out    after what was begun on the compute stream, so after what made the storage
///   back   into memory of the compute stream, after what was begun there, so after its last owner
///   wait   the compute stream waits for the copy
///
/// A storage is held until the compute stream has been told to wait for the copy that reads or
/// writes it: then its memory may go back to the stream's allocator. Pinned memory comes back when
/// their copies are done.
class PinnedPlace : public OffloadPlace {
 public:
  bool takes(const Storage& storage) const override { return !storage.device().is_cpu(); }
  std::shared_ptr<Copy> begin_write(const std::shared_ptr<Storage>& from) override;
  std::shared_ptr<Storage> memory_for(const Copy& copy) override;
  void begin_read(const std::shared_ptr<Copy>& copy, const std::shared_ptr<Storage>& into) override;
  void wait(const Copy& copy) override;

 private:
  struct Pinned;
};

}  // namespace pinn
