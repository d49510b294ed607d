/* A kd-tree for exact searches on a core's vector units.

   Points are cut at medians of their widest component until LEAF of them are left, and lie leaf after leaf. Leaves are
   taken WIDTH at a time into boxes, these again, up to one box of all: what is asked of a box is computed for all boxes
   inside it at once, and what is asked of a leaf for all its points.

   A squared distance is the sum of the squared differences, component after component. Those to boxes are added up in
   the same order, so that rounding never lets a box seem farther than a point in it, nor its far end nearer: each
   rounded step keeps the order of what it is given, infinities among them. Products fused with sums would not, hence
   the flags of setup.py; coordinates that are not finite would not either, hence module.c refuses them. */

#ifndef SOSIE_TREE_H
#define SOSIE_TREE_H

#include "../processors.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    LINE = 64,       /* bytes that come from memory together: what vector units read begins where they begin */
    LEAF = 32,       /* points of a leaf; one bit each in a mask */
    WIDTH = 8,       /* boxes in a box */
    MOST_LEVELS = 10 /* 8^9 leaves, in boxes up to one of all, hold 2^31 points and more */
};

typedef struct {
    int64_t rows, components;
    int levels;
    /* (leaves, components, LEAF): infinity where the last leaf has no point */
    double *points;
    /* by level, 0 the leaves: how many boxes, and their corners: (boxes / WIDTH, 2, components, WIDTH), least and most */
    int64_t counts[MOST_LEVELS];
    double *boxes[MOST_LEVELS];
    /* (rows + 1): what the points before each one weigh together; NULL where all weigh 1 */
    int64_t *weights;
} Tree;

/* So many numbers of eight bytes, for vector units; NULL if memory does not suffice. */
static inline void *numbers(int64_t count) {
    return aligned_alloc(LINE, ((size_t)count * 8 + LINE - 1) / LINE * LINE);
}

/* The corners of a box: the least and, components * WIDTH further, the most, each component WIDTH after the last. */
static inline double *corners(const Tree *tree, int level, int64_t place) {
    return tree->boxes[level] + place / WIDTH * 2 * tree->components * WIDTH + place % WIDTH;
}

/* Writes the rows of (rows, components) points in the order of leaves, the same in two threads as in one; 0 if memory does
   not suffice. */
int order_by_leaves(const double *points, int64_t rows, int64_t components, int two_threads, int32_t *order);

/* The tree of points in the order of leaves, with (rows) weights or NULL; NULL if memory does not suffice. */
Tree *tree_of(const double *points, int64_t rows, int64_t components, const int64_t *weights);

void free_tree(Tree *tree);

typedef struct {
    /* Writes the positions of and the distances to the `count` points nearest to each of (asked, components) queries,
       nearest first, equals by position; count <= rows. Queries that follow each other are best near each other.
       0 if memory does not suffice. */
    int (*nearest)(
        const Tree *tree, const double *queries, int64_t asked, int64_t count, int32_t *positions, double *distances);
    /* Writes the weight of the points whose squared distance from each of (asked, components) centres is at most its own
       (asked) `squares`: exact below `most`, else `most`. 0 if memory does not suffice. */
    int (*inside)(
        const Tree *tree, const double *centres, const double *squares, int64_t asked, int64_t most, int64_t *found);
} Searches;

/* How many kinds of searches this processor can run; the last is the fastest, and all find the same. */
int kinds_here(void);

const Searches *searches_of(int kind);

#endif
