#pragma once
#include <fmt/format.h>

#include <limits>
#include <map>

#include "data/geometry/mesh/readers.h"

namespace pinn::mesh {

inline constexpr std::int64_t most_whole = std::numeric_limits<std::int64_t>::max();

/// The numbers of a section, whichever way they are written.
class GmshNumbers {
 public:
  explicit GmshNumbers(const Source& source)
      : source_(source), words_(source), binary_(source, 0) {}

  Words& words() { return words_; }
  bool text() const { return text_; }
  /// From here on as `text` says.
  void begin(bool text) {
    text_ = text;
    binary_ = Binary(source_, words_.at());
  }
  /// Behind what was read as numbers, words again.
  void end() {
    if (!text_) words_.go_to(binary_.at());
  }
  /// A tag or a type: 4 bytes.
  std::int64_t integer(const char* what) {
    return text_ ? words_.whole(what, -most_whole, most_whole) : binary_.take<std::int32_t>(what);
  }
  /// A count or a number of the version 4.1: 8 bytes.
  std::int64_t size(const char* what) {
    return text_ ? words_.whole(what, 0, most_whole)
                 : std::int64_t(binary_.take<std::uint64_t>(what));
  }
  double real(const char* what) {
    const double value = text_ ? words_.number(what) : binary_.take<double>(what);
    if (!std::isfinite(value))
      refuse(fmt::format("{} is {}", what, value),
             "a mesh with such numbers is damaged: export it again");
    return value;
  }
  /// Refuses a count of things of so many numbers each, of so many bytes, that are not all there.
  std::size_t count(std::int64_t count, std::size_t numbers, std::size_t bytes, const char* what) {
    const std::size_t left = source_.bytes.size() - (text_ ? words_.at() : binary_.at());
    const std::size_t each = std::max<std::size_t>(1, text_ ? 2 * numbers : bytes);
    if (count < 0 || std::uint64_t(count) > left / each + 1)
      refuse(fmt::format("the file states {} {}, but only {} bytes follow", count, what, left),
             "the file is cut off, or its counts are wrong: export or copy it again");
    return std::size_t(count);
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& fix) const {
    if (text_) words_.refuse(what, fix);
    binary_.refuse(what, fix);
  }

 private:
  const Source& source_;
  Words words_;
  Binary binary_;
  bool text_ = true;
};

/// Role of an element of a type in a surface.
struct ElementKind {
  int type, nodes, dimension;
  bool curved;
};

/// State of what is read so far.
struct GmshReading {
  explicit GmshReading(const Source& source) : source(source), numbers(source), to(source) {}

  const Source& source;
  GmshNumbers numbers;
  Collector to;
  bool binary = false, is_new = false;                ///< is_new: version 4.1
  std::unordered_map<std::int64_t, int> points = {};  ///< by the number that the file gives
  std::map<std::int64_t, std::string> names = {};     ///< of physical surfaces
  std::map<std::int64_t, std::int64_t> groups = {};   ///< of entities of dimension 2
  std::int64_t bodies = 0;                            ///< elements of volume

  /// The kind of a type; refuses one that is curved, or unknown.
  ElementKind kind(std::int64_t type) const;
  void enter_group(std::int64_t group);
  void add_point(std::int64_t number);
  /// The element whose nodes follow.
  void add_element(const ElementKind& kind);
};

/// The sections of the version 2.2.
void read_old_nodes(GmshReading& in);
void read_old_elements(GmshReading& in);

/// The sections of the version 4.1.
void read_new_entities(GmshReading& in);
void read_new_nodes(GmshReading& in);
void read_new_elements(GmshReading& in);

}  // namespace pinn::mesh
