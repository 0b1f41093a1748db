// Kernels that fail in every way that one can, beside one that does not.
// snippet: host
#include <cstddef>
void fill(float *x, unsigned long long n)
{
    for (std::size_t i = 0; i < n; ++i) x[i] = (float)(i % 1000);
}
void twice(const float *x, float *y, unsigned long long n)
{
    for (std::size_t i = 0; i < n; ++i) y[i] = 2 * x[i];
}
// end snippet

__device__ void all(const float *x, float *y, unsigned long long n, unsigned long long wrong)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    for (; i < n; i += (unsigned long long)gridDim.x * blockDim.x) y[i] = i == wrong ? -1 : 2 * x[i];
}
extern "C" __global__ void fine(const float *x, float *y, unsigned long long n) { all(x, y, n, n); }
extern "C" __global__ void wrong(const float *x, float *y, unsigned long long n) { all(x, y, n, 77); }
extern "C" __global__ void stray(const float *x, float *y, unsigned long long n) { y[n << 20] = x[0]; }
extern "C" __global__ void trap(const float *x, float *y, unsigned long long n) { if (n) __trap(); }
extern "C" __global__ void stuck(const float *x, float *y, unsigned long long n)
{
    while (*(const volatile float *)y != 1234) {}
}
