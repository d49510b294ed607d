/* What both searches do: BLOCK queries go down a tree together, the nearest boxes first. */

#ifndef SOSIE_BLOCKS_H
#define SOSIE_BLOCKS_H

#include "lanes.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 32, /* queries; one bit each in a mask */
    MOST_WAITING = WIDTH * MOST_LEVELS
};

typedef struct {
    double *columns;      /* (components, BLOCK); the last query stands in for those that a block lacks */
    double *least, *most; /* (components): the box around them */
} Block;

/* A box to look at: its place in its level, its squared distance from the box around the queries, and for which. */
typedef struct {
    int64_t place;
    int level;
    uint32_t queries;
    double away;
} Waiting;

/* What holds in each of 32 lanes, one bit each. */
INLINE uint32_t bits_of(const Integers *holds) {
    Integers marks = {0};
    for (int i = 0; i < PARTS; i++) marks |= holds[i] & ((Integers){0} + 1) << (COUNTED + LANES * i);
    uint64_t mask = 0;
    for (int i = 0; i < LANES; i++) mask |= (uint64_t)marks[i];
    return (uint32_t)mask;
}

/* Which of 32 values are at most their own limit. */
INLINE uint32_t at_most(const double *values, const double *limits) {
    Integers holds[PARTS];
    for (int i = 0; i < PARTS; i++) {
        Floats some, most;
        memcpy(&some, values + LANES * i, sizeof some);
        memcpy(&most, limits + LANES * i, sizeof most);
        holds[i] = some <= most;
    }
    return bits_of(holds);
}

INLINE double larger(double one, double other) { return one > other ? one : other; }

static int allocate(Block *block, int64_t components) {
    block->columns = numbers(components * (BLOCK + 2));
    if (!block->columns) return 0;
    block->least = block->columns + components * BLOCK;
    block->most = block->least + components;
    return 1;
}

INLINE void load(Block *block, const double *queries, int64_t asked, int64_t components) {
    for (int64_t j = 0; j < components; j++) {
        double least = INFINITY, most = -INFINITY;
        for (int64_t i = 0; i < BLOCK; i++) {
            double value = queries[(i < asked ? i : asked - 1) * components + j];
            block->columns[j * BLOCK + i] = value;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        block->least[j] = least;
        block->most[j] = most;
    }
}

/* The squared distance of each query to the nearest place of a box. */
INLINE void to_box(const Tree *tree, const double *box, const Block *block, double *near) {
    int64_t components = tree->components;
    for (int i = 0; i < BLOCK; i++) near[i] = 0;
    for (int64_t j = 0; j < components; j++) {
        double least = box[j * WIDTH], most = box[(components + j) * WIDTH];
        const double *column = block->columns + j * BLOCK;
        for (int i = 0; i < BLOCK; i++) {
            double outside = larger(larger(least - column[i], column[i] - most), 0);
            near[i] += outside * outside;
        }
    }
}

/* Which places of a leaf hold a point: all but in the last one. */
INLINE uint32_t held(const Tree *tree, int64_t leaf) {
    int64_t points = tree->rows - leaf * LEAF;
    return points >= LEAF ? UINT32_MAX : (1u << points) - 1;
}

/* Writes the squared distances of a query to the points of a leaf; which of them are at most `limit`, one bit each. */
INLINE uint32_t near_points(
    const Tree *tree, int64_t leaf, const Block *block, int query, double limit, Floats *away) {
    const Floats *points = (const Floats *)(tree->points + leaf * tree->components * LEAF);
    Floats sums[PARTS] = {{0}};
    for (int64_t j = 0; j < tree->components; j++) {
        double value = block->columns[j * BLOCK + query];
        for (int i = 0; i < PARTS; i++) {
            Floats difference = points[j * PARTS + i] - value;
            sums[i] += difference * difference;
        }
    }
    Integers holds[PARTS];
    for (int i = 0; i < PARTS; i++) {
        away[i] = sums[i];
        holds[i] = sums[i] <= limit;
    }
    return bits_of(holds) & held(tree, leaf);
}

/* Adds the boxes inside one that are at most so far from the queries, nearest last; how many wait then. */
INLINE int open_box(
    const Tree *tree, Waiting box, const Block *block, double limit, Waiting *waiting, int count) {
    int64_t components = tree->components, first = box.place * WIDTH, left = tree->counts[box.level - 1] - first;
    const double *inner = corners(tree, box.level - 1, first);
    double away[WIDTH];
    for (int i = 0; i < WIDTH; i++) away[i] = i < left ? 0 : INFINITY;
    for (int64_t j = 0; j < components; j++) {
        const double *least = inner + j * WIDTH, *most = inner + (components + j) * WIDTH;
        for (int i = 0; i < WIDTH; i++) {
            double outside = larger(larger(least[i] - block->most[j], block->least[j] - most[i]), 0);
            away[i] += outside * outside;
        }
    }
    int within = 0, nearer[WIDTH] = {0}, place[WIDTH];
    for (int j = 0; j < WIDTH; j++) {
        within += away[j] <= limit && j < left;
        for (int i = 0; i < WIDTH; i++) nearer[i] += away[j] < away[i] || (away[j] == away[i] && j < i);
    }
    for (int i = 0; i < WIDTH; i++) place[nearer[i]] = i;
    while (within--)
        waiting[count++] = (Waiting){first + place[within], box.level - 1, box.queries, away[place[within]]};
    return count;
}

#endif
