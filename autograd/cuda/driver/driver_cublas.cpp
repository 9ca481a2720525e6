#include <fmt/format.h>

#include "autograd/core/error.h"
#include "autograd/cuda/driver/driver_cuda.h"
#include "autograd/cuda/driver/library.h"

namespace pinn::cuda {
namespace {

constexpr std::size_t workspace_bytes = std::size_t(32) << 20;  // what cuBLAS advises for Hopper

/// cuBLAS's functions and their numbers (CUDA Toolkit, cublas_api.h), declared here so that the
/// program can be built without its headers. A status of 0 is success.
struct Cublas {
  using Handle = struct HandleOfCublas*;
  enum Type : int { float32 = 0, float64 = 1 };  // cudaDataType
  enum Operation : int { as_it_is = 0, transposed = 1 };
  enum Compute : int { in_float32 = 68, in_float64 = 70, in_tf32 = 77 };
  static constexpr int any_algorithm = -1;
  using Gemm = int(Handle, Operation, Operation, std::int64_t m, std::int64_t n, std::int64_t k,
                   const void* alpha, const void* a, Type, std::int64_t lda, long long next,
                   const void* b, Type, std::int64_t ldb, long long next_b, const void* beta,
                   void* c, Type, std::int64_t ldc, long long next_c, std::int64_t count, Compute,
                   int algorithm);

  Library library{{"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.13"},
                  "a product on the GPU"};
  int (*create)(Handle*) = library.function<int(Handle*)>("cublasCreate_v2");
  int (*destroy)(Handle) = library.function<int(Handle)>("cublasDestroy_v2");
  int (*set_stream)(Handle, cudaStream_t) =
      library.function<int(Handle, cudaStream_t)>("cublasSetStream_v2");
  int (*set_workspace)(Handle, void*, std::size_t) =
      library.function<int(Handle, void*, std::size_t)>("cublasSetWorkspace_v2");
  const char* (*text)(int) = library.function<const char*(int)>("cublasGetStatusString");
  Gemm* gemm = library.function<Gemm>("cublasGemmStridedBatchedEx_64");

  void check(const char* call, int status) const {
    if (status != 0)
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

Cublas::Compute compute_type(const Multiply& product) {
  if (product.dtype == DType::float64) return Cublas::in_float64;
  return product.precision == Precision::tf32 ? Cublas::in_tf32 : Cublas::in_float32;
}

}  // namespace

struct Products::Handle {
  explicit Handle(cudaStream_t stream) {
    const Relaxed relaxed;
    void* memory = nullptr;
    pinn::cuda::check("cudaMalloc", cudaMalloc(&memory, workspace_bytes));
    workspace = {memory, cudaFree};
    Cublas::Handle made = nullptr;
    cublas().check("cublasCreate", cublas().create(&made));
    handle = {made, cublas().destroy};
    cublas().check("cublasSetStream", cublas().set_stream(made, stream));
    cublas().check("cublasSetWorkspace", cublas().set_workspace(made, memory, workspace_bytes));
  }
  std::shared_ptr<void> workspace;
  std::shared_ptr<HandleOfCublas> handle;
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
  if (p.m == 0 || p.n == 0 || p.count == 0) return;  // whatever the strides are
  const bool wide = p.dtype == DType::float64;
  const double alpha = 1;
  const float alpha32 = 1, beta32 = float(p.beta);
  const Cublas::Type type = wide ? Cublas::float64 : Cublas::float32;
  const auto transposed = [](bool is) { return is ? Cublas::transposed : Cublas::as_it_is; };
  cublas().check(
      "cublasGemmStridedBatchedEx",
      cublas().gemm(handle(stream).handle.get(), transposed(p.transpose_a),
                    transposed(p.transpose_b), p.m, p.n, p.k,
                    wide ? static_cast<const void*>(&alpha) : &alpha32, p.a, type, p.a_stride,
                    p.a_next, p.b, type, p.b_stride, p.b_next,
                    wide ? static_cast<const void*>(&p.beta) : &beta32, p.c, type, p.c_stride,
                    p.c_next, p.count, compute_type(p), Cublas::any_algorithm));
}

}  // namespace pinn::cuda
