// Stands between pinn-train and MPI, by MPI's profiling interface, in a library that is loaded
// before both: puts a delay before each message and keeps when each was sent, and when all had
// arrived. bench/scaling.py builds and loads it. It reads from the environment
//
//   PINN_BETWEEN_TO     a folder; rank r writes into its file r a line for each gather: the clock
//                       when it is posted and when all is there, the thread's processor time at
//                       both, in seconds; the numbers of all ranks, and of this one
//   PINN_BETWEEN_DELAY  seconds that a rank sleeps before a gather, as if what it sends were on its
//                       way so long
//   PINN_BETWEEN_PROBE  "COUNT NUMBERS NUMBERS ...": at the end, so many gathers of so many numbers
//                       of each rank, with nothing between; they are written likewise
#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Gather {
  double posted, arrived, cpu_posted, cpu_arrived;
  long all, own;
};

std::vector<Gather> gathers;
MPI_Request waited_for = MPI_REQUEST_NULL;

double seconds(clockid_t clock) {
  timespec t;
  ::clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double delay() {
  static const double value = [] {
    ::prctl(PR_SET_TIMERSLACK, 1);  // nanosecond: a nap ends when it should
    const char* const text = std::getenv("PINN_BETWEEN_DELAY");
    return text ? std::atof(text) : 0.0;
  }();
  return value;
}

void nap(double length) {
  if (length <= 0) return;
  timespec t{time_t(length), long(1e9 * (length - double(time_t(length))))};
  ::nanosleep(&t, nullptr);
}

/// As the program waits.
void probe(int count, int numbers) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<int> counts(std::size_t(ranks), numbers);
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::vector<double> room(std::size_t(ranks) * std::size_t(numbers), rank);
  for (int i = 0; i < count; ++i) {
    MPI_Request request;
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, room.data(), counts.data(), places.data(),
                    MPI_DOUBLE, MPI_COMM_WORLD, &request);
    for (int done = 0, look = 0; !done; ++look) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (!done && look % 64 == 63) ::sched_yield();
    }
  }
}

void write_all() {
  const char* const folder = std::getenv("PINN_BETWEEN_TO");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::FILE* const file =
      folder ? std::fopen((folder + ("/" + std::to_string(rank))).c_str(), "w") : nullptr;
  if (!file) return;
  for (const Gather& g : gathers)
    std::fprintf(file, "%.9f %.9f %.9f %.9f %ld %ld\n", g.posted, g.arrived, g.cpu_posted,
                 g.cpu_arrived, g.all, g.own);
  std::fclose(file);
}

}  // namespace

extern "C" int MPI_Iallgatherv(const void* from, int count, MPI_Datatype type, void* to,
                               const int* counts, const int* places, MPI_Datatype to_type,
                               MPI_Comm comm, MPI_Request* request) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  Gather g{seconds(CLOCK_MONOTONIC),
           0,
           seconds(CLOCK_THREAD_CPUTIME_ID),
           0,
           std::accumulate(counts, counts + ranks, 0L),
           counts[rank]};
  nap(delay());
  const int result =
      PMPI_Iallgatherv(from, count, type, to, counts, places, to_type, comm, request);
  gathers.push_back(g);
  waited_for = *request;
  return result;
}

extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const bool of_gather = *request == waited_for;
  const int result = PMPI_Test(request, done, status);
  if (*done && of_gather && waited_for != MPI_REQUEST_NULL) {
    gathers.back().arrived = seconds(CLOCK_MONOTONIC);
    gathers.back().cpu_arrived = seconds(CLOCK_THREAD_CPUTIME_ID);
    waited_for = MPI_REQUEST_NULL;
  }
  return result;
}

extern "C" int MPI_Finalize() {
  if (const char* const text = std::getenv("PINN_BETWEEN_PROBE")) {
    std::istringstream words(text);
    int count = 0;
    words >> count;
    for (int numbers; words >> numbers;) probe(count, numbers);
  }
  write_all();
  return PMPI_Finalize();
}
