// Lets something go wrong in one rank of pinn-train, at a moment that another process chooses: a
// library that is loaded before all others. bench/faults.py builds and loads it, and sends the
// signal that is the moment, SIGRTMIN + 9. It reads from the environment
//
//   PINN_FAULT       exit       the process ends there and then, with exit code 3, whatever it does
//                    exception  the next `new` of its main thread throws a std::runtime_error
//                    memory     no `new` of 1 kB or more finds memory any more; what is
//                               smaller comes, as it mostly does, from what the process has
//                    clock      the clock of the day is PINN_FAULT_SHIFT seconds ahead
//   PINN_FAULT_RANK  in which rank
//   PINN_FAULT_SHIFT seconds
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace {

enum class Fault { none, exit, exception, memory, clock };
constexpr int code = 3;
constexpr std::size_t small = 1000;  ///< bytes: less is found always

std::atomic<Fault> ready{Fault::none}, at_work{Fault::none};
long shift = 0;

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

extern "C" void come(int) {
  if (ready == Fault::exit) ::_exit(code);
  at_work = ready.load();
}

[[gnu::constructor]] void begin() {
  if (variable("PINN_FAULT_RANK") != variable("OMPI_COMM_WORLD_RANK")) return;
  const std::string_view what = variable("PINN_FAULT");
  for (const auto& [name, fault] : {std::pair{"exit", Fault::exit},
                                    {"exception", Fault::exception},
                                    {"memory", Fault::memory},
                                    {"clock", Fault::clock}})
    if (what == name) ready = fault;
  if (const char* const text = std::getenv("PINN_FAULT_SHIFT")) shift = std::atol(text);
  if (ready != Fault::none) std::signal(SIGRTMIN + 9, come);
}

bool is_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

void* taken(std::size_t size, std::size_t alignment) {
  Fault now = at_work;
  if (now == Fault::exception && is_main_thread() &&
      at_work.compare_exchange_strong(now, Fault::none))
    throw std::runtime_error("a fault of bench/faults.py");
  if (now == Fault::memory && size >= small) throw std::bad_alloc();
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* const memory =
      alignment == 1 ? std::malloc(size ? size : 1) : std::aligned_alloc(alignment, whole);
  if (!memory) throw std::bad_alloc();
  return memory;
}

long ahead(clockid_t clock) {
  const bool of_the_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return of_the_day && at_work == Fault::clock ? shift : 0;
}

}  // namespace

void* operator new(std::size_t size) { return taken(size, 1); }
void* operator new(std::size_t size, std::align_val_t a) { return taken(size, std::size_t(a)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int failed = int(::syscall(SYS_clock_gettime, clock, time));
  if (!failed) time->tv_sec += ahead(clock);
  return failed;
}

extern "C" time_t time(time_t* where) noexcept {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (where) *where = now.tv_sec;
  return now.tv_sec;
}

extern "C" int gettimeofday(timeval* time, void*) noexcept {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
