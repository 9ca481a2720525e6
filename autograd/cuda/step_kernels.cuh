/// Pieces of the kernels of a step that do not depend on what it computes. Part of the text of
/// kernels that are built while the program runs; every loop over threads is right with one thread
/// per block too.
namespace pinn::cuda {

/// Columns of a product that one thread makes at a time, and the side of the square that it makes
/// of a contraction.
inline constexpr int product_outputs = 4, square = 2;

/// Adds up what the threads of a block have, in a fixed order; thread 0 gets the sum.
inline __device__ double sum_of_block(double mine) {
  __shared__ double part[1024];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  return part[0];
}

/// Row blocks of threads: a lane each; columns of blocks: a share of the points each.
template <class T>
inline __device__ void sum_lanes(const StepArguments<T>& s, int first_lane, int step) {
  const T* lane = s.arena + (first_lane + (long long)blockIdx.y * step) * s.points;
  double sum = 0;
  for (long long p = blockIdx.x * blockDim.x + threadIdx.x; p < s.real; p += gridDim.x * blockDim.x)
    sum += double(lane[p]);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) s.partial[blockIdx.x * gridDim.y + blockIdx.y] = sum;
}

/// sums[at + k step] += partial[0][k] + partial[1][k] + ...
template <class T>
__device__ void add_partial(const StepArguments<T>& s, int parts, int count, int at, int step) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
    double sum = 0;
    for (int part = 0; part < parts; ++part) sum += s.partial[(long long)part * count + k];
    s.sums[at + k * step] += sum;
  }
}

/// sums[at + k] += parts[0][k] + parts[1][k] + ...
template <class T>
__device__ void add_parts(const StepArguments<T>& s, int parts, int count, int at) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
    double sum = 0;
    for (int part = 0; part < parts; ++part) sum += double(s.parts[(long long)part * count + k]);
    s.sums[at + k] += sum;
  }
}

/// Makes lanes 0 where there are no real points.
template <class T>
__device__ void clear_tail(const StepArguments<T>& s, int first_lane, int lanes) {
  const long long made_up = s.points - s.real;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < made_up * lanes;
       i += gridDim.x * blockDim.x)
    s.arena[(first_lane + i / made_up) * s.points + s.real + i % made_up] = T(0);
}

/// Numbers as the sum of two of 11 bits each (what is lost is below the digits of float32), with
/// the threads of the whole grid. Veltkamp's splitting: 2^13 + 1 leaves 24 - 13 bits.
inline __device__ void split(const StepArguments<float>& s) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < s.count;
       i += gridDim.x * blockDim.x) {
    const float x = s.whole[i], big = 8193 * x;
    const float rounded = big - (big - x);
    const float high = rounded - rounded == 0 ? rounded : x;
    s.halves[i] = high;
    s.halves[s.count + i] = x - high;
  }
}

/// weights[i n + j] = fixed[at + i row + j column], with the threads of the whole grid.
template <class T>
__device__ void pack_weights(const StepArguments<T>& s, int to, int at, int row, int column, int k,
                             int n) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < k * n; e += gridDim.x * blockDim.x)
    s.weights[to + e] = T(s.fixed[at + e / n * row + e % n * column]);
}

/// numbers[to + e] = fixed[at + e step]
template <class T>
__device__ void pack_numbers(const StepArguments<T>& s, int to, int at, int step, int count) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < count; e += gridDim.x * blockDim.x)
    s.numbers[to + e] = T(s.fixed[at + e * step]);
}

/// y [n][columns] = w^T x, with w [k][n] and x [k][columns], by the threads of one block.
template <int k, int n, int columns, class T>
__device__ void tile_product(const T* w, const T* x, T* y) {
  constexpr int groups = (n + product_outputs - 1) / product_outputs;
  for (int i = threadIdx.x; i < columns * groups; i += blockDim.x) {
    const int c = i % columns, j = i / columns * product_outputs;
    T sum[product_outputs] = {};
    for (int l = 0; l < k; ++l) {
      const T xl = x[l * columns + c];
#pragma unroll
      for (int m = 0; m < product_outputs; ++m)
        if (n % product_outputs == 0 || j + m < n) sum[m] += w[l * n + j + m] * xl;
    }
#pragma unroll
    for (int m = 0; m < product_outputs; ++m)
      if (n % product_outputs == 0 || j + m < n) y[(j + m) * columns + c] = sum[m];
  }
}

/// How many numbers tile_contract needs for itself.
template <int k, int n> constexpr int contract_splits() {
  constexpr int squares = (k + square - 1) / square * ((n + square - 1) / square);
  return squares >= 256 ? 1 : 256 / squares;
}

/// partial [k][n] += a b^T, with a [k][columns] and b [n][columns]. Threads share out squares
/// of the result and, where those are few, the columns; each begins at another column, so that
/// they do not ask for the same bank of memory.
template <int k, int n, int columns, class T>
__device__ void tile_contract(const T* a, const T* b, T* scratch, double* partial) {
  constexpr int rows = (k + square - 1) / square, squares = rows * ((n + square - 1) / square);
  constexpr int splits = contract_splits<k, n>();
  for (int item = threadIdx.x; item < squares * splits; item += blockDim.x) {
    const int i = item % squares % rows * square, j = item % squares / rows * square;
    const int split = item / squares;
    const int begin = columns * split / splits, length = columns * (split + 1) / splits - begin;
    T sum[square][square] = {};
    int c = length > 0 ? int(threadIdx.x) % length : 0;
    for (int step = 0; step < length; ++step) {
      T left[square], right[square];
#pragma unroll
      for (int m = 0; m < square; ++m) {
        left[m] = k % square == 0 || i + m < k ? a[(i + m) * columns + begin + c] : T(0);
        right[m] = n % square == 0 || j + m < n ? b[(j + m) * columns + begin + c] : T(0);
      }
#pragma unroll
      for (int m = 0; m < square; ++m)
#pragma unroll
        for (int l = 0; l < square; ++l) sum[m][l] += left[m] * right[l];
      if (++c == length) c = 0;
    }
#pragma unroll
    for (int m = 0; m < square; ++m)
#pragma unroll
      for (int l = 0; l < square; ++l)
        if (i + m < k && j + l < n) scratch[(split * k + i + m) * n + j + l] = sum[m][l];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < k * n; e += blockDim.x) {
    T part = scratch[e];
    for (int split = 1; split < splits; ++split) part += scratch[split * k * n + e];
    partial[e] += double(part);
  }
}

/// partial[k step] += the sum of lane at + k lane_step over the real points.
template <int points, class T>
__device__ void tile_sum(const T* arena, int at, int lane_step, int count, int real,
                         double* partial, int step) {
  for (int k = threadIdx.x; k < count; k += blockDim.x) {
    const T* lane = arena + (at + k * lane_step) * points;
    double sum = 0;
    int p = int(threadIdx.x) % real;
    for (int i = 0; i < real; ++i) {
      sum += double(lane[p]);
      if (++p == real) p = 0;
    }
    partial[k * step] += sum;
  }
}

/// Makes the made-up points of lanes 0.
template <int points, class T>
__device__ void tile_clear(T* arena, int first_lane, int lanes, int real) {
  const int made_up = points - real;
  for (int i = threadIdx.x; i < made_up * lanes; i += blockDim.x)
    arena[(first_lane + i / made_up) * points + real + i % made_up] = T(0);
}

/// sums[k] = the sum over blocks of partial[block][k], eight shares of the blocks at a time.
template <class T> __device__ void add_blocks(const StepArguments<T>& s, int blocks, int count) {
  constexpr int width = 32, shares = 8;
  __shared__ double part[shares * width];
  for (int from = blockIdx.x * width; from < count; from += gridDim.x * width) {
    for (int i = threadIdx.x; i < shares * width; i += blockDim.x) {
      const int k = from + i % width;
      double sum = 0;
      if (k < count)
        for (int block = i / width; block < blocks; block += shares)
          sum += s.partial[(long long)block * count + k];
      part[i] = sum;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < width && from + i < count; i += blockDim.x) {
      double sum = 0;
      for (int share = 0; share < shares; ++share) sum += part[share * width + i];
      s.sums[from + i] = sum;
    }
    __syncthreads();
  }
}

}  // namespace pinn::cuda
