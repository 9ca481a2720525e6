#include "autograd/cpu/block/series.h"

template pinn::cpu::SeriesKernel<float> pinn::cpu::series_kernel_in<float, 0>(int, int);
template pinn::cpu::SeriesKernel<double> pinn::cpu::series_kernel_in<double, 0>(int, int);
