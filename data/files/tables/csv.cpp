#include "data/files/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "autograd/core/error.h"
#include "data/files/disk.h"

namespace pinn {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t(1) << 30;

std::string text_of(const std::string& path) {
  return read_file(path, most_bytes, "leave columns or rows out, or write the table as HDF5");
}

/// A cell of a line, without its quotes and the blanks around it.
struct Cell {
  std::string text;
  std::size_t offset;  ///< in bytes, of its first character in the line
};

struct Line {
  std::string_view text;
  std::string file;
  int number = 0;

  [[noreturn]] void refuse(const std::string& what, std::size_t offset,
                           const std::string& fix) const {
    const std::string shown(text.size() <= 200 ? text : "");
    const Place place = place_at({std::string(text), {file, number, 1, shown}}, offset);
    throw ConfigError({what, to_string(place), fix, excerpt(place)});
  }
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The cell in quotes that begins at `at`; "" inside stands for one quote. Moves `at` behind it.
Cell quoted_cell(const Line& line, std::size_t& at) {
  Cell cell{"", at};
  for (std::size_t i = at + 1; i < line.text.size(); ++i) {
    if (line.text[i] != '"') {
      cell.text += line.text[i];
    } else if (line.text.substr(i + 1, 1) == "\"") {
      cell.text += line.text[i++];
    } else {
      at = std::min(line.text.find_first_not_of(" \t\r", i + 1), line.text.size());
      if (at < line.text.size() && line.text[at] != ',')
        line.refuse("something follows the closing quote", at, "put a comma after the quoted cell");
      return cell;
    }
  }
  line.refuse("this quote is never closed", at, "close the quote on the same line");
}

/// The cells of a line, in the place of those of the one before.
void split(const Line& line, std::vector<Cell>& cells) {
  cells.clear();
  for (std::size_t at = 0;; ++at) {
    const std::size_t begin = std::min(line.text.find_first_not_of(" \t\r", at), line.text.size());
    if (line.text.substr(begin, 1) == "\"") {
      at = begin;
      cells.push_back(quoted_cell(line, at));
    } else {
      const std::size_t end = std::min(line.text.find(',', at), line.text.size());
      cells.push_back({std::string(trimmed(line.text.substr(at, end - at))), std::min(begin, end)});
      at = end;
    }
    if (at >= line.text.size()) return;
  }
}

/// A finite number, whatever the locale says of decimal commas.
double number(const Line& line, const Cell& cell, const std::string& column) {
  std::string_view digits = trimmed(cell.text);
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const auto [rest, problem] = std::from_chars(digits.begin(), digits.end(), value);

  const auto is = [&](const std::string& what) {
    return "'" + cell.text.substr(0, 40) + "' in column '" + column + "' is " + what;
  };
  if (digits.empty())
    line.refuse("column '" + column + "' is empty here", cell.offset,
                "fill it in, or remove the row");
  if (problem == std::errc::result_out_of_range ||
      (problem == std::errc() && !std::isfinite(value)))
    line.refuse(is("not a finite number"), cell.offset,
                "remove the row: every number must be finite");
  if (problem != std::errc() || rest != digits.end())
    line.refuse(is("not a number"), cell.offset,
                "write numbers as 1.5 or -2e-3, with a comma only between columns");
  return value;
}

/// True if a cell says that there is no number.
bool is_missing(const Cell& cell) {
  const std::string_view text = trimmed(cell.text);
  return text.empty() || text == "nan" || text == "NaN" || text == "NA";
}

/// The lines of a text that say something, one after the other.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {
    if (rest_.substr(0, 3) == "\xef\xbb\xbf") rest_.remove_prefix(3);
  }
  /// The next line that is neither empty nor a comment; false at the end.
  bool next(Line& line) {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line.text = rest_.substr(0, end), line.number = ++number_;
      if (line.text.substr(line.text.size() - !line.text.empty()) == "\r")
        line.text.remove_suffix(1);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      const std::string_view words = trimmed(line.text);
      if (!words.empty() && words[0] != '#') return true;
    }
    return false;
  }

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// The names in the header line, each once.
std::vector<std::string> header(const Line& line) {
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;  // there may be very many
  std::vector<Cell> cells;
  split(line, cells);
  for (const Cell& cell : cells) {
    if (!taken.insert(cell.text).second)
      line.refuse("column '" + cell.text + "' occurs twice", cell.offset,
                  "give each column its own name");
    names.push_back(cell.text);
  }
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Position of each wanted column in the header.
std::vector<std::size_t> positions(const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& present, const Line& line) {
  std::unordered_map<std::string, std::size_t> position;
  for (std::size_t i = 0; i < present.size(); ++i) position[present[i]] = i;
  std::vector<std::size_t> found;
  for (const std::string& name : wanted) {
    const auto at = position.find(name);
    if (at == position.end())
      line.refuse("there is no column '" + name + "'", 0, "name one of: " + listed(present));
    found.push_back(at->second);
  }
  return found;
}

/// Moves on to the line with the names, which a file must have.
void first_line(Lines& lines, Line& line) {
  if (!lines.next(line))
    throw ConfigError({"the file holds no line with column names", line.file,
                       "begin the file with a line such as: x,t,u"});
}

}  // namespace

std::vector<std::string> csv_names(const std::string& path) {
  const std::string text = text_of(path);
  Lines lines(text);
  Line line{"", path};
  first_line(lines, line);
  return header(line);
}

Table read_csv(const std::string& path, const std::vector<std::string>& names, bool missing) {
  const std::string text = text_of(path);
  Lines lines(text);
  Line line{"", path};
  first_line(lines, line);
  const std::vector<std::string> present = header(line);
  Table table{names.empty() ? present : names, {}, 0};
  const std::vector<std::size_t> position = positions(table.names, present, line);
  table.columns.resize(table.names.size());
  std::vector<Cell> cells;
  for (; lines.next(line); ++table.rows) {
    split(line, cells);
    if (cells.size() != present.size())
      line.refuse(fmt::format("this row has {} cells, but there are {} columns", cells.size(),
                              present.size()),
                  cells.back().offset, "the columns are: " + listed(present));
    for (std::size_t i = 0; i < position.size(); ++i)
      table.columns[i].push_back(missing && is_missing(cells[position[i]])
                                     ? std::nan("")
                                     : number(line, cells[position[i]], table.names[i]));
  }
  if (table.rows == 0)
    throw ConfigError(
        {"the file has column names but no row of numbers", path, "add the data below them"});
  return table;
}

}  // namespace pinn
