// Contents of a checkpoint and their layout in its file. This file is long because each part's
// writer stands beside its reader, and apart from each other neither is right.
#include "solvers/records/checkpoints/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "data/files/h5_writer.h"
#include "data/files/sealed.h"
#include "solvers/optimize/memory.h"
#include "solvers/records/checkpoints/shared_tensors.h"

namespace pinn {
namespace {

using Extents = std::vector<std::size_t>;

Extents extents(const Shape& shape) {
  Extents sizes;
  for (int i = 0; i < shape.rank(); ++i) sizes.push_back(std::size_t(shape[i]));
  return sizes;
}

constexpr std::size_t most_elements = std::size_t(1) << 48;  ///< more than any memory holds

[[noreturn]] void damaged(const std::string& what, const std::string& where) {
  throw FileError({"the checkpoint is damaged: " + what, where,
                   "use an older checkpoint, or start the run anew"});
}

Shape shape_of(const Extents& sizes, const std::string& name) {
  if (sizes.size() > std::size_t(max_rank))
    damaged(fmt::format("'{}' has {} axes", name, sizes.size()), name);
  Shape shape;
  for (const std::size_t size : sizes)
    if (size > most_elements) damaged(fmt::format("'{}' has an axis of {}", name, size), name);
  for (const std::size_t size : sizes) shape = shape.inserted(shape.rank(), std::int64_t(size));
  return shape;
}

void write(H5Writer& file, const std::string& path, const Tensor& tensor) {
  visit_floating(tensor.dtype(), [&]<class T>(T) {
    file.array(path, extents(tensor.shape()), tensor.data<T>().data());
  });
}

Tensor read_tensor(const H5Reader& file, const std::string& path) {
  const Array<double> array = file.read<double>(path);
  return from_values(array.values, shape_of(array.shape, path));
}

void write(H5Writer& file, const std::string& group, const std::map<std::string, double>& numbers) {
  file.group(group);
  for (const auto& [name, number] : numbers) file.number(group + "/" + name, number);
}

/// None where there is no such group.
std::map<std::string, double> read_numbers(const H5Reader& file, const std::string& group) {
  std::map<std::string, double> numbers;
  if (!file.has(group)) return numbers;
  for (const std::string& name : file.names(group))
    numbers[name] = file.number<double>(group + "/" + name);
  return numbers;
}

std::string optimizer_group(std::size_t stage) {
  return fmt::format("/state/optimizer/{}", stage + 1);
}

void write(H5Writer& file, std::size_t stage, const OptimizerMemory& memory,
           const SharedTensors& shared) {
  const std::string group = optimizer_group(stage);
  file.group(group + "/tensors");
  file.group(group + "/numbers");
  for (const auto& [name, tensor] : memory.tensors) {
    const std::string path = group + "/tensors/" + name;
    if (!is_shared_out(name))
      write(file, path, tensor);
    else
      visit_floating(tensor.dtype(),
                     [&]<class T>(T) { file.later<T>(path, shared.elements(stage, name)); });
  }
  for (const auto& [name, number] : memory.numbers) file.number(group + "/numbers/" + name, number);
  file.number(group + "/moves", std::int64_t(memory.moves));
}

/// With `left_out` what ranks share out is not read, but named there.
OptimizerMemory read_memory(const H5Reader& file, std::size_t stage,
                            std::vector<LeftOut>* left_out) {
  const std::string group = optimizer_group(stage);
  OptimizerMemory memory;
  for (const std::string& name : file.names(group + "/tensors")) {
    const std::string path = group + "/tensors/" + name;
    const Extents shape = file.shape(path);
    if (!left_out || !is_shared_out(name) || shape.size() != 1) {
      memory.tensors[name] = read_tensor(file, path);
      continue;
    }
    file.read_some(path, 0, 0);  // it is there
    left_out->push_back({stage, name, shape[0]});
  }
  for (const std::string& name : file.names(group + "/numbers"))
    memory.numbers[name] = file.number<double>(group + "/numbers/" + name);
  memory.moves = long(file.number<std::int64_t>(group + "/moves"));
  return memory;
}

/// Group of what training chose of a requirement's points, where it did.
std::string chosen_points(std::size_t requirement) {
  return fmt::format("/state/points/{}", requirement + 1);
}

void write(H5Writer& file, const std::vector<Draw>& draws) {
  std::vector<std::int64_t> counts, steps;
  for (const Draw& draw : draws) counts.push_back(draw.count), steps.push_back(draw.step);
  file.array("/state/draws/count", counts);
  file.array("/state/draws/step", steps);
  for (std::size_t r = 0; r < draws.size(); ++r) {
    for (const auto& [name, values] :
         {std::pair("x", &draws[r].x), std::pair("normals", &draws[r].normals),
          std::pair("weights", &draws[r].weights)})
      if (!values->empty()) file.array(chosen_points(r) + "/" + name, *values);
    if (std::isfinite(draws[r].concentration))
      file.number(chosen_points(r) + "/concentration", draws[r].concentration);
  }
}

std::vector<Draw> read_draws(const H5Reader& file) {
  const auto counts = file.read<std::int64_t>("/state/draws/count").values;
  const auto steps = file.read<std::int64_t>("/state/draws/step").values;
  std::vector<Draw> draws;
  if (counts.size() != steps.size())
    damaged(fmt::format("{} draws have {} steps", counts.size(), steps.size()), "/state/draws");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0 || counts[i] > std::numeric_limits<std::uint32_t>::max())
      damaged(fmt::format("{} is no number of draws", counts[i]), "/state/draws/count");
    Draw& draw = draws.emplace_back(Draw{std::uint32_t(counts[i]), steps[i]});
    for (const auto& [name, values] : {std::pair("x", &draw.x), std::pair("normals", &draw.normals),
                                       std::pair("weights", &draw.weights)})
      if (const std::string path = chosen_points(i) + "/" + name; file.has(path))
        *values = file.read<double>(path).values;
    if (const std::string path = chosen_points(i) + "/concentration"; file.has(path))
      draw.concentration = file.number<double>(path);
  }
  return draws;
}

std::string weighting_group(std::size_t requirement) {
  return fmt::format("/state/weighting/{}", requirement + 1);
}

/// Writes the weighting; what is empty is left out.
void write(H5Writer& file, const Weighting& weighting) {
  const auto list = [&](const std::string& path, const std::vector<double>& values) {
    if (!values.empty()) file.array(path, values);
  };
  file.number("/state/weighting/changes", weighting.changes);
  list("/state/weighting/first", weighting.first);
  list("/state/weighting/before", weighting.before);
  for (std::size_t r = 0; r < weighting.points.size(); ++r) {
    const PointFactors& points = weighting.points[r];
    list(weighting_group(r) + "/factors", points.factors);
    list(weighting_group(r) + "/first", points.first);
    list(weighting_group(r) + "/second", points.second);
    if (points.moves > 0) file.number(weighting_group(r) + "/moves", points.moves);
    list(weighting_group(r) + "/causal", weighting.causal[r]);
  }
}

Weighting read_weighting(const H5Reader& file, std::size_t requirements) {
  Weighting weighting;
  weighting.points.resize(requirements);
  weighting.causal.resize(requirements);
  if (!file.has("/state/weighting")) return weighting;  // of a program that could not change them
  const auto list = [&](const std::string& path) {
    return file.has(path) ? file.read<double>(path).values : std::vector<double>();
  };
  weighting.changes = file.number<std::int64_t>("/state/weighting/changes");
  weighting.first = list("/state/weighting/first");
  weighting.before = list("/state/weighting/before");
  for (std::size_t r = 0; r < requirements; ++r) {
    const std::string moves = weighting_group(r) + "/moves";
    weighting.points[r] = {list(weighting_group(r) + "/factors"),
                           list(weighting_group(r) + "/first"),
                           list(weighting_group(r) + "/second"),
                           file.has(moves) ? file.number<std::int64_t>(moves) : 0};
    weighting.causal[r] = list(weighting_group(r) + "/causal");
  }
  return weighting;
}

void write(H5Writer& file, const std::string& group, const BestModel& best) {
  file.array(group + "/parameters", best.parameters);
  file.number(group + "/residual", best.residual);
  file.number(group + "/step", best.step);
  file.number(group + "/smallest", best.smallest);
  file.number(group + "/smallest_step", best.smallest_step);
}

/// Takes errors and values as recorded at the network's step: for files of a program that did not
/// keep them with it.
void take_recorded(BestModel& best, const LossHistory& history) {
  const auto at = std::ranges::find(history.steps, best.step);
  if (at == history.steps.end()) return;
  const std::size_t width = history.columns.size();
  const std::size_t row = std::size_t(at - history.steps.begin()) * width;
  for (std::size_t k = 0; k < width; ++k) {
    const std::string& column = history.columns[k];
    if (column.starts_with("error:")) best.errors[column.substr(6)] = history.values[row + k];
    if (column.starts_with("value:")) best.values[column.substr(6)] = history.values[row + k];
  }
}

BestModel read_best(const H5Reader& file, const std::string& group) {
  BestModel best;
  best.parameters = file.read<double>(group + "/parameters").values;
  best.residual = best.smallest = file.number<double>(group + "/residual");
  best.step = best.smallest_step = file.number<std::int64_t>(group + "/step");
  if (file.has(group + "/smallest") != file.has(group + "/smallest_step"))
    damaged("it has one of 'smallest' and 'smallest_step'", group);
  if (!file.has(group + "/smallest")) return best;  // of a version that took the smallest for it
  best.smallest = file.number<double>(group + "/smallest");
  best.smallest_step = file.number<std::int64_t>(group + "/smallest_step");
  return best;
}

std::string window_group(std::size_t window) { return fmt::format("/windows/{}", window + 1); }

void write(H5Writer& file, const std::vector<FinishedWindow>& finished) {
  if (!finished.empty()) file.number("/state/windows", std::int64_t(finished.size()));
  for (std::size_t k = 0; k < finished.size(); ++k) {
    write(file, window_group(k), finished[k].best);
    file.number(window_group(k) + "/end", finished[k].end);
  }
}

std::vector<FinishedWindow> read_finished(const H5Reader& file) {
  std::vector<FinishedWindow> finished;
  const std::size_t count = file.has("/windows") ? file.names("/windows").size() : 0;
  const std::int64_t said =
      file.has("/state/windows") ? file.number<std::int64_t>("/state/windows") : 0;
  if (said != std::int64_t(count))
    damaged(fmt::format("it has {} windows of time and says {}", count, said), "/windows");
  for (std::size_t k = 0; k < count; ++k)
    finished.push_back(
        {read_best(file, window_group(k)), file.number<std::int64_t>(window_group(k) + "/end")});
  return finished;
}

void write(H5Writer& file, const LossHistory& history) {
  file.group("/history/columns");
  file.group("/history/speed");
  for (std::size_t i = 0; i < history.columns.size(); ++i)
    file.text(fmt::format("/history/columns/{:05}", i), history.columns[i]);
  file.array("/history/step", history.steps);
  file.array("/history/values", {history.steps.size(), history.columns.size()},
             history.values.data());
  for (int i = 0; i < Speed::count; ++i) {
    std::vector<double> values;
    for (const Speed& speed : history.speed) values.push_back(speed[i]);
    file.array(fmt::format("/history/speed/{}", Speed::names[i]), values);
  }
}

LossHistory read_history(const H5Reader& file) {
  LossHistory history;
  for (const std::string& name : file.names("/history/columns"))
    history.columns.push_back(file.text("/history/columns/" + name));
  history.steps = file.read<std::int64_t>("/history/step").values;
  const Array<double> values = file.read<double>("/history/values");
  if (values.shape != Extents{history.steps.size(), history.columns.size()})
    damaged(
        fmt::format("it has [{}] values for {} records of {} columns",
                    fmt::join(values.shape, ", "), history.steps.size(), history.columns.size()),
        "/history/values");
  history.values = values.values;
  history.speed.resize(history.steps.size());
  if (!file.has("/history/speed")) return history;  // of a program that did not measure it
  for (int i = 0; i < Speed::count; ++i) {
    const auto values = file.read<double>(fmt::format("/history/speed/{}", Speed::names[i])).values;
    if (values.size() != history.speed.size())
      damaged(fmt::format("{} speeds were measured for {} records", values.size(),
                          history.speed.size()),
              "/history/speed");
    for (std::size_t k = 0; k < history.speed.size(); ++k) history.speed[k].values[i] = values[k];
  }
  return history;
}

void write(H5Writer& file, const TrainState& state, const SharedTensors& shared) {
  write(file, "/state/parameters", state.parameters);
  file.number("/state/stage", state.stage);
  file.number("/state/stage_step", state.stage_step);
  file.number("/state/step", state.step);
  if (state.ramp_step != 0) file.number("/state/ramp_step", state.ramp_step);
  file.number("/state/steps_without_better", state.steps_without_better);
  file.number("/state/seconds", state.seconds);
  file.array("/state/weights", state.weights);
  file.group("/state/optimizer");
  for (std::size_t i = 0; i < state.memory.size(); ++i) write(file, i, state.memory[i], shared);
  write(file, state.draws);
  write(file, state.weighting);
  write(file, "/best", state.best);
  write(file, "/best/errors", state.best.errors);
  write(file, "/best/values", state.best.values);
  write(file, state.finished);
  write(file, state.history);
}

TrainState read_state(const H5Reader& file, std::vector<LeftOut>* left_out) {
  TrainState state;
  state.parameters = read_tensor(file, "/state/parameters");
  state.stage = file.number<std::int64_t>("/state/stage");
  state.stage_step = file.number<std::int64_t>("/state/stage_step");
  state.step = file.number<std::int64_t>("/state/step");
  if (file.has("/state/ramp_step")) state.ramp_step = file.number<std::int64_t>("/state/ramp_step");
  state.steps_without_better = file.number<std::int64_t>("/state/steps_without_better");
  state.seconds = file.number<double>("/state/seconds");
  state.weights = file.read<double>("/state/weights").values;
  const std::size_t stages = file.names("/state/optimizer").size();
  for (std::size_t i = 0; i < stages; ++i) state.memory.push_back(read_memory(file, i, left_out));
  state.draws = read_draws(file);
  state.weighting = read_weighting(file, state.draws.size());
  state.history = read_history(file);
  state.best = read_best(file, "/best");
  state.best.errors = read_numbers(file, "/best/errors");
  state.best.values = read_numbers(file, "/best/values");
  if (!file.has("/best/errors")) take_recorded(state.best, state.history);
  state.finished = read_finished(file);
  return state;
}

/// The network's arrays under their own names, for people: loading looks at their places only.
void write_blocks(H5Writer& file, const std::string& group,
                  const std::vector<ParameterBlock>& blocks, std::span<const double> parameters) {
  file.group(group);
  for (const ParameterBlock& block : blocks) {
    const std::string path = group + "/" + block.name;
    file.array(path, extents(block.shape), parameters.subspan(std::size_t(block.offset)).data());
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
  write(file, group + "/unknowns", unknowns);
}

H5Writer written(const Checkpoint& checkpoint, const SharedTensors& shared) {
  H5Writer file;
  file.text_attribute("/", "title", checkpoint.record.name);
  file.text_attribute("/", "source", checkpoint.record.program);
  for (const auto& [name, text] : texts(checkpoint.record)) file.text("/meta/" + name, text);
  write(file, checkpoint.state, shared);
  write_inputs(file, checkpoint.inputs);
  write_network(file, "/last", checkpoint, checkpoint.state.parameters.data<double>(),
                checkpoint.unknowns);
  if (!checkpoint.state.best.parameters.empty())
    write_network(file, "/best", checkpoint, checkpoint.state.best.parameters,
                  checkpoint.best_unknowns);
  for (std::size_t k = 0; k < checkpoint.state.finished.size(); ++k)
    write_blocks(file, window_group(k) + "/network", checkpoint.blocks,
                 checkpoint.state.finished[k].best.parameters);
  return file;
}

/// The elements of a tensor that ranks share out, as its file has them.
void fill(const Checkpoint& checkpoint, const SharedTensors& shared, const std::string& path,
          const TakeBytes& take) {
  for (std::size_t stage = 0; stage < checkpoint.state.memory.size(); ++stage)
    for (const auto& [name, tensor] : checkpoint.state.memory[stage].tensors)
      if (path == optimizer_group(stage) + "/tensors/" + name)
        visit_floating(tensor.dtype(), [&]<class T>(T) {
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

std::string without_file(const Checkpoint& checkpoint) {
  return written(checkpoint, SharedTensors(alone(), checkpoint.state.memory)).image();
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
