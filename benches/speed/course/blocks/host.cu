int main(int argc, char** argv)
{
    const size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : size_t{$bins} << 16;
    float *x = nullptr, *y = nullptr;
    CHECK(cudaMalloc(&x, count * sizeof(float)));
    CHECK(cudaMalloc(&y, count * sizeof(float)));
    CHECK(cudaMemset(x, 0, count * sizeof(float)));
    cudaEvent_t before, after;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    std::vector<float> times(10 * $items);
    for (float& time : times) {
        CHECK(cudaEventRecord(before));
        $name_kernel<<<dim3((count + $block - 1) / $block), dim3($block)>>>(x, y, count);
        CHECK(cudaEventRecord(after));
        CHECK(cudaEventSynchronize(after));
        CHECK(cudaEventElapsedTime(&time, before, after));
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    const float middle = times[times.size() / 2];
    std::printf("$name: %zu elements, %.4f ms, %.1f GB/s\n", count, middle, 8e-6 * count / middle);
    CHECK(cudaEventDestroy(after));
    CHECK(cudaEventDestroy(before));
    CHECK(cudaFree(y));
    CHECK(cudaFree(x));
    return EXIT_SUCCESS;
}
