inline void fill(float* x, unsigned long long elements)
{
    for (unsigned long long i = 0; i < elements; ++i) x[i] = static_cast<float>(i % 509);
}
