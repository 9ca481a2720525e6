// The event files of TensorBoard, read by a decoder of their own that takes nothing from ours.
#include "solvers/records/logs/event_file.h"

#include <cmath>
#include <cstring>
#include <map>

#include "tests/catch.h"
#include "tests/data/files/faults.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// Bit by bit, as the polynomial is written.
std::uint32_t sum_of(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      const bool odd = ((crc ^ std::uint32_t(static_cast<unsigned char>(c)) >> bit) & 1) != 0;
      crc = crc >> 1 ^ (odd ? 0x82F63B78u : 0);
    }
  crc ^= 0xFFFFFFFF;
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

struct DecodedFields {
  std::map<int, std::uint64_t> numbers;
  std::map<int, std::vector<std::string>> texts;
};

std::uint64_t little_endian(const std::string& bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

DecodedFields decoded(const std::string& message) {
  DecodedFields fields;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= std::uint64_t(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const std::uint64_t tag = varint();
    const int field = int(tag >> 3), wire = int(tag & 7);
    if (wire == 0) {
      fields.numbers[field] = varint();
      continue;
    }
    const std::size_t size = wire == 1 ? 8 : wire == 5 ? 4 : std::size_t(varint());
    const std::string bytes = message.substr(at, size);
    if (bytes.size() != size) throw std::out_of_range("a field beyond its message");
    at += size;
    if (wire == 2)
      fields.texts[field].push_back(bytes);
    else
      fields.numbers[field] = little_endian(bytes);
  }
  return fields;
}

double as_double(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

struct Event {
  double time = 0;
  std::int64_t step = 0;
  std::string version;
  bool start = false;
  std::map<std::string, float> scalars;
};

/// Requires every sum to be right.
std::vector<Event> events_in(const std::string& file) {
  const std::string bytes = read_file(file);
  std::vector<Event> events;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string length = bytes.substr(at, 8);
    REQUIRE(little_endian(bytes.substr(at + 8, 4)) == sum_of(length));
    const std::string data = bytes.substr(at + 12, little_endian(length));
    REQUIRE(little_endian(bytes.substr(at + 12 + data.size(), 4)) == sum_of(data));
    at += 16 + data.size();
    DecodedFields fields = decoded(data);
    Event& event = events.emplace_back();
    event.time = as_double(fields.numbers.at(1));
    event.step = std::int64_t(fields.numbers.at(2));
    if (!fields.texts[3].empty()) event.version = fields.texts[3][0];
    if (!fields.texts[7].empty()) event.start = decoded(fields.texts[7][0]).numbers.at(1) == 1;
    for (const std::string& summary : fields.texts[5]) {
      DecodedFields of_summary = decoded(summary);
      for (const std::string& value : of_summary.texts[1]) {
        DecodedFields of_value = decoded(value);
        const auto bits = std::uint32_t(of_value.numbers.at(2));
        std::memcpy(&event.scalars[of_value.texts.at(1)[0]], &bits, sizeof bits);
      }
    }
  }
  return events;
}

/// The steps of the events with scalars in all files of a folder, one file after the other.
std::vector<std::int64_t> steps_in(const std::string& folder) {
  std::vector<std::int64_t> steps;
  for (const std::string& name : event_files(folder))
    for (const Event& event : events_in(folder + "/" + name))
      if (!event.scalars.empty()) steps.push_back(event.step);
  return steps;
}

MetricRecord at_step(std::int64_t step) {
  return {step, 0, "adam", {{"loss", 1.0 / double(step)}, {"seconds", double(step) / 10}}};
}

}  // namespace

TEST_CASE("CRC-32C is that of RFC 3720", "[train][tensorboard]") {
  CHECK(events::crc32c("123456789") == 0xE3069283);
  CHECK(events::crc32c(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(events::crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
  CHECK(events::crc32c("") == 0);
}

TEST_CASE("an event file holds the numbers of a run under their tags", "[train][tensorboard]") {
  const Folder folder;
  FileSystem files;
  EventFile file(folder.path, -1, {}, 0, files);
  file.append({10,
               0,
               "adam",
               {{"loss", 0.5},
                {"poisson", 0.25},
                {"held_out:poisson", 1e-30},
                {"error:u", 3},
                {"seconds", 7},
                {"gflops", 12}}});
  const std::vector<std::string> names = event_files(folder.path);
  REQUIRE(names.size() == 1);
  const std::vector<Event> events = events_in(folder / names[0]);
  REQUIRE(events.size() == 3);
  CHECK(events[0].version == "brain.Event:2");
  CHECK((events[1].start && events[1].step == 0));
  CHECK(events[2].step == 10);
  CHECK(events[2].scalars == std::map<std::string, float>{{"loss", 0.5f},
                                                          {"loss/poisson", 0.25f},
                                                          {"held_out/poisson", 1e-30f},
                                                          {"error/u", 3.0f},
                                                          {"speed/gflops", 12.0f}});
  CHECK(std::fabs(events[2].time - events[0].time - 7) < 1e-3);
}

TEST_CASE("a run that goes on has no step twice, and says where it goes on",
          "[train][tensorboard]") {
  const Folder folder;
  FileSystem files;
  {
    EventFile first(folder.path, -1, {}, 0, files);
    for (int step = 10; step <= 50; step += 10) first.append(at_step(step));
  }
  const std::vector<MetricRecord> before = {at_step(10), at_step(20), at_step(30)};
  EventFile second(folder.path, 30, before, 3, files);
  second.append(at_step(40));
  CHECK(steps_in(folder.path) == std::vector<std::int64_t>{10, 20, 30, 40});
  const std::vector<std::string> names = event_files(folder.path);
  REQUIRE(names.size() == 2);
  const std::vector<Event> events = events_in(folder / names[1]);
  CHECK((events[1].start && events[1].step == 31));
}

TEST_CASE("a torn or damaged event file loses what is behind, and what it lost is told again",
          "[train][tensorboard][errors]") {
  const Folder folder;
  FileSystem files;
  {
    EventFile first(folder.path, -1, {}, 0, files);
    for (int step = 10; step <= 50; step += 10) first.append(at_step(step));
  }
  const std::string path = folder / event_files(folder.path)[0];
  const std::string whole = read_file(path);
  std::vector<MetricRecord> before;
  for (int step = 10; step <= 50; step += 10) before.push_back(at_step(step));
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    for (const std::string& name : event_files(folder.path)) std::filesystem::remove(folder / name);
    std::string damaged = at % 2 == 0 ? whole.substr(0, at) : whole;
    if (at % 2 == 1) damaged[at] ^= 0x10;
    folder.file(std::filesystem::path(path).filename().string(), damaged);
    EventFile(folder.path, 50, before, 5, files);
    INFO(at);
    CHECK(steps_in(folder.path) == std::vector<std::int64_t>{10, 20, 30, 40, 50});
  }
}

TEST_CASE("a run in pieces has the event files of one run through", "[train][tensorboard]") {
  const Folder folder;
  Run run = inverse_run({stage("adam", 30), stage("lbfgs", 20)});
  run.output.tensorboard = true;
  train(run, request(folder / "whole"));
  CHECK(event_files(folder / "whole").size() == 1);
  CHECK(steps_in(folder / "whole") == std::vector<std::int64_t>{10, 20, 30, 40, 50});
  const int sittings = train_step_by_step(run, folder / "pieces");
  CHECK(int(event_files(folder / "pieces").size()) == sittings);
  CHECK(steps_in(folder / "pieces") == steps_in(folder / "whole"));
}

TEST_CASE("overwriting removes event files of ours and leaves those of others",
          "[train][tensorboard]") {
  const Folder root;
  Run run = poisson_run({stage("adam", 20)});
  run.output.tensorboard = true;
  train(run, request(root / "run"));
  root.file("run/events.out.tfevents.1700000000.host", "another's");
  root.file("run/events.out.tfevents.1700000000.pinn.pinn-0123456789abcdef.tmp", "left");
  run.output.tensorboard = false;
  TrainRequest again = request(root / "run");
  again.folder.overwrite = true;
  train(run, again);
  CHECK(event_files(root / "run").empty());
  CHECK(read_file(root / "run/events.out.tfevents.1700000000.host") == "another's");
  CHECK(drafts(root / "run").empty());
}
