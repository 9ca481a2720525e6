#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace pinn::mesh {

/// The bytes of a file, and how it is said what is wrong with them. A file that somebody else made
/// is read by what its length vouches for: a count that it states takes no memory by itself.
struct Source {
  std::string path;
  std::string_view bytes;

  /// Throws the ConfigError for what stands at a byte of a text: with line, column and the line.
  [[noreturn]] void refuse(const std::string& what, std::size_t at, const std::string& fix) const;
  /// Throws the ConfigError for a byte that is no text.
  [[noreturn]] void refuse_byte(const std::string& what, std::size_t at,
                                const std::string& fix) const;
};

/// The words of a text, one after the other: what blanks and ends of lines separate.
class Words {
 public:
  explicit Words(const Source& source, std::size_t at = 0) : source_(source), at_(at) {}

  /// The next word; "" at the end.
  std::string_view next();
  /// The next word of this line; "" at its end, where the place stays.
  std::string_view next_here();
  /// The rest of the line, without blanks around it; the place moves to the next line.
  std::string_view rest_of_line();
  /// The next word as a finite number; `what` names it.
  double number(const char* what);
  /// The next word as a whole number from `least` to `most`.
  std::int64_t whole(const char* what, std::int64_t least, std::int64_t most);
  /// As `whole`, of a count of things that take `bytes` bytes each at least.
  std::size_t count(const char* what, std::size_t bytes);
  /// Refuses the last word, or the end of the file where there was none.
  [[noreturn]] void refuse(const std::string& what, const std::string& fix) const;

  std::size_t at() const { return at_; }
  std::size_t begin() const { return begin_; }  ///< of the last word
  void go_to(std::size_t at) { at_ = at; }

 private:
  std::string_view word();

  const Source& source_;
  std::size_t at_, begin_ = 0;
};

/// A finite number that fills a word; false otherwise.
bool read_number(std::string_view word, double& value);

/// Numbers of fixed sizes, one after the other.
class Binary {
 public:
  Binary(const Source& source, std::size_t at, bool swapped = false)
      : source_(&source), at_(at), swapped_(swapped) {}

  template <class T> T take(const char* what) {
    if (left() < sizeof(T)) refuse_end(what);
    T value;
    std::memcpy(&value, source_->bytes.data() + at_, sizeof(T));
    at_ += sizeof(T);
    if (swapped_ && sizeof(T) > 1) {
      char* const bytes = reinterpret_cast<char*>(&value);
      for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    }
    return value;
  }
  /// Refuses a count of things that take `bytes` bytes each and are not all there.
  void expect(std::uint64_t count, std::size_t bytes, const char* what) const;
  void skip(std::uint64_t bytes, const char* what);
  [[noreturn]] void refuse(const std::string& what, const std::string& fix) const;

  std::size_t at() const { return at_; }
  std::size_t left() const { return source_->bytes.size() - at_; }

 private:
  [[noreturn]] void refuse_end(const char* what) const;

  const Source* source_;
  std::size_t at_;
  bool swapped_;
};

}  // namespace pinn::mesh
