#include "autograd/cpu/jet_series_kernels.h"

template pinn::SeriesKernel<double> pinn::series_kernel_in<double, 0>(int, int);
