/// Rounded saved tensors in the kernels of a step: the same codes as on the CPU
/// (ops/float_format.h), in the same places. Part of the text of kernels that are built while the
/// program runs.
namespace pinn::cuda {

template <int bytes> struct CodeOfBytes;
template <> struct CodeOfBytes<1> { using type = unsigned char; };
template <> struct CodeOfBytes<2> { using type = unsigned short; };

/// Codes that stand in `lanes` lanes of `points` numbers, a code for each point and number of one,
/// and the exponent of their scale at the end.
template <int format, class T> class PackedLanes {
 public:
  __device__ PackedLanes(T* first, int lanes, long long points)
      : codes_(reinterpret_cast<Code*>(first)),
        exponent_(reinterpret_cast<int*>(first + lanes * points) - 1) {}

  __device__ void set_scale(double largest) const {
    constexpr FloatFormat f = float_formats[format];
    *exponent_ = scale_exponent(f, largest);
  }
  /// 2^exponent for those who put, 2^-exponent for those who get.
  __device__ T scale(int sign) const {
    constexpr FloatFormat f = float_formats[format];
    return f.needs_scale() ? T(::ldexp(1.0, sign * *exponent_)) : T(1);
  }
  __device__ void put(long long at, T x) const {
    constexpr Codec<T> codec(float_formats[format]);
    codes_[at] = Code(codec.encode(x));
  }
  __device__ T get(long long at) const {
    constexpr Codec<T> codec(float_formats[format]);
    return codec.decode(codes_[at]);
  }

 private:
  using Code = typename CodeOfBytes<float_formats[format].bytes()>::type;
  Code* codes_;
  int* exponent_;
};

/// |x|, or 0 where that is not finite.
template <class T> __device__ T finite_magnitude(T x) {
  const T a = x < T(0) ? -x : x;
  return a - a == T(0) ? a : T(0);
}

/// The largest of what the threads of a block have, for all of them; `part` is shared memory for a
/// number of each.
template <class T> __device__ T largest_of_block(T* part, T mine) {
  part[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step && part[threadIdx.x] < part[threadIdx.x + step])
      part[threadIdx.x] = part[threadIdx.x + step];
    __syncthreads();
  }
  const T largest = part[0];
  __syncthreads();
  return largest;
}

/// partial[x][y] = the largest finite magnitude of lane first_lane + y, over a share of the points.
template <class T> __device__ void largest_of_lanes(const StepArguments<T>& s, int first_lane) {
  __shared__ double part[1024];
  const T* lane = s.arena + (first_lane + (long long)blockIdx.y) * s.points;
  T largest = T(0);
  for (long long p = blockIdx.x * blockDim.x + threadIdx.x; p < s.real;
       p += gridDim.x * blockDim.x) {
    const T a = finite_magnitude(lane[p]);
    if (largest < a) largest = a;
  }
  const double all = largest_of_block(part, double(largest));
  if (threadIdx.x == 0) s.partial[blockIdx.x * gridDim.y + blockIdx.y] = all;
}

/// The scale of packed lanes, from `parts` numbers of partial, by one block of threads.
template <int format, class T>
__device__ void find_scale(const StepArguments<T>& s, long long parts,
                           const PackedLanes<format, T>& packed) {
  __shared__ double part[1024];
  double largest = 0;
  for (long long i = threadIdx.x; i < parts; i += blockDim.x)
    if (largest < s.partial[i]) largest = s.partial[i];
  largest = largest_of_block(part, largest);
  if (threadIdx.x == 0) packed.set_scale(largest);
}

/// The scale of `lanes` lanes of a tile; `part` as above.
template <int points, int format, class T>
__device__ void tile_scale(const T* first, int lanes, int real, T* part,
                           const PackedLanes<format, T>& packed) {
  T largest = T(0);
  for (int i = threadIdx.x; i < lanes * points; i += blockDim.x) {
    const T a = finite_magnitude(first[i]);
    if (i % points < real && largest < a) largest = a;
  }
  largest = largest_of_block(part, largest);
  if (threadIdx.x == 0) packed.set_scale(double(largest));
}

/// y = x rounded with one scale, and to T first, by one block of threads; x is every x_step-th
/// number, and y likewise.
template <int format, class T>
__device__ void round_fixed(double* y, int y_step, const double* x, int x_step, int count) {
  __shared__ double part[1024];
  constexpr FloatFormat f = float_formats[format];
  constexpr Codec<double> codec(f);
  double largest = 0;
  for (int k = threadIdx.x; f.needs_scale() && k < count; k += blockDim.x) {
    const double a = finite_magnitude(double(T(x[k * x_step])));
    if (largest < a) largest = a;
  }
  const int exponent = scale_exponent(f, largest_of_block(part, largest));
  const double scale = ::ldexp(1.0, exponent), back = ::ldexp(1.0, -exponent);
  for (int k = threadIdx.x; k < count; k += blockDim.x)
    y[k * y_step] = codec.decode(codec.encode(double(T(x[k * x_step])) * scale)) * back;
}

}  // namespace pinn::cuda
