#include "tests/autograd/cuda/driver/simulated_driver.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "autograd/core/error.h"

using namespace pinn;
using namespace pinn::cuda;

/// A place in a stream's order.
struct SimulatedDriver::Mark {
  Stream stream;
  bool done = false;
  std::shared_ptr<Capture> capture;  // that it was recorded in
  std::size_t position = 0;          // of the stream's work in that capture
};

struct SimulatedDriver::Work {
  std::function<void()> run;         // with device memory open, or nothing
  std::shared_ptr<Mark> waits_for;   // or nothing
  std::shared_ptr<Mark> marks;       // or nothing
  std::function<bool()> ready = {};  // whether it can run, with nothing before it; or nothing
  Group group = nullptr;             // that meets in it, or nothing
};

/// State that the GPUs of a group have in common.
struct SimulatedDriver::Joint {
  struct Rank {
    bool here = false;     // joined, and did not leave
    bool arrived = false;  // at a gather
    bool passed = false;   // it is done, and nothing behind it has begun
    double* numbers = nullptr;
  };
  std::vector<Rank> ranks;
  std::size_t joined = 0;
};

/// Work that is kept instead of run, in an order that respects all its waits.
struct SimulatedDriver::Capture {
  Stream origin;
  std::thread::id by = std::this_thread::get_id();
  std::vector<Work> work;
  struct Branch {
    std::size_t begun = 0, joined = 0;
  };
  std::map<Stream, Branch> branches;
};

namespace pinn::cuda {
struct StreamHandle {
  int device;
  std::deque<SimulatedDriver::Work> queue;
  std::shared_ptr<SimulatedDriver::Capture> capture;
};
struct EventHandle {
  std::shared_ptr<SimulatedDriver::Mark> mark;  // null before it is recorded
};
struct GraphHandle {
  std::vector<SimulatedDriver::Work> work;
};
struct GroupHandle {
  std::shared_ptr<SimulatedDriver::Joint> joint;
  std::size_t rank;
};
}  // namespace pinn::cuda

namespace {

thread_local int current_device = 0;

[[noreturn]] void refuse(const std::string& call, const std::string& why) {
  throw DeviceError({"simulated GPU: " + call + ": " + why, "SimulatedDriver", "mend the caller"});
}

}  // namespace

SimulatedDriver::SimulatedDriver() : SimulatedDriver(Options{}) {}

SimulatedDriver::SimulatedDriver(const Options& options)
    : options_(options), order_(options.order), dice_(options.seed) {
  for (int i = 0; i < options_.devices; ++i)
    memory_.push_back(std::make_unique<SimulatedMemory>(options_.memory));
}

SimulatedDriver::~SimulatedDriver() {
  for (Stream stream : streams_) delete stream;
  for (Event event : events_) delete event;
  for (Graph graph : graphs_) delete graph;
  for (Group group : groups_) delete group;
}

void SimulatedDriver::fail(const std::string& call, int n) { failing_[call] = n; }
void SimulatedDriver::lose_device() { lost_ = true; }
void SimulatedDriver::order(Order order) { order_ = order; }

int SimulatedDriver::calls(const std::string& call) const {
  const std::lock_guard lock(mutex_);
  const auto at = calls_.find(call);
  return at == calls_.end() ? 0 : at->second;
}

int SimulatedDriver::waiting() const {
  const std::lock_guard lock(mutex_);
  int count = 0;
  for (Stream stream : streams_) count += int(stream->queue.size());
  return count;
}

/// Counts the call; false when it was asked to fail.
bool SimulatedDriver::enter(const std::string& call) {
  ++calls_[call];
  if (lost_) refuse(call, "the device was lost");
  const auto at = failing_.find(call);
  if (at == failing_.end() || --at->second > 0) return true;
  failing_.erase(at);
  if (call != "allocate" && call != "allocate_pinned") refuse(call, "it was asked to fail");
  return false;
}

void SimulatedDriver::refuse_in_capture(const std::string& call) const {
  for (const auto& capture : captures_)
    if (capture->by == std::this_thread::get_id()) refuse(call, "not while work is captured");
}

int SimulatedDriver::devices() {
  const std::lock_guard lock(mutex_);
  enter("devices");
  return options_.devices;
}

DeviceInfo SimulatedDriver::info(int device) {
  const std::lock_guard lock(mutex_);
  enter("info");
  if (device < 0 || device >= options_.devices) refuse("info", "there is no such device");
  return {"simulated GPU",       9, 0, options_.memory, 4, options_.shared_memory,
          std::to_string(device)};
}

void SimulatedDriver::use(int device) {
  const std::lock_guard lock(mutex_);
  enter("use");
  if (device < 0 || device >= options_.devices) refuse("use", "there is no such device");
  current_device = device;
}

void* SimulatedDriver::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  refuse_in_capture("allocate");
  return enter("allocate") ? memory_[current_device]->allocate(bytes) : nullptr;
}

/// As CUDA does it, after all work.
void SimulatedDriver::release(void* memory) {
  const std::lock_guard lock(mutex_);
  enter("release");
  refuse_in_capture("release");
  run_everything();
  for (auto& of : memory_)
    if (of->release(memory)) return;
  refuse("release", "this memory is not in use");
}

std::size_t SimulatedDriver::free_memory() {
  const std::lock_guard lock(mutex_);
  enter("free_memory");
  return memory_[current_device]->free_bytes();
}

void* SimulatedDriver::allocate_pinned(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  refuse_in_capture("allocate_pinned");
  if (!enter("allocate_pinned") || pinned_bytes_ + bytes > options_.pinned) return nullptr;
  auto block = std::make_unique<char[]>(bytes);
  std::memset(block.get(), 0xff, bytes);
  char* const place = block.get();
  pinned_[place] = {bytes, std::move(block)};
  pinned_bytes_ += bytes;
  return place;
}

void SimulatedDriver::release_pinned(void* memory) {
  const std::lock_guard lock(mutex_);
  enter("release_pinned");
  refuse_in_capture("release_pinned");
  run_everything();
  const auto at = pinned_.find(static_cast<char*>(memory));
  if (at == pinned_.end()) refuse("release_pinned", "this memory is not in use");
  pinned_bytes_ -= at->second.first;
  pinned_.erase(at);
}

bool SimulatedDriver::on_device(const void* place) const {
  return std::any_of(memory_.begin(), memory_.end(),
                     [&](const auto& memory) { return memory->contains(place); });
}

bool SimulatedDriver::is_pinned(const void* place) const {
  auto at = pinned_.upper_bound(static_cast<const char*>(place));
  return at != pinned_.begin() && (--at, place < at->first + at->second.first);
}

Stream SimulatedDriver::create_stream() {
  const std::lock_guard lock(mutex_);
  enter("create_stream");
  streams_.push_back(new StreamHandle{current_device, {}, nullptr});
  return streams_.back();
}

void SimulatedDriver::destroy(Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("destroy");
  run_until(stream, [&] { return stream->queue.empty(); });
  streams_.erase(std::find(streams_.begin(), streams_.end(), stream));
  delete stream;
}

void SimulatedDriver::synchronize(Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("synchronize");
  if (stream->capture) refuse("synchronize", "not while work is captured");
  run_until(stream, [&] { return stream->queue.empty(); });
}

Event SimulatedDriver::create_event() {
  const std::lock_guard lock(mutex_);
  enter("create_event");
  return *events_.insert(new EventHandle).first;
}

void SimulatedDriver::destroy(Event event) {
  const std::lock_guard lock(mutex_);
  enter("destroy");
  if (events_.erase(event) == 0) refuse("destroy", "there is no such event");
  delete event;
}

void SimulatedDriver::record(Event event, Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("record");
  event->mark = std::make_shared<Mark>(Mark{stream, false, stream->capture, 0});
  if (stream->capture)
    event->mark->position = stream->capture->branches[stream].begun;
  else
    begin(stream, {nullptr, nullptr, event->mark});
}

void SimulatedDriver::wait(Stream stream, Event event) {
  const std::lock_guard lock(mutex_);
  enter("wait");
  const std::shared_ptr<Mark>& mark = event->mark;
  if (!mark) return;
  if (!mark->capture) {
    if (stream->capture) refuse("wait", "captured work cannot wait for work that is not");
    return begin(stream, {nullptr, mark, nullptr});
  }
  if (!captures_.count(mark->capture)) refuse("wait", "the event was recorded in a capture");
  if (stream->capture && stream->capture != mark->capture)
    refuse("wait", "the event belongs to another capture");
  stream->capture = mark->capture;
  Capture::Branch& branch = mark->capture->branches[mark->stream];
  branch.joined = std::max(branch.joined, mark->position);
  if (stream != mark->capture->origin) ++mark->capture->branches[stream].begun;
}

/// Work goes on while somebody asks for it.
bool SimulatedDriver::done(Event event) {
  const std::lock_guard lock(mutex_);
  enter("done");
  if (!event->mark) return true;
  if (event->mark->capture) refuse("done", "the event was recorded in a capture");
  if (!event->mark->done) {
    run_something(event->mark->stream) || run_of_others();
    return false;
  }
  return true;
}

void SimulatedDriver::synchronize(Event event) {
  const std::lock_guard lock(mutex_);
  enter("synchronize");
  if (!event->mark) return;
  if (event->mark->capture) refuse("synchronize", "the event was recorded in a capture");
  run_until(event->mark->stream, [mark = event->mark] { return mark->done; });
}

void SimulatedDriver::begin(Stream stream, Work work) {
  if (stream->capture) {
    ++stream->capture->branches[stream].begun;
    return stream->capture->work.push_back(std::move(work));
  }
  stream->queue.push_back(std::move(work));
  if (order_ == Order::at_once) run_until(stream, [&] { return stream->queue.empty(); });
}

bool SimulatedDriver::can_run(Stream stream) const {
  if (stream->queue.empty()) return false;
  const Work& work = stream->queue.front();
  return (!work.waits_for || work.waits_for->done) && (!work.ready || work.ready());
}

void SimulatedDriver::run_next(Stream stream) {
  const Work work = std::move(stream->queue.front());
  stream->queue.pop_front();
  if (work.run) {
    const SimulatedMemory::Open open(*memory_[stream->device]);
    work.run();
  }
  if (work.marks) work.marks->done = true;
}

/// One piece of work that brings `wanted` forward, or one of another stream where the order says
/// so; false where that waits for GPUs of other ranks.
bool SimulatedDriver::run_something(Stream wanted) {
  std::vector<Stream> others;
  for (Stream stream : streams_)
    if (can_run(stream) && (stream != wanted || order_ == Order::shuffled))
      others.push_back(stream);
  if (!others.empty() && order_ == Order::others_first) return run_next(others.back()), true;
  if (!others.empty() && order_ == Order::shuffled)
    return run_next(others[dice_() % others.size()]), true;
  while (!can_run(wanted)) {
    const Work& first = wanted->queue.front();
    if (!first.waits_for || first.waits_for->done) return false;
    wanted = first.waits_for->stream;
  }
  return run_next(wanted), true;
}

/// A piece of work of another GPU, which goes on whether somebody waits for it there or not.
bool SimulatedDriver::run_of_others() {
  for (Stream stream : streams_)
    if (stream->device != current_device && can_run(stream)) return run_next(stream), true;
  return false;
}

/// Other ranks are other threads.
void SimulatedDriver::let_others_go_on() {
  mutex_.unlock();
  std::this_thread::yield();
  mutex_.lock();
}

void SimulatedDriver::run_until(Stream stream, const std::function<bool()>& enough) {
  const SimulatedMemory::Open open(*memory_[stream->device]);  // once, not for every piece
  while (!enough())
    if (!run_something(stream) && !run_of_others()) let_others_go_on();
}

/// All work of the device of now.
void SimulatedDriver::run_everything() {
  const std::vector<Stream> all = streams_;  // others may make or destroy theirs meanwhile
  for (Stream stream : all)
    if (std::ranges::find(streams_, stream) != streams_.end() && stream->device == current_device)
      run_until(stream, [&] { return stream->queue.empty(); });
}

void SimulatedDriver::copy(void* to, const void* from, std::size_t bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("copy");
  const auto is_pageable = [&](const void* place) {
    return !on_device(place) && !is_pinned(place);
  };
  const bool pageable_from = is_pageable(from), pageable_to = is_pageable(to);
  if ((pageable_from || pageable_to) && stream->capture)
    refuse("copy", "captured copies need pinned memory");
  if (pageable_from) {  // has left the host's memory when CUDA returns
    std::vector<char> staged(static_cast<const char*>(from),
                             static_cast<const char*>(from) + bytes);
    begin(stream, {[to, staged] { std::memcpy(to, staged.data(), staged.size()); }, {}, {}});
  } else {
    begin(stream, {[=] { std::memmove(to, from, bytes); }, {}, {}});
  }
  if (pageable_to) run_until(stream, [&] { return stream->queue.empty(); });
}

void SimulatedDriver::zero(void* to, std::size_t bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("zero");
  begin(stream, {[=] { std::memset(to, 0, bytes); }, {}, {}});
}

void SimulatedDriver::launch(const Kernel& kernel, const Grid& grid, const void* argument,
                             std::size_t argument_bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("launch");
  if (!kernel.host) refuse("launch", "the kernel has no part for the host");
  if (argument_bytes > longest_argument) refuse("launch", "the argument is too long");
  if (grid.shared > options_.shared_memory) refuse("launch", "too much shared memory");
  if (!grid.blocks_x || !grid.blocks_y || grid.blocks_y > 65535 || !grid.threads ||
      grid.threads > 1024)
    refuse("launch", "no device takes such a grid");
  struct alignas(64) Piece {
    char bytes[64];
  };
  std::vector<Piece> copy(argument_bytes / sizeof(Piece) + 1);
  std::memcpy(copy.data(), argument, argument_bytes);
  begin(stream, {[kernel, grid, copy] { kernel.host(grid, copy.data()); }, {}, {}});
}

void SimulatedDriver::multiply(const Multiply& product, Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("multiply");
  begin(stream, {[product] { simulated_multiply(product); }, {}, {}});
}

std::shared_ptr<Module> SimulatedDriver::build(const std::string& text) {
  const std::lock_guard lock(mutex_);
  enter("build");
  return simulated_module(text, options_.threads);
}

void SimulatedDriver::begin_capture(Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("begin_capture");
  if (stream->capture) refuse("begin_capture", "the stream is captured already");
  stream->capture = *captures_.insert(std::make_shared<Capture>()).first;
  stream->capture->origin = stream;
}

Graph SimulatedDriver::end_capture(Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("end_capture");
  const std::shared_ptr<Capture> capture = stream->capture;
  if (!capture || capture->origin != stream) refuse("end_capture", "no capture began here");
  captures_.erase(capture);
  for (Stream of : streams_)
    if (of->capture == capture) of->capture = nullptr;
  for (const auto& [branch, progress] : capture->branches)
    if (branch != stream && progress.joined < progress.begun)
      refuse("end_capture", "work on another stream is not waited for");
  return *graphs_.insert(new GraphHandle{std::move(capture->work)}).first;
}

void SimulatedDriver::launch(Graph graph, Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("launch_graph");
  for (const Work& work : graph->work) begin(stream, work);
}

void SimulatedDriver::destroy(Graph graph) {
  const std::lock_guard lock(mutex_);
  enter("destroy");
  if (graphs_.erase(graph) > 0) delete graph;
}

std::string SimulatedDriver::groups() {
  const std::lock_guard lock(mutex_);
  enter("groups");
  if (!options_.groups) refuse("groups", "there are none");
  return "simulated groups";
}

std::string SimulatedDriver::new_group() {
  const std::lock_guard lock(mutex_);
  enter("new_group");
  const std::string name = "group " + std::to_string(joints_.size());
  joints_[name] = std::make_shared<Joint>();
  return name;
}

Group SimulatedDriver::join(const std::string& name, int rank, int count) {
  const std::lock_guard lock(mutex_);
  enter("join");
  const std::shared_ptr<Joint> joint = joints_.at(name);
  joint->ranks.resize(std::size_t(count));
  joint->ranks[std::size_t(rank)].here = true;
  ++joint->joined;
  while (joint->joined < joint->ranks.size()) let_others_go_on();
  return *groups_.insert(new GroupHandle{joint, std::size_t(rank)}).first;
}

void SimulatedDriver::gather(Group group, double* numbers, std::span<const std::size_t> first,
                             Stream stream) {
  const std::lock_guard lock(mutex_);
  enter("gather");
  if (!on_device(numbers)) refuse("gather", "the numbers are not on the device");
  if (first.size() != group->joint->ranks.size() + 1) refuse("gather", "of other ranks");
  Work work;
  work.group = group;
  work.run = [joint = group->joint, r = group->rank] { joint->ranks[r].passed = false; };
  work.ready = [this, joint = group->joint, r = group->rank, numbers,
                places = std::vector(first.begin(), first.end())] {
    return has_met(*joint, r, numbers, places);
  };
  begin(stream, std::move(work));
}

/// Meeting of the ranks: the last to come brings all what they came for.
bool SimulatedDriver::has_met(Joint& joint, std::size_t rank, double* numbers,
                              const std::vector<std::size_t>& first) {
  Joint::Rank& own = joint.ranks[rank];
  if (own.passed || !own.here) return true;
  own.arrived = true;
  own.numbers = numbers;
  if (!std::ranges::all_of(joint.ranks, &Joint::Rank::arrived)) return false;
  std::vector<std::unique_ptr<SimulatedMemory::Open>> open;
  for (auto& memory : memory_) open.push_back(std::make_unique<SimulatedMemory::Open>(*memory));
  for (std::size_t from = 0; from < joint.ranks.size(); ++from)
    for (const Joint::Rank& to : joint.ranks)
      if (to.numbers != joint.ranks[from].numbers)
        std::copy(joint.ranks[from].numbers + first[from],
                  joint.ranks[from].numbers + first[from + 1], to.numbers + first[from]);
  for (Joint::Rank& each : joint.ranks) each.arrived = false, each.passed = true;
  return true;
}

void SimulatedDriver::require_whole(Group group) {
  const std::lock_guard lock(mutex_);
  enter("require_whole");
  if (groups_.count(group) == 0) refuse("require_whole", "there is no such group");
}

/// Waits for graphs with work of the group to be destroyed, as NCCL does.
void SimulatedDriver::leave(Group group) {
  const std::lock_guard lock(mutex_);
  enter("leave");
  if (groups_.erase(group) == 0) refuse("leave", "there is no such group");
  group->joint->ranks[group->rank].here = false;
  const auto meets = [&](const Work& work) { return work.group == group; };
  while (std::ranges::any_of(graphs_, [&](Graph g) { return std::ranges::any_of(g->work, meets); }))
    let_others_go_on();
  delete group;
}
