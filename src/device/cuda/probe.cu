// The kernels around a sample: a gate, a reader that evicts the cache, and a probe of the clocks. See timing.rs.

typedef unsigned long long u64;

static __device__ __forceinline__ u64 global_ns()
{
    u64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Holds the stream until the host writes `ticket` to `word[0]`. A host that was killed or held up never hangs the GPU: after
// `limit_ns` the gate gives up and says so in `word[1]`, and the sample is taken again.
extern "C" __global__ void gate(volatile unsigned *word, unsigned ticket, u64 limit_ns)
{
    const u64 start = global_ns();
    while (word[0] != ticket) {
        if (global_ns() - start > limit_ns) {
            word[1] = ticket;
            return;
        }
        __nanosleep(200);
    }
}

// Reads `count` vectors, so that they take the cache's place and leave no dirty lines behind. The store never happens (the
// buffer holds one repeated byte, whose exclusive-or is that byte or nothing), but the compiler can't know.
extern "C" __global__ void evict(const uint4 *data, u64 count, unsigned *sink)
{
    unsigned all = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        const uint4 v = data[i];
        all ^= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (all == 0x12345678u)
        *sink = all;
}

// Stamps the SM that the block runs on with a pair of global time and that SM's cycle counter. The global timer ticks
// coarsely (32 ns to 1 us, by card), so the pair is taken at the moment it ticks, where its reading is exact to one turn of the
// loop. `earlier` holds the stamps of the probe before; at least `window_ns` pass between the two stamps of an SM, so that
// this turn stays small against the window.
extern "C" __global__ void probe(ulonglong2 *stamps, const ulonglong2 *earlier, u64 window_ns, unsigned slots)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm >= slots)
        return;
    const u64 until = earlier[sm].x + window_ns;
    u64 before = global_ns();
    while (before < until)
        before = global_ns();
    u64 now = before, cycles = 0;
    for (int turn = 0; turn < 1 << 20 && now == before; ++turn) {
        now = global_ns();
        cycles = clock64();
    }
    stamps[sm] = make_ulonglong2(now, cycles);
}
