#include "solvers/report/loopback.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "autograd/core/error.h"

namespace pinn {
namespace {

using Clock = std::chrono::steady_clock;

/// A socket that listens at a port of this machine, and shares it with nobody; -1 for none.
int listening_at(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_port = htons(std::uint16_t(port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
      ::listen(socket, SOMAXCONN) == 0)
    return socket;
  ::close(socket);
  return -1;
}

int port_of(int socket) {
  sockaddr_in at = {};
  socklen_t size = sizeof at;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin_port);
}

bool has_to_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

LoopbackServer::LoopbackServer(int port, Handler handler)
    : handler_(std::move(handler)), listener_(listening_at(port)), end_(::eventfd(0, EFD_CLOEXEC)) {
  if (listener_ < 0 || end_ < 0)
    throw FileError({"cannot listen there: another process does, or it is not allowed",
                     fmt::format("127.0.0.1:{}", port),
                     "name another port, or leave --port out for a free one"});
  port_ = port_of(listener_);
  try {
    for (int k = 0; k < clients; ++k) threads_.emplace_back([this] { talk_to_many(); });
  } catch (const std::system_error&) {  // no more of them: fewer talk to as many
    if (threads_.empty()) throw;
  }
}

LoopbackServer::~LoopbackServer() {
  const std::uint64_t now = 1;
  [[maybe_unused]] const ssize_t told = ::write(end_, &now, sizeof now);
  for (std::thread& thread : threads_) thread.join();
  ::close(listener_);
  ::close(end_);
}

/// Waits until a socket can be read or written; false at the deadline, and when the server ends.
bool LoopbackServer::is_ready(int socket, short events, Time deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd of[] = {{end_, POLLIN, 0}, {socket, events, 0}};
    const int found = ::poll(of, 2, int(std::clamp<std::int64_t>(left.count(), 0, 60000)));
    if (found > 0 && of[0].revents != 0) return false;
    if (found > 0) return true;
    if (Clock::now() >= deadline) return false;
  }
}

void LoopbackServer::talk_to_many() noexcept {
  const auto ended = [this] {
    pollfd end = {end_, POLLIN, 0};
    return ::poll(&end, 1, 0) > 0;
  };
  while (!ended()) {
    if (!is_ready(listener_, POLLIN, Clock::now() + std::chrono::minutes(1))) continue;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0 && !has_to_wait()) ::usleep(50000);  // too many files are open
    if (socket < 0) continue;
    try {
      talk_to(socket);
    } catch (...) {  // no memory even for a refusal: this connection ends, and no other
    }
    ::close(socket);
  }
}

void LoopbackServer::talk_to(int socket) const {
  std::string head;
  const Time in_time = Clock::now() + for_request;
  const Head got = read_head(socket, head, in_time);
  if (got == Head::given_up || (got == Head::too_late && head.empty())) return;
  const http::Answer answer =
      got == Head::too_long
          ? http::refusal(431, fmt::format("a request has at most {} bytes", longest_head))
      : got == Head::too_late
          ? http::refusal(408, fmt::format("a request takes at most {} s", for_request.count()))
          : answer_to(head);
  const Time deadline = Clock::now() + for_answer;
  const bool with_body = answer.body && !head.starts_with("HEAD ");
  if (send(socket, http::head_of(answer), deadline) &&
      (!with_body || send(socket, *answer.body, deadline)))
    see_off(socket, Clock::now() + for_next_bytes);
}

LoopbackServer::Head LoopbackServer::read_head(int socket, std::string& head, Time deadline) const {
  char buffer[1024];
  while (is_ready(socket, POLLIN, deadline)) {
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count < 0 && has_to_wait()) continue;
    if (count <= 0) return Head::given_up;
    head.append(buffer, std::size_t(count));
    const std::size_t end = head.find("\r\n\r\n");
    if (std::min(end, head.size()) + 4 > longest_head) return Head::too_long;
    if (end == head.npos) continue;
    head.resize(end + 4);
    return Head::whole;
  }
  return Head::too_late;
}

http::Answer LoopbackServer::answer_to(const std::string& head) const {
  const std::optional<http::Request> request = http::parse(head);
  return request ? handled(*request) : http::refusal(400, "this is no request");
}

http::Answer LoopbackServer::handled(const http::Request& request) const {
  try {
    return handler_(request);
  } catch (const std::exception& error) {
    return http::refusal(500, error.what());
  } catch (...) {
    return http::refusal(500, "the page cannot be made");
  }
}

/// False where they were not taken in time.
bool LoopbackServer::send(int socket, std::string_view bytes, Time deadline) const {
  while (!bytes.empty()) {
    const Time next = std::min(deadline, Clock::now() + for_next_bytes);
    if (!is_ready(socket, POLLOUT, next)) return false;
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && !has_to_wait()) return false;
    if (count > 0) bytes.remove_prefix(std::size_t(count));
  }
  return true;
}

/// Reads what else is sent, for what is unread makes the system take the answer back.
void LoopbackServer::see_off(int socket, Time deadline) const {
  char buffer[1024];
  ::shutdown(socket, SHUT_WR);
  while (is_ready(socket, POLLIN, deadline)) {
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count == 0 || (count < 0 && !has_to_wait())) return;
  }
}

}  // namespace pinn
