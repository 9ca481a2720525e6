#include "autograd/cuda/driver/groups.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "autograd/core/error.h"
#include "autograd/cuda/driver/library.h"

namespace pinn::cuda {
namespace {

/// NCCL's functions and their numbers (NCCL 2, nccl.h), declared here so that the program can be
/// built without it. A status of 0 is success.
struct Nccl {
  using Communicator = struct CommunicatorOfNccl*;
  struct Name {
    char bytes[128];
  };
  static constexpr int float64 = 8, in_progress = 7;
  /// A Stream is CUDA's own.
  using Broadcast = int(const void* from, void* to, std::size_t count, int type, int root,
                        Communicator, Stream);

  Library library{{"libnccl.so.2"}, "a sum over GPUs", "install NCCL (libnccl2)"};
  int (*version)(int*) = library.function<int(int*)>("ncclGetVersion");
  int (*make_name)(Name*) = library.function<int(Name*)>("ncclGetUniqueId");
  int (*join)(Communicator*, int count, Name,
              int rank) = library.function<int(Communicator*, int, Name, int)>("ncclCommInitRank");
  int (*start)() = library.function<int()>("ncclGroupStart");
  int (*end)() = library.function<int()>("ncclGroupEnd");
  Broadcast* broadcast = library.function<Broadcast>("ncclBroadcast");
  int (*state)(Communicator,
               int*) = library.function<int(Communicator, int*)>("ncclCommGetAsyncError");
  int (*abort)(Communicator) = library.function<int(Communicator)>("ncclCommAbort");
  const char* (*text)(int) = library.function<const char*(int)>("ncclGetErrorString");

  void check(const char* call, int status) const {
    if (status == 0) return;
    throw DeviceError({fmt::format("{}: {}", call, text(status)), "sums over GPUs",
                       "run again with NCCL_DEBUG=INFO, which says why; with NCCL_DEBUG_FILE it "
                       "says so in a file"});
  }
};

/// NCCL is not to register memory of captured work with other processes: the host would wait for
/// them while it captures.
const Nccl& nccl() {
  static const Nccl value = [] {
    ::setenv("NCCL_GRAPH_REGISTER", "0", false);
    return Nccl();
  }();
  return value;
}

Nccl::Communicator native(Group group) { return reinterpret_cast<Nccl::Communicator>(group); }

}  // namespace

std::string Groups::version() const {
  int number = 0;  // 10000 major + 100 minor + patch
  nccl().check("ncclGetVersion", nccl().version(&number));
  return fmt::format("NCCL {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::string Groups::new_name() const {
  Nccl::Name name;
  nccl().check("ncclGetUniqueId", nccl().make_name(&name));
  return {name.bytes, sizeof name.bytes};
}

Group Groups::join(const std::string& name, int rank, int count) const {
  Nccl::Name made;
  if (name.size() != sizeof made.bytes)
    throw InternalError({"a group of GPUs has a name that is none", "Groups::join", ""});
  std::memcpy(made.bytes, name.data(), sizeof made.bytes);
  Nccl::Communicator communicator = nullptr;
  nccl().check("ncclCommInitRank", nccl().join(&communicator, count, made, rank));
  return reinterpret_cast<Group>(communicator);
}

/// Shares of different lengths: what NCCL gathers at once is of one length, so that these are as
/// many broadcasts, which it begins as one.
void Groups::gather(Group group, double* numbers, std::span<const std::size_t> first,
                    Stream stream) const {
  nccl().check("ncclGroupStart", nccl().start());
  int status = 0;
  for (std::size_t r = 0; status == 0 && r + 1 < first.size(); ++r)
    if (first[r + 1] > first[r])
      status = nccl().broadcast(numbers + first[r], numbers + first[r], first[r + 1] - first[r],
                                Nccl::float64, int(r), native(group), stream);
  const int end = nccl().end();  // whatever came before, or all that follows would wait for it
  nccl().check("ncclBroadcast", status);
  nccl().check("ncclGroupEnd", end);
}

void Groups::require_whole(Group group) const {
  int status = 0;
  nccl().check("ncclCommGetAsyncError", nccl().state(native(group), &status));
  if (status != Nccl::in_progress) nccl().check("a sum over GPUs", status);
}

void Groups::leave(Group group) const {
  nccl().check("ncclCommAbort", nccl().abort(native(group)));
}

}  // namespace pinn::cuda
