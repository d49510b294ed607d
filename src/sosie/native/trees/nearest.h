/* The nearest points of each query. */

#ifndef SOSIE_NEAREST_H
#define SOSIE_NEAREST_H

#include "blocks.h"

/* What each query of a block knows: its `count` nearest points so far, nearest first, equals by position. They stand in
   `groups` of LANES; what is not known yet is infinitely far. A squared distance is held as the integer of its bits, which
   has the same order since none is negative. */
typedef struct {
    int64_t count, groups;
    Integers *nearest; /* (BLOCK, 2, groups): squared distances, positions */
} Known;

static const int64_t FARTHEST = 0x7ff0000000000000; /* infinity */

static int allocate_known(Known *known, int64_t count) {
    known->count = count;
    known->groups = (count + LANES - 1) / LANES;
    if (known->groups < PARTS) known->groups = PARTS; /* a whole leaf */
    known->nearest = numbers(BLOCK * 2 * known->groups * LANES);
    return known->nearest != NULL;
}

INLINE Integers *squares_of(const Known *known, int64_t query) { return known->nearest + query * 2 * known->groups; }

INLINE Integers *positions_of(const Known *known, int64_t query) { return squares_of(known, query) + known->groups; }

INLINE void forget(const Known *known) {
    for (int query = 0; query < BLOCK; query++)
        for (int64_t i = 0; i < known->groups; i++) {
            squares_of(known, query)[i] = (Integers){0} + FARTHEST;
            positions_of(known, query)[i] = (Integers){0} + INT32_MAX;
        }
}

/* Puts a point among those of so many groups; all behind it move, and the last falls out. */
INLINE void insert(Integers *squares, Integers *positions, int groups, int64_t square, int64_t position) {
    const Integers here = (Integers){0} + square, name = (Integers){0} + position;
    Integers old = squares[groups - 1], names = positions[groups - 1];
    Integers moves = here < old - (names > name); /* farther, or as far and later */
    for (int i = groups - 1; i >= 0; i--) {
        Integers next = i ? squares[i - 1] : (Integers){0}, next_names = i ? positions[i - 1] : (Integers){0};
        Integers next_moves = here < next - (next_names > name);
        Integers comes = MOVED(next_moves, moves);
        squares[i] = CHOSEN(moves, CHOSEN(comes, MOVED(next, old), here), old);
        positions[i] = CHOSEN(moves, CHOSEN(comes, MOVED(next_names, names), name), names);
        old = next, names = next_names, moves = next_moves;
    }
}

/* Whether a point comes before the last of a group. */
INLINE int before_last(int64_t square, int64_t position, const Integers *squares, const Integers *positions) {
    int64_t last = (*squares)[LANES - 1];
    return square < last || (square == last && position < (*positions)[LANES - 1]);
}

/* Puts a point among those of many groups; all behind it move, and the last falls out. */
INLINE void insert_into_many(
    Integers *squares, Integers *positions, int64_t groups, int64_t square, int64_t position) {
    int64_t group = groups - 1;
    while (group > 0 && before_last(square, position, squares + group - 1, positions + group - 1)) group--;
    size_t behind = (size_t)((groups - 1 - group) * LANES) * sizeof square;
    memmove(squares + group + 1, (const int64_t *)(squares + group + 1) - 1, behind);
    memmove(positions + group + 1, (const int64_t *)(positions + group + 1) - 1, behind);
    insert(squares + group, positions + group, 1, square, position);
}

/* Puts a whole leaf where nothing is known: each point goes where its rank says. */
INLINE void fill(const Floats *away, int64_t leaf, const Known *known, int query) {
    const Integers *fresh = (const Integers *)away;
    const Integer *each = (const Integer *)away;
    Integers ranks[PARTS] = {{0}};
#pragma GCC unroll 32 /* which points come earlier is known then when this is compiled */
    for (int i = 0; i < LEAF; i++)
        for (int j = 0; j < PARTS; j++)
            ranks[j] -= each[i] < fresh[j] - (i < COUNTED + LANES * j); /* nearer, or as near and earlier */
    Integer *squares = (Integer *)squares_of(known, query), *positions = (Integer *)positions_of(known, query);
    for (int i = 0; i < LEAF; i++) {
        int64_t rank = ((const Integer *)ranks)[i];
        squares[rank] = each[i];
        positions[rank] = leaf * LEAF + i;
    }
}

/* Takes the marked points of a leaf among the nearest of a query. */
INLINE void take(uint32_t mask, const Floats *away, int64_t leaf, const Known *known, int query) {
    Integers *squares = squares_of(known, query), *positions = positions_of(known, query);
    if (known->groups > PARTS) {
        for (; mask; mask &= mask - 1) {
            int place = __builtin_ctz(mask);
            insert_into_many(
                squares, positions, known->groups, ((const Integer *)away)[place], leaf * LEAF + place);
        }
        return;
    }
    Integers few[PARTS], names[PARTS]; /* in registers */
    memcpy(few, squares, sizeof few);
    memcpy(names, positions, sizeof names);
    for (; mask; mask &= mask - 1) {
        int place = __builtin_ctz(mask);
        insert(few, names, PARTS, ((const Integer *)away)[place], leaf * LEAF + place);
    }
    memcpy(squares, few, sizeof few);
    memcpy(positions, names, sizeof names);
}

/* Looks into a leaf for points that are not farther from some queries than their `limits`, those of the last they know. */
INLINE void search_leaf(
    const Tree *tree, int64_t leaf, int first, const Block *block, uint32_t queries, const Known *known,
    double *limits) {
    Floats away[BLOCK][PARTS];
    uint32_t masks[BLOCK];
    int asking[BLOCK], some = 0;
    for (; queries; queries &= queries - 1) asking[some++] = __builtin_ctz(queries);
    for (int i = 0; i < some; i++) /* all before any is taken: here nothing waits for anything */
        masks[i] = near_points(tree, leaf, block, asking[i], limits[asking[i]], away[i]);
    for (int i = 0; i < some; i++) {
        if (!masks[i]) continue;
        if (first && masks[i] == UINT32_MAX) fill(away[i], leaf, known, asking[i]);
        else take(masks[i], away[i], leaf, known, asking[i]);
        limits[asking[i]] = ((const Float *)squares_of(known, asking[i]))[known->count - 1];
    }
}

INLINE double largest(const double *limits) {
    double most[LANES];
    for (int i = 0; i < LANES; i++) most[i] = limits[i];
    for (int j = LANES; j < BLOCK; j += LANES)
        for (int i = 0; i < LANES; i++) most[i] = larger(limits[j + i], most[i]);
    for (int i = 1; i < LANES; i++) most[0] = larger(most[i], most[0]);
    return most[0];
}

INLINE void search(const Tree *tree, const Block *block, int64_t asked, const Known *known) {
    double limits[BLOCK], near[BLOCK], bound = INFINITY;
    Waiting waiting[MOST_WAITING];
    for (int i = 0; i < BLOCK; i++) limits[i] = i < asked ? INFINITY : -1;
    forget(known);
    int left = 1, first = 1;
    waiting[0] = (Waiting){0, tree->levels - 1, UINT32_MAX, 0};
    while (left) {
        Waiting box = waiting[--left];
        if (box.away > bound) continue;
        if (box.level) {
            left = open_box(tree, box, block, bound, waiting, left);
            continue;
        }
        to_box(tree, corners(tree, 0, box.place), block, near);
        uint32_t queries = at_most(near, limits);
        if (!queries) continue;
        search_leaf(tree, box.place, first, block, queries, known, limits);
        bound = largest(limits);
        first = 0;
    }
}

INLINE void search_all(
    const Tree *tree, Block *block, const Known *known, const double *queries, int64_t asked, int32_t *positions,
    double *distances) {
    for (int64_t begin = 0; begin < asked; begin += BLOCK) {
        int64_t some = asked - begin < BLOCK ? asked - begin : BLOCK;
        load(block, queries + begin * tree->components, some, tree->components);
        search(tree, block, some, known);
        for (int64_t i = 0; i < some; i++) {
            const Float *squares = (const Float *)squares_of(known, i);
            const Integer *places = (const Integer *)positions_of(known, i);
            int64_t to = (begin + i) * known->count;
            for (int64_t j = 0; j < known->count; j++) {
                distances[to + j] = sqrt(squares[j]);
                positions[to + j] = (int32_t)places[j];
            }
        }
    }
}

/* See tree.h. */
static int nearest(
    const Tree *tree, const double *queries, int64_t asked, int64_t count, int32_t *positions, double *distances) {
    Block block;
    Known known;
    if (!allocate(&block, tree->components)) return 0;
    int enough = allocate_known(&known, count);
    if (enough) search_all(tree, &block, &known, queries, asked, positions, distances);
    free(known.nearest);
    free(block.columns);
    return enough;
}

#endif
