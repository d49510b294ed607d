/* What the numbers of neighbours add up to, weighed. */

#include "rows.h"

typedef struct {
    int64_t rows, k;
    const int32_t *neighbours; /* (rows, k) */
    const double *weights;     /* (rows, k) */
} Weighed;

INLINE void weigh_strip(
    const Weighed *all, const double *numbers, int64_t count, double *sums, int64_t first, int width) {
    const int32_t *neighbour = all->neighbours;
    const double *weight = all->weights;
    for (int64_t i = 0; i < all->rows; i++) {
        double held[STRIP] = {0};
        for (int64_t j = 0; j < all->k; j++, neighbour++, weight++) {
            const double *number = numbers + *neighbour * count + first;
            for (int c = 0; c < width; c++) held[c] += *weight * number[c];
        }
        for (int c = 0; c < width; c++) sums[i * count + first + c] = held[c];
    }
}

FOR_EACH_PROCESSOR
void add_neighbours(
    int64_t rows, int64_t k, const int32_t *neighbours, const double *weights, const double *numbers, int64_t count,
    double *sums) {
    const Weighed all = {rows, k, neighbours, weights};
#define SUM(first, width) weigh_strip(&all, numbers, count, sums, first, width)
    IN_STRIPS(SUM, count)
}
