// How many threads should a block have? Turns planes of red, green and blue into luma, a grid-stride loop, so that grid
// and block size are free and the block size is the only thing that moves.

// snippet: planes
inline void fill_planes(float* r, float* g, float* b, unsigned long long n)
{
    for (unsigned long long i = 0; i < n; ++i) {
        r[i] = static_cast<float>(i % 251) / 250.0f;
        g[i] = static_cast<float>(i % 241) / 240.0f;
        b[i] = static_cast<float>(i % 239) / 238.0f;
    }
}
// end snippet

// snippet: reference
inline void reference_luma(const float* r, const float* g, const float* b, float* y, unsigned long long n)
{
    for (unsigned long long i = 0; i < n; ++i) y[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
}
// end snippet

// snippet: luma
extern "C" __global__ void luma(const float* __restrict__ r, const float* __restrict__ g,
                                const float* __restrict__ b, float* __restrict__ y, unsigned long long n)
{
    // One thread takes every stride-th pixel: any grid covers any image.
    unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    // snippet: loop
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
    }
    // end snippet loop
}
// end snippet luma

// snippet: simple
extern "C" __global__ void luma_simple(const float* __restrict__ r, const float* __restrict__ g,
                                const float* __restrict__ b, float* __restrict__ y, unsigned long long n)
{
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
    }
}
// end snippet
