#include "autograd/cpu/jet_series_kernels.h"

template pinn::SeriesKernel<float> pinn::series_kernel_in<float, 0>(int, int);
