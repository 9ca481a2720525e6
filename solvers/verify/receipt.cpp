#include "solvers/verify/receipt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "autograd/core/version.h"
#include "data/files/h5_reader.h"
#include "data/files/h5_writer.h"
#include "data/files/sealed.h"
#include "solvers/state/windows.h"

namespace pinn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t(64) << 20;  ///< of all files
constexpr int most_steps_up = 8;                           ///< of "../" in a name

std::vector<std::uint64_t> as_words(const std::string& bytes) {
  std::vector<std::uint64_t> words(bytes.size() / 8 + 1);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::string as_bytes(const std::vector<std::uint64_t>& words, std::size_t size,
                     const std::string& path) {
  if (size / 8 + 1 != words.size())
    throw FileError({"the receipt is damaged: a file in it has another length than it says", path,
                     "ask for it anew"});
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), words.data(), size);
  return bytes;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

/// The arrays of a network that people read have to be its parameters.
void require_same_network(const H5Reader& file, const std::string& group,
                          const std::vector<ParameterBlock>& blocks,
                          std::span<const double> parameters, const std::string& path) {
  for (const ParameterBlock& block : blocks) {
    const std::vector<double> values = file.read<double>(group + "/" + block.name).values;
    if (std::size_t(block.offset) + values.size() > parameters.size() ||
        !std::equal(values.begin(), values.end(), parameters.begin() + block.offset))
      throw FileError({fmt::format("'{}/{}' is not what its parameters are", group, block.name),
                       path, "ask for the receipt anew"});
  }
}

void require_done(const Run& run, const TrainState& state) {
  if (std::size_t(state.stage) == run.stages.size() &&
      state.finished.size() + 1 == window_count(run) && !state.best.parameters.empty())
    return;
  throw ConfigError({"the run is not done: there is nothing to give a receipt of", run.path,
                     "go on with it: pinn-train RUN --resume"});
}

/// Files by size, the smallest first, as far as they fit.
std::map<std::string, std::string> files_of(const Run& run) {
  require_relative_files(run);
  std::vector<std::pair<std::uintmax_t, std::string>> by_size;
  const fs::path here = fs::path(run.path).parent_path();
  for (const auto& [name, hash] : run.hashes)
    by_size.emplace_back(fs::file_size(here / name), name);
  std::ranges::sort(by_size);
  std::map<std::string, std::string> files;
  std::size_t bytes = 0;
  for (const auto& [size, name] : by_size)
    if ((bytes += size) <= most_bytes) files[name] = read_file((here / name).string());
  return files;
}

/// Place of a file in a folder that is made for it.
fs::path place_of(const std::string& name, const fs::path& below, const fs::path& folder) {
  const fs::path place = (below / name).lexically_normal();
  const std::string inside = folder.lexically_normal().string() + "/";
  if (fs::path(name).is_absolute() || !place.string().starts_with(inside) || !place.has_filename())
    throw ConfigError({fmt::format("the receipt names a file '{}'", name), "",
                       "a file of a receipt stands at a path relative to the problem file"});
  fs::create_directories(place.parent_path());
  return place;
}

}  // namespace

void require_relative_files(const Run& run) {
  for (const auto& [name, hash] : run.hashes)
    if (fs::path(name).is_absolute())
      throw ConfigError({fmt::format("the problem file names '{}' by a path from the root", name),
                         run.path, "a receipt needs one that is relative to the problem file"});
}

Receipt receipt_of(const Run& run, Checkpoint checkpoint, const std::string& file,
                   ThreadPool& pool) {
  require_done(run, checkpoint.state);
  for (OptimizerMemory& memory : checkpoint.state.memory) memory = {{}, {}, memory.moves};
  Claims claims = claims_of(run, checkpoint, file, pool);
  return {std::move(checkpoint), std::move(claims), fmt::format("pinn {}", version()),
          instruction_set(), files_of(run)};
}

void write_receipt(const std::string& path, const Receipt& receipt) {
  const auto add = [&](H5Writer& file) {
    std::string names;
    std::vector<double> values;
    for (const Claim& claim : receipt.claims) {
      names += claim.name + "\n";
      values.push_back(claim.value);
    }
    file.text("/receipt/program", receipt.program);
    file.text("/receipt/instruction_set", receipt.instruction_set);
    file.text("/receipt/claims/names", names);
    file.array("/receipt/claims/values", values);
    file.group("/receipt/files");
    int number = 0;
    for (const auto& [name, content] : receipt.files) {
      const std::string group = fmt::format("/receipt/files/{:03}", ++number);
      file.text(group + "/name", name);
      file.number(group + "/bytes", std::int64_t(content.size()));
      file.array(group + "/content", as_words(content), Packing::compressed);
    }
  };
  FileSystem files;
  write_sealed(path, {receipt.checkpoint.state.step, without_file(receipt.checkpoint, add)}, files,
               "");
}

Receipt read_receipt(const std::string& path) {
  const Sealed sealed = read_sealed(path);
  const H5Reader file(sealed.image, path);
  if (!file.has("/receipt"))
    throw FileError({"this is a checkpoint, and no receipt", path,
                     "name the folder of the run, or a receipt: pinn-train RUN --receipt"});
  Receipt receipt{checkpoint_without_file(sealed.image, path),
                  {},
                  file.text("/receipt/program"),
                  file.text("/receipt/instruction_set"),
                  {}};
  const Checkpoint& own = receipt.checkpoint;
  require_same_network(file, "/best/network", own.blocks, own.state.best.parameters, path);
  require_same_network(file, "/last/network", own.blocks, own.state.parameters.data<double>(),
                       path);
  const std::vector<std::string> names = lines_in(file.text("/receipt/claims/names"));
  const std::vector<double> values = file.read<double>("/receipt/claims/values").values;
  if (names.size() != values.size())
    throw FileError(
        {fmt::format("the receipt is damaged: {} names of {} claims", names.size(), values.size()),
         path, "ask for it anew"});
  for (std::size_t k = 0; k < names.size(); ++k) receipt.claims.push_back({names[k], values[k]});
  for (const std::string& number : file.names("/receipt/files")) {
    const std::string group = "/receipt/files/" + number;
    receipt.files[file.text(group + "/name")] =
        as_bytes(file.read<std::uint64_t>(group + "/content").values,
                 std::size_t(file.number<std::int64_t>(group + "/bytes")), path);
  }
  return receipt;
}

std::string unpacked(const Receipt& receipt, const std::string& from, const std::string& folder) {
  fs::path below = folder;
  for (int step = 0; step < most_steps_up; ++step) below /= "x";
  fs::create_directories(below);
  for (const auto& [name, hash] : receipt.checkpoint.record.hashes) {
    const fs::path place = place_of(name, below, folder);
    const auto at = receipt.files.find(name);
    if (at != receipt.files.end()) {
      write_atomically(place.string(), {at->second});
      continue;
    }
    const fs::path beside = fs::absolute(fs::path(from)).parent_path() / name;
    if (!fs::is_regular_file(beside))
      throw ConfigError({fmt::format("the receipt holds the hash of '{}' alone", name), from,
                         fmt::format("put the file at {}", beside.string())});
    fs::create_symlink(beside, place);
  }
  return (below / (receipt.checkpoint.record.name + ".toml")).string();
}

}  // namespace pinn
