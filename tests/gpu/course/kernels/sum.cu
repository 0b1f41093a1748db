// A program of its own, built by nvcc.
#include <cstdio>
#include <cstdlib>

__global__ void sum(int *x) { atomicAdd(x, (int)threadIdx.x); }

int main(int count, char **words)
{
    int threads = count > 1 ? atoi(words[1]) : 1, *x, host = -1;
    cudaMalloc(&x, sizeof *x);
    cudaMemset(x, 0, sizeof *x);
    sum<<<1, threads>>>(x);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) return 1;
    printf("threads    sum\n");
    printf("%7d %6d\n", threads, host);
    return 0;
}
