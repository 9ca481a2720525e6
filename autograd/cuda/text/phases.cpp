#include "autograd/cuda/text/phases.h"

#include <algorithm>
#include <map>

#include "autograd/core/error.h"
#include "autograd/ops/float_format.h"
#include "autograd/program/lanes.h"

namespace pinn::cuda {
namespace {

/// Instructions of more lanes than this are shared out between threads.
constexpr int most_lanes_of_a_thread = 16;
/// A phase in which one thread does all for its point is no longer than this.
constexpr int most_lanes_of_a_phase = 256;

int lanes_of(const Instruction& i) { return i.count * (is_jet(i.opcode) ? i.channels : 1); }

/// Instruction without what a GPU does not read: slopes that were kept; it computes them again.
Instruction without_slopes(Instruction i) {
  if (i.opcode == Opcode::jet) i.slopes = {};
  if (i.opcode == Opcode::jet_pullback) i.c = i.slopes = {};
  return i;
}

/// Adds the bias of product `p` to channel 0 of its result.
Instruction bias_of(const Instruction& p, const Weights& w) {
  Instruction add;
  add.function = binary_function<op::Add>;
  add.count = p.n;
  add.out = add.a = {Memory::lane, p.out.at, p.channels};
  add.b = {Memory::fixed, w.bias, w.bias_stride};
  return add;
}

std::vector<Instruction> expanded(const Program& program) {
  std::vector<Instruction> all;
  for (const Instruction& i : program.body) {
    all.push_back(without_slopes(i));
    if (i.opcode == Opcode::product && program.weights[std::size_t(i.weights)].bias >= 0)
      all.push_back(bias_of(i, program.weights[std::size_t(i.weights)]));
  }
  return all;
}

Phase::Kind kind_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::lookup:
      throw EngineError({"not yet: a table of fields on a GPU", "", "run this on the CPU"});
    case Opcode::product:
      return Phase::product;
    case Opcode::contract:
      return Phase::contract;
    case Opcode::sum:
      return Phase::sum;
    default:
      return Phase::pointwise;
  }
}

/// True if codes that an instruction packs or unpacks stand in lanes that the other one uses: they
/// stand where other points have their numbers.
bool shares_codes(const Instruction& i, const Instruction& other) {
  if (i.opcode != Opcode::pack && i.opcode != Opcode::unpack) return false;
  const int first = i.opcode == Opcode::pack ? i.out.at : i.a.at;
  bool shares = false;
  const auto look_at = [&](const Lanes& lanes) {
    each_lane(lanes,
              [&](int lane) { shares = shares || (lane >= first && lane < first + i.codes); });
  };
  each_read(other, look_at);
  each_written(other, look_at);
  return shares;
}

/// The places of what a thread reads of a pointwise instruction, or writes, when so many threads
/// share it out: thread f has the groups f u ... f u + u - 1 of its lanes. Codes are left out.
std::vector<Place> places_of(const Instruction& i, int threads, bool written) {
  std::vector<Place> places;
  const auto add = [&](const Lanes& lanes) {
    const int share = lanes.apart == 0 ? lanes.count : lanes.count / threads;
    const int stride = threads == 1 ? 0 : share * lanes.apart;
    each_lane({lanes.first, share, lanes.apart, lanes.width}, [&](int lane) {
      places.push_back({lane, stride});
    });
  };
  if (i.opcode == (written ? Opcode::pack : Opcode::unpack)) return places;
  written ? each_written(i, add) : each_read(i, add);
  return places;
}

/// True if `threads` threads can do these instructions for a point without waiting for each other,
/// and know each lane by one place only.
bool works_with(const std::vector<Instruction>& instructions, int threads) {
  for (const Instruction& i : instructions)
    if (i.count % threads != 0) return false;
  for (const Instruction& i : instructions)
    for (const Instruction& other : instructions)
      if (&i != &other && shares_codes(i, other)) return false;
  if (threads == 1) {
    int lanes = 0;
    for (const Instruction& i : instructions) lanes += lanes_of(i);
    return instructions.size() == 1 || lanes <= most_lanes_of_a_phase;
  }
  struct Use {
    int thread;
    Place place;
    bool written, many;
  };
  std::map<int, Use> uses;
  const auto conflicts = [&](const Place& p, bool writes) {
    for (int f = 0; f < threads; ++f) {
      const auto [at, is_new] = uses.try_emplace(p.base + f * p.stride, Use{f, p, writes, false});
      Use& use = at->second;
      if (is_new) continue;
      const bool same = !use.many && use.thread == f && use.place == p;
      if (!same && (use.written || writes)) return true;
      use.many = use.many || !same;
      use.written = use.written || writes;
    }
    return false;
  };
  for (const Instruction& i : instructions) {
    for (const bool written : {false, true})
      for (const Place& p : places_of(i, threads, written))
        if (conflicts(p, written)) return false;
  }
  return true;
}

/// How many threads shall work on a point; 0 if these instructions are better kept apart.
int threads_for(const std::vector<Instruction>& instructions, int now) {
  bool narrow = true;
  for (const Instruction& i : instructions)
    narrow = narrow && lanes_of(i) <= most_lanes_of_a_thread;
  if (narrow) return works_with(instructions, 1) ? 1 : 0;
  for (const int threads : {now, instructions.back().count})
    if (threads > 1 && works_with(instructions, threads)) return threads;
  if (instructions.size() > 1) return 0;
  return 1;
}

void find_live(const Program& program, std::vector<Phase>& phases) {
  std::vector<bool> live(std::size_t(program.lanes), false);
  const auto note = [&](bool now) {
    return [&live, now](const Lanes& lanes) {
      each_lane(lanes, [&](int lane) { live[std::size_t(lane)] = now; });
    };
  };
  for (const ProgramOutput& out : program.outputs)
    for (const OutputPiece& piece : out.pieces)
      if (piece.from.memory == Memory::lane)
        note(true)({piece.from.at, piece.count, piece.from.stride});
  for (std::size_t k = phases.size(); k-- > 0;) {
    phases[k].live = live;
    for (std::size_t n = phases[k].instructions.size(); n-- > 0;) {
      each_written(phases[k].instructions[n], note(false));
      each_read(phases[k].instructions[n], note(true));
    }
  }
}

}  // namespace

bool finds_scale(const Instruction& pack) { return float_formats[pack.format].needs_scale(); }

std::vector<Phase> phases_of(const Program& program) {
  std::vector<Phase> phases;
  bool open = false;
  for (const Instruction& i : expanded(program)) {
    const Phase::Kind kind = kind_of(i.opcode);
    if (i.opcode == Opcode::pack && finds_scale(i)) {
      phases.push_back({Phase::scale, {i}, 1, {}});
      open = false;
    }
    if (kind == Phase::pointwise && open) {
      Phase& last = phases.back();
      last.instructions.push_back(i);
      if (const int threads = threads_for(last.instructions, last.threads)) {
        last.threads = threads;
        continue;
      }
      last.instructions.pop_back();
    }
    open = kind == Phase::pointwise;
    phases.push_back({kind, {i}, 1, {}});
    if (open) phases.back().threads = threads_for({i}, i.count);
  }
  find_live(program, phases);
  return phases;
}

namespace {

bool meet(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int x) { return b.count(x) > 0; });
}

}  // namespace

bool Uses::hold_up(const Uses& later) const {
  return meet(writes, later.reads) || meet(writes, later.writes) || meet(reads, later.writes);
}

void Uses::add(const Uses& other) {
  reads.insert(other.reads.begin(), other.reads.end());
  writes.insert(other.writes.begin(), other.writes.end());
}

Uses uses_of(const Phase& phase, const Program& program) {
  Uses uses;
  const auto add = [](std::set<int>& to) {
    return [&to](const Lanes& lanes) { each_lane(lanes, [&](int lane) { to.insert(lane); }); };
  };
  for (const Instruction& i : phase.instructions) {
    each_read(i, add(uses.reads));
    each_written(i, add(uses.writes));
    for (int k = 0; i.out.memory == Memory::sum && k < i.count; ++k)
      uses.writes.insert(program.lanes + i.out.at + k * i.out.stride);
  }
  return uses;
}

}  // namespace pinn::cuda
