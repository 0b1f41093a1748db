namespace $name {

constexpr int radius = $radius;
__constant__ float taps[2 * radius + 1];

__global__ void convolve(const float* __restrict__ x, float* __restrict__ y, int count)
{
    __shared__ float near[$block + 2 * radius];
    const int at = blockIdx.x * $block + threadIdx.x;
    const auto load = [&](int index) { return index >= 0 && index < count ? x[index] : 0.0f; };
    near[threadIdx.x + radius] = load(at);
    if (threadIdx.x < radius) {
        near[threadIdx.x] = load(at - radius);
        near[threadIdx.x + radius + $block] = load(at + $block);
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int tap = 0; tap <= 2 * radius; ++tap) {
        sum = fmaf(taps[tap], near[threadIdx.x + tap], sum);
    }
    if (at < count) y[at] = sum;
}

void set_taps(const float (&values)[2 * radius + 1])
{
    CHECK(cudaMemcpyToSymbol(taps, values, sizeof values));
}

}  // namespace $name
