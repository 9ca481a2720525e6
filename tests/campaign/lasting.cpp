/// A confined process that lasts. The program forks one for every file that it opens, 10 ms under
/// a sanitizer; this stand-in for the class Confined forks the same process, under the same limits,
/// and lets it open one file after the other until it dies, as it does of damaged ones, or has
/// opened a thousand. For every other file it lies in one answer, as a process would that was taken
/// over: which one, and how, follows from the file's name and bytes.
#include "tests/campaign/lasting.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "autograd/core/error.h"
#include "data/files/confined/confined_child.h"
#include "data/files/disk.h"
#include "data/files/hdf5/h5_content.h"

namespace pinn {
namespace {

constexpr std::uint64_t opening = ~0ull;  ///< a question that h5::Question does not have
constexpr Allowance allowance{.memory = 1ull << 31, .answer = 1ull << 28, .seconds = 3};
constexpr int most_files = 1000;
constexpr timeval patience{0, 300'000};  ///< for an answer: damaged files send libhdf5 in circles

/// Answers questions about the file that was opened last.
Confined::Answerer librarian() {
  auto shelf = std::make_shared<Confined::Answerer>();
  return [shelf](const std::string& request) {
    Unpacker packed(request, [] { std::abort(); });
    if (packed.number() != opening)
      return *shelf ? (*shelf)(request) : throw FileError({"no file is open", "HDF5", ""});
    const std::string name = packed.text(), image = packed.text();
    *shelf = nullptr;  // closes the file before
    *shelf = h5::service(image.empty() ? std::make_shared<H5Content>(name)
                                       : std::make_shared<H5Content>(read_file(image), name));
    return Answer();
  };
}

struct Process {
  /// All of it, whatever libFuzzer's timer interrupts.
  template <class Call> static bool all(std::size_t bytes, Call call) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t went = call(done);
      if (went < 0 && errno == EINTR) continue;
      if (went <= 0) return false;
      done += std::size_t(went);
    }
    return true;
  }
  bool send(const void* from, std::size_t bytes) const {
    const char* const start = static_cast<const char*>(from);
    return all(bytes,
               [&](auto at) { return ::send(socket, start + at, bytes - at, MSG_NOSIGNAL); });
  }
  bool receive(void* to, std::size_t bytes) const {
    char* const start = static_cast<char*>(to);
    return all(bytes, [&](auto at) { return recv(socket, start + at, bytes - at, 0); });
  }
  void start() {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) std::abort();
    id = fork();
    if (id == 0) confined::run(pair[1], allowance, librarian);
    if (id < 0) std::abort();
    close(pair[1]);
    socket = pair[0];
    files = 0;
    confined::Head head;
    if (!receive(&head, sizeof head)) std::abort();
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  void end() {
    if (id <= 0) return;
    close(socket);
    kill(id, SIGKILL);
    while (waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
    }
    id = -1;
  }
  ~Process() { end(); }

  int id = -1, socket = -1, files = 0;
};

Process process;

/// Which answer to the reader of a file is a lie.
struct Lie {
  Lie() = default;
  explicit Lie(const std::string& file) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const unsigned char byte : read_file(file)) hash = (hash ^ byte) * 0x100000001b3;
    tells = (hash >> 60 & 1) != 0;
    question = hash % 61;
    bits = hash >> 8 & 0xffff;
  }
  void change(std::string& words) {
    if (!tells || question-- != 0 || words.empty()) return;
    if (bits % 8 == 0) return words.resize(bits % words.size());
    const std::size_t at = (bits >> 8) % std::min<std::size_t>(words.size(), 24);
    words[at] = char(words[at] ^ (1 << bits % 8));
  }

  bool tells = false;
  std::uint64_t question = 0, bits = 0;
};

Lie lie;

}  // namespace

Confined::Confined(std::string name, const Allowance&, const std::function<Answerer()>&)
    : name_(std::move(name)), allowance_(allowance) {
  if (process.files++ == most_files) process.end();
  if (process.id < 0) process.start();
  lie = Lie();
  ask(Packer().number(opening).text(name_).text(test::image_path).bytes());
  lie = Lie(test::image_path.empty() ? name_ : test::image_path);
}

Confined::~Confined() = default;

std::string Confined::ask(const std::string& request, const Room& room) {
  if (process.id < 0) fail();
  const std::uint64_t size = request.size();
  confined::Head head;
  if (!process.send(&size, sizeof size) || !process.send(request.data(), size) ||
      !process.receive(&head, sizeof head))
    fail();
  std::string words(head.words, '\0');
  if (!process.receive(words.data(), words.size())) fail();
  if (head.failed != 0) {
    Unpacker report(words, [] { std::abort(); });
    const std::string what = report.text(), where = report.text(), fix = report.text();
    throw FileError({what, where, fix});
  }
  lie.change(words);
  if (room && !process.receive(room(words, head.numbers), head.numbers)) fail();
  return words;
}

void Confined::fail() {
  process.end();
  refuse_answer();
}

void Confined::refuse_answer() {
  process.end();
  throw FileError({"the file is damaged", name_, "write the file again"});
}

}  // namespace pinn
