/// A surface as an STL file, of words or of bytes.
#include "tests/campaign/mesh_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return pinn::test::try_mesh("mesh.stl", bytes, size);
}
