/* Sums of what lies side by side, to the last bit as numpy adds it. */

#ifndef SOSIE_PAIRS_H
#define SOSIE_PAIRS_H

#include <stdint.h>

enum { AT_ONCE = 128 };

/* Where more than so many are cut in two. */
static inline int64_t half_of(int64_t count) { return count / 2 - count / 2 % 8; }

/* Eight sums beside each other, halves of what is longer than 128. */
static double sum_in_pairs(const double *values, int64_t count) {
    if (count > AT_ONCE) {
        int64_t half = half_of(count);
        return sum_in_pairs(values, half) + sum_in_pairs(values + half, count - half);
    }
    double sums[8] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int j = 0; j < 8; j++) sums[j] += values[i + j];
    if (i) sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < count; i++) sum += values[i];
    return sum;
}

#endif
