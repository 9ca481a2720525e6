#include "solvers/source/fmu/fmu_file.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "data/files/process.h"

namespace pinn {
namespace {

/// Folder of this machine's binaries.
std::string platform(int version) {
  utsname machine{};
  ::uname(&machine);
  const std::string name = machine.machine;
  return version == 2 && name == "x86_64" ? "linux64" : name + "-linux";
}

/// Runs the compiler in a folder with the sources.
ProgramEnd compiler(const OwnFolder& folder, const std::string& output,
                    const std::vector<std::string>& more) {
  const std::string file = folder.path() + "/" + output;
  std::vector<std::string> words = {"cc", "-std=c99", "-O3", "-fPIC", "-fvisibility=hidden",
                                    "-o", file};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words, file + ".txt");
}

/// Objects of the functions of fields for x86-64 processors with AVX2 and FMA, under names of their
/// own; none where the compiler knows no such processor.
std::vector<std::string> objects_with_fma(const OwnFolder& folder, const Fmu& fmu) {
  std::vector<std::string> objects = {"-DHAS_FMA"};
  for (const char* of : {"_values", "_jacobian"}) {
    const std::string name = fmu.name + of, object = name + ".o";
    std::vector<std::string> words = {"-mavx2", "-mfma", "-c", folder.path() + "/" + name + ".c"};
    for (const char* function : {"_at", "_block"})
      words.push_back(fmt::format("-D{0}{1}={0}_fma{1}", name, function));
    if (compiler(folder, object, words).code != 0) return {};
    objects.push_back(folder.path() + "/" + object);
  }
  return objects;
}

}  // namespace

std::string add_binary(const Fmu& fmu, FmuFiles& files) {
  const OwnFolder folder;
  for (const auto& [name, text] : files)
    if (name.starts_with("sources/"))
      write_atomically(folder.path() + name.substr(name.rfind('/')), {text});
  std::vector<std::string> words = objects_with_fma(folder, fmu);
  for (const std::string& source : fmu.sources) words.push_back(folder.path() + "/" + source);
  words.insert(words.end(), {"-shared", "-s", "-lm"});
  const std::string binary = fmu.name + ".so";
  const ProgramEnd end = compiler(folder, binary, words);
  if (!end.found) return "the FMU has sources alone: there is no C compiler `cc` on this machine";
  if (end.code != 0)
    return "the FMU has sources alone, for `cc` failed: " + visible(end.output.substr(0, 1000));
  files.push_back({fmt::format("binaries/{}/{}", platform(fmu.version), binary),
                   read_file(folder.path() + "/" + binary)});
  return "";
}

}  // namespace pinn
