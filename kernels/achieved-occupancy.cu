// How many warps are really there?
//
// The driver says how many warps a launch may have on an SM: theoretical occupancy. How many
// there are, on average, while the SM is busy is achieved occupancy, and this file holds a kernel
// that can miss the first in every usual way: warps of a block that end long before the
// last one, a last wave that doesn't fill the card, a grid that never does.
//
// Every warp walks through the same map of 2^20 places, by itself and for a number of turns. The
// walk comes in two forms that pass the same places: `Lookup` reads the next place from a table
// in the second-level cache, and waits for it at every turn; `Compute` works it out with one
// multiply-add. Either way a turn can't begin before the one before it has ended, so that one
// warp alone leaves its SM idle most of the time, and only other warps can fill the gaps.

// snippet: steps
// Two ways from a place to the next one. In `Lookup` all lanes of a warp read the same word, past
// the first-level cache. In `Compute` only the low 20 bits count, and the rest does no harm.
struct Lookup {
    static __device__ unsigned next(const unsigned *table, unsigned place, unsigned, unsigned)
    {
        return __ldcg(table + place);
    }
};
struct Compute {
    static __device__ unsigned next(const unsigned *, unsigned place, unsigned factor, unsigned addend)
    {
        return factor * place + addend;
    }
};
// end snippet

// snippet: walk
// Where warp `walker` of the grid is after its turns. One warp of each block goes on for `longest`
// turns and the others for `others`. With `shift` 0 the long one is always the first of its block;
// with 1 it is another one from block to block.
const unsigned PLACES = 1u << 20;

template <typename Step>
__device__ unsigned walk(const unsigned *table, unsigned factor, unsigned addend, unsigned longest,
                         unsigned others, unsigned shift)
{
    const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, walker = blockIdx.x * warps + warp;
    const unsigned turns = warp == blockIdx.x * shift % warps ? longest : others;
    unsigned place = walker * 0x9E3779B1u % PLACES;
    for (unsigned turn = 0; turn < turns; ++turn)
        place = Step::next(table, place, factor, addend);
    return place % PLACES;
}
// end snippet

// snippet: walks
// Each warp leaves the place where it ended, and the first one how many there were.
template <typename Step>
__global__ void walks(const unsigned *__restrict__ table, unsigned *__restrict__ ends,
                      unsigned *__restrict__ walkers, unsigned factor, unsigned addend,
                      unsigned longest, unsigned others, unsigned shift)
{
    const unsigned end = walk<Step>(table, factor, addend, longest, others, shift);
    if (threadIdx.x % 32 == 0)
        ends[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = end;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *walkers = gridDim.x * (blockDim.x / 32);
}
// end snippet

// snippet: stamps
// What a warp can know without counters: the time, the same for all SMs, and which SM it is on.
__device__ unsigned long long now()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) : : "memory");
    return ns;
}
__device__ unsigned this_sm()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

// What is known of each SM: the time that its warps were there, summed, and when the first came and
// the last went. All zero before a launch, which is why the first arrival is kept as a complement:
// the largest one wins. `gone` counts the warps that are done.
const unsigned SMS = 1024;
__device__ unsigned long long present[SMS], not_first[SMS], last[SMS];
__device__ unsigned gone;

// Called by one lane of a warp with its stamps. Whether this was the last warp of the grid.
__device__ bool note(unsigned long long came, unsigned long long went)
{
    const unsigned sm = this_sm() % SMS;
    atomicAdd(&present[sm], went - came);
    atomicMax(&not_first[sm], ~came);
    atomicMax(&last[sm], went);
    __threadfence();
    return atomicAdd(&gone, 1u) == gridDim.x * (blockDim.x / 32) - 1;
}

// The sums over all SMs, by the last warp: its warps' time, the time from an SM's first arrival to
// its last departure, the time of the launch, and how many SMs had work. It leaves zeros behind.
__device__ void sum_up(unsigned long long *sums)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned long long warps = 0, busy = 0, sms = 0, begin = ~0ull, end = 0;
    for (unsigned sm = lane; sm < SMS; sm += 32) {
        const unsigned long long time = __ldcg(&present[sm]), came = ~__ldcg(&not_first[sm]), went = __ldcg(&last[sm]);
        present[sm] = not_first[sm] = last[sm] = 0;
        if (went == 0)
            continue;
        warps += time;
        busy += went - came;
        sms += 1;
        begin = came < begin ? came : begin;
        end = went > end ? went : end;
    }
    for (unsigned half = 16; half; half /= 2) {
        warps += __shfl_down_sync(~0u, warps, half);
        busy += __shfl_down_sync(~0u, busy, half);
        sms += __shfl_down_sync(~0u, sms, half);
        const unsigned long long other_begin = __shfl_down_sync(~0u, begin, half);
        const unsigned long long other_end = __shfl_down_sync(~0u, end, half);
        begin = other_begin < begin ? other_begin : begin;
        end = other_end > end ? other_end : end;
    }
    if (lane == 0) {
        gone = 0;
        sums[0] = warps;
        sums[1] = busy;
        sums[2] = end - begin;
        sums[3] = sms;
    }
}
// end snippet

// snippet: stamped
// `walks` between two stamps a warp. The place is stored before the second stamp, which therefore
// can't be taken early.
template <typename Step>
__global__ void stamped(const unsigned *__restrict__ table, unsigned *__restrict__ ends,
                        unsigned *__restrict__ walkers, unsigned factor, unsigned addend,
                        unsigned longest, unsigned others, unsigned shift,
                        unsigned long long *__restrict__ sums)
{
    const unsigned long long came = now();
    const unsigned end = walk<Step>(table, factor, addend, longest, others, shift);
    if (threadIdx.x % 32 == 0)
        ends[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = end;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *walkers = gridDim.x * (blockDim.x / 32);
    const unsigned long long went = now();
    const bool was_last = threadIdx.x % 32 == 0 && note(came, went);
    if (__any_sync(~0u, was_last))
        sum_up(sums);
}
// end snippet

// snippet: map
// The map: from place i to factor * i + addend, modulo their number. With an odd addend and a factor
// that is 1 modulo 4 it is one circle through all 2^20 places (Hull and Dobell), so no walk comes
// back to where it was.
void fill_table(unsigned *table, unsigned places, unsigned factor, unsigned addend)
{
    for (unsigned i = 0; i < places; ++i)
        table[i] = (factor * i + addend) % places;
}
// end snippet

// snippet: right
// Whether every warp came to the right place. The CPU doesn't walk: n turns are again one
// multiply-add, found by squaring, so that the answer doesn't repeat the kernel's way to it. Slots of
// warps that the launch didn't have must still hold what they were poisoned with.
struct Turns {
    unsigned factor, addend;
};
static Turns many(Turns one, unsigned turns)
{
    Turns all = {1, 0};
    for (; turns; turns >>= 1) {
        if (turns & 1)
            all = {one.factor * all.factor, one.factor * all.addend + one.addend};
        one = {one.factor * one.factor, one.factor * one.addend + one.addend};
    }
    return all;
}
bool right(const unsigned *ends, const unsigned *walkers, unsigned slots, unsigned places,
           unsigned factor, unsigned addend, unsigned warps, unsigned longest, unsigned others,
           unsigned shift)
{
    if (*walkers == 0 || *walkers > slots || *walkers % warps != 0)
        return false;
    const Turns far = many({factor, addend}, longest), near = many({factor, addend}, others);
    for (unsigned walker = 0; walker < slots; ++walker) {
        const unsigned block = walker / warps, warp = walker % warps;
        const Turns way = warp == block * shift % warps ? far : near;
        const unsigned start = walker * 0x9E3779B1u % places;
        const unsigned expected = walker < *walkers ? (way.factor * start + way.addend) % places : ~0u;
        if (ends[walker] != expected)
            return false;
    }
    return true;
}
// end snippet
