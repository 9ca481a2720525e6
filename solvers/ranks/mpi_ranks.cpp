#include "solvers/ranks/mpi_ranks.h"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>

namespace pinn {
namespace {

constexpr int lost = 9, wrong_usage = 2;  ///< exit codes
constexpr double usual_patience = 600;    ///< seconds
/// That is left to the others after a rank failed: they may be about to fail in the same way, and
/// have things to save before they do.
constexpr double after_failure = 5;
/// So many times as long as for others rank 0 is waited for while it alone writes what came out.
constexpr double patience_with_writing = 10;
constexpr int looks_at_once = 64;  ///< for what is waited for, before anything else is looked at
/// After so many seconds without a nap a processor is left to others; what waits so long already
/// loses little by a nap.
constexpr double awake = 0.02, nap = 0.0005;

/// Writes what waiting for MPI itself comes to, and ends the process.
extern "C" void end_of_patience(int) {
  constexpr std::string_view text =
      "error: MPI brings the processes neither together nor apart: one of them, or its machine, "
      "stands still\n  fix:   see whether all are well, and start them again\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(lost);
}

/// While it lives, MPI may take so long and no longer.
class Limit {
 public:
  explicit Limit(double seconds) {
    std::signal(SIGALRM, end_of_patience), ::alarm(unsigned(std::ceil(seconds)));
  }
  ~Limit() { ::alarm(0), std::signal(SIGALRM, SIG_DFL); }
};

void rest(double waited) {
  if (waited > awake)
    std::this_thread::sleep_for(std::chrono::duration<double>(nap));
  else
    std::this_thread::yield();
}

/// Time in which this process ran: where it was stopped meanwhile, the others may have been, too.
class Watch {
 public:
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    constexpr double longest = 1;
    seconds_ += std::min(std::chrono::duration<double>(now - last_).count(), longest);
    last_ = now;
    return seconds_;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
};

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    MPI_Comm_dup(MPI_COMM_WORLD, &notes_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    int count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    endings_.resize(std::size_t(count));
    char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    hosts_ = {std::size_t(count), name};
    hosts_ = gathered(*this, std::string(name));
  }

  int rank() const override { return rank_; }
  int count() const override { return int(hosts_.size()); }
  std::string host(int rank) const override { return hosts_[std::size_t(rank)]; }

  void gather(std::span<double> numbers, std::span<const std::size_t> first) override {
    const auto ranks = std::size_t(count()), own = std::size_t(rank_);
    if (numbers.size() + ranks > INT_MAX)
      throw InternalError({"not yet: more than two thousand million numbers at once", "", ""});
    counts_.clear(), places_.clear();
    for (std::size_t r = 0; r < ranks; ++r) {  // numbers, and a word
      counts_.push_back(int(first[r + 1] - first[r] + 1));
      places_.push_back(int(first[r] + r));
    }
    // In memory that outlives what is not waited for to its end.
    if (shared_.size() < numbers.size() + ranks) shared_.resize(numbers.size() + ranks);
    std::copy_n(numbers.begin() + long(first[own]), counts_[own] - 1,
                shared_.begin() + places_[own]);
    shared_[std::size_t(places_[own] + counts_[own] - 1)] = word_;
    MPI_Request request;
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, shared_.data(), counts_.data(), places_.data(),
                    MPI_DOUBLE, MPI_COMM_WORLD, &request);
    wait(request);
    said_.resize(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto from = shared_.begin() + places_[r];
      if (r != own) std::copy_n(from, counts_[r] - 1, numbers.begin() + long(first[r]));
      said_[r] = from[counts_[r] - 1];
    }
  }

  void say(double word) override { word_ = word; }
  std::span<const double> said() const override { return said_; }

  void broadcast(std::span<char> bytes) override {
    text_.assign(bytes.begin(), bytes.end());
    for (std::size_t at = 0; at < text_.size(); at += INT_MAX) {
      MPI_Request request;
      MPI_Ibcast(text_.data() + at, int(std::min<std::size_t>(text_.size() - at, INT_MAX)),
                 MPI_BYTE, 0, MPI_COMM_WORLD, &request);
      wait(request);
    }
    std::ranges::copy(text_, bytes.begin());
  }

  void wait_until(const std::function<bool()>& done) override {
    Watch watch;
    std::optional<double> ended_at;
    for (;;) {
      for (int look = 0; look < looks_at_once; ++look)
        if (done()) return;
      listen();
      const double waited = watch.seconds();
      const auto ended = std::ranges::find_if(endings_, [](auto& e) { return e.has_value(); });
      if (ended != endings_.end() && !ended_at) ended_at = waited;
      if (ended_at && waited > *ended_at + after_failure) refuse_to_wait();
      if (waited > patience_)
        throw RankError({fmt::format("others are silent for {:g} s", patience_), "", ""});
      rest(waited);
    }
  }

  void set_patience(double seconds) override { patience_ = seconds; }

  Ending end(int code, const std::string& failure, bool by_another) override {
    const Note own{double(code), failure.empty() ? 0.0 : 1.0, by_another ? 1.0 : 0.0};
    endings_[std::size_t(rank_)] = own;
    std::vector<MPI_Request> sent;
    for (int r = 0; r < count(); ++r)
      if (r != rank_) MPI_Isend(&own, sizeof own, MPI_BYTE, r, 0, notes_, &sent.emplace_back());
    if (rank_ != 0)  // what a launcher hands to all is for rank 0 now
      for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2})
        std::signal(signal, SIG_IGN);
    Watch watch;
    while (!listen()) {
      const double waited = watch.seconds();
      if (waited > patience_at_end(by_another)) give_up(by_another ? "" : failure);
      rest(waited);
    }
    MPI_Waitall(int(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
    return ending();
  }

  /// After `end`: leaves MPI, where all were done, or ends what others still wait for.
  int leave(int code) {
    const bool whole = std::ranges::none_of(endings_, [](auto& e) { return e->by_another > 0; });
    if (whole) {
      const Limit limit(patience_ + after_failure);
      return MPI_Finalize(), code;
    }
    if (ending().teller != rank_) ::sleep(unsigned(after_failure));
    MPI_Abort(MPI_COMM_WORLD, code);
    return code;
  }

 private:
  /// How a rank ended, as it tells the others.
  struct Note {
    double code = 0, failed = 0, by_another = 0;
  };

  void wait(MPI_Request& request) {
    wait_until([&] {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
  }

  /// Throws RankError for a rank that has left: it will not come to what the others wait for.
  [[noreturn]] void refuse_to_wait() const {
    if (const int failed = failed_rank(); failed >= 0)
      throw RankError({rank_text(*this, failed) + ", failed", "", "see what it says"});
    const auto ended = std::ranges::find_if(endings_, [](auto& e) { return e.has_value(); });
    throw RankError({rank_text(*this, int(ended - endings_.begin())) + ", has ended", "",
                     "give all ranks the same arguments"});
  }

  /// Seconds for which one that ends waits for the others. Who lost patience has waited for them
  /// already; after a failure they may work on for as long as ranks may, and are left some time
  /// when they next wait.
  double patience_at_end(bool by_another) const {
    const bool lost_patience = by_another && failed_rank() < 0;
    return lost_patience ? after_failure : patience() + after_failure;
  }

  double patience() const {
    return only_the_first_works() ? patience_with_writing * patience_ : patience_;
  }

  /// True if all others ended well: rank 0 has what came out to write.
  bool only_the_first_works() const {
    return rank_ != 0 && std::ranges::all_of(endings_.begin() + 1, endings_.end(),
                                             [](auto& e) { return e && !(e->failed > 0); });
  }

  /// Takes notes that have come; whether all have.
  bool listen() {
    for (;;) {
      int there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, 0, notes_, &there, &status);
      if (!there) break;
      Note note;
      MPI_Recv(&note, sizeof note, MPI_BYTE, status.MPI_SOURCE, 0, notes_, MPI_STATUS_IGNORE);
      endings_[std::size_t(status.MPI_SOURCE)] = note;
    }
    return std::ranges::all_of(endings_, [](auto& e) { return e.has_value(); });
  }

  /// The first rank that failed of itself, as far as is known; -1: none.
  int failed_rank() const {
    for (int r = 0; r < count(); ++r)
      if (const auto& e = endings_[std::size_t(r)]; e && e->failed > 0 && !(e->by_another > 0))
        return r;
    return -1;
  }

  Ending ending() const {
    int decides = failed_rank();
    for (int r = 0; decides < 0 && r < count(); ++r)  // all lost patience
      if (endings_[std::size_t(r)]->failed > 0) decides = r;
    return {int(endings_[std::size_t(std::max(decides, 0))]->code), decides};
  }

  /// The lowest of the ranks that are there says which are not.
  [[noreturn]] void give_up(const std::string& failure) {
    const auto there = std::ranges::find_if(endings_, [](auto& e) { return e.has_value(); });
    std::string text = failure.empty() ? "" : rank_text(*this, rank_) + ": " + failure + "\n";
    if (there - endings_.begin() == rank_)
      for (int r = 0; r < count(); ++r)
        if (!endings_[std::size_t(r)])
          text += fmt::format(
              "error: {}, is silent for more than {:g} s: all ranks end here\n"
              "  fix:   see whether that process and its machine are well, and go on with "
              "--resume\n",
              rank_text(*this, r), patience());
    std::fputs(text.c_str(), stderr);
    if (there - endings_.begin() != rank_) ::sleep(1);
    MPI_Abort(MPI_COMM_WORLD, lost);
    std::abort();
  }

  MPI_Comm notes_;
  int rank_ = 0;
  double patience_ = usual_patience;
  std::vector<std::string> hosts_;
  std::vector<std::optional<Note>> endings_;
  std::vector<int> counts_, places_;
  std::vector<double> shared_, said_;
  double word_ = 0;
  std::vector<char> text_;
};

bool was_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"})
    if (std::getenv(name)) return true;
  return false;
}

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole = text;
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace

int run_on_ranks(int argc, char** argv, int (*program)(int argc, char** argv, Ranks& ranks)) {
  if (!was_launched()) return program(argc, argv, alone());
  std::optional<MpiRanks> made;
  try {
    const Limit limit(usual_patience);  // nobody has read the arguments yet
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    made.emplace();
  } catch (const RankError& error) {
    fmt::print(stderr, "{}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, lost);
  }
  MpiRanks& ranks = *made;
  if (ranks.count() == 1 && launched_together() > 1) {
    fmt::print(stderr,
               "error: one of {} processes is alone: what started them is of another MPI than this "
               "program, which has {}\n  fix:   start it with the mpirun of that MPI\n",
               launched_together(), library());
    MPI_Finalize();
    return wrong_usage;
  }
  return ranks.leave(program(argc, argv, ranks));
}

}  // namespace pinn
