#include "autograd/cpu/jet_series_kernels.h"

template pinn::cpu::SeriesKernel<double> pinn::cpu::series_kernel_in<double, 1>(int, int);
