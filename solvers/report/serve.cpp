#include "solvers/report/serve.h"

#include <fmt/format.h>
#include <httplib.h>

#include <mutex>
#include <thread>

#include "autograd/core/error.h"
#include "solvers/report/live_page.h"
#include "solvers/train/follow.h"

namespace pinn {
namespace {

constexpr const char* loopback = "127.0.0.1";
constexpr int patience = 2;          ///< seconds for a client to send or to take its next bytes
constexpr std::size_t clients = 32;  ///< at once; others wait for them

/// Every answer has these: it runs nothing of others, is shown within no other page, kept nowhere.
const httplib::Headers guards = {
    {"Content-Security-Policy",
     "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

void refuse(httplib::Response& answer, int status, const std::string& why) {
  answer.status = status;
  answer.set_content(why + "\n", "text/plain; charset=utf-8");
}

/// Whether a request is of this very address: a name that leads here is not ours (DNS rebinding).
bool is_for(const httplib::Request& request, int port) {
  const std::string host = request.get_header_value("Host");
  return request.get_header_value_count("Host") == 1 &&
         (host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port));
}

/// What is asked, in what words, and nothing else.
httplib::Server::HandlerResponse admit(const httplib::Request& request, httplib::Response& answer,
                                       int port) {
  if (!is_for(request, port)) {
    refuse(answer, 403, fmt::format("this is http://{}:{}/ and no other", loopback, port));
  } else if (request.method != "GET") {
    answer.set_header("Allow", "GET");
    refuse(answer, 405, "this server answers GET");
  } else {
    return httplib::Server::HandlerResponse::Unhandled;
  }
  return httplib::Server::HandlerResponse::Handled;
}

/// The paths: / and /now, /report.
class PageServer {
 public:
  explicit PageServer(const ServeRequest& request) : request_(request), page_(request.folder) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(clients); };
    server_.set_keep_alive_max_count(1);
    server_.set_keep_alive_timeout(patience);
    server_.set_read_timeout(patience);
    server_.set_write_timeout(patience);
    server_.set_default_headers(guards);
    server_.set_socket_options([](socket_t socket) {  // and no port is shared
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_pre_routing_handler(
        [this](const auto& asked, auto& answer) { return admit(asked, answer, port_); });
    server_.set_error_handler([](const httplib::Request&, httplib::Response& answer) {
      if (answer.body.empty()) refuse(answer, answer.status, "there is no such page");
    });
    server_.set_exception_handler([](const auto&, auto& answer, std::exception_ptr failure) {
      try {
        std::rethrow_exception(failure);
      } catch (const std::exception& error) {
        refuse(answer, 500, error.what());
      }
    });
    server_.Get("/", [this](const auto&, auto& answer) { show(answer, page_.whole()); });
    server_.Get("/report", [this](const auto&, auto& answer) {
      const std::lock_guard one_at_a_time(reporting_);
      show(answer, request_.report());
    });
    server_.Get("/now", [this](const auto& asked, auto& answer) {
      const pages::LivePage::Now now = page_.now();
      answer.set_header("ETag", now.tag);
      if (asked.get_header_value("If-None-Match") == now.tag)
        answer.status = 304;
      else
        show(answer, now.html);
    });
    bind();
  }

  ~PageServer() {
    if (!listener_.joinable()) return;
    server_.stop();
    listener_.join();
  }
  PageServer(const PageServer&) = delete;

  void start() {
    listener_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }

  int port() const { return port_; }

 private:
  void bind() {
    if (request_.port == 0) port_ = server_.bind_to_any_port(loopback);
    if (request_.port != 0 && server_.bind_to_port(loopback, request_.port)) port_ = request_.port;
    if (port_ <= 0)
      throw FileError({"cannot listen there: another process does, or it is not allowed",
                       fmt::format("{}:{}", loopback, request_.port),
                       "name another port, or leave --port out for a free one"});
  }

  static void show(httplib::Response& answer, const std::string& html) {
    answer.set_content(html, "text/html; charset=utf-8");
  }

  const ServeRequest& request_;
  pages::LivePage page_;
  std::mutex reporting_;
  httplib::Server server_;
  std::thread listener_;
  int port_ = -1;
};

}  // namespace

void serve(const ServeRequest& request) {
  require_run_to_follow(request.folder);
  const Leaving leaving;
  PageServer server(request);
  server.start();
  request.say(fmt::format("http://{}:{}/ follows {}; Ctrl-C ends it\n", loopback, server.port(),
                          request.folder));
  while (Leaving::wait(60)) {
  }
  request.say("ended: the page is gone, the run and its folder are as they were\n");
}

}  // namespace pinn
