#include "autograd/cuda/kernels/jet_compose.cuh"

namespace pinn::cuda {

template void compose<float>(Gpu& gpu, int op, const Composition<float>& composition);

}  // namespace pinn::cuda
