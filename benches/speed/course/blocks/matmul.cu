// A block computes a tile of $tile by $tile through shared memory.
constexpr int $name_tile = $tile;

__global__ void $name_product(const float* a, const float* b, float* c, int rows, int columns, int inner)
{
    __shared__ float left[$name_tile][$name_tile + 1];
    __shared__ float right[$name_tile][$name_tile + 1];
    const int row = blockIdx.y * $name_tile + threadIdx.y;
    const int column = blockIdx.x * $name_tile + threadIdx.x;
    float sum = 0.0f;
    for (int from = 0; from < inner; from += $name_tile) {
        const int k = from + threadIdx.x, l = from + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < rows && k < inner ? a[row * inner + k] : 0.0f;
        right[threadIdx.y][threadIdx.x] = column < columns && l < inner ? b[l * columns + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < $name_tile; ++i) {
            sum = fmaf(left[threadIdx.y][i], right[i][threadIdx.x], sum);
        }
        __syncthreads();
    }
    if (row < rows && column < columns) {
        c[row * columns + column] = sum;
    }
}
