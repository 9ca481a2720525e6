/// Products of a tile on tensor cores. Part of the text of kernels that are built while the program
/// runs. The threads of a warp work together: on a device each is one of its 32 lanes, on the host
/// one thread is all of them, so that tests run the same fragments.
namespace pinn::cuda {

#ifdef __CUDA_ARCH__
inline constexpr int lanes_here = 1;
inline __device__ int first_lane() { return int(threadIdx.x % 32); }
inline __device__ int this_warp() { return int(threadIdx.x / 32); }
inline __device__ int warps() { return int(blockDim.x / 32); }
#else
inline constexpr int lanes_here = 32;
inline int first_lane() { return 0; }
inline int this_warp() { return int(threadIdx.x); }
inline int warps() { return int(blockDim.x); }
#endif

/// Numbers of a matrix that lanes hold between them. With group g = lane / 4 and t = lane % 4 they
/// are, of a [16][8]: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4); of b [8][8]: (t, g), (t + 4,
/// g); of c [16][8]: (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1). (PTX ISA,
/// mma.m16n8k8.)
template <class T, int count> struct Fragment {
  T of[lanes_here][count] = {};
};

/// A number without the 13 bits that tensor cores do not read.
inline __device__ float cut(float x) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(__float_as_uint(x) & 0xffffe000u);
#else
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  bits &= 0xffffe000u;
  __builtin_memcpy(&x, &bits, sizeof bits);
  return x;
#endif
}

/// A fragment whose numbers are `high + low`, of 11 bits each, where products take three terms;
/// else `high` alone.
template <class T, int count, int terms> struct Halves {
  Fragment<T, count> high, low;
  __device__ void set(int lane, int i, T x) {
    if constexpr (sizeof(T) == 8) {
      high.of[lane][i] = x;
    } else {
      const float first = leading_bits(x);
      high.of[lane][i] = first;
      if constexpr (terms == 3) low.of[lane][i] = cut(x - first);
    }
  }
};

#ifdef __CUDA_ARCH__
/// c += a b
inline __device__ void multiply_add(Fragment<float, 4>& c, const Fragment<float, 4>& a,
                                    const Fragment<float, 2>& b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c.of[0][0]), "+f"(c.of[0][1]), "+f"(c.of[0][2]), "+f"(c.of[0][3])
      : "r"(__float_as_uint(a.of[0][0])), "r"(__float_as_uint(a.of[0][1])),
        "r"(__float_as_uint(a.of[0][2])), "r"(__float_as_uint(a.of[0][3])),
        "r"(__float_as_uint(b.of[0][0])), "r"(__float_as_uint(b.of[0][1])));
}
inline __device__ void multiply_add(Fragment<double, 4>& c, const Fragment<double, 4>& a,
                                    const Fragment<double, 2>& b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c.of[0][0]), "+d"(c.of[0][1]), "+d"(c.of[0][2]), "+d"(c.of[0][3])
      : "d"(a.of[0][0]), "d"(a.of[0][1]), "d"(a.of[0][2]), "d"(a.of[0][3]), "d"(b.of[0][0]),
        "d"(b.of[0][1]));
#else
#pragma unroll
  for (int half = 0; half < 4; ++half)  // rows g or g + 8, by t or t + 4
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c.of[0][half % 2 * 2]), "+d"(c.of[0][half % 2 * 2 + 1])
        : "d"(a.of[0][half]), "d"(b.of[0][half / 2]));
#endif
}
#else
/// A sum as tensor cores make it in float32: they round toward zero.
inline float rounded_sum(double sum, float) {
  const float near = float(sum);
  return __builtin_fabs(double(near)) > __builtin_fabs(sum) ? __builtin_nextafterf(near, 0.0f)
                                                            : near;
}
inline double rounded_sum(double sum, double) { return sum; }

template <class T>
void multiply_add(Fragment<T, 4>& c, const Fragment<T, 4>& a, const Fragment<T, 2>& b) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double sum = double(c.of[lane][i]);
      for (int k = 0; k < 8; ++k)
        sum += double(a.of[row % 8 * 4 + k % 4][row / 8 + k / 4 * 2]) *
               double(b.of[column * 4 + k % 4][k / 4]);
      c.of[lane][i] = rounded_sum(sum, c.of[lane][i]);
    }
}
#endif

/// Sums of products of halves. Of three terms the largest is added up by float32's own additions,
/// which round to nearest.
template <class T, int terms> struct TensorSum {
  Fragment<T, 4> large, small;
  __device__ void add(const Halves<T, 4, terms>& a, const Halves<T, 2, terms>& b) {
    if constexpr (terms == 3) {
      multiply_add(small, a.low, b.high);
      multiply_add(small, a.high, b.low);
      Fragment<T, 4> term;
      multiply_add(term, a.high, b.high);
#pragma unroll
      for (int lane = 0; lane < lanes_here; ++lane)
#pragma unroll
        for (int i = 0; i < 4; ++i) large.of[lane][i] += term.of[lane][i];
    } else {
      multiply_add(large, a.high, b.high);
    }
  }
  __device__ T at(int lane, int i) const {
    return terms == 3 ? large.of[lane][i] + small.of[lane][i] : large.of[lane][i];
  }
};

/// weights = the matrix fixed[at + i row + j column], [k][n], as fragments of b: strip by strip of
/// 8 of n, step by step of 8 of k, lane by lane, the first halves before the second ones; with the
/// threads of the whole grid.
template <int terms, class T>
__device__ void pack_fragments(const StepArguments<T>& s, int to, int at, int row, int column,
                               int k, int n) {
  const int steps = (k + 7) / 8, count = fragments_of(k, n, 1) / 2;
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < count; e += gridDim.x * blockDim.x) {
    const int lane = e % 32, step = e / 32 % steps, j = e / 32 / steps * 8 + lane / 4;
    Halves<T, 2, terms> b;
    for (int half = 0; half < 2; ++half) {
      const int i = step * 8 + half * 4 + lane % 4;
      b.set(0, half, i < k && j < n ? T(s.fixed[at + i * row + j * column]) : T(0));
    }
    T* const out = s.weights + to + e * (terms == 3 ? 4 : 2);
    for (int half = 0; half < 2; ++half) {
      out[half] = b.high.of[0][half];
      if (terms == 3) out[2 + half] = b.low.of[0][half];
    }
  }
}

/// The most of so many parts that divide them and leave each warp something to do.
constexpr int parts_at_once(int parts, int others, int most, int warps) {
  for (int at_once = most; at_once > 1; --at_once)
    if (parts % at_once == 0 && parts / at_once * others >= warps) return at_once;
  return 1;
}

/// y [n][columns] = w^T x, as tile_product; w as pack_fragments leaves it. A warp makes strips of 8
/// features for bands of 16 columns; row g of a fragment stands for column 2 g of the band, row g +
/// 8 for 2 g + 1, so that both are read as one.
template <int terms, int threads, int k, int n, int columns, class T>
__device__ void tensor_product(const T* w, const T* x, T* y) {
  constexpr int steps = (k + 7) / 8, strips = (n + 7) / 8, bands = (columns + 15) / 16;
  constexpr int bands_here = parts_at_once(bands, strips, 3, threads / 32);
  constexpr int strips_here = parts_at_once(strips, bands / bands_here, 4, threads / 32);
  constexpr int groups = bands / bands_here, count = terms == 3 ? 4 : 2;
  for (int item = this_warp(); item < groups * (strips / strips_here); item += warps()) {
    const int band = item % groups * bands_here, strip = item / groups * strips_here;
    TensorSum<T, terms> sum[bands_here][strips_here];
#pragma unroll 2
    for (int step = 0; step < steps; ++step) {
      Halves<T, 2, terms> right[strips_here];
#pragma unroll
      for (int j = 0; j < strips_here; ++j)
#pragma unroll
        for (int lane = 0; lane < lanes_here; ++lane) {
          const auto b =
              packed<count>(w + (((strip + j) * steps + step) * 32 + first_lane() + lane) * count);
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            right[j].high.of[lane][i] = b.at[i];
            if constexpr (terms == 3) right[j].low.of[lane][i] = b.at[2 + i];
          }
        }
#pragma unroll
      for (int m = 0; m < bands_here; ++m) {
        Halves<T, 4, terms> left;
#pragma unroll
        for (int lane = 0; lane < lanes_here; ++lane) {
          const int l = first_lane() + lane, c = (band + m) * 16 + l / 4 * 2;
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const int row = step * 8 + half * 4 + l % 4;
            Pack<2, T> both = {};
            if ((k % 8 == 0 || row < k) && (columns % 16 == 0 || c < columns))
              both = packed<2>(x + row * columns + c);
            left.set(lane, half * 2, both.at[0]);
            left.set(lane, half * 2 + 1, both.at[1]);
          }
        }
#pragma unroll
        for (int j = 0; j < strips_here; ++j) sum[m][j].add(left, right[j]);
      }
    }
#pragma unroll
    for (int m = 0; m < bands_here; ++m)
#pragma unroll
      for (int j = 0; j < strips_here; ++j)
#pragma unroll
        for (int lane = 0; lane < lanes_here; ++lane) {
          const int l = first_lane() + lane, c = (band + m) * 16 + l / 4 * 2;
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            const int feature = (strip + j) * 8 + l % 4 * 2 + i;
            if ((n % 8 == 0 || feature < n) && (columns % 16 == 0 || c < columns))
              *reinterpret_cast<Pack<2, T>*>(y + feature * columns + c) = {
                  {sum[m][j].at(lane, i), sum[m][j].at(lane, i + 2)}};
          }
        }
  }
}

/// partial [k][n] += a b^T with a [k][columns] and b [n][columns], as tile_contract. A warp makes
/// strips of 8 columns of the result for a band of 16 rows; numbers t and t + 4 of a fragment stand
/// for columns 2 t and 2 t + 1 of a and b.
template <int terms, int threads, int k, int n, int columns, class T>
__device__ void tensor_contract(const T* a, const T* b, double* partial) {
  constexpr int strips = (n + 7) / 8, bands = (k + 15) / 16, steps = columns / 8;
  constexpr int strips_here = parts_at_once(strips, bands, 4, threads / 32);
  static_assert(steps * 8 == columns);
  for (int item = this_warp(); item < bands * (strips / strips_here); item += warps()) {
    const int band = item % bands * 16, strip = item / bands * strips_here * 8;
    TensorSum<T, terms> sum[strips_here];
#pragma unroll 2
    for (int step = 0; step < steps; ++step) {
      Halves<T, 4, terms> left;
#pragma unroll
      for (int lane = 0; lane < lanes_here; ++lane) {
        const int l = first_lane() + lane;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int row = band + l / 4 + half * 8;
          Pack<2, T> both = {};
          if (k % 16 == 0 || row < k) both = packed<2>(a + row * columns + step * 8 + l % 4 * 2);
          left.set(lane, half, both.at[0]);
          left.set(lane, half + 2, both.at[1]);
        }
      }
#pragma unroll
      for (int j = 0; j < strips_here; ++j) {
        Halves<T, 2, terms> right;
#pragma unroll
        for (int lane = 0; lane < lanes_here; ++lane) {
          const int l = first_lane() + lane, row = strip + j * 8 + l / 4;
          Pack<2, T> both = {};
          if (n % 8 == 0 || row < n) both = packed<2>(b + row * columns + step * 8 + l % 4 * 2);
          right.set(lane, 0, both.at[0]);
          right.set(lane, 1, both.at[1]);
        }
        sum[j].add(left, right);
      }
    }
#pragma unroll
    for (int j = 0; j < strips_here; ++j)
#pragma unroll
      for (int lane = 0; lane < lanes_here; ++lane)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int l = first_lane() + lane, row = band + l / 4 + i / 2 * 8;
          const int column = strip + j * 8 + l % 4 * 2 + i % 2;
          if ((k % 16 == 0 || row < k) && (n % 8 == 0 || column < n))
            partial[row * n + column] += double(sum[j].at(lane, i));
        }
  }
}

}  // namespace pinn::cuda
