#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "autograd/core/error.h"
#include "configs/examples.h"
#include "solvers/problem/mistakes.h"

namespace pinn::config {
namespace {

/// The first sentence of the comment that a file begins with.
std::string title_of(const std::string& text) {
  std::string title;
  for (std::size_t at = 0; text.compare(at, 2, "# ") == 0;) {
    const std::size_t end = text.find('\n', at);
    title += (title.empty() ? "" : " ") + text.substr(at + 2, end - at - 2);
    if (title.ends_with('.')) break;
    at = end + 1;
  }
  const std::size_t sentence = title.find(". ");
  return sentence == title.npos ? title : title.substr(0, sentence + 1);
}

/// The names of files that a text holds outside of comments: where they begin, and how long they
/// are.
struct Span {
  std::size_t at = 0, length = 0;
};

std::vector<Span> file_names(const std::string& text) {
  std::vector<Span> names;
  const std::regex named("\"([^\"\n]*\\.(h5|csv|stl|obj|ply|msh))\"");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, std::min(text.find('#', at), end) - at);
    for (std::sregex_iterator one(line.begin(), line.end(), named), none; one != none; ++one)
      names.push_back({at + std::size_t(one->position(1)), std::size_t(one->length(1))});
    at = end + 1;
  }
  return names;
}

/// The files that it reads, between commas.
std::string files_of(const std::string& text) {
  std::string files;
  for (const auto& [at, length] : file_names(text))
    if (const std::string file = text.substr(at, length); files.find(file) == files.npos)
      files += (files.empty() ? "" : ", ") + file;
  return files;
}

/// True if a text may stand in quotes as it is.
bool is_plain(const std::string& text) {
  return std::ranges::none_of(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '"' || c == '\\'; });
}

}  // namespace

std::string examples_as_text() {
  std::string text;
  for (const Example& e : examples()) {
    const std::string files = files_of(e.text);
    text += fmt::format("{:<18}{}{}\n", e.name, title_of(e.text),
                        files.empty() ? "" : " (reads " + files + ")");
  }
  return text;
}

const std::string& example_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Example& e : examples()) {
    if (e.name == name) return e.text;
    names.push_back(e.name);
  }
  const std::string near = nearest(name, names);
  throw ConfigError({fmt::format("there is no example {}", pinn::quoted(name)), "--example",
                     near.empty() ? "pinn-train --examples lists them"
                                  : fmt::format("did you mean {}?", pinn::quoted(near))});
}

std::string with_files_from(const std::string& folder, std::string text) {
  if (folder.empty()) return text;
  std::vector<Span> names = file_names(text);
  std::ranges::reverse(names);  // a longer name moves what stands behind it
  for (const auto& [at, length] : names) {
    const std::filesystem::path path =
        (std::filesystem::path(folder) / text.substr(at, length)).lexically_normal();
    std::error_code failed;
    if (std::filesystem::exists(path, failed) && is_plain(path.string()))
      text.replace(at, length, path.string());
  }
  return text;
}

}  // namespace pinn::config
