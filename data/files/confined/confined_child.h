#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "data/files/confined/confined.h"

namespace pinn {

/// Numbers and texts as bytes, one after the other.
class Packer {
 public:
  Packer& number(std::uint64_t n) {
    bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
    return *this;
  }
  Packer& text(std::string_view t) {
    number(t.size());
    bytes_.append(t);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// The same, taken out again in the same order. `refuse` throws when there is less than asked for.
class Unpacker {
 public:
  Unpacker(std::string_view bytes, std::function<void()> refuse)
      : rest_(bytes), refuse_(std::move(refuse)) {}

  std::uint64_t number() {
    std::uint64_t n = 0;
    std::memcpy(&n, taken(sizeof n).data(), sizeof n);
    return n;
  }
  std::string text() { return std::string(taken(number())); }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view taken(std::uint64_t size) {
    if (size > rest_.size()) refuse_();
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }

  std::string_view rest_;
  std::function<void()> refuse_;
};

}  // namespace pinn

namespace pinn::confined {

/// Head of an answer: whether its words are those of an error, and its sizes in bytes.
struct Head {
  std::uint64_t failed, words, numbers;
};

/// Gives up what a forked process holds and may do, and answers requests until there are no more.
[[noreturn]] void run(int socket, const Allowance& allowance,
                      const std::function<Confined::Answerer()>& open) noexcept;

/// Forbids all calls to the system but those by which a process reads files, takes memory and
/// answers. Does nothing where the system cannot do that.
void forbid_calls();

}  // namespace pinn::confined
