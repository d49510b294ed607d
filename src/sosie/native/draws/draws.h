/* What generation does for each neighbour of each individual: weights of the published law, and positions drawn. */

#ifndef SOSIE_DRAWS_H
#define SOSIE_DRAWS_H

#include "../processors.h"

#include <stdint.h>

/* What the capsule "BitGenerator" of numpy's bit generators holds, as numpy/random/bitgen.h publishes it. */
typedef struct {
    void *state;
    uint64_t (*next_uint64)(void *state);
    uint32_t (*next_uint32)(void *state);
    double (*next_double)(void *state);
    uint64_t (*next_raw)(void *state);
} Bits;

/* Shuffles each of `rows` rows of k values, with the draws that numpy's Generator.permuted takes; k < 2^31. */
void shuffle_rows(const Bits *bits, int64_t rows, int64_t k, double *values);

/* Writes (rows, k) weights P / sum of P, P = (D_min/D)·R·C, of distances D, exponentials R and halvings C.
   Where D is 0, P = R·C; in a row that has such a one, with `limit`, P = 0 for all others, else D_min is the smallest
   that is not 0. Sums are numpy's, pair by pair. */
void combine(
    const double *distances, const double *exponentials, const double *halvings, int64_t rows, int64_t k, int limit,
    double *weights);

/* Writes (draws, rows) positions: how many running sums of (rows, k) masses, but for the last, which is all of them,
   are at most so much of it as (draws, rows) uniforms say; k < 2^31. Where there are (rows, k) names, the name at that
   position. 0 if memory does not suffice. */
int draw_positions(
    const double *masses, const double *uniforms, const int32_t *names, int64_t rows, int64_t k, int64_t draws,
    int32_t *positions);

#endif
