/* Exact searches for the nearest rows by a Gower distance, leaf by leaf.

   A distance is a sum of whole numbers, one for each column: of two numbers how far they are apart, at most `unit`; of
   two categories 0 if they are equal, else `unit`. Rows that are alike lie in one leaf; what is asked of a leaf is
   computed for all its rows at once, and how near a row of it can be at least, for LEAF leaves at once.

   A place is a distance and, in its lower half, a row: the least of several places is that of the nearest row, of
   equals the first one. It is all that is compared, so that what is found does not depend on the leaves. */

#ifndef SOSIE_LEAVES_H
#define SOSIE_LEAVES_H

#include "../processors.h"

#include <stdint.h>

enum { LEAF = 64 }; /* rows of a leaf, and leaves of a group */

typedef struct {
    int64_t rows, columns, leaves;
    int32_t unit;
    uint8_t *numeric; /* (columns) whether each holds numbers */
    int32_t *cells;   /* (leaves, columns, LEAF): the last leaf is filled up with its own last row */
    int32_t *turns;   /* (leaves, LEAF): which rows they are */
    int32_t *first;   /* (leaves): the first of them */
    int32_t *boxes;   /* (groups, columns, 2, LEAF): the least and the most of each leaf */
} Leaves;

/* How many times LEAF goes into a number, rounded up. */
INLINE int64_t filled(int64_t count) { return (count + LEAF - 1) / LEAF; }

/* The leaves of (columns, rows) cells, of which `numeric` (columns) says the kind; numbers are 0 or more, and
   unit * columns is less than INT32_MAX. NULL if memory does not suffice. */
Leaves *leaves_of(const int32_t *grid, int64_t rows, const uint8_t *numeric, int64_t columns, int32_t unit);

void free_leaves(Leaves *leaves);

/* Writes the `count` least places of each of (asked, columns) targets, least first, count <= rows, for each of (lists)
   columns that are left out, -1 if none is: (asked, lists, count). 0 if memory does not suffice. */
int find_nearest(
    const Leaves *leaves, const int32_t *targets, int64_t asked, const int32_t *left_out, int64_t lists, int64_t count,
    int64_t *places);

#endif
