// Contents of a checkpoint beside its train state (state_file.h), and its file in a folder.
#include "solvers/records/checkpoints/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "data/files/h5_writer.h"
#include "data/files/sealed.h"
#include "solvers/records/checkpoints/shared_tensors.h"
#include "solvers/records/checkpoints/state_file.h"

namespace pinn {
namespace {

/// The network's arrays under their own names, for people: loading looks at their places only.
void write_blocks(H5Writer& file, const std::string& group,
                  const std::vector<ParameterBlock>& blocks, std::span<const double> parameters) {
  file.group(group);
  for (const ParameterBlock& block : blocks) {
    const std::string path = group + "/" + block.name;
    file.array(path, sizes_of(block.shape), parameters.subspan(std::size_t(block.offset)).data());
    file.number_attribute(path, "offset", block.offset);
  }
}

std::vector<ParameterBlock> read_blocks(const H5Reader& file, const std::string& group) {
  std::vector<ParameterBlock> blocks;
  for (const std::string& name : file.names(group)) {
    const std::string path = group + "/" + name;
    const double offset = file.number_attribute(path, "offset");
    if (!(offset >= 0 && offset <= double(most_elements) && offset == std::floor(offset)))
      damaged(fmt::format("'{}' stands at {}", path, offset), path);
    blocks.push_back({name, shape_of(file.shape(path), path), std::int64_t(offset)});
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return blocks;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void write_inputs(H5Writer& file, const std::vector<InputRange>& inputs) {
  std::vector<double> ranges;
  std::vector<std::string> names;
  for (const InputRange& input : inputs) {
    ranges.insert(ranges.end(), {input.lower, input.upper});
    names.push_back(input.name);
  }
  file.array("/input/range", {inputs.size(), 2}, ranges.data());
  file.text_attribute("/input/range", "names", joined(names));
}

/// A network and the unknowns that go with it.
void write_network(H5Writer& file, const std::string& group, const Checkpoint& checkpoint,
                   std::span<const double> parameters,
                   const std::map<std::string, double>& unknowns) {
  write_blocks(file, group + "/network", checkpoint.blocks, parameters);
  write_numbers(file, group + "/unknowns", unknowns);
}

H5Writer written(const Checkpoint& checkpoint, const SharedTensors& shared) {
  H5Writer file;
  file.text_attribute("/", "title", checkpoint.record.name);
  file.text_attribute("/", "source", checkpoint.record.program);
  for (const auto& [name, text] : texts(checkpoint.record)) file.text("/meta/" + name, text);
  write_state(file, checkpoint.state, shared);
  write_inputs(file, checkpoint.inputs);
  write_network(file, "/last", checkpoint, checkpoint.state.parameters.data<double>(),
                checkpoint.unknowns);
  if (!checkpoint.state.best.parameters.empty())
    write_network(file, "/best", checkpoint, checkpoint.state.best.parameters,
                  checkpoint.best_unknowns);
  for (std::size_t k = 0; k < checkpoint.state.finished.size(); ++k)
    write_blocks(file, fmt::format("/windows/{}/network", k + 1), checkpoint.blocks,
                 checkpoint.state.finished[k].best.parameters);
  return file;
}

/// The elements of a tensor that ranks share out, as its file has them.
void fill(const Checkpoint& checkpoint, const SharedTensors& shared, const std::string& path,
          const TakeBytes& take) {
  for (std::size_t stage = 0; stage < checkpoint.state.memory.size(); ++stage)
    for (const auto& [name, tensor] : checkpoint.state.memory[stage].tensors)
      if (path == optimizer_group(stage) + "/tensors/" + name)
        visit_floating(tensor.dtype(), [&, &name = name]<class T>(T) {
          shared.give(stage, name, [&](std::span<const double> piece) {
            const std::vector<T> elements(piece.begin(), piece.end());
            take({reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)});
          });
        });
}

/// All of a file, found to make sense, but what is left out.
Checkpoint content(const H5Reader& file, std::optional<std::int64_t> step, const std::string& path,
                   std::vector<LeftOut>* left_out = nullptr) {
  std::map<std::string, std::string> texts;
  for (const std::string& name : file.names("/meta")) texts[name] = file.text("/meta/" + name);
  const std::string last = file.has("/last") ? "/last" : "";  // of an older program: at the top
  Checkpoint found{read_state(file, left_out), record(texts), read_blocks(file, last + "/network"),
                   read_numbers(file, last + "/unknowns"), read_numbers(file, "/best/unknowns")};
  if (found.state.step != step.value_or(found.state.step))
    damaged(fmt::format("it is of step {} and says {} at its top", found.state.step, *step), path);
  require_sense(found, path);
  return found;
}

}  // namespace

std::string LeftOut::path() const { return optimizer_group(stage) + "/tensors/" + name; }

void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint, FileSystem& files,
                     const SharedTensors& shared) {
  const std::string path = folder + "/" + checkpoint_name, previous = folder + "/" + previous_name;
  const H5Writer file = written(checkpoint, shared);
  if (shared.empty())
    return write_sealed(path, {checkpoint.state.step, file.image()}, files, previous);
  const auto give = [&](const TakeBytes& take) {
    file.give(take, [&](const std::string& array, const TakeBytes& take_elements) {
      fill(checkpoint, shared, array, take_elements);
    });
  };
  write_sealed(path, checkpoint.state.step, give, files, previous);
}

void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint, FileSystem& files) {
  save_checkpoint(folder, checkpoint, files, SharedTensors(alone(), checkpoint.state.memory));
}

void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  FileSystem files;
  save_checkpoint(folder, checkpoint, files);
}

namespace {

/// Contents of a good file.
Checkpoint in_file(const OpenSealed& sealed, std::vector<LeftOut>* left_out) {
  const std::string& path = sealed.file->name();
  const H5Reader file(*sealed.file);
  try {
    return content(file, sealed.step, path, left_out);
  } catch (const FileError& error) {  // every byte was read: it is the content that is wrong
    throw DamagedFile(error.report);
  }
}

/// The file at a path, which a run may replace while it is read: then the one that it leads to now.
void read(const std::string& file, Contents contents, Found& found, int tries = 10) try {
  const OpenSealed sealed = open_sealed(file);
  found.left_out.clear();
  found.checkpoint = in_file(sealed, contents == Contents::all ? nullptr : &found.left_out);
  found.file = file;
  found.opened = sealed.file;
} catch (const ReplacedFile&) {
  if (tries == 1) throw;
  read(file, contents, found, tries - 1);
}

}  // namespace

Checkpoint load_checkpoint(const std::string& path) { return in_file(open_sealed(path), nullptr); }

std::string without_file(const Checkpoint& checkpoint, const std::function<void(H5Writer&)>& add) {
  H5Writer file = written(checkpoint, SharedTensors(alone(), checkpoint.state.memory));
  if (add) add(file);
  return file.image();
}

Checkpoint checkpoint_without_file(const std::string& bytes, const std::string& path) {
  return content(H5Reader(bytes, path), {}, path);
}

Found newest_checkpoint(const std::string& folder, Contents contents) {
  Found found;
  for (const char* name : {checkpoint_name, previous_name}) {
    const std::string file = folder + "/" + name;
    if (!is_there(file)) continue;
    try {
      read(file, contents, found);
      break;
    } catch (const DamagedFile& error) {
      found.skipped.push_back(file);
      found.messages.push_back(fmt::format("passed over {}: {}", file, error.report.what));
    }
  }
  if (!found.checkpoint && !found.skipped.empty()) {
    std::string all;
    for (const std::string& message : found.messages) all += (all.empty() ? "" : "; ") + message;
    throw FileError({"no checkpoint of the run is good: " + all, folder,
                     "start anew: pinn-train PROBLEM.toml --out " + folder + " --overwrite"});
  }
  if (found.checkpoint && found.file.ends_with(previous_name))
    found.messages.push_back(
        fmt::format("going on from {}, step {}", found.file, found.checkpoint->state.step));
  return found;
}

}  // namespace pinn
