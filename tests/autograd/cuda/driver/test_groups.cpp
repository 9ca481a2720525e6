// Groups of GPUs by a library that stands for NCCL: it has the calls of it that are made, and
// brings the numbers of threads to each other on the host, when their group of calls ends.
#include "autograd/cuda/driver/groups.h"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <thread>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using namespace pinn::cuda;

namespace {

constexpr const char* stand_in = R"cpp(
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

  struct Call {
    const void* from;
    void* to;
    std::size_t count;
    int type, root;
  };
  struct Meeting {
    std::mutex mutex;
    std::condition_variable come;
    std::vector<std::vector<Call>> calls;
    std::size_t arrived = 0, times = 0;
  };
  struct Communicator {
    Meeting* meeting;
    int rank, state;
  };
  struct Name {
    char bytes[128];
  };

  static std::mutex all;
  static std::map<std::string, Meeting> meetings;
  static thread_local Communicator* now = nullptr;
  static thread_local std::vector<Call> calls;
  static thread_local bool grouped = false;

  extern "C" {
  int ncclGetVersion(int* version) { return *version = 22703, 0; }
  int ncclGetUniqueId(Name* name) {
    std::memset(name->bytes, 7, sizeof name->bytes);
    const std::lock_guard lock(all);
    name->bytes[100] = char(meetings.size());
    return 0;
  }
  int ncclCommInitRank(Communicator** made, int count, Name name, int rank) {
    const std::lock_guard lock(all);
    Meeting& meeting = meetings[std::string(name.bytes, sizeof name.bytes)];
    meeting.calls.resize(std::size_t(count));
    if (rank >= count) return 4;
    *made = new Communicator{&meeting, rank, 0};
    return 0;
  }
  int ncclGroupStart() { return grouped = true, 0; }
  int ncclBroadcast(const void* from, void* to, std::size_t count, int type, int root,
                    Communicator* communicator, void*) {
    if (!grouped || type != 8 || count == 0 || count == 13) return 4;
    now = communicator;
    calls.push_back({from, to, count, type, root});
    return 0;
  }
  int ncclGroupEnd() {
    if (!grouped) return 5;
    grouped = false;
    if (calls.empty()) return 0;
    Meeting& meeting = *now->meeting;
    std::unique_lock lock(meeting.mutex);
    meeting.calls[std::size_t(now->rank)].swap(calls);
    calls.clear();
    const std::size_t time = meeting.times;
    if (++meeting.arrived == meeting.calls.size()) {
      for (std::size_t k = 0; k < meeting.calls[0].size(); ++k)
        for (const std::vector<Call>& own : meeting.calls) {
          const Call& from = meeting.calls[std::size_t(own[k].root)][k];
          if (from.root != own[k].root || from.count != own[k].count) return 4;
          std::memmove(own[k].to, from.from, from.count * 8);
        }
      meeting.arrived = 0;
      ++meeting.times;
      meeting.come.notify_all();
    }
    meeting.come.wait(lock, [&] { return meeting.times != time; });
    return 0;
  }
  int ncclCommGetAsyncError(Communicator* communicator, int* state) {
    return *state = communicator->state, 0;
  }
  int ncclCommAbort(Communicator* communicator) {
    if (grouped) return 5;
    return delete communicator, 0;
  }
  const char* ncclGetErrorString(int status) { return status == 6 ? "remote" : "invalid"; }
  void spoil(Communicator* communicator, int state) { communicator->state = state; }
  }
)cpp";

/// Opens it, so that the library of its name is found to be open.
void* opened() {
  static void* const library = [] {
    const Folder folder;
    const std::string source = folder / "nccl.cpp", made = folder / "libnccl.so.2";
    std::ofstream(source) << stand_in;
    const std::string build = std::string(PINN_CXX) +
                              " -std=c++20 -shared -fPIC -pthread -Wl,-soname,libnccl.so.2 " +
                              source + " -o " + made;
    REQUIRE(std::system(build.c_str()) == 0);
    return dlopen(made.c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  REQUIRE(library);
  return library;
}

void on_threads(int count, const std::function<void(int rank)>& work) {
  std::vector<std::jthread> all;
  for (int r = 0; r < count; ++r) all.emplace_back(work, r);
}

}  // namespace

TEST_CASE("a group gives every GPU the numbers of each, however many", "[cuda][ranks]") {
  opened();
  const Groups groups;
  CHECK(groups.version() == "NCCL 2.27.3");
  const std::string name = groups.new_name();
  const std::vector<std::size_t> first = {0, 2, 2, 5};
  std::vector<std::vector<double>> found(3, std::vector<double>(5, -1));
  on_threads(3, [&](int rank) {
    const auto own = std::size_t(rank);
    const Group group = groups.join(name, rank, 3);
    for (int again = 0; again < 2; ++again) {
      for (std::size_t k = first[own]; k < first[own + 1]; ++k)
        found[own][k] = 10 * again + double(k);
      groups.gather(group, found[own].data(), first, nullptr);
      groups.require_whole(group);
    }
    groups.leave(group);
  });
  for (const std::vector<double>& all : found)
    CHECK(all == std::vector<double>{10, 11, 12, 13, 14});
}

TEST_CASE("what goes wrong in a group is told in its own words", "[cuda][ranks][errors]") {
  void* const library = opened();
  const Groups groups;
  const std::string name = groups.new_name();
  CHECK_THROWS_AS(groups.join("no name", 0, 1), InternalError);
  CHECK_THROWS_WITH(groups.join(name, 1, 1), Catch::Contains("ncclCommInitRank: invalid"));
  const Group group = groups.join(name, 0, 1);
  const auto spoil = reinterpret_cast<void (*)(Group, int)>(dlsym(library, "spoil"));
  spoil(group, 7);  // a call is not done yet
  CHECK_NOTHROW(groups.require_whole(group));
  spoil(group, 6);
  CHECK_THROWS_WITH(groups.require_whole(group),
                    Catch::Contains("a sum over GPUs: remote") && Catch::Contains("NCCL_DEBUG"));
  CHECK_THROWS_AS(groups.require_whole(group), DeviceError);
  std::vector<double> unlucky(13);
  const std::vector<std::size_t> first = {0, 13};
  CHECK_THROWS_WITH(groups.gather(group, unlucky.data(), first, nullptr),
                    Catch::Contains("ncclBroadcast: invalid"));
  CHECK_NOTHROW(groups.leave(group));
}
