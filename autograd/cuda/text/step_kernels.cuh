/// Pieces of the kernels of a step that do not depend on what it computes. Part of the text of
/// kernels that are built while the program runs; every loop over threads is right with one thread
/// per block too.
namespace pinn::cuda {

/// Numbers side by side, at a multiple of their size: read and written as one.
template <int count, class T> struct alignas(count * sizeof(T)) Pack { T at[count]; };
template <int count, class T> inline __device__ Pack<count, T> packed(const T* from) {
  return *reinterpret_cast<const Pack<count, T>*>(from);
}

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

/// Makes lanes 0 where there are no real points; rows of blocks of threads have a lane each.
template <class T> __device__ void clear_tail(const StepArguments<T>& s, int first_lane) {
  T* lane = s.arena + (first_lane + (long long)blockIdx.y) * s.points;
  for (long long p = s.real + blockIdx.x * blockDim.x + threadIdx.x; p < s.points;
       p += gridDim.x * blockDim.x)
    lane[p] = T(0);
}

/// A number rounded to the 11 bits that tensor cores read of it (Veltkamp: 2^13 + 1 leaves 24 -
/// 13). No multiplication may join a subtraction here: with one rounding less nothing is split. Not
/// a number from 2^115 on.
inline __device__ float leading_bits(float x) {
#ifdef __CUDA_ARCH__
  const float big = __fmul_rn(8193.0f, x);
  return __fsub_rn(big, __fsub_rn(big, x));
#else
  const float big = 8193.0f * x;
  return big - (big - x);
#endif
}

/// Numbers as the sum of two of 11 bits each (what is lost is below the digits of float32), with
/// the threads of the whole grid.
inline __device__ void split(const StepArguments<float>& s) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < s.count;
       i += gridDim.x * blockDim.x) {
    const float rounded = leading_bits(s.whole[i]);
    const float high = rounded - rounded == 0 ? rounded : s.whole[i];
    s.halves[i] = high;
    s.halves[s.count + i] = s.whole[i] - high;
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

/// y [n][columns] = w^T x, with w [k][n] and x [k][columns], by the threads of one block. A thread
/// makes two columns of four rows, and reads what stands side by side as one.
template <int k, int n, int columns, class T>
__device__ void tile_product(const T* w, const T* x, T* y) {
  constexpr int pairs = columns / 2, rows = 4, groups = (n + rows - 1) / rows;
  constexpr int width = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1;
  for (int i = threadIdx.x; i < pairs * groups; i += blockDim.x) {
    const int c = i % pairs * 2, j = i / pairs * rows;
    T sum[rows][2] = {};
#pragma unroll 4
    for (int l = 0; l < k; ++l) {
      const auto right = packed<2>(x + l * columns + c);
#pragma unroll
      for (int m = 0; m < rows; m += width) {
        if (n % rows != 0 && j + m >= n) break;
        const auto left = packed<width>(w + l * n + j + m);
#pragma unroll
        for (int h = 0; h < width; ++h) {
          sum[m + h][0] += left.at[h] * right.at[0];
          sum[m + h][1] += left.at[h] * right.at[1];
        }
      }
    }
#pragma unroll
    for (int m = 0; m < rows; ++m)
      if (n % rows == 0 || j + m < n)
        *reinterpret_cast<Pack<2, T>*>(y + (j + m) * columns + c) = {{sum[m][0], sum[m][1]}};
  }
}

/// scratch = a b^T over each share of the columns, with a [k][columns] and b [n][columns]: number
/// (m, l) of a square at [m][l][square][share]; partial [k][n] += a b^T where one share has all.
/// Threads side by side begin at other columns, so that they do not ask for the same bank of
/// memory.
template <int k, int n, int columns, class T>
__device__ void tile_contract(const T* a, const T* b, T* scratch, double* partial) {
  constexpr int side = contract_side(k, n), in_row = (n + side - 1) / side;
  constexpr int shares = contract_shares(k, n), items = contract_squares(k, n) * shares;
  constexpr int length = columns / 2 / shares;
  static_assert(length * 2 * shares == columns);
  for (int item = threadIdx.x; item < items; item += blockDim.x) {
    const int square = item / shares, i = square / in_row * side, j = square % in_row * side;
    const int begin = item % shares * length;
    T sum[side][side] = {};
    int at = square % length;
#pragma unroll 2
    for (int step = 0; step < length; ++step) {
      const int c = 2 * (begin + at);
      Pack<2, T> left[side] = {}, right[side] = {};
#pragma unroll
      for (int m = 0; m < side; ++m) {
        if (k % side == 0 || i + m < k) left[m] = packed<2>(a + (i + m) * columns + c);
        if (n % side == 0 || j + m < n) right[m] = packed<2>(b + (j + m) * columns + c);
      }
#pragma unroll
      for (int m = 0; m < side; ++m)
#pragma unroll
        for (int l = 0; l < side; ++l) {
          sum[m][l] += left[m].at[0] * right[l].at[0];
          sum[m][l] += left[m].at[1] * right[l].at[1];
        }
      if (++at == length) at = 0;
    }
#pragma unroll
    for (int m = 0; m < side; ++m)
#pragma unroll
      for (int l = 0; l < side; ++l)
        if (shares > 1)
          scratch[(m * side + l) * items + item] = sum[m][l];
        else if (i + m < k && j + l < n)
          partial[(i + m) * n + j + l] += double(sum[m][l]);
  }
}

/// partial [k][n] += what tile_contract left.
template <int k, int n, class T>
__device__ void tile_contract_add(const T* scratch, double* partial) {
  constexpr int side = contract_side(k, n), in_row = (n + side - 1) / side;
  constexpr int shares = contract_shares(k, n), items = contract_squares(k, n) * shares;
  for (int e = threadIdx.x; e < k * n; e += blockDim.x) {
    const int i = e / n, j = e % n, square = i / side * in_row + j / side;
    const auto of =
        packed<shares>(scratch + (i % side * side + j % side) * items + square * shares);
    T part = of.at[0];
#pragma unroll
    for (int share = 1; share < shares; ++share) part += of.at[share];
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
#pragma unroll
    for (int i = 0; i < points; ++i) {
      const int p = (i + k) % points;  // neighbors ask for different banks of memory
      if (p < real) sum += double(lane[p]);
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
