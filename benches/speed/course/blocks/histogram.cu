#define $NAME_BINS $bins

// Every block counts for itself first, so that most atomics stay on the chip.
__global__ void $name_count(const unsigned char* __restrict__ bytes, unsigned* totals, size_t count)
{
    extern __shared__ unsigned own[];
    for (unsigned bin = threadIdx.x; bin < $NAME_BINS; bin += blockDim.x) {
        own[bin] = 0u;
    }
    __syncthreads();
    const size_t threads = static_cast<size_t>(blockDim.x) * gridDim.x;
    for (size_t at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += threads) {
        atomicAdd(own + bytes[at] % $NAME_BINS, 1u);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < $NAME_BINS; bin += blockDim.x) {
        if (own[bin] > 0u) atomicAdd(totals + bin, own[bin]);
    }
}

inline void $name_start(const unsigned char* bytes, unsigned* totals, size_t count, int sms)
{
    const size_t shared = $NAME_BINS * sizeof(unsigned);
    $name_count<<<4 * sms, $block, shared>>>(bytes, totals, count);
    CHECK(cudaGetLastError());
}
