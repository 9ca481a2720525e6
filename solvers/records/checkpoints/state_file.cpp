// Writer and reader of the train state. They stand together, for apart neither is right.
#include "solvers/records/checkpoints/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "autograd/core/error.h"
#include "solvers/optimize/memory.h"
#include "solvers/state/visit_state.h"

namespace pinn {
namespace {

using Numbers = std::map<std::string, double>;

/// Writes each part that a state hands out.
class StateWriter {
 public:
  StateWriter(H5Writer& file, const SharedTensors& shared) : file_(file), shared_(shared) {}

  template <class T> void part(const std::string& path, const std::vector<T>& values) {
    file_.array(path, values);
  }
  void part(const std::string& path, std::int64_t value) { file_.number(path, value); }
  void part(const std::string& path, double value) { file_.number(path, value); }
  void part(const std::string& path, const Numbers& numbers) {
    write_numbers(file_, path, numbers);
  }
  void part(const std::string& path, const Tensor& tensor) {
    visit_floating(tensor.dtype(), [&]<class T>(T) {
      file_.array(path, sizes_of(tensor.shape()), tensor.data<T>().data());
    });
  }
  template <class T, class Other> void since(const std::string& path, const T& value, Other&&) {
    part(path, value);
  }
  template <class T>
  void since(const std::string& path, const T& value, std::initializer_list<int>) {
    part(path, value);
  }
  void unless(const std::string& path, const std::vector<double>& values) {
    if (!values.empty()) part(path, values);
  }
  void unless(const std::string& path, std::int64_t value) {
    if (value != 0) part(path, value);
  }
  void unless(const std::string& path, double value) {
    if (!std::isnan(value)) part(path, value);
  }
  template <class Items, class Get>
  void column(const std::string& path, const Items& items, const Get& get) {
    using Number = std::remove_cvref_t<decltype(get(items[0]))>;
    std::vector<std::conditional_t<std::is_same_v<Number, double>, double, std::int64_t>> values;
    for (const auto& item : items) values.push_back(get(item));
    part(path, values);
  }
  void table(const std::string& path, const std::vector<double>& values, std::size_t rows,
             std::size_t columns) {
    file_.array(path, {rows, columns}, values.data());
  }
  void texts(const std::string& path, const std::vector<std::string>& all) {
    file_.group(path);
    for (std::size_t i = 0; i < all.size(); ++i)
      file_.text(fmt::format("{}/{:05}", path, i), all[i]);
  }
  template <class Items> void groups(const std::string& path, const Items&, bool always) {
    if (always) file_.group(path);
  }
  void memory(std::size_t stage, const OptimizerMemory& memory) {
    const std::string group = optimizer_group(stage);
    file_.group(group + "/tensors");
    for (const auto& [name, tensor] : memory.tensors) {
      const std::string path = group + "/tensors/" + name;
      if (!is_shared_out(name))
        part(path, tensor);
      else
        visit_floating(tensor.dtype(), [&, &name = name]<class T>(T) {
          file_.later<T>(path, shared_.elements(stage, name));
        });
    }
    write_numbers(file_, group + "/numbers", memory.numbers);
    part(group + "/moves", std::int64_t(memory.moves));
  }
  template <class Items> void sized(const Items&, std::size_t) {}
  void same(const std::string&, std::int64_t, std::int64_t) {}
  void together(const std::string&, const std::string&) {}
  bool has(const std::string&) const { return true; }

 private:
  H5Writer& file_;
  const SharedTensors& shared_;
};

/// Reads each part that a state hands out.
class StateReader {
 public:
  StateReader(const H5Reader& file, std::vector<LeftOut>* left_out)
      : file_(file), left_out_(left_out) {}

  template <class T> void part(const std::string& path, std::vector<T>& values) {
    values = file_.read<T>(path).values;
  }
  void part(const std::string& path, std::int64_t& value) {
    value = file_.number<std::int64_t>(path);
  }
  void part(const std::string& path, double& value) { value = file_.number<double>(path); }
  void part(const std::string& path, Numbers& numbers) { numbers = read_numbers(file_, path); }
  void part(const std::string& path, Tensor& tensor) {
    const Array<double> array = file_.read<double>(path);
    tensor = from_values(array.values, shape_of(array.shape, path));
  }
  template <class T> void since(const std::string& path, T& value, const T& otherwise) {
    value = otherwise;
    unless(path, value);
  }
  template <class T> void unless(const std::string& path, T& value) {
    if (file_.has(path)) part(path, value);
  }
  template <class Items, class Get>
  void column(const std::string& path, Items& items, const Get& get) {
    using Number = std::remove_cvref_t<decltype(get(items[0]))>;
    using Stored = std::conditional_t<std::is_same_v<Number, double>, double, std::int64_t>;
    const std::vector<Stored> values = file_.read<Stored>(path).values;
    if (items.empty()) items.resize(values.size());
    same(path, std::ssize(values), std::ssize(items));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (!std::is_same_v<Number, double>)
        if (values[i] < 0 || std::uint64_t(values[i]) > std::numeric_limits<Number>::max())
          damaged(fmt::format("{} is no number of them", values[i]), path);
      get(items[i]) = Number(values[i]);
    }
  }
  void table(const std::string& path, std::vector<double>& values, std::size_t rows,
             std::size_t columns) {
    const Array<double> array = file_.read<double>(path);
    if (array.shape != std::vector<std::size_t>{rows, columns})
      damaged(fmt::format("it has [{}] values for {} records of {} columns",
                          fmt::join(array.shape, ", "), rows, columns),
              path);
    values = array.values;
  }
  void texts(const std::string& path, std::vector<std::string>& all) {
    for (const std::string& name : file_.names(path)) all.push_back(file_.text(path + "/" + name));
  }
  template <class Items> void groups(const std::string& path, Items& items, bool always) {
    items.resize(always || file_.has(path) ? file_.names(path).size() : 0);
  }
  void memory(std::size_t stage, OptimizerMemory& memory) {
    const std::string group = optimizer_group(stage);
    for (const std::string& name : file_.names(group + "/tensors")) {
      const std::string path = group + "/tensors/" + name;
      const std::vector<std::size_t> shape = file_.shape(path);
      if (!left_out_ || !is_shared_out(name) || shape.size() != 1) {
        part(path, memory.tensors[name]);
        continue;
      }
      file_.read_some(path, 0, 0);  // it is there
      left_out_->push_back({stage, name, shape[0]});
    }
    part(group + "/numbers", memory.numbers);
    memory.moves = long(file_.number<std::int64_t>(group + "/moves"));
  }
  template <class Items> void sized(Items& items, std::size_t count) { items.resize(count); }
  void same(const std::string& path, std::int64_t found, std::int64_t expected) {
    if (found != expected) damaged(fmt::format("it has {} where {} belong", found, expected), path);
  }
  void together(const std::string& a, const std::string& b) {
    if (file_.has(a) != file_.has(b)) damaged(fmt::format("it has one of '{}' and '{}'", a, b), a);
  }
  bool has(const std::string& path) const { return file_.has(path); }

 private:
  const H5Reader& file_;
  std::vector<LeftOut>* left_out_;
};

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

}  // namespace

void write_state(H5Writer& file, const TrainState& state, const SharedTensors& shared) {
  StateWriter writer(file, shared);
  visit_state(state, writer);
}

TrainState read_state(const H5Reader& file, std::vector<LeftOut>* left_out) {
  TrainState state;
  StateReader reader(file, left_out);
  visit_state(state, reader);
  if (!file.has("/best/errors")) take_recorded(state.best, state.history);
  return state;
}

std::string optimizer_group(std::size_t stage) {
  return fmt::format("/state/optimizer/{}", stage + 1);
}

void write_numbers(H5Writer& file, const std::string& group, const Numbers& numbers) {
  file.group(group);
  for (const auto& [name, number] : numbers) file.number(group + "/" + name, number);
}

Numbers read_numbers(const H5Reader& file, const std::string& group) {
  Numbers numbers;
  if (!file.has(group)) return numbers;
  for (const std::string& name : file.names(group))
    numbers[name] = file.number<double>(group + "/" + name);
  return numbers;
}

std::vector<std::size_t> sizes_of(const Shape& shape) {
  std::vector<std::size_t> sizes;
  for (int i = 0; i < shape.rank(); ++i) sizes.push_back(std::size_t(shape[i]));
  return sizes;
}

Shape shape_of(const std::vector<std::size_t>& sizes, const std::string& name) {
  if (sizes.size() > std::size_t(max_rank))
    damaged(fmt::format("'{}' has {} axes", name, sizes.size()), name);
  Shape shape;
  for (const std::size_t size : sizes)
    if (size > most_elements) damaged(fmt::format("'{}' has an axis of {}", name, size), name);
  for (const std::size_t size : sizes) shape = shape.inserted(shape.rank(), std::int64_t(size));
  return shape;
}

void damaged(const std::string& what, const std::string& where) {
  throw FileError({"the checkpoint is damaged: " + what, where,
                   "use an older checkpoint, or start the run anew"});
}

}  // namespace pinn
