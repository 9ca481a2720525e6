#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// As much of HTTP/1.1 as a page of this machine needs: texts in, texts out, no connection.
/// Ranges, encodings, bodies of requests and second requests are not spoken.
///
///   source   RFC 9110, RFC 9112
namespace pinn::http {

/// The head of a request.
struct Request {
  std::string method, path;  ///< path: without what stands behind a `?`, as it was sent
  std::vector<std::pair<std::string, std::string>> fields;  ///< names in small letters

  /// The value of a field that is there once; nothing for none, and for several.
  std::optional<std::string> only(std::string_view name) const;
};

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body = nullptr;  ///< connections may share one
  std::vector<std::pair<std::string, std::string>> fields = {};
};

Answer page(std::shared_ptr<const std::string> html);
Answer refusal(int status, const std::string& why);

/// The request of a head that ends with its empty line; nothing where the head is none.
std::optional<Request> parse(std::string_view head);

/// The head of an answer, with the fields that every answer has: what is shown runs nothing of
/// others, is shown within no other page, and kept nowhere; the connection ends behind it.
std::string head_of(const Answer& answer);

}  // namespace pinn::http
