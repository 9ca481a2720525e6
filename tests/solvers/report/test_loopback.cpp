// The server of a page: what it takes for a request, and what becomes of exceptions.
#include "solvers/report/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <new>

#include "autograd/core/error.h"
#include "tests/catch.h"

using namespace pinn;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string answer_of(int port, const std::string& request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(std::uint16_t(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  REQUIRE(::send(socket, request.data(), request.size(), MSG_NOSIGNAL) == ssize_t(request.size()));
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
    text.append(buffer, std::size_t(count));
  ::close(socket);
  return text;
}

}  // namespace

TEST_CASE("a request has a method, a path and fields", "[solvers][report]") {
  const auto request =
      http::parse("GET /now?x=1 HTTP/1.1\r\nHost:  a:1 \r\nX-y: \r\nhost: b\r\nETAG: c\r\n\r\n");
  REQUIRE(request);
  CHECK(request->method == "GET");
  CHECK(request->path == "/now");
  CHECK(request->fields.size() == 4);
  CHECK(request->only("x-y") == "");
  CHECK(request->only("etag") == "c");
  CHECK_FALSE(request->only("host"));  // there are two
  CHECK_FALSE(request->only("none"));
}

TEST_CASE("what is no request is none", "[solvers][report]") {
  using std::string_literals::operator""s;
  const std::string& head = GENERATE(values<std::string>(
      {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n",
       "GET / / HTTP/1.1\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
       " GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n",
       "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\n: a\r\n\r\n",
       "GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n", "GET / HTTP/1.1\r\nX: a\nHost: b\r\n\r\n",
       "GET / HTTP/1.1\r\nX: a\0\r\n\r\n"s, "G\tT / HTTP/1.1\r\n\r\n"}));
  CHECK_FALSE(http::parse(head));
}

TEST_CASE("an exception becomes an answer, and the server goes on", "[solvers][report]") {
  const LoopbackServer server(0, [](const http::Request& asked) -> http::Answer {
    if (asked.path == "/memory") throw std::bad_alloc();
    if (asked.path == "/number") throw 7;
    if (asked.path == "/error") throw FileError({"it is damaged", "there", "mend it"});
    return http::page(std::make_shared<const std::string>("well"));
  });
  const auto get = [&](const std::string& path) {
    return answer_of(server.port(), "GET " + path + " HTTP/1.1\r\n\r\n");
  };
  CHECK_THAT(get("/memory"), StartsWith("HTTP/1.1 500") && Contains("bad_alloc"));
  CHECK_THAT(get("/number"), StartsWith("HTTP/1.1 500") && Contains("cannot be made"));
  CHECK_THAT(get("/error"), StartsWith("HTTP/1.1 500") && Contains("fix:   mend it"));
  CHECK_THAT(get("/"), StartsWith("HTTP/1.1 200") && Contains("\r\n\r\nwell"));
}
