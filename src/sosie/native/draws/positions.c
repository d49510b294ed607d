/* Positions drawn in proportion to masses. */

#include "draws.h"

#include <stdlib.h>

enum { TILE = 16 }; /* rows at once, each in a lane of its own */

static inline void running_sums(const double *masses, int64_t rows, int64_t k, double *sums) {
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < rows; i++) sums[j * TILE + i] = masses[i * k + j];
    for (int64_t j = 1; j < k; j++)
        for (int64_t i = 0; i < TILE; i++) sums[j * TILE + i] += sums[(j - 1) * TILE + i];
}

static inline void passed(
    const double *sums, const double *uniforms, const int32_t *names, int64_t rows, int64_t k, int32_t *positions) {
    double thresholds[TILE] = {0};
    double counts[TILE] = {0}; /* as wide as what is compared, so that compilers vectorise both */
    for (int64_t i = 0; i < rows; i++) thresholds[i] = uniforms[i] * sums[(k - 1) * TILE + i];
    for (int64_t j = 0; j < k - 1; j++)
        for (int64_t i = 0; i < TILE; i++) counts[i] += sums[j * TILE + i] <= thresholds[i];
    for (int64_t i = 0; i < rows; i++) positions[i] = (int32_t)counts[i];
    for (int64_t i = 0; names && i < rows; i++) positions[i] = names[i * k + positions[i]];
}

FOR_EACH_PROCESSOR
static void draw_all(
    const double *masses, const double *uniforms, const int32_t *names, int64_t rows, int64_t k, int64_t draws,
    double *sums, int32_t *positions) {
    for (int64_t first = 0; first < rows; first += TILE) {
        int64_t some = rows - first < TILE ? rows - first : TILE;
        running_sums(masses + first * k, some, k, sums);
        const int32_t *named = names ? names + first * k : NULL;
        for (int64_t draw = 0; draw < draws; draw++)
            passed(sums, uniforms + draw * rows + first, named, some, k, positions + draw * rows + first);
    }
}

int draw_positions(
    const double *masses, const double *uniforms, const int32_t *names, int64_t rows, int64_t k, int64_t draws,
    int32_t *positions) {
    double *sums = calloc((size_t)k * TILE, sizeof(double));
    if (!sums) return 0;
    draw_all(masses, uniforms, names, rows, k, draws, sums, positions);
    free(sums);
    return 1;
}
