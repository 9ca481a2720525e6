#include "solvers/report/page.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "solvers/report/loopback.h"
#include "solvers/watch/follow.h"

namespace pinn {
namespace {

/// The report, made for one after the other: who asks while one is made gets the next.
class SharedReport {
 public:
  using Text = std::shared_ptr<const std::string>;
  explicit SharedReport(std::function<std::string()> make) : make_(std::move(make)) {}

  Text made_from_now() {
    const int before = begun_;
    const std::lock_guard one_at_a_time(making_);
    if (made_ > before) return text_;
    const int now = ++begun_;
    text_ = std::make_shared<const std::string>(make_());
    made_ = now;
    return text_;
  }

 private:
  const std::function<std::string()> make_;
  std::mutex making_;
  std::atomic<int> begun_ = 0;
  int made_ = 0;  ///< the one that text_ is
  Text text_;
};

/// The paths: / and /now, /report.
class PageServer {
 public:
  explicit PageServer(const ServeRequest& request)
      : page_(request.folder),
        report_(request.report),
        server_(request.port, [this](const http::Request& asked) { return answer_to(asked); }) {}

  int port() const { return server_.port(); }

 private:
  /// Answer to a GET or HEAD of one of the paths at this address; all else is refused.
  http::Answer answer_to(const http::Request& asked) {
    if (!is_for_us(asked))
      return http::refusal(403, fmt::format("this is http://127.0.0.1:{}/ and no other", port()));
    if (asked.method != "GET" && asked.method != "HEAD") {
      http::Answer refusal = http::refusal(405, "this server answers GET and HEAD");
      refusal.fields.emplace_back("Allow", "GET, HEAD");
      return refusal;
    }
    if (asked.path == "/") return http::page(std::make_shared<const std::string>(page_.whole()));
    if (asked.path == "/report") return http::page(report_.made_from_now());
    if (asked.path == "/now") return now(asked);
    return http::refusal(404, "there is no such page");
  }

  /// True of this very address: another name that leads here is not ours (DNS rebinding).
  bool is_for_us(const http::Request& asked) const {
    const std::optional<std::string> host = asked.only("host");
    return host == fmt::format("127.0.0.1:{}", port()) ||
           host == fmt::format("localhost:{}", port());
  }

  http::Answer now(const http::Request& asked) {
    pages::LivePage::Now now = page_.now();
    http::Answer answer;
    if (asked.only("if-none-match") == now.tag)
      answer.status = 304;
    else
      answer = http::page(std::make_shared<const std::string>(std::move(now.html)));
    answer.fields.emplace_back("ETag", now.tag);
    return answer;
  }

  pages::LivePage page_;
  SharedReport report_;
  LoopbackServer server_;  ///< the last: it ends before what it shows
};

}  // namespace

void serve(const ServeRequest& request) {
  require_run_to_follow(request.folder);
  const Leaving leaving;
  const PageServer server(request);
  request.say(fmt::format("http://127.0.0.1:{}/ follows {}; Ctrl-C ends it\n", server.port(),
                          request.folder));
  while (Leaving::wait(60)) {
  }
  request.say("ended: the page is gone, the run and its folder are as they were\n");
}

}  // namespace pinn
