// A warp walks over a row and keeps its largest value and its sum up to date.
__global__ void $name_softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns)
{
    const int row = (blockIdx.x * $block + threadIdx.x) / warpSize;
    const int lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    const float* values = in + static_cast<size_t>(row) * columns;
    float most = -INFINITY, sum = 0.0f;
    for (int column = lane; column < columns; column += 32) {
        const float value = values[column], larger = fmaxf(most, value);
        sum = sum * __expf(most - larger) + __expf(value - larger);
        most = larger;
    }
    for (int mask = 16; mask > 0; mask >>= 1) {
        const float other_most = __shfl_xor_sync(0xffffffffu, most, mask);
        const float other_sum = __shfl_xor_sync(0xffffffffu, sum, mask);
        const float larger = fmaxf(most, other_most);
        sum = sum * __expf(most - larger) + other_sum * __expf(other_most - larger);
        most = larger;
    }
    for (int column = lane; column < columns; column += 32) {
        out[static_cast<size_t>(row) * columns + column] = __expf(values[column] - most) / sum;
    }
}
