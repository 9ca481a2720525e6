#include <fmt/format.h>

#include <algorithm>
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

/// The files that it reads: texts that end as their names do, but for those in comments.
std::string files_of(const std::string& text) {
  std::string files;
  const std::regex named("\"([^\"\n]*\\.(h5|csv|stl|obj|ply|msh))\"");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, std::min(text.find('#', at), end) - at);
    for (std::sregex_iterator one(line.begin(), line.end(), named), none; one != none; ++one)
      if (const std::string file = (*one)[1]; files.find(file) == files.npos)
        files += (files.empty() ? "" : ", ") + file;
    at = end + 1;
  }
  return files;
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
  throw ConfigError({fmt::format("there is no example {}", quoted(name)), "--example",
                     near.empty() ? "pinn-train --examples lists them"
                                  : fmt::format("did you mean {}?", quoted(near))});
}

}  // namespace pinn::config
