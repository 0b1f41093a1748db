// Copies ahead of the arithmetic: $items tiles are on their way while one is worked on.
__global__ void __launch_bounds__($block, 2)
$name_ahead(const float4* __restrict__ in, float4* __restrict__ out, int tiles)
{
    constexpr int stages = $items;
    __shared__ alignas(128) float4 ring[stages][$block];
    auto copy = [&](int tile) {
        __pipeline_memcpy_async(&ring[tile % stages][threadIdx.x], in + tile * $block + threadIdx.x, sizeof(float4));
        __pipeline_commit();
    };
    for (int tile = 0; tile < stages && tile < tiles; ++tile) {
        copy(tile);
    }
    for (int tile = 0; tile < tiles; ++tile) {
        __pipeline_wait_prior(stages - 1);
        __syncthreads();
        float4 value = ring[tile % stages][threadIdx.x];
        value.x += value.w;
        value.y *= 0.5f;
        out[tile * $block + threadIdx.x] = value;
        __syncthreads();
        if (tile + stages < tiles) copy(tile + stages);
    }
}
