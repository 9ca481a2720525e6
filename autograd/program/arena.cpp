#include <algorithm>
#include <map>

#include "autograd/program/lanes.h"
#include "autograd/program/lowering.h"

namespace pinn {
namespace {

/// Bytes of the caches that a block may fill. Nominal, so that the plan is the same on every
/// machine.
constexpr std::size_t cache_bytes = std::size_t(1) << 20;
constexpr std::size_t cache_line = 64;

template <class F> void each_output_lane(const Program& program, F&& f) {
  for (const ProgramOutput& out : program.outputs)
    for (const OutputPiece& piece : out.pieces)
      if (piece.from.memory == Memory::lane)
        for (int k = 0; k < piece.count; ++k) f(piece.from.at + k * piece.from.stride);
}

/// Drops instructions whose lanes nothing reads; returns which lanes are read.
std::vector<bool> drop_dead(Program& program) {
  std::vector<bool> read(std::size_t(program.lanes), false);
  each_output_lane(program, [&](int lane) { read[std::size_t(lane)] = true; });
  std::vector<Instruction> kept;
  for (std::size_t k = program.body.size(); k-- > 0;) {
    const Instruction& i = program.body[k];
    bool needed = i.out.memory != Memory::lane;
    each_written(i, [&](const Lanes& r) {
      for (int lane = r.first; lane <= r.last(); ++lane) needed = needed || read[std::size_t(lane)];
    });
    if (!needed) continue;
    kept.push_back(i);
    each_read(i, [&](const Lanes& r) {
      for (int lane = r.first; lane <= r.last(); ++lane) read[std::size_t(lane)] = true;
    });
  }
  program.body.assign(kept.rbegin(), kept.rend());
  return read;
}

/// True if anything after instruction k, but for pullbacks that take its slopes, reads channel 0 of
/// the argument of this jet.
bool argument_is_read_after(const Program& program, std::size_t k) {
  const Instruction& jet = program.body[k];
  const auto in_channel_0 = [&](int lane) {
    const int from = lane - jet.a.at;
    return from >= 0 && from < jet.count * jet.channels && from % jet.channels == 0;
  };
  bool read = false;
  each_output_lane(program, [&](int lane) { read = read || in_channel_0(lane); });
  for (std::size_t j = k + 1; j < program.body.size() && !read; ++j) {
    const Instruction& i = program.body[j];
    const bool takes_slopes = i.opcode == Opcode::jet_pullback && i.slopes.at == jet.slopes.at &&
                              i.slopes.memory == Memory::lane && i.b.at != jet.a.at;
    if (takes_slopes) continue;
    each_read(i, [&](const Lanes& r) {
      for (int lane = r.first; lane <= r.last() && !read; ++lane) read = in_channel_0(lane);
    });
  }
  return read;
}

/// Keeps the slopes of a jet where its argument's values stood, if no instruction reads those
/// again.
void keep_slopes_in_place(Program& program) {
  for (std::size_t k = 0; k < program.body.size(); ++k) {
    Instruction& jet = program.body[k];
    if (jet.opcode != Opcode::jet || jet.slopes.memory != Memory::lane ||
        jet.a.stride != jet.channels || argument_is_read_after(program, k))
      continue;
    const int slopes = jet.slopes.at;
    for (Instruction& i : program.body)
      if (is_jet(i.opcode) && i.slopes.memory == Memory::lane && i.slopes.at == slopes)
        i.slopes = {Memory::lane, jet.a.at, jet.channels};
  }
}

/// Lanes that must stay side by side, and when they are alive.
struct Group {
  int first, last;
  int born, dies;
  int place = -1;
  Group* after = nullptr;  ///< takes this one's place
  bool takes_over = false;
  int size() const { return last - first + 1; }
};

/// The lanes of all instructions, joined where their ranges overlap, by first lane.
std::vector<Group> groups_of(const Program& program, const std::vector<bool>& read) {
  std::vector<Lanes> ranges;
  for (const RowInput& row : program.rows)
    for (const int lane : row.lanes)
      if (read[std::size_t(lane)]) ranges.push_back({lane, 1});
  for (const Instruction& i : program.body) {
    each_written(i, [&](const Lanes& r) { ranges.push_back(r); });
    each_read(i, [&](const Lanes& r) { ranges.push_back(r); });
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Lanes& a, const Lanes& b) { return a.first < b.first; });
  std::vector<Group> groups;
  const int end = int(program.body.size());
  for (const Lanes& r : ranges) {
    if (!groups.empty() && r.first <= groups.back().last)
      groups.back().last = std::max(groups.back().last, r.last());
    else
      groups.push_back({r.first, r.last(), end, -1});
  }
  return groups;
}

Group& group_of(std::vector<Group>& groups, int lane) {
  const auto after = std::upper_bound(groups.begin(), groups.end(), lane,
                                      [](int l, const Group& g) { return l < g.first; });
  return *(after - 1);
}

void find_lives(const Program& program, std::vector<Group>& groups, const std::vector<bool>& read) {
  const int end = int(program.body.size());
  for (const RowInput& row : program.rows)
    for (const int lane : row.lanes)
      if (read[std::size_t(lane)]) group_of(groups, lane).born = -1;
  for (int k = 0; k < end; ++k) {
    const Instruction& i = program.body[std::size_t(k)];
    each_written(i, [&](const Lanes& r) {
      Group& g = group_of(groups, r.first);
      g.born = std::min(g.born, k);
      g.dies = std::max(g.dies, k);
    });
    each_read(i, [&](const Lanes& r) {
      Group& g = group_of(groups, r.first);
      g.dies = std::max(g.dies, k);
    });
  }
  each_output_lane(program, [&](int lane) { group_of(groups, lane).dies = end; });
}

/// Lets a pullback write over the adjoints that it is the last to read.
void reuse_adjoints(const Program& program, std::vector<Group>& groups) {
  for (int k = 0; k < int(program.body.size()); ++k) {
    const Instruction& i = program.body[std::size_t(k)];
    if (i.opcode != Opcode::jet_pullback || i.b.stride != i.channels || i.b.at == i.a.at) continue;
    Group &from = group_of(groups, i.b.at), &to = group_of(groups, i.out.at);
    const int size = i.count * i.channels;
    if (from.dies != k || to.born != k || to.dies == k || from.size() != size || to.size() != size)
      continue;
    from.after = &to;
    to.takes_over = true;
  }
}

/// Free stretches of the arena, by where they begin.
class FreeList {
 public:
  int take(int size) {
    auto best = free_.end();
    for (auto at = free_.begin(); at != free_.end(); ++at)
      if (at->second >= size && (best == free_.end() || at->second < best->second)) best = at;
    if (best == free_.end()) {
      size_ += size;
      return size_ - size;
    }
    const auto [begin, length] = *best;
    free_.erase(best);
    if (length > size) free_[begin + size] = length - size;
    return begin;
  }
  void give(int begin, int size) {
    const auto after = free_.lower_bound(begin);
    if (after != free_.end() && after->first == begin + size) {
      size += after->second;
      free_.erase(after);
    }
    const auto next = free_.lower_bound(begin);
    if (next != free_.begin() && std::prev(next)->first + std::prev(next)->second == begin)
      std::prev(next)->second += size;
    else
      free_[begin] = size;
  }
  int size() const { return size_; }

 private:
  std::map<int, int> free_;
  int size_ = 0;
};

/// Gives every group its place; the number of lanes in all.
int place(std::vector<Group>& groups, int end) {
  std::vector<std::vector<Group*>> born(std::size_t(end) + 2), dying(std::size_t(end) + 2);
  for (Group& g : groups) {
    born[std::size_t(g.born + 1)].push_back(&g);
    dying[std::size_t(std::max(g.born, g.dies) + 1)].push_back(&g);
  }
  FreeList arena;
  for (std::size_t k = 0; k < born.size(); ++k) {
    for (Group* g : born[k])
      if (!g->takes_over) g->place = arena.take(g->size());
    for (Group* g : dying[k]) {
      if (g->after)
        g->after->place = g->place;
      else
        arena.give(g->place, g->size());
    }
  }
  return arena.size();
}

/// Points per block at most. Its lanes are a multiple of five cache lines: products have tiles of
/// five vectors, and lanes of a multiple of four lines would put features, which stand a few lanes
/// apart, on the same few places of the first cache. Beyond 15 lines nothing is gained.
int block_size(int lanes, DType dtype) {
  constexpr std::size_t tile_lines = 5, most_tiles = 3;
  const std::size_t tile_bytes =
      std::max<std::size_t>(1, std::size_t(lanes)) * tile_lines * cache_line;
  const std::size_t tiles = std::clamp<std::size_t>(cache_bytes / tile_bytes, 1, most_tiles);
  return int(tiles * tile_lines * cache_line / size_of(dtype));
}

}  // namespace

void assign_arena(Program& program) {
  const std::vector<bool> read = drop_dead(program);
  keep_slopes_in_place(program);
  std::vector<Group> groups = groups_of(program, read);
  find_lives(program, groups, read);
  reuse_adjoints(program, groups);
  program.lanes = place(groups, int(program.body.size()));

  const auto placed = [&](int lane) {
    const Group& g = group_of(groups, lane);
    return g.place + lane - g.first;
  };
  for (RowInput& row : program.rows)
    for (int& lane : row.lanes) lane = read[std::size_t(lane)] ? placed(lane) : -1;
  for (Instruction& i : program.body)
    for (Operand* o : {&i.out, &i.a, &i.b, &i.c, &i.slopes})
      if (o->memory == Memory::lane) o->at = placed(o->at);
  // Lanes of an output need not have stayed side by side.
  for (ProgramOutput& out : program.outputs) {
    std::vector<OutputPiece> pieces;
    for (const OutputPiece& piece : out.pieces) {
      if (piece.from.memory != Memory::lane) {
        pieces.push_back(piece);
        continue;
      }
      for (int k = 0; k < piece.count; ++k)
        pieces.push_back({{Memory::lane, placed(piece.from.at + k * piece.from.stride), 0}, 1});
    }
    out.pieces = std::move(pieces);
  }
  program.block = block_size(program.lanes, program.dtype);
}

}  // namespace pinn
