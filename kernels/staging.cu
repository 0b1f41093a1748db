// Is a tile in shared memory faster than the same values in the first-level cache?
//
// One block of 256 threads, each of which adds up the same 256 values a thousand times over. The
// values lie in global memory, where after the first turn the first-level cache has them, or in
// a shared tile. And they are loaded one by one, or four with one instruction. Two dials, four
// kernels that add the same numbers in the same order: what differs in time is due to the dial
// that was turned. A compiler left to itself turns both: it sees how a tile is aligned and loads
// four at once, and can't see it of a pointer that is passed in.

// snippet: total
// Adds 256 values to `sum`, in order, `times` times over. Each addition waits for the one before:
// however fast the loads are, a thread takes 256 * times times the latency of an addition. The
// loop takes 32 values a turn, whatever their loads' width. Were it unrolled whole, the compiler
// would load all values into registers, once and for all.
__device__ float add(float sum, float value) { return sum + value; }

__device__ float add(float sum, float4 four)
{
    return sum + four.x + four.y + four.z + four.w;
}

template <class Values>
__device__ float total(const Values *values, unsigned times, float sum)
{
    constexpr unsigned width = sizeof(Values) / sizeof(float);
#pragma unroll 1
    for (unsigned time = 0; time < times; ++time)
#pragma unroll 32 / width
        for (unsigned i = 0; i < 256 / width; ++i)
            sum = add(sum, values[i]);
    return sum;
}
// end snippet

// snippet: global
template <class Values>
__global__ void from_global(const float *values, float *sums, long long *clock, unsigned times,
                            unsigned)
{
    const long long start = clock64();
    const float sum = total((const Values *)values, times, (float)threadIdx.x);
    sums[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *clock = clock64() - start;
}
// end snippet

// snippet: shared
// The tile is copied once. `first`, which is zero, keeps the compiler from knowing how the
// pointer is aligned, so that it loads what `Values` says.
template <class Values>
__global__ void from_shared(const float *values, float *sums, long long *clock, unsigned times,
                            unsigned first)
{
    __shared__ __align__(16) float tile[256];
    const long long start = clock64();
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    const float sum = total((const Values *)(tile + first), times, (float)threadIdx.x);
    sums[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *clock = clock64() - start;
}
// end snippet

// snippet: fill
// Noise in 1/2^24 … 1, the same for the same seed (the finalizer of SplitMix64).
void fill(float *values, unsigned count, unsigned long long seed)
{
    for (unsigned i = 0; i < count; ++i) {
        unsigned long long bits = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        values[i] = 1.0f / (1 << 24) * (float)(1 + ((bits ^ (bits >> 31)) & 0xFFFFFF));
    }
}
// end snippet

// snippet: reference
// The same additions in the same order and the same precision. Every addition is rounded, and
// the GPU rounds as the CPU does, so that there is no tolerance: one value left out, doubled or
// out of turn shows.
void reference(const float *values, float *sums, unsigned count, unsigned times)
{
    for (unsigned thread = 0; thread < count; ++thread) {
        float sum = (float)thread;
        for (unsigned time = 0; time < times; ++time)
            for (unsigned i = 0; i < count; ++i)
                sum += values[i];
        sums[thread] = sum;
    }
}
// end snippet
