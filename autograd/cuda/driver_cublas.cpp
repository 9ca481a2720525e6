#include <cublas_v2.h>
#include <fmt/format.h>

#include "autograd/core/error.h"
#include "autograd/cuda/driver_cuda.h"
#include "autograd/cuda/library.h"

namespace pinn::cuda {
namespace {

constexpr std::size_t workspace_bytes = std::size_t(32) << 20;  // what cuBLAS advises for Hopper

struct Cublas {
  Library library{{"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.13"},
                  "a product on the GPU"};
  decltype(&cublasCreate_v2) create =
      library.function<decltype(cublasCreate_v2)>("cublasCreate_v2");
  decltype(&cublasDestroy_v2) destroy =
      library.function<decltype(cublasDestroy_v2)>("cublasDestroy_v2");
  decltype(&cublasSetStream_v2) set_stream =
      library.function<decltype(cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(&cublasSetWorkspace_v2) set_workspace =
      library.function<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2");
  decltype(&cublasGetStatusString) text =
      library.function<decltype(cublasGetStatusString)>("cublasGetStatusString");
  decltype(&cublasGemmStridedBatchedEx_64) gemm =
      library.function<decltype(cublasGemmStridedBatchedEx_64)>("cublasGemmStridedBatchedEx_64");

  void check(const char* call, cublasStatus_t status) const {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw DeviceError({fmt::format("{}: {}", call, text(status)), "the GPU",
                         "run again; if it happens again, lower the number of points"});
  }
};

const Cublas& cublas() {
  static const Cublas value;
  return value;
}

/// Memory is taken for a workspace even while work is captured: it is not part of that work.
class Relaxed {
 public:
  Relaxed() {
    check("cudaThreadExchangeStreamCaptureMode", cudaThreadExchangeStreamCaptureMode(&mode_));
  }
  ~Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

cublasComputeType_t compute_type(const Multiply& product) {
  if (product.dtype == DType::float64) return CUBLAS_COMPUTE_64F;
  return product.precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

}  // namespace

struct Products::Handle {
  explicit Handle(cudaStream_t stream) {
    const Relaxed relaxed;
    check("cudaMalloc", cudaMalloc(&workspace, workspace_bytes));
    cublas().check("cublasCreate", cublas().create(&handle));
    cublas().check("cublasSetStream", cublas().set_stream(handle, stream));
    cublas().check("cublasSetWorkspace",
                   cublas().set_workspace(handle, workspace, workspace_bytes));
  }
  ~Handle() {
    if (handle) cublas().destroy(handle);
    cudaFree(workspace);
  }
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
};

Products::Products() = default;
Products::~Products() = default;

void Products::forget(cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  handles_.erase(stream);
}

Products::Handle& Products::handle(cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Handle>& found = handles_[stream];
  if (!found) found = std::make_unique<Handle>(stream);
  return *found;
}

void Products::multiply(const Multiply& p, cudaStream_t stream) {
  const bool wide = p.dtype == DType::float64;
  const double alpha = 1;
  const float alpha32 = 1, beta32 = float(p.beta);
  const cudaDataType type = wide ? CUDA_R_64F : CUDA_R_32F;
  const auto transposed = [](bool is) { return is ? CUBLAS_OP_T : CUBLAS_OP_N; };
  cublas().check(
      "cublasGemmStridedBatchedEx",
      cublas().gemm(handle(stream).handle, transposed(p.transpose_a), transposed(p.transpose_b),
                    p.m, p.n, p.k, wide ? static_cast<const void*>(&alpha) : &alpha32, p.a, type,
                    p.a_stride, p.a_next, p.b, type, p.b_stride, p.b_next,
                    wide ? static_cast<const void*>(&p.beta) : &beta32, p.c, type, p.c_stride,
                    p.c_next, p.count, compute_type(p), CUBLAS_GEMM_DEFAULT));
}

}  // namespace pinn::cuda
