/* Sums over the rows of mixed data: rows of numbers, and of codes that name a level of each category.

   Whatever is added up is added in the same order for each sum, so that it is the same on every processor and however
   many sums are made at once: the products of setup.py's flags are never fused with sums. */

#ifndef SOSIE_ROWS_H
#define SOSIE_ROWS_H

#include "../processors.h"

#include <stdint.h>

typedef struct {
    int64_t rows, categories, levels; /* levels of all categories together */
    const int32_t *codes;             /* (rows, categories); those that are no level's are an unseen one's */
    const int64_t *sizes;             /* (categories): how many levels each has */
} Cells;

enum { STRIP = 8 }; /* columns that are summed at once, in registers */

/* Calls what sums so many columns, at most STRIP, with their number as a constant. */
#define IN_STRIPS(sum, columns)                                                                                        \
    for (int64_t first = 0; first < (columns); first += STRIP)                                                         \
        switch ((columns) - first) {                                                                                   \
        case 1: sum(first, 1); break;                                                                                  \
        case 2: sum(first, 2); break;                                                                                  \
        case 3: sum(first, 3); break;                                                                                  \
        case 4: sum(first, 4); break;                                                                                  \
        case 5: sum(first, 5); break;                                                                                  \
        case 6: sum(first, 6); break;                                                                                  \
        case 7: sum(first, 7); break;                                                                                  \
        default: sum(first, STRIP);                                                                                    \
        }

/* What a row is projected by: `slopes` (count, components), what one unit of each number adds beyond its mean, and
   `tables` (levels + categories, components), what each level adds and, after those of a category, an unseen one. */
typedef struct {
    int64_t count, components;
    const double *means, *slopes, *tables;
} Additions;

/* Writes the (rows, components) coordinates of (rows, count) numbers and of cells, numbers first, one by one. */
void project(const Cells *cells, const double *numbers, const Additions *additions, double *coordinates);

/* Adds to (levels) `counts` the rows that have each level, and to (levels, count) `sums` their numbers, in order. */
void add_by_level(const Cells *cells, const double *numbers, int64_t count, double *counts, double *sums);

/* Adds to (levels, levels) `met` the rows that have both levels, the column at or after the row; `places` (categories)
   is room to work in. */
void add_together(const Cells *cells, int64_t *places, double *met);

typedef struct {
    int64_t rows, count;
    const double *numbers; /* (rows, count) */
} Columns;

/* Lowers (count) `least` and raises (count) `most` to the ends of columns; writes how many numbers each has, which are
   no NaN. */
void widen_ends(const Columns *columns, double *least, double *most, double *counts);

/* Writes (count) `sums` of columns in (count) units, row after row; NaN adds nothing. One column alone is added as numpy
   does, in pairs. */
void add_columns(const Columns *columns, const double *units, double *sums);

/* Writes columns in units about (count) means, and the sums of their squares, added as above. */
void centre_columns(
    const Columns *columns, const double *units, const double *means, double *centred, double *squares);

/* Writes to (rows, count) `sums` those of (rows, k) weights times the numbers of (rows, k) neighbours, one by one. */
void add_neighbours(
    int64_t rows, int64_t k, const int32_t *neighbours, const double *weights, const double *numbers, int64_t count,
    double *sums);

#endif
