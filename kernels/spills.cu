// What does a kernel pay for registers it can't have?
//
// The plainest way to multiply matrices fast on one thread is to keep a tile of the result in
// registers: 8 x 8 sums, 64 of them, for which a turn of the loop needs eight values of one
// matrix and eight of the other. Given fewer registers than that, the compiler puts sums into
// local memory, which is global memory by another name, and brings them back when their turn
// comes: they are spilled. spills.toml asks the compiler what it does under a cap,
// spill-cost.toml what that takes.

// snippet: tile
// c = a' * b, where a and b have `depth` rows each. A block of 16 x 16 threads makes 128 x 128
// sums; a thread has 64 of them, 16 apart, so that neighbours read and write neighbouring floats.
extern "C" __global__ void tile(const float *__restrict__ a, const float *__restrict__ b,
                                float *__restrict__ c, unsigned rows, unsigned columns,
                                unsigned depth)
{
    const unsigned row = blockIdx.y * 128 + threadIdx.y;
    const unsigned column = blockIdx.x * 128 + threadIdx.x;
    float sums[8][8] = {};
    for (unsigned k = 0; k < depth; ++k) {
        float u[8], v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            u[i] = a[k * rows + row + 16 * i];
            v[i] = b[k * columns + column + 16 * i];
        }
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int j = 0; j < 8; ++j)
                sums[i][j] += u[i] * v[j];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
            c[(row + 16 * i) * columns + column + 16 * j] = sums[i][j];
}
// end snippet

// snippet: fill
// Odd sixteenths between -1 and 1, the same for the same seed (the finalizer of SplitMix64).
void fill(float *a, unsigned count, unsigned long long seed)
{
    for (unsigned i = 0; i < count; ++i) {
        unsigned long long bits = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        a[i] = (2.0f * (float)((bits ^ (bits >> 31)) & 15) - 15.0f) / 16.0f;
    }
}
// end snippet

// snippet: reference
// The same product. Products of odd sixteenths are whole 256ths, and a sum of fewer than 65,536
// of them that are below 1 stays below 2^24 of those: every sum is exact in a float, in whatever
// order and fused or not. So there is no tolerance.
void reference(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
               unsigned rows, unsigned columns, unsigned depth)
{
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned first = 0; first < columns; first += 64) {
            float sums[64] = {};
            for (unsigned k = 0; k < depth; ++k)
                for (unsigned j = 0; j < 64; ++j)
                    sums[j] += a[(size_t)k * rows + row] * b[(size_t)k * columns + first + j];
            std::copy(sums, sums + 64, c + (size_t)row * columns + first);
        }
}
// end snippet
