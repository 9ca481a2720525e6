#pragma once
#include <string>

namespace pinn {

/// Where something stands in a file the user wrote.
struct Place {
  std::string file;       ///< as the user named it; "--set" for an override
  int line = 0;           ///< from 1; 0 when unknown
  int column = 0;         ///< from 1, in code points
  std::string line_text;  ///< the whole line, for the excerpt; may be empty
};

/// A piece of text together with its place.
struct Text {
  std::string value;
  Place place;           ///< of the first character of value
  bool verbatim = true;  ///< true: character i of value stands at column + i (no escapes, one line)
};

/// "file:line:column"
std::string to_string(const Place& place);

/// The line of the file with `^^^^` under `width` characters starting at the place.
std::string excerpt(const Place& place, int width = 1);

/// The place of character `offset` (in bytes) of a text, as exactly as it is known.
Place place_at(const Text& text, std::size_t offset);

}  // namespace pinn
