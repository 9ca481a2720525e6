#include "autograd/cuda/kernels/jet_coefficients.cuh"

namespace pinn::cuda {

template void find_coefficients<float>(Gpu& gpu, int op, const Coefficients<float>& wanted);
template void find_coefficients<double>(Gpu& gpu, int op, const Coefficients<double>& wanted);

}  // namespace pinn::cuda
