inline void expected(const float* x, float* y, unsigned long long elements)
{
    for (unsigned long long i = 0; i < elements; ++i) y[i] = 2.0f * x[i];
}
