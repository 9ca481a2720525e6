/// A checkpoint behind a seal that is right: what is sealed need not be valid.
#include "data/files/sealed.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "tests/campaign/harness.h"
#include "tests/campaign/lasting.h"

using namespace pinn;
using namespace pinn::test;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static HastyDisk files;
  const std::string path = scratch() + "/" + checkpoint_name;
  image_path = scratch_file("image", text_of(bytes, size));
  write_sealed(path, {0, std::string(text_of(bytes, size))}, files, "");
  is_read([&] { load_checkpoint(path); });
  return 0;
}
