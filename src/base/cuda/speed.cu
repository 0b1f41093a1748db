// Sums `count` floats, one partial sum a block; an ordinary kernel for a look at the lexer's speed.
#include <cuda_runtime.h>

template <typename T, int Items>
__global__ __launch_bounds__(256, 4) void sum(const T* __restrict__ x, T* __restrict__ out, unsigned long long count) {
    __shared__ T partial[8];
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    T total = 0;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride * Items) {
        T values[Items];  // all loads first, so that they are in flight together
        #pragma unroll
        for (int j = 0; j < Items; ++j) values[j] = i + j * stride < count ? x[i + j * stride] : T(0);
        #pragma unroll
        for (int j = 0; j < Items; ++j) total += values[j];
    }
    /* Within the warp by shuffles, then over the warps of the block. */
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffffu, total, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) total += partial[warp];
        out[blockIdx.x] = total;
    }
}

int main() {
    constexpr int threads = 256, elements = 1'000'000;
    const char* text = "launching sum<float, 8>";
    sum<float, 8><<<(elements + threads - 1) / threads, threads, 0>>>(nullptr, nullptr, elements);
    return text[0] == 'l' ? 0 : 1;
}
