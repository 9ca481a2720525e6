/// A checkpoint as its confined process answers, when that process lies: the sense of all that a
/// state holds. The answers about a good checkpoint are given here, without a process, with some
/// of them changed; which, and how, is what libFuzzer makes up. So the checks behind the HDF5
/// library are reached thousands of times a second, and past any seal or format.
#include <algorithm>
#include <cstring>
#include <vector>

#include "data/files/confined/confined_child.h"
#include "data/files/hdf5/h5_content.h"
#include "data/files/sealed.h"
#include "solvers/residual/model.h"
#include "tests/campaign/harness.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// One change of one answer; twelve bytes of the input.
struct Edit {
  std::uint8_t question, kind;
  std::uint16_t at;
  std::uint64_t value;
};
constexpr std::size_t edit_bytes = 12;

std::vector<Edit> edits;
unsigned questions = 0;  ///< that were asked of this checkpoint

/// A good checkpoint, who answers for it, and the run it belongs to.
struct Seed {
  explicit Seed(const std::string& place) {
    const Sealed sealed = read_sealed(place + "/" + checkpoint_name);
    path = place + "/" + checkpoint_name;
    HastyDisk files;
    write_sealed(path, {sealed.step, "answers speak for it"}, files, "");
    content = std::make_shared<H5Content>(sealed.image, path);
    ask = h5::service(content);
  }
  const Answer& answer(const std::string& request) const {
    const auto known = answers.find(request);
    return known != answers.end() ? known->second : answers[request] = ask(request);
  }
  std::string path;
  std::shared_ptr<H5Content> content;
  Confined::Answerer ask;
  mutable std::map<std::string, Answer> answers;  ///< to all that was asked before
};

const Seed* seed = nullptr;

template <class T> void put(std::string& bytes, std::size_t at, T value) {
  if (bytes.size() < sizeof value) return;
  std::memcpy(bytes.data() + at * sizeof value % (bytes.size() - sizeof value + 1), &value,
              sizeof value);
}

void change(const Edit& edit, std::string& words, std::string& numbers) {
  const double odd[] = {0, -1, 0.5, 1e300, -1e300, std::nan(""), HUGE_VAL, 1e-320};
  switch (edit.kind % 9) {
    case 0:
      return put(words, edit.at, edit.value);
    case 1:
      return put(words, edit.at, std::uint64_t(edit.value % 64));
    case 2:
      return put(words, edit.at, std::uint8_t(edit.value));
    case 3:
      return words.resize(edit.at % (words.size() + 9));
    case 4:
      return put(numbers, edit.at, edit.value);
    case 5:
      return put(numbers, edit.at, odd[edit.value % std::size(odd)]);
    case 6:
      return put(numbers, edit.at, std::int64_t(edit.value % 64) - 8);
    case 7: {  // an array of another length that says so
      const std::uint64_t length = edit.value % 40;
      if (words.size() < 16 || numbers.empty()) return;
      std::memcpy(words.data() + 8, &length, sizeof length);
      return numbers.resize(length * (numbers.size() >= 8 ? 8 : numbers.size()));
    }
    default:
      throw FileError({"it was ended", "the process", "read the file again"});
  }
}

std::vector<Seed> make_seeds() {
  static const std::vector<std::vector<Stage>> stages = {{stage("adam", 9)},
                                                         {stage("adam", 4), stage("ssbroyden", 3)},
                                                         {stage("sgd", 2), stage("lbfgs", 9)}};
  std::vector<Seed> seeds;
  for (const std::vector<Stage>& some : stages) {
    const std::string place = scratch() + "/seed-" + std::to_string(seeds.size());
    train(inverse_run(some), request(place));
    seeds.emplace_back(place);
  }
  return seeds;
}

}  // namespace

namespace pinn {

Confined::Confined(std::string name, const Allowance& allowance, const std::function<Answerer()>&)
    : name_(std::move(name)), allowance_(allowance) {
  questions = 0;
}
Confined::~Confined() = default;

std::string Confined::ask(const std::string& request, const Room& room) {
  if (!seed) return fail(), "";
  const unsigned question = questions++;
  const Answer& truth = seed->answer(request);
  std::string words = truth.words;
  std::string numbers(static_cast<const char*>(truth.numbers.get()), truth.bytes);
  for (const Edit& edit : edits)
    if (edit.question == question % 256) change(edit, words, numbers);
  if (!room && !numbers.empty()) fail();
  if (room)
    if (void* const to = room(words, numbers.size()); !numbers.empty())
      std::memcpy(to, numbers.data(), numbers.size());
  return words;
}

void Confined::fail() { refuse_answer(); }
void Confined::refuse_answer() {
  throw FileError({"the file is damaged", name_, "write the file again"});
}

}  // namespace pinn

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::vector<Seed> seeds = make_seeds();
  static const Run run = inverse_run({stage("adam", 9)});
  static const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  static const std::vector<LossTerm> terms = [] {
    std::vector<LossTerm> all;
    for (const Requirement& r : run.problem.requirements)
      for (const Residual& residual : r.residuals) all.push_back({residual.name, residual.weight});
    return all;
  }();
  if (size == 0) return 0;
  seed = &seeds[bytes[0] % seeds.size()];
  edits.clear();
  for (std::size_t at = 1; at + edit_bytes <= size; at += edit_bytes) {
    Edit edit{bytes[at], bytes[at + 1], 0, 0};
    std::memcpy(&edit.at, bytes + at + 2, sizeof edit.at);
    std::memcpy(&edit.value, bytes + at + 4, sizeof edit.value);
    edits.push_back(edit);
  }
  is_read([] {
    const Checkpoint found = load_checkpoint(seed->path);
    require_fit(found, run, model, terms, seed->path);
  });
  return 0;
}
