#include "autograd/cpu/jet_series_kernels.h"

template pinn::SeriesKernel<double> pinn::series_kernel_in<double, 1>(int, int);
