template <class Work>
static void $name_overlap(const float* host, float* device, size_t count, Work&& work)
{
    constexpr int lanes = $items;
    std::array<cudaStream_t, lanes> streams;
    for (cudaStream_t& stream : streams) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    const size_t share = (count + lanes - 1) / lanes;
    for (int lane = 0; lane < lanes; ++lane) {
        const size_t from = lane * share, to = std::min(count, from + share);
        if (from >= to) break;
        const size_t bytes = (to - from) * sizeof(float);
        CHECK(cudaMemcpyAsync(device + from, host + from, bytes, cudaMemcpyHostToDevice, streams[lane]));
        work(device + from, to - from, streams[lane]);
    }
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    }
}
