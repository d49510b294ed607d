/* LANES numbers side by side, as many as fit into a register of the processors that a file is compiled for: compilers
   make poor code of vectors that are wider than those. */

#ifndef SOSIE_LANES_H
#define SOSIE_LANES_H

#include "tree.h"

enum {
    SIDE_BY_SIDE = LANES * 8,
    PARTS = LEAF / LANES /* of a leaf */
};

typedef double Floats __attribute__((vector_size(SIDE_BY_SIDE), may_alias));
typedef int64_t Integers __attribute__((vector_size(SIDE_BY_SIDE), may_alias));
/* one lane: what is written as an integer is read as the number of these bits */
typedef double Float __attribute__((may_alias));
typedef int64_t Integer __attribute__((may_alias));

#ifdef __clang__
#define SHUFFLED(low, high, ...) __builtin_shufflevector(low, high, __VA_ARGS__)
#else
#define SHUFFLED(low, high, ...) __builtin_shuffle(low, high, (Integers){__VA_ARGS__})
#endif

/* MOVED: the lanes of `next`, each one further, behind the last of `before`. */
#if LANES == 8
static const Integers COUNTED = {0, 1, 2, 3, 4, 5, 6, 7};
#define MOVED(before, next) SHUFFLED(before, next, 7, 8, 9, 10, 11, 12, 13, 14)
#elif LANES == 4
static const Integers COUNTED = {0, 1, 2, 3};
#define MOVED(before, next) SHUFFLED(before, next, 3, 4, 5, 6)
#elif LANES == 2
static const Integers COUNTED = {0, 1};
#define MOVED(before, next) SHUFFLED(before, next, 1, 2)
#endif

#define CHOSEN(mask, one, other) (((mask) & (one)) | (~(mask) & (other)))

#endif
