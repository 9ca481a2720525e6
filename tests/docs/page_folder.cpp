#include "tests/docs/page_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "data/files/disk.h"
#include "data/files/h5_writer.h"
#include "tests/docs/problem_text.h"

namespace fs = std::filesystem;

namespace {

const char* shortened =
    "#!/bin/sh\n"
    "file=\n"
    "for word; do\n"
    "  case $word in\n"
    "    --check | --points | --completion | --new) exec PROGRAM \"$@\" ;;\n"
    "    *.toml) file=$word ;;\n"
    "  esac\n"
    "done\n"
    "if [ ! -f \"$file\" ]; then  # a run goes on, with a step more instead of many\n"
    "  for word; do\n"
    "    case $word in stage.*.steps=*) set -- \"$@\" --set \"${word%%=*}=6\" ;; esac\n"
    "  done\n"
    "  exec PROGRAM \"$@\"\n"
    "fi\n"
    "stages=$(grep -c '^\\[\\[stage\\]\\]' \"$file\")\n"
    "if [ \"$stages\" = 0 ]; then\n"
    "  PROGRAM \"$@\" TRUST --max-time 0.3\n"
    "  code=$?\n"
    "  [ $code != 4 ] || exit 0\n"
    "  exit $code\n"
    "fi\n"
    "for stage in $(seq \"$stages\"); do set -- \"$@\" --set \"stage.$stage.steps=5\"; done\n"
    "exec PROGRAM \"$@\" TRUST\n";

const char* whole = "#!/bin/sh\nexec PROGRAM \"$@\"\n";

/// Not every machine has one: the program alone, with its arguments, stands for all ranks.
const char* launcher =
    "#!/bin/sh\n"
    "while [ \"${1#pinn-}\" = \"$1\" ]; do shift; done\n"
    "exec \"$@\"\n";

/// Its members are shortened, too.
const char* shortened_sweep =
    "#!/bin/sh\nexec PROGRAM \"$@\" --pinn-train \"${0%/*}/pinn-train\"\n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t i = 0; (i = text.find(what, i)) != std::string::npos; i += by.size())
    text.replace(i, what.size(), by);
  return text;
}

/// An array over y and x, as an HDF5 file.
std::string table_of(const std::string& name) {
  const std::vector<double> axis = {0, 0.25, 0.5, 0.75, 1};
  std::vector<double> values;
  for (const double y : axis)
    for (const double x : axis) values.push_back(1 + x * y);
  pinn::H5Writer file;
  file.array("/x", axis);
  file.array("/y", axis);
  file.array(name, {5, 5}, values.data());
  return file.image();
}

}  // namespace

std::string files_of(const std::string& page) {
  std::string name = page.substr(page.find("docs/") == 0 ? 5 : 0);
  name = name.substr(0, name.size() - 3);
  std::replace(name.begin(), name.end(), '/', '_');
  return std::string(PINN_SOURCE_DIR) + "/tests/docs/pages/" + name;
}

PageFolder::PageFolder(const std::string& page, Steps steps) {
  if (fs::is_directory(files_of(page))) fs::copy(files_of(page), folder_.path);
  for (const char* table : {"ground.h5", "start.h5"})
    write(table, table_of(table[0] == 'g' ? "/a" : "/T0"));
  const std::string root = PINN_SOURCE_DIR;
  fs::create_directory_symlink(root + "/data", folder_ / "data");
  fs::create_directory(folder_ / "configs");
  for (const fs::directory_entry& file : fs::directory_iterator(root + "/configs"))
    if (file.is_regular_file())
      fs::create_symlink(file.path(), fs::path(folder_ / "configs") / file.path().filename());
  fs::create_directory(folder_ / ".bin");
  for (const char* program : {"pinn-export", "pinn-report", "pinn-reference", "pinn-verify"})
    fs::create_symlink(std::string(PINN_BINARY_DIR) + "/" + program,
                       folder_ / (std::string(".bin/") + program));
  // what estimates take is most of so few steps; the pages that tell of them have them
  const bool estimates = page.find("trust") != page.npos || page.find("tutorial") != page.npos;
  const std::string trained = replaced(steps == Steps::all ? whole : shortened, "PROGRAM",
                                       "'" + std::string(PINN_BINARY_DIR) + "/pinn-train'");
  write(".bin/pinn-train", replaced(trained, "TRUST", estimates ? "" : "--set output.trust=false"));
  write(".bin/pinn-sweep",
        replaced(shortened_sweep, "PROGRAM", "'" + std::string(PINN_BINARY_DIR) + "/pinn-sweep'"));
  write(".bin/mpirun", launcher);
  for (const char* program : {".bin/pinn-train", ".bin/pinn-sweep", ".bin/mpirun"})
    fs::permissions(folder_ / program, fs::perms::owner_all);
}

void PageFolder::write(const std::string& name, const std::string& text) const {
  folder_.file(name, text);
}
bool PageFolder::has(const std::string& name) const { return fs::exists(folder_ / name); }
std::string PageFolder::read(const std::string& name) const {
  return pinn::read_file(folder_ / name);
}

std::string PageFolder::written(const pages::Block& block) const {
  std::string name = "block_" + std::to_string(block.line) + ".toml", text = block.text;
  if (!block.title.starts_with("in ")) {
    if (!block.title.empty()) name = block.title;
  } else {
    const std::size_t comma = std::min(block.title.find(", "), block.title.size());
    std::string whole = block.title.substr(3, comma - 3);
    const std::string table = block.title.substr(std::min(comma + 2, block.title.size()));
    if (!has(whole)) {  // a shipped problem, which lies where its paths mean something
      whole = "configs/" + whole;
      name = "configs/" + name;
    }
    if (!has(whole)) throw std::runtime_error("there is no " + whole);
    text = with_part(read(whole), text, table);
  }
  write(name, text);
  return name;
}

std::string PageFolder::told_by(const std::string& shell, const std::string& name) const {
  const std::string command = "cd '" + folder_.path + "' && PATH=\"$PWD/.bin:$PATH\" timeout 300 " +
                              shell + " ./" + name + " > .told 2>&1 < /dev/null";
  const int code = std::system(command.c_str());
  return code == 0 ? "" : "status " + std::to_string(code) + "\n" + read(".told");
}
