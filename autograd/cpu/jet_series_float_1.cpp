#include "autograd/cpu/jet_series_kernels.h"

template pinn::cpu::SeriesKernel<float> pinn::cpu::series_kernel_in<float, 1>(int, int);
