/* The weight of the points inside balls: of whole boxes at once, and point by point where a ball cuts a leaf. */

#ifndef SOSIE_INSIDE_H
#define SOSIE_INSIDE_H

#include "blocks.h"

/* The squared distance of each centre to the farthest place of a box. */
INLINE void across_box(const Tree *tree, const double *box, const Block *block, double *far) {
    int64_t components = tree->components;
    for (int i = 0; i < BLOCK; i++) far[i] = 0;
    for (int64_t j = 0; j < components; j++) {
        double least = box[j * WIDTH], most = box[(components + j) * WIDTH];
        const double *column = block->columns + j * BLOCK;
        for (int i = 0; i < BLOCK; i++) {
            double across = larger(column[i] - least, most - column[i]);
            far[i] += across * across;
        }
    }
}

INLINE int64_t weight_of(const Tree *tree, int64_t begin, int64_t end) {
    return tree->weights ? tree->weights[end] - tree->weights[begin] : end - begin;
}

/* The weight of a box at this place of its level. */
INLINE int64_t weight_of_box(const Tree *tree, int level, int64_t place) {
    int64_t rows = LEAF;
    for (int i = 0; i < level; i++) rows *= WIDTH;
    int64_t end = (place + 1) * rows;
    return weight_of(tree, place * rows, end < tree->rows ? end : tree->rows);
}

INLINE int64_t weight_of_marked(const Tree *tree, int64_t leaf, uint32_t mask) {
    if (!tree->weights) return __builtin_popcount(mask);
    int64_t weight = 0;
    for (; mask; mask &= mask - 1) {
        int64_t row = leaf * LEAF + __builtin_ctz(mask);
        weight += weight_of(tree, row, row + 1);
    }
    return weight;
}

/* Adds to each of these balls what it holds of a leaf. */
INLINE void count_leaf(
    const Tree *tree, int64_t leaf, const Block *block, const double *limits, uint32_t balls, int64_t *found) {
    Floats away[PARTS];
    for (; balls; balls &= balls - 1) {
        int ball = __builtin_ctz(balls);
        found[ball] += weight_of_marked(tree, leaf, near_points(tree, leaf, block, ball, limits[ball], away));
    }
}

INLINE void count_block(
    const Tree *tree, const Block *block, const double *squares, int64_t asked, int64_t most, int64_t *found) {
    double limits[BLOCK], near[BLOCK], far[BLOCK], bound = -1;
    Waiting waiting[MOST_WAITING];
    uint32_t open = 0; /* the balls whose count is below `most` */
    for (int i = 0; i < BLOCK; i++) {
        limits[i] = i < asked ? squares[i] : -1;
        bound = larger(limits[i], bound);
        if (i < asked && most > 0) open |= 1u << i;
    }
    for (int64_t i = 0; i < asked; i++) found[i] = 0;
    int left = 1;
    waiting[0] = (Waiting){0, tree->levels - 1, UINT32_MAX, 0};
    while (left && open) {
        Waiting box = waiting[--left];
        const double *corner = corners(tree, box.level, box.place);
        to_box(tree, corner, block, near);
        uint32_t reached = at_most(near, limits) & box.queries & open;
        if (!reached) continue;
        across_box(tree, corner, block, far);
        uint32_t whole = at_most(far, limits) & reached, cut = reached & ~whole;
        if (whole) {
            int64_t weight = weight_of_box(tree, box.level, box.place);
            for (uint32_t mask = whole; mask; mask &= mask - 1) found[__builtin_ctz(mask)] += weight;
        }
        box.queries = cut;
        if (cut && box.level) left = open_box(tree, box, block, bound, waiting, left);
        else count_leaf(tree, box.place, block, limits, cut, found);
        for (uint32_t mask = reached; mask; mask &= mask - 1) {
            int ball = __builtin_ctz(mask);
            if (found[ball] >= most) open &= ~(1u << ball);
        }
    }
    for (int64_t i = 0; i < asked; i++) found[i] = found[i] < most ? found[i] : most;
}

INLINE void count_all(
    const Tree *tree, Block *block, const double *centres, const double *squares, int64_t asked, int64_t most,
    int64_t *found) {
    for (int64_t i = 0; i < asked; i += BLOCK) {
        int64_t some = asked - i < BLOCK ? asked - i : BLOCK;
        load(block, centres + i * tree->components, some, tree->components);
        count_block(tree, block, squares + i, some, most, found + i);
    }
}

/* See tree.h. */
static int inside(
    const Tree *tree, const double *centres, const double *squares, int64_t asked, int64_t most, int64_t *found) {
    Block block;
    if (!allocate(&block, tree->components)) return 0;
    count_all(tree, &block, centres, squares, asked, most, found);
    free(block.columns);
    return 1;
}

#endif
