/* The yardstick of the CPU engine in 3-D: one step of the wave equation, order 8, f32, written as a generator of
 * C for stencils writes it (Luporini et al. 2020, Architecture and performance of Devito): OpenMP over
 * blocks of columns, vectors along the fast axis.
 *
 *     p_next = 2 p - p_prev + (v dt)^2 lap p
 *
 * Arrays are [y][x][z] with a halo of zeros, rows on 64-byte boundaries. Built and driven by benches/yardstick.rs:
 *
 *     step3d MODEL FIELD    MODEL: (v dt)^2 of each node; FIELD: where p is left; raw f32 without halos
 *
 * Standard input: n, nodes a side; c_0 of the three axes together; c_1 ... c_4 of any; the source's node as z x y.
 * It answers with the blocking that it found best. Then each line is a round: a number of steps and what is
 * injected after each; the answer is the seconds taken. At the end of input p is written.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define R 4        /* radius */
#define LEAD 16    /* values before the first node of a row: a vector, at least R */

static int n;
static size_t row, plane;
static float c[R + 1];

static size_t place(int z, int x, int y)
{
    return (size_t)(y + R) * plane + (size_t)(x + R) * row + (size_t)(z + LEAD);
}

/* One step; blocks of by planes and bx columns. */
static void step(float *restrict next, const float *restrict p, const float *restrict v2dt2, int by, int bx)
{
    const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4];
    const size_t row1 = row, plane1 = plane;
    #pragma omp parallel for collapse(2) schedule(dynamic, 1)
    for (int y0 = 0; y0 < n; y0 += by)
        for (int x0 = 0; x0 < n; x0 += bx)
            for (int y = y0; y < (y0 + by < n ? y0 + by : n); y++)
                for (int x = x0; x < (x0 + bx < n ? x0 + bx : n); x++) {
                    const size_t first = place(0, x, y);
                    const float *restrict q = p + first;
                    const float *restrict m = v2dt2 + first;
                    float *restrict w = next + first;
                    #pragma omp simd aligned(q, m, w : 64)
                    for (int z = 0; z < n; z++) {
#define PAIRS(j) (q[z - j] + q[z + j] + q[z - j * row1] + q[z + j * row1] + q[z - j * plane1] + q[z + j * plane1])
                        float lap = c0 * q[z] + c1 * PAIRS(1) + c2 * PAIRS(2) + c3 * PAIRS(3) + c4 * PAIRS(4);
                        w[z] = 2.0f * q[z] - w[z] + m[z] * lap;
                    }
                }
}

static float *array(void)
{
    size_t size = plane * (size_t)(n + 2 * R) * sizeof(float);
    float *values = aligned_alloc(64, size);
    if (!values) exit(1);
    /* A page lies near the core that writes it first. */
    #pragma omp parallel for
    for (int y = 0; y < n + 2 * R; y++) memset(values + (size_t)y * plane, 0, plane * sizeof(float));
    return values;
}

static void exchange(const char *path, const char *mode, float *values)
{
    FILE *file = fopen(path, mode);
    if (!file) exit(1);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float *column = values + place(0, x, y);
            size_t done = *mode == 'r' ? fread(column, sizeof(float), n, file) : fwrite(column, sizeof(float), n, file);
            if (done != (size_t)n) exit(1);
        }
    if (fclose(file)) exit(1);
}

int main(int argc, char **argv)
{
    int sz, sx, sy;
    if (argc != 3 || scanf("%d", &n) != 1) return 2;
    for (int j = 0; j <= R; j++)
        if (scanf("%f", &c[j]) != 1) return 2;
    if (scanf("%d %d %d", &sz, &sx, &sy) != 3) return 2;
    row = (size_t)(n + LEAD + R + 15) / 16 * 16;
    plane = row * (size_t)(n + 2 * R);
    float *p = array(), *p_prev = array(), *v2dt2 = array();
    exchange(argv[1], "r", v2dt2);

    /* The best blocking, on a field of zeros; the best of four steps each, after one to warm up. */
    static const int sides[] = {2, 4, 8, 16, 32, 64, 128, 256};
    const int count = sizeof sides / sizeof *sides;
    int best_y = 0, best_x = 0;
    double best = 1e30;
    for (int i = 0; i < count * count; i++)
        for (int k = 0; k < 5; k++) {
            double begun = omp_get_wtime();
            step(p_prev, p, v2dt2, sides[i / count], sides[i % count]);
            double taken = omp_get_wtime() - begun;
            if (k && taken < best) best = taken, best_y = sides[i / count], best_x = sides[i % count];
        }
    printf("%d %d\n", best_y, best_x);
    fflush(stdout);

    int steps;
    while (scanf("%d", &steps) == 1) {
        double taken = 0.0;
        for (int k = 0; k < steps; k++) {
            float injected;
            if (scanf("%f", &injected) != 1) return 2;
            double begun = omp_get_wtime();
            step(p_prev, p, v2dt2, best_y, best_x);
            float *swapped = p;
            p = p_prev, p_prev = swapped;
            p[place(sz, sx, sy)] += injected;
            taken += omp_get_wtime() - begun;
        }
        printf("%.9f\n", taken);
        fflush(stdout);
    }
    exchange(argv[2], "w", p);
    return 0;
}
