#include "autograd/cpu/jet_series_kernels.h"

template pinn::cpu::SeriesKernel<double> pinn::cpu::series_kernel_in<double, 0>(int, int);
