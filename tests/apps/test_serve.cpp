// pinn-report --serve: asked by hand, as a browser would, and as one should not.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A connection to a port of this machine.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(std::uint16_t(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;

  void send(const std::string& text) const {
    REQUIRE(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == ssize_t(text.size()));
  }
  /// The same for who may have ended meanwhile; false where he did.
  bool sends(const std::string& text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == ssize_t(text.size());
  }
  std::string all() const {
    std::string text;
    char buffer[1 << 16];
    for (ssize_t count; (count = ::recv(socket_, buffer, sizeof buffer, 0)) > 0;)
      text.append(buffer, std::size_t(count));
    return text;
  }

 private:
  int socket_;
};

/// The server of a run's page, at work.
struct Served {
  explicit Served(const Folder& place, const std::string& run = "runs/small") {
    const std::string out = place / "stdout.txt", begin = "http://127.0.0.1:";
    std::filesystem::remove(out);  // of the run
    program.emplace("pinn-report", std::vector<std::string>{"--serve", run}, place.path);
    REQUIRE(comes_true([&] {
      return std::filesystem::exists(out) && read_file(out).find('\n') != std::string::npos;
    }));
    first_line = read_file(out);
    REQUIRE_THAT(first_line, StartsWith(begin));
    port = std::stoi(first_line.substr(begin.size()));
  }

  std::string answer(const std::string& request) const {
    const Connection connection(port);
    connection.send(request);
    return connection.all();
  }
  std::string get(const std::string& path, const std::string& more = "") const {
    return answer("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" +
                  more + "\r\n");
  }

  std::optional<Program> program;
  std::string first_line;
  int port = 0;
};

/// A run that is done.
struct Done : Folder {
  Done() {
    file("small.toml", small_problem);
    REQUIRE(pinn_train(*this, {"small.toml", "--quiet", "--set", "output.report=false"}).code == 0);
  }
};

/// One without end.
struct Endless : Folder {
  explicit Endless(const std::string& steps = "100000000") {
    file("small.toml", small_problem);
    run.emplace(
        "pinn-train",
        std::vector<std::string>{"small.toml", "--quiet", "--set", "stage.descent.steps=" + steps},
        path);
    REQUIRE(
        comes_true([&] { return std::filesystem::exists(path + "/runs/small/metrics.jsonl"); }));
  }
  std::optional<Program> run;
};

/// The addresses at which a process listens on this port, as Linux spells them.
std::set<std::string> listening(int port) {
  std::set<std::string> found;
  std::stringstream suffix;
  suffix << ':' << std::hex << std::uppercase << port;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream in(table);
    std::string line, number, local, remote, state;
    for (std::getline(in, line); std::getline(in, line);) {
      std::istringstream(line) >> number >> local >> remote >> state;
      if (state == "0A" && local.ends_with(suffix.str())) found.insert(local);
    }
  }
  return found;
}

std::string tag_of(const std::string& answer) {
  const std::size_t at = answer.find("ETag: ");
  return at == answer.npos ? "" : answer.substr(at + 6, answer.find('\r', at) - at - 6);
}

}  // namespace

TEST_CASE("a served page is text of this machine alone", "[apps][serve]") {
  const Done place;
  const Served served(place);
  const std::string page = served.get("/");
  CHECK_THAT(page, StartsWith("HTTP/1.1 200") && Contains("<h1>runs/small</h1>") &&
                       Contains("connect-src 'self'"));
  for (const char* guard : {"Content-Security-Policy: default-src 'none'", "frame-ancestors 'none'",
                            "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
                            "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: no-store"})
    CHECK_THAT(page, Contains(guard));
  CHECK_THAT(page, !Contains("Access-Control"));
  const std::set<std::string> where = listening(served.port);
  REQUIRE(where.size() == 1);
  CHECK_THAT(*where.begin(), StartsWith("0100007F:"));  // 127.0.0.1
}

TEST_CASE("a served page is not there under another name, and takes nothing", "[apps][serve]") {
  const Done place;
  const Served served(place);
  const std::string port = std::to_string(served.port), end = "\r\n\r\n";
  CHECK_THAT(served.answer("GET / HTTP/1.1\r\nHost: localhost:" + port + end),
             StartsWith("HTTP/1.1 200"));
  for (const std::string& host :
       {"evil.example:" + port, std::string("evil.example"), std::string("127.0.0.1"),
        "127.0.0.1:" + port + "0", "127.0.0.1:" + port + ".evil.example", std::string()})
    CHECK_THAT(served.answer("GET /now HTTP/1.1\r\nHost: " + host + end),
               StartsWith("HTTP/1.1 403") && !Contains("loss"));
  CHECK_THAT(served.answer("GET / HTTP/1.0" + end), StartsWith("HTTP/1.1 403"));
  CHECK_THAT(served.get("/", "Host: evil.example\r\n"), StartsWith("HTTP/1.1 403"));
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"})
    CHECK_THAT(served.answer(std::string(method) + " / HTTP/1.1\r\nHost: 127.0.0.1:" + port +
                             "\r\nContent-Length: 0" + end),
               StartsWith("HTTP/1.1 405") && Contains("Allow: GET, HEAD"));
  for (const char* path :
       {"/../small.toml", "/..%2f..%2fsmall.toml", "/checkpoint.h5", "/status.json", "/now/",
        "//etc/passwd", "/%2e%2e/%2e%2e/small.toml", "/report/../../small.toml", "/NOW"})
    CHECK_THAT(served.get(path), StartsWith("HTTP/1.1 404") && !Contains("poisson"));
  for (const char* rubbish :
       {"\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02", "GET / HTTP/9\r\n\r\n"})
    CHECK_THAT(served.answer(rubbish), !Contains(" 200 "));
  CHECK_THAT(served.get("/now"), StartsWith("HTTP/1.1 200") && Contains("<figure"));
}

TEST_CASE("a served page of a run that is done has its estimated errors", "[apps][serve]") {
  const Done place;
  CHECK_THAT(Served(place).get("/now"),
             Contains("</b><span>estimated relative L2 error of u</span>"));
}

TEST_CASE("what a page asks for grows with the run, up to its end", "[apps][serve]") {
  Endless place;
  const Served served(place);
  std::string tag;
  const auto is_new = [&] {
    const std::string now = served.get("/now", tag.empty() ? "" : "If-None-Match: " + tag + "\r\n");
    if (now.starts_with("HTTP/1.1 304")) return false;
    const bool other = tag_of(now) != tag;
    tag = tag_of(now);
    return other && now.find("Losses at the training points") != now.npos &&
           now.find("<b>training</b>") != now.npos;
  };
  for (int k = 0; k < 3; ++k) CHECK(comes_true(is_new));
  CHECK(place.run->stop(SIGTERM).code == 4);
  CHECK_THAT(served.get("/now"), Contains("the run was interrupted, its state is saved"));
  const std::string last = tag_of(served.get("/now"));
  CHECK_THAT(served.get("/now", "If-None-Match: " + last + "\r\n"), StartsWith("HTTP/1.1 304"));
  CHECK_THAT(served.get("/report"), StartsWith("HTTP/1.1 200") && Contains("<h1>small</h1>"));
}

TEST_CASE("who does not read keeps nobody from reading", "[apps][serve]") {
  const Done place;
  Served served(place);
  const std::string host = "Host: 127.0.0.1:" + std::to_string(served.port) + "\r\n\r\n";
  std::vector<std::unique_ptr<Connection>> idle;
  for (int k = 0; k < 40; ++k) {
    idle.push_back(std::make_unique<Connection>(served.port));
    idle.back()->send(k % 2 == 0 ? "GET /report HTTP/1.1\r\n" + host : "GET / HT");
  }
  CHECK_THAT(served.get("/now"), StartsWith("HTTP/1.1 200"));
  const Outcome end = served.program->stop(SIGTERM);
  CHECK(end.code == 0);
}

TEST_CASE("a served page is sent once, whatever parts of it are asked for", "[apps][serve]") {
  const Done place;
  Served served(place);
  std::string parts = "Range: bytes=0-";
  for (int k = 0; k < 2500; ++k) parts += ",0-";
  const std::string whole = served.get("/"),
                    host = "Host: 127.0.0.1:" + std::to_string(served.port);
  std::vector<std::unique_ptr<Connection>> many;
  for (int k = 0; k < 16; ++k) {
    many.push_back(std::make_unique<Connection>(served.port));
    many.back()->send("GET / HTTP/1.1\r\n" + host + "\r\n" + parts + "\r\n\r\n");
  }
  for (const auto& connection : many) CHECK(connection->all() == whole);
  CHECK(served.program->running());
}

TEST_CASE("HEAD of a served page is its head", "[apps][serve]") {
  const Done place;
  const Served served(place);
  const std::string whole = served.get("/");
  CHECK(served.answer("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(served.port) +
                      "\r\n\r\n") == whole.substr(0, whole.find("\r\n\r\n") + 4));
}

TEST_CASE("the head of a request has an end", "[apps][serve]") {
  const Done place;
  const Served served(place);
  CHECK_THAT(served.get("/", "X: " + std::string(7000, 'x') + "\r\n"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(served.get("/", "X: " + std::string(8192, 'x') + "\r\n"), StartsWith("HTTP/1.1 431"));
  std::string many;
  while (many.size() < 9000) many += "X: y\r\n";
  CHECK_THAT(served.get("/", many), StartsWith("HTTP/1.1 431"));
  CHECK_THAT(served.get("/", std::string(100000, 'x')), StartsWith("HTTP/1.1 431"));
}

TEST_CASE("who sends letter by letter is not listened to for long", "[apps][serve]") {
  const Done place;
  const Served served(place);
  const Connection slow(served.port);
  slow.send("GET / HTTP/1.1\r\nX: ");
  int letters = 0;
  while (letters < 2000 && slow.sends("x")) ++letters, ::usleep(50000);
  CHECK(letters < 2000);  // it would be listened to for 100 s
  CHECK_THAT(served.get("/now"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("Ctrl-C ends a served page with a word, and the run goes on", "[apps][serve]") {
  Endless place;
  Served served(place);
  CHECK_THAT(served.first_line, Contains(" follows runs/small; Ctrl-C ends it\n"));
  const Folder elsewhere;  // for what it prints
  const Outcome taken =
      Program("pinn-report",
              {"--serve", place / "runs/small", "--port", std::to_string(served.port)},
              elsewhere.path)
          .wait();
  CHECK(taken.code == 5);
  CHECK_THAT(taken.err, Contains("cannot listen there") && Contains("fix:"));
  served.program->send(SIGINT);
  const Outcome end = served.program->wait();
  CHECK(end.code == 0);
  CHECK_THAT(end.out,
             Contains("\nended: the page is gone, the run and its folder are as they were"));
  CHECK(place.run->running());
  CHECK(place.run->stop(SIGTERM).code == 4);
}

TEST_CASE("a damaged run is followed as far as it goes, and its report says why", "[apps][serve]") {
  const Done place;
  for (const char* name : {"checkpoint.h5", "checkpoint.prev.h5"})
    if (std::filesystem::exists(place / "runs/small/" + name))
      std::filesystem::resize_file(place / "runs/small/" + name, 700);
  place.file("runs/small/status.json", "{\"state\":\"done\",\"stage\":\"<script>x()</script>");
  place.file("runs/small/metrics.jsonl",
             "{\"step\":5,\"stage\":\"<img src=x>\",\"loss\":0.5,\"<b>term\":0.25,"
             "\"unknown:<i>\\\"k\\n\":2,\"seconds\":1}\n{\"step\":6,\"stage");
  const Served served(place);
  const std::string now = served.get("/now");
  CHECK_THAT(now, StartsWith("HTTP/1.1 200") && Contains("&lt;img src=x&gt;") &&
                      Contains("&lt;b&gt;term"));
  for (const char* markup : {"<script>x", "<img", "<b>term", "<i>"})
    CHECK_THAT(now, !Contains(markup));
  CHECK_THAT(served.get("/report"),
             StartsWith("HTTP/1.1 500") && Contains("text/plain") && Contains("fix:"));
}

TEST_CASE("what cannot be served is refused in words", "[apps][serve]") {
  const Done place;
  std::filesystem::create_directory(place / "empty");
  const auto outcome = [&](const std::vector<std::string>& words) {
    return Program("pinn-report", words, place.path).wait();
  };
  CHECK_THAT(outcome({"--serve", "nowhere"}).err, Contains("there is no such folder"));
  CHECK_THAT(outcome({"--serve", "empty"}).err, Contains("the folder holds no run"));
  CHECK(outcome({"--serve", "runs/small", "runs/small"}).code == 2);
  CHECK(outcome({"--serve", "runs/small", "-o", "page.html"}).code == 2);
  CHECK(outcome({"--serve", "runs/small", "--port", "70000"}).code == 2);
  CHECK(outcome({"runs/small", "--port", "8000"}).code == 2);
}
