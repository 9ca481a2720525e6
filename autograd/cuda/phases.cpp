#include "autograd/cuda/phases.h"

#include <algorithm>
#include <map>

#include "autograd/ops/binary.h"
#include "autograd/ops/float_format.h"

namespace pinn::cuda {
namespace {

/// Instructions of more lanes than this are shared out between threads.
constexpr int most_lanes_of_a_thread = 16;
/// A phase in which one thread does all for its point is no longer than this.
constexpr int most_lanes_of_a_phase = 256;

int lanes_of(const Instruction& i) { return i.count * (is_jet(i.step) ? i.channels : 1); }

/// What a GPU does not read: slopes that were kept; it computes them again.
Instruction without_slopes(Instruction i) {
  if (i.step == Step::jet) i.d = {};
  if (i.step == Step::jet_pullback) i.c = i.d = {};
  return i;
}

/// Adds the bias of product `p` to channel 0 of its result.
Instruction bias_of(const Instruction& p, const Weights& w) {
  Instruction add;
  add.step = Step::binary;
  add.id = binary_id<op::Add>;
  add.count = p.n;
  add.out = add.a = {Memory::lane, p.out.at, p.channels};
  add.b = {Memory::fixed, w.bias, w.bias_step};
  return add;
}

std::vector<Instruction> expanded(const Program& program) {
  std::vector<Instruction> all;
  for (const Instruction& i : program.body) {
    all.push_back(without_slopes(i));
    if (i.step == Step::product && program.weights[std::size_t(i.weights)].bias >= 0)
      all.push_back(bias_of(i, program.weights[std::size_t(i.weights)]));
  }
  return all;
}

Phase::Kind kind_of(Step step) {
  switch (step) {
    case Step::product:
      return Phase::product;
    case Step::contract:
      return Phase::contract;
    case Step::sum:
      return Phase::sum;
    default:
      return Phase::pointwise;
  }
}

/// The lanes in which codes stand; none in most instructions.
Operand codes_of(const Instruction& i) {
  return i.step == Step::pack ? i.out : i.step == Step::unpack ? i.a : Operand();
}

/// Whether codes that an instruction packs or unpacks stand in lanes that the other one uses: they
/// stand where other points have their numbers.
bool shares_codes(const Instruction& i, const Instruction& other) {
  const Operand codes = codes_of(i), others = codes_of(other);
  if (codes.memory == Memory::none) return false;
  const auto within = [&](int lane) { return lane >= codes.at && lane < codes.at + i.k; };
  for (int lane = others.at; lane < others.at + other.k && others.memory == Memory::lane; ++lane)
    if (within(lane)) return true;
  for (const auto& places : {reads_of(other, 1), writes_of(other, 1)})
    for (const Place& p : places)
      if (within(p.base)) return true;
  return false;
}

/// Whether `threads` threads can do these instructions for a point without waiting for each other,
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
      const auto [at, is_new] = uses.try_emplace(p.base + f * p.step, Use{f, p, writes, false});
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
    for (const Place& p : reads_of(i, threads))
      if (conflicts(p, false)) return false;
    for (const Place& p : writes_of(i, threads))
      if (conflicts(p, true)) return false;
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

void each_lane(const Operand& o, int count, std::vector<bool>& lanes, bool value) {
  if (o.memory != Memory::lane) return;
  for (int k = 0; k < count; ++k) lanes[std::size_t(o.at + k * o.step)] = value;
}

/// Whether what stands in a lane before the instruction is wanted, given the same for after it.
void step_back(const Instruction& i, std::vector<bool>& live) {
  if (kind_of(i.step) == Phase::pointwise) {
    for (const Place& p : writes_of(i, 1)) live[std::size_t(p.base)] = false;
    for (const Place& p : reads_of(i, 1)) live[std::size_t(p.base)] = true;
  } else if (i.step == Step::product) {
    each_lane({Memory::lane, i.out.at, 1}, i.n * i.channels, live, false);
    each_lane({Memory::lane, i.a.at, 1}, i.k * i.channels, live, true);
  } else if (i.step == Step::contract) {
    each_lane({Memory::lane, i.a.at, 1}, i.k * i.channels, live, true);
    each_lane({Memory::lane, i.b.at, 1}, i.n * i.channels, live, true);
  } else {
    each_lane(i.a, i.count, live, true);
  }
}

void find_live(const Program& program, std::vector<Phase>& phases) {
  std::vector<bool> live(std::size_t(program.lanes), false);
  for (const ProgramOutput& out : program.outputs)
    for (const OutputPiece& piece : out.pieces) each_lane(piece.from, piece.count, live, true);
  for (std::size_t k = phases.size(); k-- > 0;) {
    phases[k].live = live;
    for (std::size_t n = phases[k].instructions.size(); n-- > 0;)
      step_back(phases[k].instructions[n], live);
  }
}

/// The places of `count` elements, those of thread f being f u ... f u + u - 1.
void add_elements(const Operand& o, int count, int threads, std::vector<Place>& places) {
  if (o.memory != Memory::lane) return;
  const int share = count / threads;
  for (int k = 0; k < share; ++k)
    places.push_back({o.at + k * o.step, threads == 1 ? 0 : share * o.step});
}

void add_features(const Operand& o, const Instruction& i, int channels, int threads,
                  std::vector<Place>& places) {
  if (o.memory != Memory::lane) return;
  const int share = i.count / threads;
  for (int k = 0; k < share; ++k)
    for (int c = 0; c < channels; ++c)
      places.push_back({o.at + k * o.step + c, threads == 1 ? 0 : share * o.step});
}

}  // namespace

bool is_jet(Step s) {
  return s == Step::jet || s == Step::jet_pullback || s == Step::jet_mul ||
         s == Step::jet_mul_transposed;
}

bool finds_scale(const Instruction& pack) { return float_formats[pack.id].needs_scale(); }

std::vector<Place> reads_of(const Instruction& i, int threads) {
  std::vector<Place> places;
  if (i.step == Step::unpack) return places;
  for (const Operand* o : {&i.a, &i.b, &i.c})
    is_jet(i.step) ? add_features(*o, i, i.channels, threads, places)
                   : add_elements(*o, i.count, threads, places);
  return places;
}

std::vector<Place> writes_of(const Instruction& i, int threads) {
  std::vector<Place> places;
  if (i.step == Step::pack) return places;
  is_jet(i.step) ? add_features(i.out, i, i.channels, threads, places)
                 : add_elements(i.out, i.count, threads, places);
  return places;
}

std::vector<Phase> phases_of(const Program& program) {
  std::vector<Phase> phases;
  bool open = false;
  for (const Instruction& i : expanded(program)) {
    const Phase::Kind kind = kind_of(i.step);
    if (i.step == Step::pack && finds_scale(i)) {
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

void add_range(int from, int count, int step, std::set<int>& to) {
  for (int k = 0; k < count; ++k) to.insert(from + k * step);
}

void add_places(const std::vector<Place>& places, std::set<int>& to) {
  for (const Place& p : places) to.insert(p.base);
}

Uses uses_of(const Instruction& i, int lanes) {
  Uses uses;
  switch (kind_of(i.step)) {
    case Phase::pointwise:
      add_places(reads_of(i, 1), uses.reads);
      add_places(writes_of(i, 1), uses.writes);
      if (i.step == Step::pack) add_range(i.out.at, i.k, 1, uses.writes);
      if (i.step == Step::unpack) add_range(i.a.at, i.k, 1, uses.reads);
      break;
    case Phase::product:
      add_range(i.a.at, i.k * i.channels, 1, uses.reads);
      add_range(i.out.at, i.n * i.channels, 1, uses.writes);
      break;
    case Phase::contract:
      add_range(i.a.at, i.k * i.channels, 1, uses.reads);
      add_range(i.b.at, i.n * i.channels, 1, uses.reads);
      add_range(lanes + i.out.at, i.k * i.n, 1, uses.writes);
      break;
    case Phase::scale:  // no instruction of its own
      break;
    case Phase::sum:
      add_range(i.a.at, i.count, i.a.step, uses.reads);
      add_range(lanes + i.out.at, i.count, i.out.step, uses.writes);
      break;
  }
  return uses;
}

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
  Uses all;
  for (const Instruction& i : phase.instructions) all.add(uses_of(i, program.lanes));
  return all;
}

}  // namespace pinn::cuda
