// Scales and adds $items elements a thread.
template <int Items>
__global__ void __launch_bounds__($block)
$name_axpy(const float* __restrict__ x, float* __restrict__ y, float scale, size_t count)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; at + (Items - 1) * threads < count; at += Items * threads) {
#pragma unroll
        for (int item = 0; item < Items; ++item) {
            const size_t here = at + item * threads;
            y[here] = fmaf(scale, __ldg(x + here), y[here]);
        }
    }
    // What is left is less than a whole round.
    for (; at < count; at += threads) {
        y[at] = fmaf(scale, x[at], y[at]);
    }
}

void $name_start(const float* x, float* y, float scale, size_t count, cudaStream_t stream)
{
    const size_t work = $blockull * $items;
    const dim3 grid(static_cast<unsigned>((count + work - 1) / work));
    $name_axpy<$items><<<grid, dim3($block), 0, stream>>>(x, y, scale, count);
    CHECK(cudaGetLastError());
}
