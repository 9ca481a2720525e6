#pragma once
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "solvers/report/http.h"

namespace pinn {

/// A server of this machine, at 127.0.0.1: GET and HEAD, one request a connection. Whoever asks
/// cannot make it hold much: so many connections are talked to at once, others wait for them; the
/// head of a request is so long at most, and has to be there in time as a whole; so has the answer
/// to be taken. An exception of the handler becomes an answer with status 500.
class LoopbackServer {
 public:
  /// Answers a request of either method; several threads may ask.
  using Handler = std::function<http::Answer(const http::Request&)>;

  static constexpr int clients = 32;
  static constexpr std::size_t longest_head = 8192;         ///< bytes
  static constexpr std::chrono::seconds for_request{2};     ///< all of it
  static constexpr std::chrono::seconds for_next_bytes{2};  ///< of the answer, to be taken
  static constexpr std::chrono::seconds for_answer{30};     ///< all of it

  /// Listens; port 0 is a free one.
  ///
  ///   errors   FileError when the port is taken
  LoopbackServer(int port, Handler handler);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;

  int port() const { return port_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Head { whole, too_long, too_late, given_up };

  void talk_to_many() noexcept;
  void talk_to(int socket) const;
  Head read_head(int socket, std::string& head, Time deadline) const;
  http::Answer answer_to(const std::string& head) const;
  http::Answer handled(const http::Request& request) const;
  bool send(int socket, std::string_view bytes, Time deadline) const;
  void see_off(int socket, Time deadline) const;
  bool is_ready(int socket, short events, Time deadline) const;

  const Handler handler_;
  int listener_ = -1, end_ = -1;  ///< end_: can be read when the server ends
  int port_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace pinn
