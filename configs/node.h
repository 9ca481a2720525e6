#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/core/error.h"

namespace pinn::config {

/// A file, or one argument of the command line, cut into lines.
struct Source {
  std::string name;                ///< as the user wrote it
  std::vector<std::string> lines;  ///< without line ends
  int first_line = 1;              ///< the number of lines[0]: of the third --set 3; of a flag 0
  int rank = 0;                    ///< mistakes in sources of lower rank are listed first
};

std::shared_ptr<const Source> make_source(std::string name, std::string_view text,
                                          int first_line = 1, int rank = 0);

struct Entry;

/// A TOML value that knows its place. Tables keep the order of the file.
struct Node {
  enum Kind : unsigned {
    boolean = 1,
    integer = 2,
    number = 4,
    string = 8,
    date = 16,
    array = 32,
    table = 64
  };
  Kind kind = table;
  bool truth = false;
  std::int64_t whole = 0;
  double real = 0;  ///< also set for an integer
  std::string text;
  std::vector<Node> items;     ///< of an array
  std::vector<Entry> entries;  ///< of a table
  std::shared_ptr<const Source> source;
  int line = 0, column = 0;  ///< of its first character; line 0: not from any source
  int width = 1;             ///< characters to underline
  bool sound = true;         ///< false: a mistake has been reported, do not read on

  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  /// The value of "schedule.kind", table by table; null where there is none or it is not sound.
  const Node* at(std::string_view path) const;
};

struct Entry {
  std::string key;
  Node value;
  int line = 0, column = 0;  ///< of the key, in value.source
};

/// "a string", "an integer" ...
std::string described(Node::Kind kind);

/// The place of a value; without an excerpt where the line is very long.
Place place(const Node& node);
/// The place of a character of a source.
Place place(const Source& source, int line, int column);

/// A string with its place; character by character where it is written without escapes.
Text text(const Node& string);

/// A key with its place.
Text key_text(const Entry& entry);

/// A value as TOML, on one line.
std::string to_toml(const Node& node);
/// A number that reads back to the same bits, and never as an integer.
std::string to_toml(double number);
/// A quoted string.
std::string to_toml(std::string_view text);
/// A key, quoted where it has to be.
std::string key_to_toml(std::string_view key);

}  // namespace pinn::config
