// Tensors that ranks share out, on their way into a checkpoint and out of it.
#include "solvers/records/checkpoints/shared_tensors.h"

#include <filesystem>

#include "autograd/core/random.h"
#include "data/files/sealed.h"
#include "solvers/optimize/memory.h"
#include "tests/autograd/core/thread_ranks.h"
#include "tests/catch.h"
#include "tests/data/files/faults.h"
#include "tests/data/files/folder.h"
#include "tests/solvers/train/states.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr std::int64_t rows = 700, elements = rows * (rows + 1) / 2;

Tensor whole(DType dtype = DType::float64) {
  return randn({elements}, Random{3, stream("shared tensors", "test"), 0}, dtype);
}

/// A checkpoint with a triangle in the memory of its last stage; of that the part of a rank.
Checkpoint checkpoint(Ranks& ranks, DType dtype = DType::float64) {
  Checkpoint c = some_checkpoint();
  const std::vector<std::size_t> shares = shares_of(std::size_t(elements), ranks.count());
  const auto own = std::size_t(ranks.rank());
  const Tensor all = whole(dtype),
               part = empty({std::int64_t(shares[own + 1] - shares[own])}, dtype);
  visit_floating(dtype, [&]<class T>(T) {
    std::copy_n(all.data<T>().begin() + std::ptrdiff_t(shares[own]), part.numel(),
                part.data<T>().begin());
  });
  c.state.memory.back().tensors["inverse_hessian"] = part;
  return c;
}

/// All ranks save; what rank 0 says of it, or "".
std::string save(const std::string& folder, Ranks& ranks, FileSystem& files,
                 DType dtype = DType::float64) {
  const Checkpoint c = checkpoint(ranks, dtype);
  const SharedTensors shared(ranks, c.state.memory);
  if (ranks.rank() > 0) return shared.serve(), "";
  try {
    save_checkpoint(folder, c, files, shared);
  } catch (const FileError& error) {
    return error.report.what;
  }
  return "";
}

std::vector<double> saved_triangle(const std::string& folder) {
  return newest_checkpoint(folder)
      .checkpoint->state.memory.back()
      .tensors.at("inverse_hessian")
      .values();
}

}  // namespace

TEST_CASE("any number of ranks save the file of one, byte for byte", "[train][ranks]") {
  const Folder folder;
  for (const DType dtype : {DType::float64, DType::float32}) {
    std::string one;
    for (const int count : {1, 2, 3, 4, 7}) {
      std::filesystem::create_directory(folder / "out");
      on_ranks(count, [&](Ranks& ranks) {
        FileSystem files;
        save(folder / "out", ranks, files, dtype);
      });
      const std::string bytes = read_file(folder / "out/checkpoint.h5");
      if (count == 1) one = bytes;
      INFO(count << " ranks, " << name_of(dtype));
      CHECK((bytes == one));
      CHECK(saved_triangle(folder / "out") == whole(dtype).values());
      CHECK(read_sealed(folder / "out/checkpoint.h5").step == some_checkpoint().state.step);
      std::filesystem::remove_all(folder / "out");
    }
  }
}

TEST_CASE("each of any number of ranks reads its part of what others saved", "[train][ranks]") {
  const Folder folder;
  on_ranks(3, [&](Ranks& ranks) {
    FileSystem files;
    save(folder.path, ranks, files);
  });
  const TrainState expected = newest_checkpoint(folder.path).checkpoint->state;
  for (const int count : {1, 2, 4, 7}) {
    std::vector<TrainState> states(static_cast<std::size_t>(count));
    on_ranks(count, [&](Ranks& ranks) {
      Found found;
      if (ranks.rank() == 0) found = newest_checkpoint(folder.path, Contents::without_shared);
      share(ranks, found);
      if (found.checkpoint->state.memory.back().tensors.count("inverse_hessian") > 0)
        throw std::runtime_error("the whole was read");
      read_left_out(ranks, found);
      states[std::size_t(ranks.rank())] = found.checkpoint->state;
    });
    std::vector<double> joined;
    for (TrainState& state : states) {
      Tensor& part = state.memory.back().tensors.at("inverse_hessian");
      const std::vector<double> values = part.values();
      joined.insert(joined.end(), values.begin(), values.end());
      part = whole();
      CHECK(identical(state, expected));
    }
    INFO(count << " ranks");
    CHECK(joined == whole().values());
  }
}

TEST_CASE("where the disk refuses a file, the other ranks are let go, and all can save again",
          "[train][ranks][errors]") {
  for (const char* call : {"open", "write", "seek", "fsync", "rename"}) {
    const Folder out;
    std::string said, after;
    on_ranks(3, [&](Ranks& ranks) {
      Faults faults(call, 1, ENOSPC);
      faults.piece = 1 << 20;
      const std::string first = save(out.path, ranks, faults);
      FileSystem files;
      const std::string second = save(out.path, ranks, files);
      if (ranks.rank() == 0) said = first, after = second;
    });
    INFO(call);
    CHECK_THAT(said, Catch::Matchers::Contains("No space left"));
    CHECK(after == "");
    CHECK(saved_triangle(out.path) == whole().values());
  }
}
