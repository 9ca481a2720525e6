#include "solvers/train/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "autograd/compile.h"
#include "autograd/core/error.h"
#include "autograd/core/sha256.h"
#include "autograd/core/version.h"

namespace pinn {
namespace {

std::string_view bytes_of(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

/// Digits that libraries of mathematics differ in, where they do.
std::string last_digits() {
  std::vector<double> values;
  for (double x = 0.1; x < 3; x += 0.0137)
    for (const double y : {std::exp(x), std::log(x), std::sin(x), std::cos(x), std::tanh(x),
                           std::pow(x, 1.7), std::erf(x), std::atan2(x, 1.3)})
      values.push_back(y);
  return sha256(bytes_of(values));
}

/// The problem as it is in force, in lines; ranks may have threads of their own numbers.
std::string in_force(const Run& run) {
  std::string text;
  for (const auto* texts : {&run.effective, &run.hashes})
    for (const auto& [name, value] : *texts)
      if (name != "run.threads") text += name + " = " + value + "\n";
  return text;
}

/// The reason of the first rank that has one; empty: none has.
std::string reason_of_first(Ranks& ranks, std::span<const double> has, const std::string& reason) {
  const auto first = std::ranges::find(has, 1.0);
  if (first == has.end()) return "";
  const auto rank = std::size_t(first - has.begin());
  return gathered(ranks, reason)[rank];
}

/// A number that is another where parameters are: each step is one to one, so that two which
/// differ in one place always have two.
std::uint64_t mark_of(std::span<const double> parameters) {
  std::uint64_t mark = 0;
  for (const double p : parameters) {
    mark = (mark ^ std::bit_cast<std::uint64_t>(p)) * 0x9E3779B97F4A7C15u;
    mark ^= mark >> 32;
  }
  return mark;
}

/// The first line of a text that another has not.
std::string own_line(const std::string& text, const std::string& other) {
  const auto differ = std::ranges::mismatch(text, other).in1;
  const auto first = std::find(std::reverse_iterator(differ), text.rend(), '\n').base();
  return {first, std::find(differ, text.end(), '\n')};
}

}  // namespace

std::string group_text(const ProcessGroup& group, int own_threads) {
  const auto threads = [](int most) {
    return fmt::format("{} thread{}", most, most == 1 ? "" : "s");
  };
  if (group.count() == 1) return threads(own_threads);
  const auto [least, most] = std::ranges::minmax(group.threads);
  std::set<std::string> hosts;
  for (int r = 0; r < group.count(); ++r) hosts.insert(group.ranks->host(r));
  return fmt::format("{} ranks x {}{}{}", group.count(),
                     least < most ? fmt::format("{} to ", least) : "", threads(most),
                     hosts.size() > 1 ? fmt::format(" on {} machines", hosts.size()) : "");
}

std::string gpus_text(Ranks& ranks, const ChosenDevice& device) {
  if (device.device.is_cpu()) return "";
  if (ranks.count() == 1) return device.text;
  const char* const seen = std::getenv("CUDA_VISIBLE_DEVICES");  // cuda:0 is the first of these
  std::set<std::string> all;
  for (const std::string& one :
       gathered(ranks, fmt::format("{} {} of {}", ranks.host(ranks.rank()), name_of(device.device),
                                   seen ? seen : "all")))
    all.insert(one);
  return fmt::format("{} GPU{} ({})", all.size(), all.size() > 1 ? "s" : "", device.kind);
}

int rank_on_machine(const Ranks& ranks) {
  int before = 0;
  for (int r = 0; r < ranks.rank(); ++r)
    if (ranks.host(r) == ranks.host(ranks.rank())) ++before;
  return before;
}

void require_one_run(Ranks& ranks, const Run& run, const std::string& asked,
                     const std::string& device_kind) {
  if (ranks.count() == 1) return;
  struct Question {
    std::string answer, what, fix;
  };
  const bool asks_tiles = run.options.products == "bf16x3";
  const Question questions[] = {
      {std::string(version()), "is of another version of the program",
       "start the same file on every machine"},
      {instruction_set() + (asks_tiles && multiplies_tiles() ? " with AMX" : ""),
       "computes with another instruction set, and so other digits",
       "choose machines of one kind, or a build with one PINN_ARCH for all of them"},
      {last_digits(), "has another library of mathematics, which gives other digits",
       "choose machines with the same system"},
      {device_kind, "computes on another kind of device, and so other digits",
       "choose machines with GPUs of one kind, or add --device cpu"},
      {in_force(run), "read another problem, or other data",
       "let all ranks see the same files, and give them the same arguments"},
      {asked, "was started with other arguments", "give all ranks the same arguments"},
  };
  for (const Question& q : questions) {
    const std::vector<std::string> all = gathered(ranks, q.answer);
    const auto other = std::ranges::find_if(all, [&](auto& a) { return a != all[0]; });
    if (other == all.end()) continue;
    throw ConfigError({fmt::format("{} {}", rank_text(ranks, int(other - all.begin())), q.what),
                       fmt::format("it has {}, rank 0 on {} {}", own_line(*other, all[0]),
                                   ranks.host(0), own_line(all[0], *other)),
                       q.fix});
  }
}

std::string agreed(Ranks& ranks, const std::string& reason) {
  if (ranks.count() == 1) return reason;
  const double has = reason.empty() ? 0 : 1;
  return reason_of_first(ranks, gathered(ranks, std::span(&has, 1)), reason);
}

std::string heard(Ranks& ranks, const std::string& reason) {
  if (ranks.count() == 1) return reason;
  ranks.say(reason.empty() ? 0 : 1);
  return reason_of_first(ranks, ranks.said(), reason);
}

void require_same(Ranks& ranks, std::span<const double> parameters, std::int64_t step) {
  if (ranks.count() == 1) return;
  const double own = std::bit_cast<double>(mark_of(parameters));
  const std::vector<double> all = gathered(ranks, std::span(&own, 1));
  const auto mark = [](double a) { return std::bit_cast<std::uint64_t>(a); };
  const auto other = std::ranges::find_if(all, [&](double a) { return mark(a) != mark(all[0]); });
  if (other == all.end()) return;
  throw InternalError({fmt::format("{} has other parameters than rank 0 after step {}",
                                   rank_text(ranks, int(other - all.begin())), step),
                       "", "resume from the last checkpoint"});
}

}  // namespace pinn
