// snippet: fill
inline void fill(float* x) { x[0] = 1; }
// end snippet
// snippet: right
inline bool right(const float* x) { return x[0] == 1; }
// end snippet
// snippet: noop
extern "C" __global__ void noop(float* x) {}
// end snippet
