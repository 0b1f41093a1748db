// Revised quuxb0.
#define CHECK(call)                                                                       \
    do {                                                                                  \
        const cudaError_t status = (call);                                                \
        if (status != cudaSuccess) {                                                      \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
                         cudaGetErrorString(status));                                     \
            std::exit(EXIT_FAILURE);                                                      \
        }                                                                                 \
    } while (false)

/// Whether the last launch went well, and what it said if not.
inline bool went_well(const char* what)
{
    const cudaError_t launched = cudaGetLastError(), ran = cudaDeviceSynchronize();
    for (const cudaError_t status : {launched, ran}) {
        if (status != cudaSuccess) {
            std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
            return false;
        }
    }
    return true;
}
