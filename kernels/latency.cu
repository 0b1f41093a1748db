// How long does one operation take?
//
// Long enough chains of operations, each of which waits for the one before, answer that: their
// time over their number is the latency. One thread of one block runs them, so that nothing else
// on the GPU has a part in it, and it reads the SM's own cycle counter before and after.
//
// Three chains: multiply-adds in a register, loads from shared memory, and loads from global
// memory through pointers. latency.toml runs them as they stand; cliff.toml runs the last one
// over working sets that fit the caches, or don't.

// snippet: timed
// Cycles that `turns` turns of a loop take, LINKS links a turn, where each link needs the result
// of the one before. A loop has work of its own: count, compare, jump. Unrolled far enough, that
// is shared by many links.
template <int LINKS, class State, class Link>
__device__ long long timed(State &state, unsigned turns, Link link)
{
    const long long start = clock64();
#pragma unroll 1
    for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int i = 0; i < LINKS; ++i)
            state = link(state);
    }
    return clock64() - start;
}
// end snippet

// snippet: empty
// The same loop without links, to be subtracted. The empty assembler statement may have changed
// `turn`, as far as the compiler knows, so that it can neither remove the loop nor guess its end.
__device__ long long timed_empty(unsigned turns)
{
    const long long start = clock64();
    unsigned turn = 0;
#pragma unroll 1
    for (; turn < turns; ++turn)
        asm volatile("" : "+r"(turn));
    const long long stop = clock64();
    return stop - start + (turn > turns);
}
// end snippet

// snippet: node
// A node takes 32 bytes, the least that moves between caches and memory. `follow` says what the
// compiler can't know of a pointer that it finds in memory: that it leads to global memory.
struct __align__(32) Node {
    Node *next;
    unsigned long long tied;
};

__device__ Node *follow(const Node *node)
{
    Node *next;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(&node->next) : "memory");
    return next;
}
// end snippet

// snippet: fma
// x = x * 1 + 1, as often as asked: the result is the number of links, so that none can be left
// out. Factor and term are arguments, since the compiler would fold what it knows. The chain
// begins with the number of its thread, which is 0: a value that is the same in all threads would
// go through the unit for such values, on GPUs whose unit multiplies.
template <int LINKS>
__global__ void fma_chain(Node *, unsigned, unsigned, unsigned turns, float factor, float term,
                    unsigned *end, long long *clock)
{
    float x = (float)threadIdx.x;
    clock[0] = timed<LINKS>(x, turns, [=](float x) { return fmaf(x, factor, term); });
    clock[1] = timed_empty(turns);
    *end = (unsigned)x;
}
// end snippet

// snippet: shared
// A ring in shared memory: each word holds the offset, in bytes, of the next. An offset is what
// the load instruction takes, so that a link is that one instruction.
template <int LINKS>
__global__ void shared_chain(Node *, unsigned length, unsigned stride, unsigned turns, float, float,
                       unsigned *end, long long *clock)
{
    __shared__ unsigned ring[4096];
    for (unsigned i = threadIdx.x; i < length; i += blockDim.x)
        ring[i] = (i + stride) % length * sizeof(unsigned);
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    unsigned at = 0;
    clock[0] = timed<LINKS>(at, turns, [&](unsigned at) {
        return *(const unsigned *)((const char *)ring + at);
    });
    clock[1] = timed_empty(turns);
    *end = at / sizeof(unsigned);
}
// end snippet

// snippet: chase
// A ring of nodes through 256 MiB, `stride` nodes from each to the next. The stride is prime to
// the length, so that the ring visits every node, and near 0.618 of it, so that those a walk
// visits lie far from each other. Pointers are known on the device only: the first launch ties
// the ring, and later ones find it tied.
template <int LINKS>
__global__ void chase(Node *nodes, unsigned length, unsigned stride, unsigned turns, float, float,
                      unsigned *end, long long *clock)
{
    const bool tied = nodes->tied == length;
    __syncthreads();
    if (!tied)
        for (unsigned i = threadIdx.x; i < length; i += blockDim.x)
            nodes[i] = {nodes + (i + stride) % length, length};
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    Node *node = nodes;
    clock[0] = timed<LINKS>(node, turns, [](Node *node) { return follow(node); });
    clock[1] = timed_empty(turns);
    *end = (unsigned)(node - nodes);
}
// end snippet

// snippet: ends
// Where a walk of `steps` steps around a ring ends: the proof that all of them were taken.
void ends(unsigned *end, unsigned long long steps, unsigned long long stride,
          unsigned long long length)
{
    *end = (unsigned)(steps * stride % length);
}
// end snippet

// snippet: walk
// A ring of nodes in a random order, given as the number of the node behind each. Before the one
// thread walks, the block ties the ring, where no earlier launch has, and then reads all of it,
// so that each cache holds as much of it as it can. The sum of what it read proves that.
__global__ void walk(const unsigned *order, Node *nodes, unsigned length, unsigned turns,
                     unsigned *end, long long *clock)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0;
    const bool tied = nodes->tied == length;
    __syncthreads();
    if (!tied)
        for (unsigned i = threadIdx.x; i < length; i += blockDim.x)
            nodes[i] = {nodes + order[i], length};
    __syncthreads();
    unsigned mine = 0;
    for (unsigned first = threadIdx.x; first < length; first += 8 * blockDim.x)
#pragma unroll
        for (unsigned j = 0; j < 8; ++j)
            if (first + j * blockDim.x < length)
                mine += (unsigned)(nodes[first + j * blockDim.x].next - nodes);
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    Node *node = nodes;
    clock[0] = timed<16>(node, turns, [](Node *node) { return follow(node); });
    clock[1] = timed_empty(turns);
    end[0] = (unsigned)(node - nodes);
    end[1] = sum;
}
// end snippet

// snippet: ring
// One ring through all nodes, in a random order (Sattolo's shuffle of the identity: each number
// trades places with one before it, which leaves a single cycle).
void fill_order(unsigned *order, unsigned length, unsigned long long seed)
{
    for (unsigned i = 0; i < length; ++i)
        order[i] = i;
    for (unsigned i = length - 1; i > 0; --i) {
        unsigned long long bits = seed + i * 0x9E3779B97F4A7C15ull;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        bits ^= bits >> 31;
        std::swap(order[i], order[bits % i]);
    }
}
// end snippet

// snippet: walked
// Where a walk of `steps` steps ends, and the sum of all nodes' numbers.
void walked(const unsigned *order, unsigned *end, unsigned length, unsigned steps)
{
    unsigned at = 0;
    for (unsigned step = 0; step < steps; ++step)
        at = order[at];
    end[0] = at;
    end[1] = (unsigned)((unsigned long long)length * (length - 1) / 2);
}
// end snippet
