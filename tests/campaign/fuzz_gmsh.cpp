/// A surface as a Gmsh file, of the versions 2.2 and 4.1, of words or of bytes.
#include "tests/campaign/mesh_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return pinn::test::try_mesh("mesh.msh", bytes, size);
}
