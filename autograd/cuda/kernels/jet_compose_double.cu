#include "autograd/cuda/kernels/jet_compose.cuh"

namespace pinn::cuda {

template void compose<double>(Gpu& gpu, int op, const Composition<double>& composition);

}  // namespace pinn::cuda
