#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <memory>

#include "autograd/core/error.h"
#include "autograd/cuda/driver/driver.h"
#include "autograd/cuda/driver/driver_cuda.h"

namespace pinn::cuda {
namespace {

cudaStream_t native(Stream stream) { return reinterpret_cast<cudaStream_t>(stream); }
cudaEvent_t native(Event event) { return reinterpret_cast<cudaEvent_t>(event); }
cudaGraphExec_t native(Graph graph) { return reinterpret_cast<cudaGraphExec_t>(graph); }

std::string remedy(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
      return "check with nvidia-smi that the machine has a GPU and CUDA_VISIBLE_DEVICES names it, "
             "or take device = \"cpu\"";
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorStubLibrary:
      return "install an NVIDIA driver that is new enough for this program, or take device = "
             "\"cpu\"";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "take a GPU of compute capability 8.0 or newer, or device = \"cpu\"";
    case cudaErrorMemoryAllocation:
      return "lower the block size in [memory] or the number of points";
    default:
      return "run again; what was done after the last checkpoint is lost. If it happens again, "
             "compute-sanitizer pinn-train ... finds the kernel";
  }
}

/// Kernels that were loaded from a cubin.
class CudaModule : public Module {
 public:
  explicit CudaModule(const std::string& cubin) {
    check("cudaLibraryLoadData",
          cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  ~CudaModule() override { cudaLibraryUnload(library_); }

  Kernel kernel(const std::string& name) override {
    cudaKernel_t found = nullptr;
    const cudaError_t status = cudaLibraryGetKernel(&found, library_, name.c_str());
    if (status == cudaErrorSymbolNotFound)
      throw InternalError({"the generated text has no kernel " + name, "", "name it as it is"});
    check("cudaLibraryGetKernel", status);
    cudaFuncAttributes ignored;  // to ask loads it, which cannot be done while work is captured
    check("cudaFuncGetAttributes", cudaFuncGetAttributes(&ignored, found));
    return {found, nullptr};
  }

 private:
  cudaLibrary_t library_ = nullptr;
};

class CudaDriver : public Driver {
 public:
  int devices() override {
    int count = 0;
    check("cudaGetDeviceCount", cudaGetDeviceCount(&count));
    return count;
  }

  DeviceInfo info(int device) override {
    cudaDeviceProp of;
    check("cudaGetDeviceProperties", cudaGetDeviceProperties(&of, device));
    std::string id;
    for (const char byte : of.uuid.bytes) id += fmt::format("{:02x}", (unsigned char)(byte));
    return {of.name,
            of.major,
            of.minor,
            of.totalGlobalMem,
            of.multiProcessorCount,
            of.sharedMemPerBlockOptin,
            id};
  }

  void use(int device) override { check("cudaSetDevice", cudaSetDevice(device)); }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    return enough("cudaMalloc", cudaMalloc(&memory, bytes)) ? memory : nullptr;
  }
  void release(void* memory) override { check("cudaFree", cudaFree(memory)); }
  std::size_t free_memory() override {
    std::size_t free = 0, all = 0;
    check("cudaMemGetInfo", cudaMemGetInfo(&free, &all));
    return free;
  }
  void* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    return enough("cudaHostAlloc", cudaHostAlloc(&memory, bytes, cudaHostAllocPortable)) ? memory
                                                                                         : nullptr;
  }
  void release_pinned(void* memory) override { check("cudaFreeHost", cudaFreeHost(memory)); }

  Stream create_stream() override {
    cudaStream_t stream = nullptr;
    check("cudaStreamCreate", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return reinterpret_cast<Stream>(stream);
  }
  void destroy(Stream stream) override {
    products_.forget(native(stream));
    check("cudaStreamDestroy", cudaStreamDestroy(native(stream)));
  }
  void synchronize(Stream stream) override {
    check("cudaStreamSynchronize", cudaStreamSynchronize(native(stream)));
  }

  Event create_event() override {
    cudaEvent_t event = nullptr;
    check("cudaEventCreate", cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return reinterpret_cast<Event>(event);
  }
  void destroy(Event event) override { check("cudaEventDestroy", cudaEventDestroy(native(event))); }
  void record(Event event, Stream stream) override {
    check("cudaEventRecord", cudaEventRecord(native(event), native(stream)));
  }
  void wait(Stream stream, Event event) override {
    check("cudaStreamWaitEvent", cudaStreamWaitEvent(native(stream), native(event), 0));
  }
  bool done(Event event) override {
    const cudaError_t status = cudaEventQuery(native(event));
    if (status == cudaErrorNotReady) return false;
    check("cudaEventQuery", status);
    return true;
  }
  void synchronize(Event event) override {
    check("cudaEventSynchronize", cudaEventSynchronize(native(event)));
  }

  void copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
    if (bytes == 0) return;  // a graph has no such work
    check("cudaMemcpyAsync", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, native(stream)));
  }
  void zero(void* to, std::size_t bytes, Stream stream) override {
    if (bytes == 0) return;
    check("cudaMemsetAsync", cudaMemsetAsync(to, 0, bytes, native(stream)));
  }

  void launch(const Kernel& kernel, const Grid& grid, const void* argument, std::size_t,
              Stream stream) override {
    constexpr std::size_t without_asking = 48 * 1024;
    if (grid.shared > without_asking)
      check("cudaFuncSetAttribute",
            cudaFuncSetAttribute(kernel.device, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 int(grid.shared)));
    void* arguments[] = {const_cast<void*>(argument)};
    check("cudaLaunchKernel",
          cudaLaunchKernel(kernel.device, {grid.blocks_x, grid.blocks_y, 1}, {grid.threads, 1, 1},
                           arguments, grid.shared, native(stream)));
  }

  void multiply(const Multiply& product, Stream stream) override {
    products_.multiply(product, native(stream));
  }

  std::shared_ptr<Module> build(const std::string& text) override {
    int device = 0;
    check("cudaGetDevice", cudaGetDevice(&device));
    const DeviceInfo at = info(device);
    return std::make_shared<CudaModule>(kernels_.built(text, 10 * at.major + at.minor));
  }

  void begin_capture(Stream stream) override {
    check("cudaStreamBeginCapture",
          cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeThreadLocal));
  }
  Graph end_capture(Stream stream) override {
    cudaGraph_t graph = nullptr;
    check("cudaStreamEndCapture", cudaStreamEndCapture(native(stream), &graph));
    const std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> owned(graph, cudaGraphDestroy);
    cudaGraphExec_t ready = nullptr;
    check("cudaGraphInstantiate", cudaGraphInstantiate(&ready, graph, 0));
    return reinterpret_cast<Graph>(ready);
  }
  void launch(Graph graph, Stream stream) override {
    check("cudaGraphLaunch", cudaGraphLaunch(native(graph), native(stream)));
  }
  void destroy(Graph graph) override {
    check("cudaGraphExecDestroy", cudaGraphExecDestroy(native(graph)));
  }

  std::string groups() override { return groups_.version(); }
  std::string new_group() override { return groups_.new_name(); }
  Group join(const std::string& name, int rank, int count) override {
    return groups_.join(name, rank, count);
  }
  void gather(Group group, double* numbers, std::span<const std::size_t> first,
              Stream stream) override {
    groups_.gather(group, numbers, first, stream);
  }
  void require_whole(Group group) override { groups_.require_whole(group); }
  void leave(Group group) override { groups_.leave(group); }

 private:
  /// False when there is not enough memory, which the next call must not see again.
  static bool enough(const char* call, cudaError_t status) {
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return false;
    }
    check(call, status);
    return true;
  }

  Products products_;
  Groups groups_;
  KernelCache kernels_;
};

}  // namespace

void check(const char* call, cudaError_t status) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report it once more, where it can go on
  throw DeviceError(
      {fmt::format("{}: {} ({})", call, cudaGetErrorString(status), cudaGetErrorName(status)),
       "the GPU", remedy(status)});
}

std::shared_ptr<Driver> make_driver() { return std::make_shared<CudaDriver>(); }

}  // namespace pinn::cuda
