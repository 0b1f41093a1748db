template <typename T, int Side = $tile, int Step = 8>
__global__ void $name_transpose(const T* __restrict__ from, T* __restrict__ to, int width, int height)
{
    __shared__ T tile[Side][Side + 1];  // one column more, so that no two rows share a bank
    const int left = blockIdx.x * Side, top = blockIdx.y * Side;
    for (int row = threadIdx.y; row < Side; row += Step) {
        const int x = left + threadIdx.x, y = top + row;
        if (x < width && y < height) {
            tile[row][threadIdx.x] = from[static_cast<size_t>(y) * width + x];
        }
    }
    __syncthreads();
    for (int row = threadIdx.y; row < Side; row += Step) {
        const int x = top + threadIdx.x, y = left + row;
        if (x < height && y < width) {
            to[static_cast<size_t>(y) * height + x] = tile[threadIdx.x][row];
        }
    }
}

template __global__ void $name_transpose<float>(const float*, float*, int, int);
template __global__ void $name_transpose<double, 16>(const double*, double*, int, int);
