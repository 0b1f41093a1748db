// How many threads should a block have?
//
// One picture, three planes of colour in, one plane of brightness out. Every pixel is read
// once and written once, and nothing is shared between threads, so the kernel is as plain
// as kernels get: what it costs is moving 16 bytes a pixel. That leaves block and grid free
// to be chosen, and makes the choice visible.
//
// The lines between `// snippet:` and `// end snippet` are what the lesson shows. The same
// lines are what ran: `luma` on the GPU, `planes` and `reference` on the CPU. The sweep
// beside this file, block-size.toml, says with which numbers.

// snippet: luma
// Brightness as the eye weighs it (ITU-R BT.601). A grid-stride loop: thread i takes pixels
// i, i + stride, i + 2 * stride, …, so any grid covers any picture. Neighbouring threads
// read neighbouring floats in every turn, whatever the block size.
extern "C" __global__ void luma(const float *__restrict__ r, const float *__restrict__ g,
                                const float *__restrict__ b, float *__restrict__ y,
                                unsigned long long pixels)
{
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
         i < pixels; i += stride)
        y[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
}
// end snippet

// snippet: planes
// A picture of noise, the same for the same seed. Pixel i gets 64 mixed bits (the finalizer
// of SplitMix64), 21 for each plane, scaled to 1/2^21 … 1: exact in a float and never zero,
// since zeros hide unwritten outputs and can run faster than real data.
void fill_planes(float *r, float *g, float *b, unsigned long long pixels, unsigned long long seed)
{
    const float step = 1.0f / (1 << 21);
    for (unsigned long long i = 0; i < pixels; ++i) {
        unsigned long long bits = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        bits ^= bits >> 31;
        r[i] = step * (float)(1 + (bits & 0x1FFFFF));
        g[i] = step * (float)(1 + (bits >> 21 & 0x1FFFFF));
        b[i] = step * (float)(1 + (bits >> 42 & 0x1FFFFF));
    }
}
// end snippet

// snippet: reference
// What `luma` should give, computed in double and rounded once. How far may the GPU be off?
// Each weight rounded to float, each product and both sums cost at most 2^-24 of the
// result, since all terms are positive; fusing a product with its sum only saves a
// rounding. Four of those and the one here make 5 * 2^-24 = 3e-7, so a relative tolerance
// of 1e-6 is met by every correct compile, and missed by a wrong weight or a wrong pixel.
void reference_luma(const float *r, const float *g, const float *b, float *y,
                    unsigned long long pixels)
{
    for (unsigned long long i = 0; i < pixels; ++i)
        y[i] = (float)(0.299 * (double)r[i] + 0.587 * (double)g[i] + 0.114 * (double)b[i]);
}
// end snippet
