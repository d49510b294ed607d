/* Weights of the published law. */

#include "../pairs.h"
#include "draws.h"

#include <math.h>

void shuffle_rows(const Bits *bits, int64_t rows, int64_t k, double *values) {
    for (; rows > 0; rows--, values += k)
        for (uint32_t last = (uint32_t)k - 1; last > 0;) {
            /* Beyond `last` it is drawn again, the value having changed places with itself: no branch to foresee. */
            uint32_t drawn = bits->next_uint32(bits->state) & (UINT32_MAX >> __builtin_clz(last));
            uint32_t taken = drawn <= last, other = taken ? drawn : last;
            double value = values[last];
            values[last] = values[other];
            values[other] = value;
            last -= taken;
        }
}

FOR_EACH_PROCESSOR
void combine(
    const double *distances, const double *exponentials, const double *halvings, int64_t rows, int64_t k, int limit,
    double *weights) {
    for (; rows > 0; rows--, distances += k, exponentials += k, halvings += k, weights += k) {
        double least = INFINITY;
        int twins = 0;
        for (int64_t j = 0; j < k; j++) {
            double distance = distances[j] == 0 ? INFINITY : distances[j];
            least = distance < least ? distance : least;
            twins |= distances[j] == 0;
        }
        /* Relative to the smallest distance, so that nothing overflows. */
        if (twins && limit) least = 0;
        for (int64_t j = 0; j < k; j++) {
            double nearness = distances[j] == 0 ? 1 : least / distances[j];
            weights[j] = nearness * exponentials[j] * halvings[j];
        }
        double sum = sum_in_pairs(weights, k);
        for (int64_t j = 0; j < k; j++) weights[j] /= sum;
    }
}
