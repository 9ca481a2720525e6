#include "solvers/report/http.h"

#include <fmt/format.h>

#include <algorithm>

namespace pinn::http {
namespace {

constexpr std::pair<const char*, const char*> guards[] = {
    {"Content-Security-Policy",
     "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"}};

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

/// RFC 9110, 5.6.2: what methods and names of fields are made of.
bool is_token(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool is_printed(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return small;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

/// The next line of a text, which goes from it with its end.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 2, text.size()));
  return line;
}

/// "GET /now HTTP/1.1"
bool take_first(std::string_view line, Request& request) {
  const std::size_t one = line.find(' '), two = line.rfind(' ');
  if (one == line.npos || one == two) return false;
  const std::string_view target = line.substr(one + 1, two - one - 1);
  const std::string_view version = line.substr(two + 1);
  request.method = line.substr(0, one);
  request.path = target.substr(0, target.find('?'));
  return is_token(request.method) && target.starts_with('/') && target.find(' ') == target.npos &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

/// "Host: 127.0.0.1:8080"
bool take_field(std::string_view line, Request& request) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) return false;
  request.fields.emplace_back(in_small_letters(line.substr(0, colon)),
                              trimmed(line.substr(colon + 1)));
  return true;
}

}  // namespace

std::optional<std::string> Request::only(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& [field, value] : fields) {
    if (field != name) continue;
    if (found) return {};
    found = value;
  }
  return found;
}

Answer page(std::shared_ptr<const std::string> html) {
  return {200, "text/html; charset=utf-8", std::move(html)};
}

Answer refusal(int status, const std::string& why) {
  Answer answer;
  answer.status = status;
  answer.body = std::make_shared<const std::string>(why + "\n");
  return answer;
}

std::optional<Request> parse(std::string_view head) {
  Request request;
  const std::string_view first = next_line(head);
  if (!is_printed(first) || !take_first(first, request)) return {};
  for (std::string_view line; !(line = next_line(head)).empty();)
    if (!is_printed(line) || !take_field(line, request)) return {};
  return request;
}

std::string head_of(const Answer& answer) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
  for (const auto& [name, value] : guards) text += fmt::format("{}: {}\r\n", name, value);
  for (const auto& [name, value] : answer.fields) text += fmt::format("{}: {}\r\n", name, value);
  if (answer.body)
    text +=
        fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", answer.type, answer.body->size());
  return text + "\r\n";
}

}  // namespace pinn::http
