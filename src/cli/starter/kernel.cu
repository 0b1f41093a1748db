// The kernel of the lesson "{title}", with the functions that fill its input and say what is right.

// snippet: fill
inline void fill(float* x, unsigned long long n)
{
    for (unsigned long long i = 0; i < n; ++i) x[i] = static_cast<float>(i % 1000) * 0.25f;
}
// end snippet

// snippet: reference
inline void reference(const float* x, float* y, unsigned long long n)
{
    for (unsigned long long i = 0; i < n; ++i) y[i] = 2.0f * x[i];
}
// end snippet

// snippet: scale
extern "C" __global__ void scale(const float* x, float* y, unsigned long long n)
{
    unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = 2.0f * x[i];
    }
}
// end snippet
