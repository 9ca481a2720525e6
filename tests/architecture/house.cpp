#include "tests/architecture/house.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace {

constexpr int longest_program = 149;  // lines

bool begins_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

bool contains(const std::vector<std::string>& list, const std::string& entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

/// All matches of the first group of a pattern.
std::vector<std::string> all(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// `autograd/ops` `models` -> {autograd/ops, models}
std::vector<std::string> quoted(const std::string& cell) {
  static const std::regex name("`([^`]+)`");
  return all(cell, name);
}

/// Eigen, intrinsics -> {Eigen, intrinsics}
std::vector<std::string> listed(const std::string& cell) {
  static const std::regex name("([^ ,]+)");
  return all(cell, name);
}

/// The cells of "| a | b |", or nothing for a line that is no row.
std::vector<std::string> cells(const std::string& line) {
  static const std::regex cell("([^|]*)\\|");
  return begins_with(line, "| ") ? all(line.substr(1), cell) : std::vector<std::string>{};
}

Room room_from(const std::vector<std::string>& row) {
  const bool open = row[2].find("everything") != std::string::npos;
  return {quoted(row[0]).at(0), quoted(row[2]), listed(row[3]), open};
}

Library library_from(const std::vector<std::string>& row) {
  return {listed(row[0]).at(0), quoted(row[1]), row[2].find("everywhere") != std::string::npos};
}

const Library* library_of(const House& house, const std::string& header) {
  for (const Library& library : house.libraries)
    for (const std::string& prefix : library.prefixes)
      if (begins_with(header, prefix)) return &library;
  return nullptr;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string homes_of(const House& house, const std::string& library) {
  std::vector<std::string> homes;
  for (const Room& room : house.rooms)
    if (contains(room.home_of, library)) homes.push_back(room.name);
  return joined(homes);
}

/// Violation by #include "path", or nothing.
std::string wrong_with_ours(const House& house, const Room& room, const std::string& path) {
  const Room* other = room_of(house, path);
  if (!other)
    return fmt::format("\"{}\" is in no room; name it from the root of the repository", path);
  if (may_include(room, other->name)) return "";
  std::vector<std::string> allowed = room.may_include;
  allowed.insert(allowed.begin(), "autograd/core");
  return fmt::format("{} may not include \"{}\"; it may include {}", room.name, path,
                     joined(allowed));
}

/// True if a room asks of devices only what the door offers.
bool behind_door(const Room& room) { return !room.open && !begins_with(room.name, "autograd"); }

/// Violation by #include <header>, or nothing.
std::string wrong_with_outside(const House& house, const Room& room, const std::string& header) {
  if (header.find_first_of("./") == std::string::npos) return "";  // the standard library
  const Library* library = library_of(house, header);
  if (!library) return fmt::format("<{}> is of no library that docs/architecture.md lists", header);
  if (room.open || library->everywhere || contains(room.home_of, library->name)) return "";
  return fmt::format("<{}> belongs to {}, whose home is {}", header, library->name,
                     homes_of(house, library->name));
}

}  // namespace

House read_house(const std::string& markdown) {
  House house;
  std::string table;  // the first word of its heading
  for (const std::string& line : lines_of(markdown)) {
    const std::vector<std::string> row = cells(line);
    if (row.empty()) {
      if (!begins_with(line, "|-")) table = "";
    } else if (table.empty()) {
      table = listed(row[0]).at(0);
    } else if (table == "room") {
      house.rooms.push_back(room_from(row));
    } else if (table == "library") {
      house.libraries.push_back(library_from(row));
    }
  }
  return house;
}

const Room* room_of(const House& house, const std::string& path) {
  const Room* best = nullptr;
  for (const Room& room : house.rooms)
    if (begins_with(path, room.name + "/") && (!best || room.name.size() > best->name.size()))
      best = &room;
  return best;
}

bool may_include(const Room& room, const std::string& other) {
  if (room.open || other == room.name || other == "autograd/core") return true;
  return std::any_of(room.may_include.begin(), room.may_include.end(), [&](const std::string& may) {
    return may == other || (may.back() == '*' && begins_with(other, may.substr(0, may.size() - 1)));
  });
}

std::vector<std::string> violations(const House& house, const std::string& path,
                                    const std::string& text) {
  static const std::regex include("^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">]");
  static const std::regex device("\\b(cpu|cuda)::|namespace (pinn::)?(cpu|cuda)\\b");
  const Room* room = room_of(house, path);
  if (!room) return {path + ":1: this folder is no room; add it to docs/architecture.md"};

  std::vector<std::string> found;
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (behind_door(*room) && std::regex_search(lines[i], match, device))
      found.push_back(
          fmt::format("{}:{}: `{}` is a device's own; ask what autograd/compile.h offers", path,
                      i + 1, match[0].str()));
    if (!std::regex_search(lines[i], match, include)) continue;
    const std::string wrong = match[1] == "\"" ? wrong_with_ours(house, *room, match[2])
                                               : wrong_with_outside(house, *room, match[2]);
    if (!wrong.empty()) found.push_back(fmt::format("{}:{}: {}", path, i + 1, wrong));
  }
  if (room->name == "apps" && lines.size() > longest_program)
    found.push_back(fmt::format("{}:{}: a program has under 150 lines, this one {}", path,
                                longest_program + 1, lines.size()));
  return found;
}

namespace {

using Arrows = std::map<std::string, std::set<std::string>>;

/// Adds the first circle that is found from `at`, if any; `way` is how one came there.
void find_circle(const Arrows& arrows, const std::string& at, std::vector<std::string>& way,
                 std::set<std::string>& done, std::vector<std::string>& found) {
  const auto before = std::find(way.begin(), way.end(), at);
  if (before != way.end()) {
    std::string circle;
    for (auto step = before; step != way.end(); ++step) circle += *step + " -> ";
    found.push_back(circle + at);
    return;
  }
  if (done.count(at) > 0 || arrows.count(at) == 0) return;
  way.push_back(at);
  for (const std::string& next : arrows.at(at)) find_circle(arrows, next, way, done, found);
  way.pop_back();
  done.insert(at);
}

std::vector<std::string> circles_in(const Arrows& arrows) {
  std::vector<std::string> found, way;
  std::set<std::string> done;
  for (const auto& [from, to] : arrows) find_circle(arrows, from, way, done, found);
  return found;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

std::vector<std::string> circles(const House& house,
                                 const std::map<std::string, std::string>& texts) {
  static const std::regex include("(?:^|\n)\\s*#\\s*include\\s*\"([^\"]+)\"");
  Arrows files, shelves;
  for (const auto& [path, text] : texts)
    for (const std::string& other : all(text, include)) {
      files[path].insert(other);
      const bool one_room = room_of(house, path) == room_of(house, other);
      if (one_room && folder_of(path) != folder_of(other))
        shelves[folder_of(path)].insert(folder_of(other));
    }
  std::vector<std::string> found = circles_in(files);
  for (const std::string& circle : circles_in(shelves)) found.push_back(circle);
  return found;
}
