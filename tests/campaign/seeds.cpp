/// campaign-seeds FOLDER: what the fuzzing of each reader begins with, FOLDER/corpus/READER/*, and
/// the dictionaries of the problem file, made of the table of keys.
#include <fmt/format.h>

#include <fstream>
#include <regex>

#include "configs/keys.h"
#include "data/files/h5_writer.h"
#include "data/files/sealed.h"
#include "tests/data/geometry/meshes.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t longest = 8000;  // bytes: what is longer is slow to read and to vary

/// Writes seeds of one reader, numbered.
class Seeds {
 public:
  explicit Seeds(const fs::path& folder) : folder_(folder) { fs::create_directories(folder); }
  void add(std::string_view content) {
    std::ofstream(folder_ / fmt::format("seed-{:04}", count_++), std::ios::binary) << content;
  }

 private:
  const fs::path folder_;
  int count_ = 0;
};

std::vector<std::string> problem_files() {
  std::vector<std::string> texts;
  for (const char* folder : {"/configs", "/tests/configs/bad", "/tests/newcomer"})
    for (const auto& entry : fs::directory_iterator(std::string(PINN_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".toml" && entry.file_size() <= longest)
        texts.push_back(read_file(entry.path().string()));
  return texts;
}

void toml_and_residuals(const fs::path& corpus) {
  Seeds toml(corpus / "toml"), residual(corpus / "residual");
  static const std::regex quoted("\"([^\"\n]{3,})\"");
  for (const std::string& text : problem_files()) {
    toml.add(text);
    for (std::sregex_iterator at(text.begin(), text.end(), quoted), end; at != end; ++at)
      residual.add((*at)[1].str());
  }
  Seeds set(corpus / "set");
  for (const config::Key& key : config::keys())
    set.add(fmt::format("{}={}", std::regex_replace(key.path, std::regex("#"), "1"),
                        config::fallback_text(key)));
}

void dictionaries(const fs::path& folder) {
  std::ofstream words(folder / "toml.dict");
  const auto word = [&](const std::string& text) {
    words << '"' << std::regex_replace(text, std::regex("[\"\\\\]"), "\\$&") << "\"\n";
  };
  for (const config::Section& section : config::sections())
    if (!section.header.empty()) word(section.header);
  for (const config::Key& key : config::keys()) {
    word(key.name() + " = ");
    word(key.path + "=");
    for (const std::string& choice : key.choices) word("\"" + choice + "\"");
  }
  words.close();
  fs::copy_file(folder / "toml.dict", folder / "set.dict", fs::copy_options::overwrite_existing);
}

void tables(const fs::path& corpus) {
  Seeds csv(corpus / "csv");
  csv.add("x,t,u\n0,0,1\n0.5,1,-2.5e-3\n");
  csv.add("\xEF\xBB\xBF# a remark\r\n\"x\", \"a \"\"b\"\"\" ,u\r\n\r\n-1,word,+.5\r\n1,,1e3\r\n");
  csv.add("x,u\n");
  csv.add("x,x\n1,2\n");
  csv.add("x,u\n0,nan\n1,inf\n");
}

/// Columns, a grid with an order, a grid with dimension scales, and what lies beside them.
void arrays(const fs::path& corpus) {
  Seeds hdf5(corpus / "hdf5"), reference(corpus / "reference");
  const std::vector<double> x = {-1, 0, 1}, t = {0, 1}, u = {1, 2, 3, 4, 5, 6};
  const auto add = [&](const H5Writer& file) {
    hdf5.add(file.image());
    reference.add(file.image());
  };
  H5Writer columns;
  for (const char* name : {"x", "t", "u"}) columns.array(std::string("/") + name, x);
  add(columns);
  H5Writer grid;
  grid.array("/x", x);
  grid.array("/t", t);
  grid.array("/u", {3, 2}, u.data(), Packing::compressed);
  grid.text_attribute("/", "order", "x t");
  grid.number_attribute("/", "error_bound", 1e-9);
  add(grid);
  H5Writer scaled;
  scaled.array("/x", x);
  scaled.array("/t", t);
  scaled.array("/u", {3, 2}, u.data());
  scaled.scale("/x", "x");
  scaled.scale("/t", "t");
  scaled.attach_scale("/u", 0, "/x", "x");
  scaled.attach_scale("/u", 1, "/t", "t");
  scaled.text("/note", "words");
  scaled.array("/group/deep", std::vector<float>{1, 2});
  scaled.array("/group/whole", std::vector<std::int64_t>{1, 2});
  add(scaled);
}

/// A body with patches and one without, in all formats.
void meshes(const fs::path& corpus) {
  Seeds stl(corpus / "stl"), obj(corpus / "obj"), ply(corpus / "ply"), gmsh(corpus / "gmsh");
  for (const SurfaceMesh& mesh : {box_mesh(), sphere_mesh(0)}) {
    stl.add(stl_text(mesh)), stl.add(stl_binary(mesh));
    obj.add(obj_text(mesh));
    for (const Bytes bytes : {Bytes::text, Bytes::little, Bytes::big})
      ply.add(ply_file(mesh, bytes));
    for (const bool binary : {false, true})
      gmsh.add(gmsh_2_file(mesh, binary)), gmsh.add(gmsh_4_file(mesh, binary));
  }
}

/// A run with all that a state can hold.
void run(const fs::path& corpus, const fs::path& folder) {
  Run run = inverse_run({stage("adam", 4), stage("ssbroyden", 2), stage("lbfgs", 2)});
  run.networks[0].layers = {2};
  const std::string place = (folder / "seed-run").string();
  fs::remove_all(place);
  train(run, request(place));
  Seeds(corpus / "checkpoint").add(read_sealed(place + "/" + checkpoint_name).image);
  std::string answers(1 + 12 * 4, '\0');  // a seed, and four edits of answers
  Seeds(corpus / "answers").add(answers);
  Seeds json(corpus / "json");
  json.add(read_file(place + "/status.json"));
  json.add(read_file(place + "/metrics.jsonl"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "usage: campaign-seeds FOLDER\n"), 2;
  const fs::path folder = argv[1], corpus = folder / "corpus";
  fs::create_directories(corpus);
  toml_and_residuals(corpus);
  dictionaries(folder);
  tables(corpus);
  arrays(corpus);
  meshes(corpus);
  run(corpus, folder);
}
