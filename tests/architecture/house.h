#pragma once
#include <map>
#include <string>
#include <vector>

/// One row of the table of rooms in docs/architecture.md.
struct Room {
  std::string name;                      ///< its folder
  std::vector<std::string> may_include;  ///< rooms; "solvers/*" means all that begin so
  std::vector<std::string> home_of;      ///< outside libraries, by name
  bool open = false;                     ///< may include everything
};

/// One row of the table of outside libraries.
struct Library {
  std::string name;
  std::vector<std::string> prefixes;  ///< what the names of its headers begin with
  bool everywhere = false;            ///< every room is its home
};

/// The two tables of docs/architecture.md.
struct House {
  std::vector<Room> rooms;  ///< from the ground up
  std::vector<Library> libraries;
};

/// Reads the tables out of the page's text.
House read_house(const std::string& markdown);

/// The room in which a file stands, the one with the longest name that fits; null: in none.
const Room* room_of(const House& house, const std::string& path);

/// May a file of this room include a file of that one?
bool may_include(const Room& room, const std::string& other);

/// Violations in one file: a line "PATH:LINE: ..." for each #include that crosses a wall, each of
/// which says what would be allowed, and one for a program in apps/ of 150 lines or more.
std::vector<std::string> violations(const House& house, const std::string& path,
                                    const std::string& text);

/// Circles of includes among the shelves of one room, the room's own folder one of them, and among
/// files, as lines "A -> B -> A". `texts`: of the files by path.
std::vector<std::string> circles(const House& house,
                                 const std::map<std::string, std::string>& texts);
