// Follows a chain through working sets, and says how long it was and what it was built with.
// snippet: host
#include <cstddef>
void link(unsigned *next, unsigned long long n)
{
    for (std::size_t i = 0; i < n; ++i) next[i] = (unsigned)((i + 32) % n);
}
void copied(const unsigned *next, unsigned *copy, unsigned long long n)
{
    for (std::size_t i = 0; i < n; ++i) copy[i] = next[i];
}
// end snippet

extern "C" __global__ void chase(const unsigned *next, unsigned *copy, unsigned long long *clock, unsigned long long n)
{
    for (unsigned long long i = threadIdx.x; i < n; i += blockDim.x) copy[i] = next[i];
    __syncthreads();
    if (threadIdx.x) return;
    unsigned at = 0;
    long long start = clock64();
    for (int step = 0; step < STEPS; ++step) at = ((const volatile unsigned *)next)[at];
    clock[0] = clock64() - start;
    clock[1] = STEPS;
    clock[2] = at;
}
