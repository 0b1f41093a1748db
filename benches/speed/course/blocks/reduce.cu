__device__ __forceinline__ float $name_of_warp(float value)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, distance);
    }
    return value;
}

/* Every warp leaves a partial sum, and the first warp adds them. */
extern "C" __global__ void $name_sum(const float* __restrict__ x, float* total, int count)
{
    __shared__ float partial[$block / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float value = 0.0f;
    for (int i = blockIdx.x * $block + threadIdx.x; i < count; i += $block * gridDim.x) {
        value += x[i];
    }
    value = $name_of_warp(value);
    if (lane == 0) {
        partial[warp] = value;
    }
    __syncthreads();
    if (warp == 0) {
        value = $name_of_warp(lane < $block / 32 ? partial[lane] : 0.0f);
        if (lane == 0) atomicAdd(total, value);
    }
}
