/// A surface as a PLY file, of words or of bytes of either order.
#include "tests/campaign/mesh_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return pinn::test::try_mesh("mesh.ply", bytes, size);
}
