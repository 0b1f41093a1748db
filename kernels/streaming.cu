// How far can a time be trusted?
//
// One kernel, y = a * x + y, which does nothing but move 12 bytes an element, and three ways to
// look at it. `streaming` and `warm` are sweeps: lessonc cuts `spin` and `axpy` out of this file
// and times them. `by-hand` is this file as it stands, an ordinary program:
//
//   nvcc -O3 -std=c++17 -o streaming streaming.cu
//   ./streaming 335544323 1 2 4
//
// prints a table of its own, timed the way it is mostly done: ten launches between two events.
// The kernel is the same text in all three, so they may differ only in how they measure.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// snippet: spin
// A slowdown to order: every thread looks at the SM's clock until `cycles` have gone by. The
// whole grid is on the card at once, so all threads wait side by side and a launch takes
// `cycles` longer, however large it is. With 0, a thread tests a constant and goes on.
__device__ void spin(long long cycles)
{
    if (cycles > 0)
        for (const long long begin = clock64(); clock64() - begin < cycles;) {}
}
// end snippet

// snippet: axpy
// y = a * x + y, as a grid-stride loop in which a thread takes `Items` elements a turn, one
// whole grid apart. All loads of a turn stand before its stores. Rows differ in `Items` alone.
template <int Items>
__global__ void axpy(float a, const float *__restrict__ x, float *__restrict__ y,
                     unsigned long long elements, long long cycles)
{
    spin(cycles);
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + (Items - 1) * stride < elements; i += Items * stride) {
        float sum[Items];
        for (int k = 0; k < Items; ++k)
            sum[k] = a * x[i + k * stride] + y[i + k * stride];
        for (int k = 0; k < Items; ++k)
            y[i + k * stride] = sum[k];
    }
    for (; i < elements; i += stride)
        y[i] = a * x[i] + y[i];
}
// end snippet

// snippet: fill
// Noise from 1/2^24 to 1, the same for the same seed: 64 mixed bits an element (the finalizer
// of SplitMix64), 24 for x and 24 for y. All of them are exact in a float and none is zero.
void fill(float *x, float *y, unsigned long long elements, unsigned long long seed)
{
    const float step = 1.0f / (1 << 24);
    for (unsigned long long i = 0; i < elements; ++i) {
        unsigned long long bits = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        bits ^= bits >> 31;
        x[i] = step * (float)(1 + (bits & 0xFFFFFF));
        y[i] = step * (float)(1 + (bits >> 40));
    }
}
// end snippet

// snippet: reference
// What one launch leaves in y, which holds the input here. In double the product is exact, the
// sum rounds to 2^-53 and the result to 2^-24. A GPU that fuses the two rounds once as well;
// one that doesn't rounds the product too, 2^-24 of a sum of positive terms at most. Three of
// those are 1.8e-7, so that a tolerance of 1e-6 admits every correct compile and no wrong element.
void reference(float a, const float *x, float *y, unsigned long long elements)
{
    for (unsigned long long i = 0; i < elements; ++i)
        y[i] = (float)((double)a * (double)x[i] + (double)y[i]);
}
// end snippet

static void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}
#define MUST(call) must((call), #call)

static const int THREADS = 256;

// The vectors on the host and on the device, and the grid that fills the card once.
struct Course {
    unsigned long long elements;
    float a;
    std::vector<float> x, y;
    float *gpu_x, *gpu_y;
    int sms;
};

static void restore(const Course &course)
{
    MUST(cudaMemcpy(course.gpu_y, course.y.data(), course.elements * sizeof(float), cudaMemcpyHostToDevice));
}

// One launch on fresh vectors, every element compared.
template <int Items>
static void check(const Course &course, int grid)
{
    restore(course);
    axpy<Items><<<grid, THREADS>>>(course.a, course.gpu_x, course.gpu_y, course.elements, 0);
    MUST(cudaGetLastError());
    std::vector<float> found(course.elements), right(course.y);
    MUST(cudaMemcpy(found.data(), course.gpu_y, course.elements * sizeof(float), cudaMemcpyDeviceToHost));
    reference(course.a, course.x.data(), right.data(), course.elements);
    for (unsigned long long i = 0; i < course.elements; ++i) {
        const float off = found[i] > right[i] ? found[i] - right[i] : right[i] - found[i];
        // Written so that a NaN is wrong too.
        if (!(off <= 1e-6f * right[i])) {
            std::fprintf(stderr, "%d items: y[%llu] is %g, not %g\n", Items, i, found[i], right[i]);
            std::exit(1);
        }
    }
}

// snippet: by-hand
// The time of a launch, in milliseconds: ten launches between two events, over ten. Launches
// line up behind each other on the device, so nine of ten start without a gap, and what the
// pair of events costs is shared by ten.
template <int Items>
static float time_of_ten(const Course &course, int grid, cudaEvent_t begin, cudaEvent_t end)
{
    const int launches = 10;
    MUST(cudaEventRecord(begin));
    for (int launch = 0; launch < launches; ++launch)
        axpy<Items><<<grid, THREADS>>>(course.a, course.gpu_x, course.gpu_y, course.elements, 0);
    MUST(cudaEventRecord(end));
    MUST(cudaEventSynchronize(end));
    float ms;
    MUST(cudaEventElapsedTime(&ms, begin, end));
    return ms / launches;
}
// end snippet

// A line of the table: the median, least and largest of `repetitions`, after a warm-up.
template <int Items>
static void measure(const Course &course)
{
    const int warm_up = 20, repetitions = 21;
    int blocks;
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, axpy<Items>, THREADS, 0));
    const int grid = blocks * course.sms;
    check<Items>(course, grid);

    cudaEvent_t begin, end;
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    for (int turn = 0; turn < warm_up; ++turn)
        time_of_ten<Items>(course, grid, begin, end);
    std::vector<float> times;
    for (int turn = 0; turn < repetitions; ++turn)
        times.push_back(time_of_ten<Items>(course, grid, begin, end));
    MUST(cudaGetLastError());
    check<Items>(course, grid);

    std::sort(times.begin(), times.end());
    std::printf("%5d %8d %7d %11.6f %11.6f %11.6f\n", Items, grid, THREADS, times[repetitions / 2], times.front(), times.back());
    MUST(cudaEventDestroy(begin));
    MUST(cudaEventDestroy(end));
}

int main(int count, char **arguments)
{
    Course course = {};
    if (count >= 3)
        course.elements = std::strtoull(arguments[1], nullptr, 10);
    if (course.elements == 0) {
        std::fprintf(stderr, "usage: %s ELEMENTS ITEMS...\nITEMS: 1, 2 or 4 elements a thread and turn\n", arguments[0]);
        return 2;
    }
    int device;
    MUST(cudaGetDevice(&device));
    MUST(cudaDeviceGetAttribute(&course.sms, cudaDevAttrMultiProcessorCount, device));
    course.a = 0.75f;
    course.x.resize(course.elements);
    course.y.resize(course.elements);
    fill(course.x.data(), course.y.data(), course.elements, 20260101);
    MUST(cudaMalloc(&course.gpu_x, course.elements * sizeof(float)));
    MUST(cudaMalloc(&course.gpu_y, course.elements * sizeof(float)));
    MUST(cudaMemcpy(course.gpu_x, course.x.data(), course.elements * sizeof(float), cudaMemcpyHostToDevice));

    std::printf("%llu elements, ten launches between two events\n", course.elements);
    std::printf("%5s %8s %7s %11s %11s %11s\n", "items", "grid", "block", "ms", "least ms", "most ms");
    for (int argument = 2; argument < count; ++argument) {
        switch (std::atoi(arguments[argument])) {
        case 1: measure<1>(course); break;
        case 2: measure<2>(course); break;
        case 4: measure<4>(course); break;
        default:
            std::fprintf(stderr, "%s items a thread and turn: 1, 2 or 4 are built in\n", arguments[argument]);
            return 2;
        }
    }
    MUST(cudaFree(course.gpu_x));
    MUST(cudaFree(course.gpu_y));
    return 0;
}
