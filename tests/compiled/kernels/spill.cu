// snippet: sum
__constant__ float weights[64];

__global__ void sum(const float* x, float* y, int n)
{
    float a[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) a[i] = x[i * n + threadIdx.x];
    for (int k = 0; k < n; ++k) {
#pragma unroll
        for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i + 7) % 64] + weights[(i + k) % 64];
    }
#pragma unroll
    for (int i = 0; i < 64; ++i) y[i * n + threadIdx.x] = a[i];
}
// end snippet
