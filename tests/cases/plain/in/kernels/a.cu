// snippet: whole
__global__ void k(float* x)
{
    // snippet: part
    x[threadIdx.x] = 1.0f;
    // end snippet part
}
// end snippet whole
