// The launches that lessonc brings itself, to tell a machine that moved from code that did. Their names stand for what they do: change
// nothing here without another name, or old runs would be compared with other work.

// Copies `count` vectors.
extern "C" __global__ void canary_copy(uint4 *to, const uint4 *from, unsigned long long count)
{
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < count;
         i += (unsigned long long)gridDim.x * blockDim.x)
        to[i] = from[i];
}

// Multiplies and adds on registers alone: four chains a thread, sixteen links of each in a turn. `a` is below 1, so that the chains stay
// near b / (1 - a). The store never happens, but the compiler can't know.
extern "C" __global__ void canary_fma(float *sink, unsigned turns, float a, float b)
{
    float w = threadIdx.x * 1e-3f, x = w + 0.25f, y = w + 0.5f, z = w + 0.75f;
    for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int link = 0; link < 16; ++link) {
            w = fmaf(w, a, b);
            x = fmaf(x, a, b);
            y = fmaf(y, a, b);
            z = fmaf(z, a, b);
        }
    }
    if (w + x + y + z < 0.0f)
        *sink = w;
}
