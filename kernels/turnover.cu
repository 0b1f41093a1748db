// Do blocks that end and begin cost anything?
//
// The line of arithmetic of occupancy.cu, out = a * x + y, as a loop: a block that is done with its
// elements goes on to others, a whole grid of turns away. With a grid large enough no block turns
// twice, and every one makes place for a new one; with as many blocks as fit on the card all of
// them stay to the end. The instructions are the same, and so are the elements: only the grid differs.

// snippet: turns
template <int ITEMS>
__global__ void turns(const float *__restrict__ x, const float *__restrict__ y,
                      float *__restrict__ out, float a, unsigned n)
{
    const unsigned grid = gridDim.x * blockDim.x;
    for (unsigned first = blockIdx.x * blockDim.x + threadIdx.x; first < n; first += ITEMS * grid) {
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
}
// end snippet

// snippet: fill
// Two arrays of noise, as in occupancy.cu: exact in a float, and never zero.
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
// In double and rounded once; 2e-7 holds for every correct compile, as argued in occupancy.cu.
void reference(const float *x, const float *y, float *out, float a, unsigned n)
{
    for (unsigned i = 0; i < n; ++i)
        out[i] = (float)((double)a * (double)x[i] + (double)y[i]);
}
// end snippet
