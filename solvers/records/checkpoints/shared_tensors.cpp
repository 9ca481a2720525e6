#include "solvers/records/checkpoints/shared_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "data/files/h5_reader.h"
#include "solvers/optimize/memory.h"

namespace pinn {
namespace {

constexpr std::size_t most_at_once = 1 << 20;  ///< elements of a piece

/// Next request of rank 0: a piece of a tensor, or nothing more.
struct Order {
  std::int64_t tensor = -1;
  std::uint64_t begin = 0, end = 0;
};

Order ordered(Ranks& ranks, Order order) {
  ranks.broadcast({reinterpret_cast<char*>(&order), sizeof order});
  return order;
}

}  // namespace

SharedTensors::SharedTensors(Ranks& ranks, const std::vector<OptimizerMemory>& memory)
    : ranks_(ranks) {
  for (std::size_t stage = 0; stage < memory.size(); ++stage)
    for (const auto& [name, tensor] : memory[stage].tensors) {
      if (!is_shared_out(name)) continue;
      const double own = double(tensor.numel());
      std::vector<std::size_t> first = {0};
      for (const double each : gathered(ranks, std::span(&own, 1)))
        first.push_back(first.back() + std::size_t(each));
      all_.push_back({stage, name, tensor, std::move(first)});
    }
}

SharedTensors::~SharedTensors() {
  if (all_.empty() || ranks_.rank() > 0) return;
  try {
    ordered(ranks_, {});
  } catch (const RankError&) {  // then nobody waits
  }
}

std::size_t SharedTensors::index(std::size_t stage, const std::string& name) const {
  const auto at = std::ranges::find_if(
      all_, [&](const Whole& w) { return w.stage == stage && w.name == name; });
  if (at == all_.end()) throw InternalError({"no such tensor is shared out", name, "name another"});
  return std::size_t(at - all_.begin());
}

std::size_t SharedTensors::elements(std::size_t stage, const std::string& name) const {
  return all_[index(stage, name)].first.back();
}

void SharedTensors::give(std::size_t stage, const std::string& name,
                         const std::function<void(std::span<const double>)>& take) const {
  const std::size_t which = index(stage, name), count = all_[which].first.back();
  for (std::size_t begin = 0; begin < count; begin += most_at_once) {
    const std::size_t end = std::min(begin + most_at_once, count);
    ordered(ranks_, {std::int64_t(which), begin, end});
    take(exchange(all_[which], begin, end));
  }
}

void SharedTensors::serve() const {
  while (!all_.empty()) {
    const Order order = ordered(ranks_, {});
    if (order.tensor < 0) return;
    exchange(all_[std::size_t(order.tensor)], order.begin, order.end);
  }
}

std::vector<double> SharedTensors::exchange(const Whole& whole, std::size_t begin,
                                            std::size_t end) const {
  std::vector<double> numbers(end - begin);
  std::vector<std::size_t> first;
  for (const std::size_t at : whole.first) first.push_back(std::clamp(at, begin, end) - begin);
  const auto own = std::size_t(ranks_.rank());
  visit_floating(whole.own.dtype(), [&]<class T>(T) {
    const auto part = whole.own.data<T>();
    for (std::size_t i = first[own]; i < first[own + 1]; ++i)
      numbers[i] = double(part[i + begin - whole.first[own]]);
  });
  ranks_.gather(numbers, first);
  return numbers;
}

void share(Ranks& ranks, Found& found) {
  if (ranks.count() == 1) return;
  found.file = from_first(ranks, found.file);
  const std::string bytes =
      from_first(ranks, found.checkpoint ? without_file(*found.checkpoint) : "");
  std::string list;
  for (const LeftOut& one : found.left_out)
    list += fmt::format("{} {} {}\n", one.stage, one.elements, one.name);
  list = from_first(ranks, list);
  if (ranks.rank() == 0 || bytes.empty()) return;
  found.checkpoint = checkpoint_without_file(bytes, found.file);
  std::istringstream words(list);
  for (LeftOut one; words >> one.stage >> one.elements >> one.name;) found.left_out.push_back(one);
}

void read_left_out(Ranks& ranks, Found& found) {
  std::optional<H5Reader> file;
  if (!found.left_out.empty() && found.opened) file.emplace(*found.opened);
  for (const LeftOut& one : found.left_out) {
    const std::vector<std::size_t> shares = shares_of(one.elements, ranks.count());
    const std::size_t first = shares[std::size_t(ranks.rank())],
                      last = shares[std::size_t(ranks.rank()) + 1];
    const Tensor own = empty({std::int64_t(last - first)});
    for (std::size_t begin = 0; begin < one.elements; begin += most_at_once) {
      const std::size_t end = std::min(begin + most_at_once, one.elements);
      std::vector<double> piece(end - begin);
      if (file) piece = file->read_some(one.path(), begin, end - begin);
      ranks.broadcast({reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(double)});
      for (std::size_t i = std::max(begin, first); i < std::min(end, last); ++i)
        own.data<double>()[i - first] = piece[i - begin];
    }
    found.checkpoint->state.memory[one.stage].tensors[one.name] = own;
  }
  found.left_out.clear();
}

}  // namespace pinn
