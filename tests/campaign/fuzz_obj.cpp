/// A surface as an OBJ file.
#include "tests/campaign/mesh_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return pinn::test::try_mesh("mesh.obj", bytes, size);
}
