#include "autograd/cpu/block/series.h"

template pinn::cpu::SeriesKernel<float> pinn::cpu::series_kernel_in<float, 1>(int, int);
template pinn::cpu::SeriesKernel<double> pinn::cpu::series_kernel_in<double, 1>(int, int);
