// Copies a buffer.

// snippet: fill
inline void fill(float* x, unsigned long long n)
{
    for (unsigned long long i = 0; i < n; ++i) x[i] = static_cast<float>(i % 251);
}
// end snippet

// snippet: reference
inline void reference(const float* x, float* y, unsigned long long n)
{
    for (unsigned long long i = 0; i < n; ++i) y[i] = x[i];
}
// end snippet

// snippet: copy
extern "C" __global__ void copy(const float* x, float* y, unsigned long long n)
{
    unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    // snippet: body
    if (i < n) {
        y[i] = x[i];  // one load, one store
    }
    // end snippet body
}
// end snippet copy
