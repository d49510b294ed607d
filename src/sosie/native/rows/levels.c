/* What the rows of each level add up to, and of each two levels how many rows have both. */

#include "rows.h"

INLINE void add_strip(
    const Cells *cells, const double *numbers, int64_t count, double *sums, int64_t first, int width) {
    for (int64_t i = 0; i < cells->rows; i++) {
        const double *row = numbers + i * count + first;
        const int32_t *codes = cells->codes + i * cells->categories;
        double *category = sums + first, values[STRIP];
        for (int k = 0; k < width; k++) values[k] = row[k];
        for (int64_t j = 0; j < cells->categories; category += cells->sizes[j++] * count) {
            if (codes[j] < 0 || codes[j] >= cells->sizes[j]) continue;
            double *level = category + codes[j] * count;
            for (int k = 0; k < width; k++) level[k] += values[k];
        }
    }
}

/* Writes the places, among all levels, of those that a row has; how many. */
INLINE int64_t places_of(const Cells *cells, int64_t row, int64_t *places) {
    const int32_t *codes = cells->codes + row * cells->categories;
    int64_t held = 0, start = 0;
    for (int64_t j = 0; j < cells->categories; start += cells->sizes[j++])
        if (codes[j] >= 0 && codes[j] < cells->sizes[j]) places[held++] = start + codes[j];
    return held;
}

FOR_EACH_PROCESSOR
void add_by_level(const Cells *cells, const double *numbers, int64_t count, double *counts, double *sums) {
    for (int64_t i = 0; i < cells->rows; i++) {
        const int32_t *codes = cells->codes + i * cells->categories;
        double *category = counts;
        for (int64_t j = 0; j < cells->categories; category += cells->sizes[j++])
            if (codes[j] >= 0 && codes[j] < cells->sizes[j]) category[codes[j]] += 1;
    }
#define SUM(first, width) add_strip(cells, numbers, count, sums, first, width)
    IN_STRIPS(SUM, count)
}

FOR_EACH_PROCESSOR
void add_together(const Cells *cells, int64_t *places, double *met) {
    for (int64_t i = 0; i < cells->rows; i++) {
        int64_t held = places_of(cells, i, places);
        for (int64_t a = 0; a < held; a++) {
            double *row = met + places[a] * cells->levels;
            for (int64_t b = a; b < held; b++) row[places[b]] += 1;
        }
    }
}
