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
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
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

static const float A = 0.75f;
static const unsigned long long SEED = 20260101;
// Elements that the host has in hand at a time.
static const unsigned long long PIECE = 1ull << 24;

// Vectors on the device, `fresh` being what y holds before a launch, and the host's pieces of them.
struct Course {
    unsigned long long elements;
    float *x, *y, *fresh;
    float *piece_x, *piece_y, *found;
    int sms;
};

// work(begin, end) for parts of `count` elements, one a hardware thread.
template <typename Work>
static void in_parts(unsigned long long count, Work work)
{
    const unsigned long long threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> team;
    for (unsigned long long part = 0; part < threads; ++part)
        team.emplace_back(work, count * part / threads, count * (part + 1) / threads);
    for (std::thread &member : team)
        member.join();
}

// work(first, count) for piece after piece of the vectors.
template <typename Work>
static void in_pieces(const Course &course, Work work)
{
    for (unsigned long long first = 0; first < course.elements; first += PIECE)
        work(first, std::min(PIECE, course.elements - first));
}

// `count` elements from `first` on, as one `fill` of all would leave them: its bits depend on the
// seed and the index by a sum, so that a part of the vectors is a fill with a seed of its own.
static void fill_part(float *x, float *y, unsigned long long first, unsigned long long count)
{
    fill(x, y, count, SEED + first * 0x9E3779B97F4A7C15ull);
}

static void fill_all(const Course &course)
{
    in_pieces(course, [&](unsigned long long first, unsigned long long count) {
        in_parts(count, [&](unsigned long long begin, unsigned long long end) {
            fill_part(course.piece_x + begin, course.piece_y + begin, first + begin, end - begin);
        });
        MUST(cudaMemcpy(course.x + first, course.piece_x, count * sizeof(float), cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(course.fresh + first, course.piece_y, count * sizeof(float), cudaMemcpyHostToDevice));
    });
}

// One launch on fresh vectors, every element compared.
template <int Items>
static void check(const Course &course, int grid)
{
    MUST(cudaMemcpy(course.y, course.fresh, course.elements * sizeof(float), cudaMemcpyDeviceToDevice));
    axpy<Items><<<grid, THREADS>>>(A, course.x, course.y, course.elements, 0);
    MUST(cudaGetLastError());
    in_pieces(course, [&](unsigned long long first, unsigned long long count) {
        MUST(cudaMemcpy(course.found, course.y + first, count * sizeof(float), cudaMemcpyDeviceToHost));
        std::atomic<unsigned long long> wrong(count);
        in_parts(count, [&](unsigned long long begin, unsigned long long end) {
            fill_part(course.piece_x + begin, course.piece_y + begin, first + begin, end - begin);
            reference(A, course.piece_x + begin, course.piece_y + begin, end - begin);
            for (unsigned long long i = begin; i < end; ++i) {
                const float right = course.piece_y[i];
                const float off = course.found[i] > right ? course.found[i] - right : right - course.found[i];
                // Written so that a NaN is wrong too.
                if (!(off <= 1e-6f * right))
                    wrong = i;
            }
        });
        if (wrong < count) {
            std::fprintf(stderr, "%d items: y[%llu] is %g, not %g\n", Items, first + wrong, course.found[wrong], course.piece_y[wrong]);
            std::exit(1);
        }
    });
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
        axpy<Items><<<grid, THREADS>>>(A, course.x, course.y, course.elements, 0);
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
    for (float **vector : {&course.x, &course.y, &course.fresh})
        MUST(cudaMalloc(vector, course.elements * sizeof(float)));
    for (float **piece : {&course.piece_x, &course.piece_y, &course.found})
        MUST(cudaMallocHost(piece, PIECE * sizeof(float)));
    fill_all(course);

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
    for (float *vector : {course.x, course.y, course.fresh})
        MUST(cudaFree(vector));
    for (float *piece : {course.piece_x, course.piece_y, course.found})
        MUST(cudaFreeHost(piece));
    return 0;
}
