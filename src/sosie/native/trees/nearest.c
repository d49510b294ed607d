/* The nearest points of each query. */

#include "blocks.h"

INLINE int before(double away, int32_t position, double other, int32_t other_position) {
    return away < other || (away == other && position < other_position);
}

/* Takes the marked points of a leaf, nearest first, equals by position; how many. */
INLINE int sorted(uint32_t mask, const double *away, int64_t leaf, double *near, int32_t *positions) {
    double values[LEAF];
    int places[LEAF], count = 0;
    for (; mask; mask &= mask - 1) {
        int place = __builtin_ctz(mask);
        places[count] = place;
        values[count++] = away[place];
    }
    for (int i = 0; i < count; i++) {
        int rank = 0;
        for (int j = 0; j < i; j++) rank += values[j] <= values[i];
        for (int j = i + 1; j < count; j++) rank += values[j] < values[i];
        near[rank] = values[i];
        positions[rank] = (int32_t)(leaf * LEAF + places[i]);
    }
    return count;
}

/* Merges so many sorted points into the `have` nearest that are known; how many are known then, at most `count`. */
INLINE int64_t merge(
    const double *near, const int32_t *places, int fresh, double *distances, int32_t *positions, int64_t have,
    int64_t count) {
    int64_t old = have - 1, new = fresh - 1;
    for (int64_t to = have + fresh - 1; new >= 0; to--) {
        int keep = old >= 0 && before(near[new], places[new], distances[old], positions[old]);
        double away = keep ? distances[old] : near[new];
        int32_t position = keep ? positions[old] : places[new];
        if (to < count) distances[to] = away, positions[to] = position;
        old -= keep;
        new -= !keep;
    }
    return have + fresh < count ? have + fresh : count;
}

INLINE void search(
    const Tree *tree, const Block *block, int64_t asked, int64_t count, int32_t *positions, double *distances) {
    double limits[BLOCK], near[BLOCK], away[LEAF], sorted_away[LEAF], bound = INFINITY;
    int32_t sorted_positions[LEAF];
    int64_t have[BLOCK] = {0};
    Waiting waiting[MOST_WAITING];
    for (int i = 0; i < BLOCK; i++) limits[i] = i < asked ? INFINITY : -1;
    int left = 1;
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
        for (; queries; queries &= queries - 1) {
            int query = __builtin_ctz(queries);
            to_points(tree, box.place, block, query, away);
            uint32_t mask = at_most_one(away, limits[query]) & held(tree, box.place);
            if (!mask) continue;
            int fresh = sorted(mask, away, box.place, sorted_away, sorted_positions);
            double *known = distances + query * count;
            have[query] = merge(
                sorted_away, sorted_positions, fresh, known, positions + query * count, have[query], count);
            if (have[query] == count) limits[query] = known[count - 1];
        }
        bound = limits[0];
        for (int i = 1; i < BLOCK; i++) bound = larger(limits[i], bound);
    }
    for (int64_t i = 0; i < asked * count; i++) distances[i] = sqrt(distances[i]);
}

FOR_EACH_PROCESSOR
static void search_all(
    const Tree *tree, Block *block, const double *queries, int64_t asked, int64_t count, int32_t *positions,
    double *distances) {
    for (int64_t i = 0; i < asked; i += BLOCK) {
        int64_t some = asked - i < BLOCK ? asked - i : BLOCK;
        load(block, queries + i * tree->components, some, tree->components);
        search(tree, block, some, count, positions + i * count, distances + i * count);
    }
}

int find_nearest(
    const Tree *tree, const double *queries, int64_t asked, int64_t count, int32_t *positions, double *distances) {
    Block block;
    if (!allocate(&block, tree->components)) return 0;
    search_all(tree, &block, queries, asked, count, positions, distances);
    free(block.columns);
    return 1;
}
