// Occupancy is not the goal.
//
// One line of arithmetic over long arrays, out = a * x + y: two loads, one multiply-add, one
// store. Its time is that of moving 12 bytes an element, and what decides that time is how many
// loads are under way at once. Three dials change that number: items a thread, which asks for
// more loads from each; dynamic shared memory that nobody reads, which lets fewer blocks onto an
// SM without changing an instruction; and `__launch_bounds__`, which changes nothing but how many
// registers a thread may have.
//
// What the first dial really does is the compiler's affair: occupancy-loads.toml counts, in the
// machine code, the loads before the first arithmetic. occupancy.toml is the measurement.

// snippet: body
// A thread takes ITEMS elements, a whole grid apart, so that in each turn neighbouring threads
// touch neighbouring floats. All loads stand before all arithmetic: 2 * ITEMS of them may be
// under way when the thread first has to wait. The guard is needed in every turn, since no
// choice of ITEMS divides the number of elements. That stays below 2^31, so that 32 bits hold
// every index.
template <int ITEMS>
__device__ void scale_and_add(const float *__restrict__ x, const float *__restrict__ y,
                              float *__restrict__ out, float a, unsigned n)
{
    const unsigned grid = gridDim.x * blockDim.x;
    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
    float xs[ITEMS], ys[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
        if (first + j * grid < n) {
            xs[j] = x[first + j * grid];
            ys[j] = y[first + j * grid];
        }
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
        if (first + j * grid < n)
            out[first + j * grid] = a * xs[j] + ys[j];
}
// end snippet

// snippet: plain
template <int ITEMS>
__global__ void plain(const float *x, const float *y, float *out, float a, unsigned n)
{
    scale_and_add<ITEMS>(x, y, out, a, n);
}
// end snippet

// snippet: bound
// The same, promising 256 threads a block and asking for four blocks on an SM: a thread may have
// a quarter of the SM's registers over 256. Four such blocks fill an SM that holds 1024 threads,
// and half of one that holds 2048.
template <int ITEMS>
__global__ void __launch_bounds__(256, 4)
bound(const float *x, const float *y, float *out, float a, unsigned n)
{
    scale_and_add<ITEMS>(x, y, out, a, n);
}
// end snippet

// snippet: fill
// Two arrays of noise, the same for the same seed: 64 mixed bits an element (the finalizer of
// SplitMix64), 24 for each array, scaled to 1/2^24 … 1. Exact in a float, and never zero.
void fill(float *x, float *y, unsigned n, unsigned long long seed)
{
    const float step = 1.0f / (1 << 24);
    for (unsigned i = 0; i < n; ++i) {
        unsigned long long bits = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        bits ^= bits >> 31;
        x[i] = step * (float)(1 + (bits & 0xFFFFFF));
        y[i] = step * (float)(1 + (bits >> 24 & 0xFFFFFF));
    }
}
// end snippet

// snippet: reference
// What each element should be, computed in double and rounded once. All terms are positive, so
// the GPU's product and sum are off by at most 2^-24 each (fused: by one of them only), and the
// rounding here by another: 3 * 2^-24 = 1.8e-7. A relative tolerance of 2e-7 holds for every
// correct compile; an element that was not written, or belongs elsewhere, is far off.
void reference(const float *x, const float *y, float *out, float a, unsigned n)
{
    for (unsigned i = 0; i < n; ++i)
        out[i] = (float)((double)a * (double)x[i] + (double)y[i]);
}
// end snippet
