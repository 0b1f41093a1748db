// What does it cost where a block begins?
//
// Brightness of a picture again, as in block-size.cu, but with the picture laid out in strips, one
// for each turn of a block. Strips may follow each other without a gap, or each may begin on a
// line of memory of its own; and all of them may be moved by a few pixels. So the two things that
// are wrong with 100 threads a block, lanes that idle and blocks that begin anywhere, can be had
// one without the other.

// snippet: strips
// Strip s is what a block does in one turn: a pixel a thread, beginning `first + s * pitch` pixels
// behind the buffers' start, which lies on a line of memory.
extern "C" __global__ void strips(const float *__restrict__ r, const float *__restrict__ g,
                                  const float *__restrict__ b, float *__restrict__ y,
                                  unsigned strips, unsigned pitch, unsigned first)
{
    for (unsigned s = blockIdx.x; s < strips; s += gridDim.x) {
        const unsigned i = first + s * pitch + threadIdx.x;
        y[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
    }
}
// end snippet

// snippet: planes
// Noise, the same for the same seed: 64 mixed bits a pixel (the finalizer of SplitMix64), 21 for
// each plane, scaled to 1/2^21 … 1. The output begins as -1, which no pixel's brightness is, so
// that a pixel which was not written shows, and so does one that should not have been.
void fill_strips(float *r, float *g, float *b, float *y, unsigned room, unsigned long long seed)
{
    const float step = 1.0f / (1 << 21);
    for (unsigned i = 0; i < room; ++i) {
        unsigned long long bits = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        bits ^= bits >> 31;
        r[i] = step * (float)(1 + (bits & 0x1FFFFF));
        g[i] = step * (float)(1 + (bits >> 21 & 0x1FFFFF));
        b[i] = step * (float)(1 + (bits >> 42 & 0x1FFFFF));
        y[i] = -1.0f;
    }
}
// end snippet

// snippet: reference
// What a launch should leave in `y`: brightness where a strip has a pixel, and what was there
// before in the gaps. The tolerance is that of block-size.cu, for the reasons given there.
void reference_strips(const float *r, const float *g, const float *b, float *y, unsigned strips,
                      unsigned pitch, unsigned first, unsigned threads)
{
    for (unsigned s = 0; s < strips; ++s)
        for (unsigned i = first + s * pitch; i < first + s * pitch + threads; ++i)
            y[i] = (float)(0.299 * (double)r[i] + 0.587 * (double)g[i] + 0.114 * (double)b[i]);
}
// end snippet
