// Turns tiles round in dynamic shared memory.
// snippet: host
#include <cstddef>
void count(float *x, unsigned long long n)
{
    for (std::size_t i = 0; i < n; ++i) x[i] = (float)(i % 4096);
}
void turned(const float *x, float *y, unsigned long long n)
{
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i - i % 256 + 255 - i % 256];
}
// end snippet

template <int ITEMS> __global__ void tile(const float *x, float *y)
{
    extern __shared__ float held[];
    for (int item = 0; item < ITEMS; ++item) {
        unsigned long long first = ((unsigned long long)blockIdx.x * ITEMS + item) * blockDim.x;
        held[threadIdx.x] = x[first + threadIdx.x];
        __syncthreads();
        y[first + threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}
