// How many warps do registers leave room for?
//
// An SM has so many registers; a thread takes so many; the quotient is how many threads fit. The
// hardware doesn't divide like that: a warp gets registers in steps, and an SM takes whole blocks
// or none. registers.toml asks the driver, which knows, for kernels that need all the registers
// they may have.

// snippet: hold
// LIVE values that are all needed in every turn, so that each has a register; eight more are left
// for the loop and addresses. The loads lie apart by the number of threads, known when compiling,
// so that one address serves all of them.
template <int LIVE, int THREADS>
__global__ void hold(const float *__restrict__ in, float *__restrict__ out, unsigned turns,
                     float step)
{
    float values[LIVE];
#pragma unroll
    for (int i = 0; i < LIVE; ++i)
        values[i] = in[i * THREADS + threadIdx.x];
#pragma unroll 1
    for (unsigned turn = 0; turn < turns; ++turn)
#pragma unroll
        for (int i = 0; i < LIVE; ++i)
            values[i] += step;
#pragma unroll
    for (int i = 0; i < LIVE; ++i)
        out[i * THREADS + threadIdx.x] = values[i];
}
// end snippet

// snippet: fill
void fill(float *in, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        in[i] = (float)(i + 1);
}
// end snippet

// snippet: reference
// Small whole numbers: every sum is exact.
void reference(const float *in, float *out, unsigned count, unsigned turns, float step)
{
    for (unsigned i = 0; i < count; ++i)
        out[i] = in[i] + (float)turns * step;
}
// end snippet
