/* The rate of memory as a step uses it: a[i] = a[i] + s b[i] + t c[i] over three arrays, with OpenMP; 16 bytes a value,
 * as a step moves per node.
 *
 *     triad MIB        MIB: the size of each array
 *
 * Prints 10^9 bytes a second, the best of 10 rounds.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    size_t n = (size_t)atol(argv[1]) << 18;
    float *a = aligned_alloc(1 << 21, 4 * n), *b = aligned_alloc(1 << 21, 4 * n), *c = aligned_alloc(1 << 21, 4 * n);
    if (!a || !b || !c) return 1;
    /* A page lies near the core that writes it first. */
    #pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) a[i] = b[i] = c[i] = 1.0f;
    double best = 1e30;
    for (int k = 0; k < 10; k++) {
        double begun = omp_get_wtime();
        #pragma omp parallel for simd schedule(static)
        for (size_t i = 0; i < n; i++) a[i] += 0.5f * b[i] + 0.25f * c[i];
        double taken = omp_get_wtime() - begun;
        if (taken < best) best = taken;
    }
    printf("%.2f\n", 16e-9 * (double)n / best);
    return a[n / 2] > 0.0f ? 0 : 1;
}
