/* The nearest rows of each target. */

#include "leaves.h"

#include <stdlib.h>

/* Farther than any row: distances are less. */
#define SEEN INT32_MAX

/* What is asked, and room for one target. */
typedef struct {
    const int32_t *left_out; /* (lists) */
    int64_t lists, count;
    uint8_t *spared; /* (columns): whether a list leaves it out */
    int any_spared;
    int32_t *near;  /* (groups, LEAF): how near the rows of each leaf can be at least, in any list */
    int32_t *apart; /* (columns, LEAF): how far those of a leaf are, column by column, if any is spared */
} Search;

INLINE int32_t smaller(int32_t one, int32_t other) { return one < other ? one : other; }
INLINE int32_t larger(int32_t one, int32_t other) { return one > other ? one : other; }
INLINE int64_t place_of(int32_t distance, int32_t turn) { return (int64_t)distance << 32 | turn; }
INLINE int32_t distance_of(int64_t place) { return (int32_t)(place >> 32); }

/* How near the rows of a group's leaves can be at least, without the spared column that adds most. */
INLINE void to_boxes(const Leaves *leaves, const Search *search, const int32_t *target, int64_t group) {
    int32_t near[LEAF] = {0}, most_spared[LEAF] = {0}, apart[LEAF];
    const int32_t unit = leaves->unit, *box = leaves->boxes + group * leaves->columns * 2 * LEAF;
    for (int64_t j = 0; j < leaves->columns; j++, box += 2 * LEAF) {
        const int32_t here = target[j], *least = box, *most = box + LEAF;
        if (leaves->numeric[j])
            for (int i = 0; i < LEAF; i++)
                apart[i] = smaller(larger(larger(least[i] - here, here - most[i]), 0), unit);
        else
            for (int i = 0; i < LEAF; i++) apart[i] = (here < least[i]) | (here > most[i]) ? unit : 0;
        for (int i = 0; i < LEAF; i++) near[i] += apart[i];
        if (search->spared[j])
            for (int i = 0; i < LEAF; i++) most_spared[i] = larger(most_spared[i], apart[i]);
    }
    for (int i = 0; i < LEAF; i++) search->near[group * LEAF + i] = near[i] - most_spared[i];
}

/* How far the rows of a leaf are, and if a column is spared how far in each. */
INLINE void to_rows(
    const Leaves *leaves, const Search *search, const int32_t *target, int64_t leaf, int32_t *total) {
    int32_t apart[LEAF];
    const int32_t unit = leaves->unit, *cells = leaves->cells + leaf * leaves->columns * LEAF;
    for (int i = 0; i < LEAF; i++) total[i] = 0;
    for (int64_t j = 0; j < leaves->columns; j++, cells += LEAF) {
        const int32_t here = target[j];
        if (leaves->numeric[j])
            for (int i = 0; i < LEAF; i++)
                apart[i] = smaller(larger(cells[i] - here, here - cells[i]), unit);
        else
            for (int i = 0; i < LEAF; i++) apart[i] = cells[i] != here ? unit : 0;
        for (int i = 0; i < LEAF; i++) total[i] += apart[i];
        if (search->any_spared)
            for (int i = 0; i < LEAF; i++) search->apart[j * LEAF + i] = apart[i];
    }
}

/* Takes a place that is less than the last of the least so far. */
INLINE void take(int64_t place, int64_t *places, int64_t count) {
    int64_t at = count - 1;
    for (; at > 0 && places[at - 1] > place; at--) places[at] = places[at - 1];
    places[at] = place;
}

INLINE int32_t least_of(const int32_t *distances) {
    int32_t least = INT32_MAX;
    for (int i = 0; i < LEAF; i++) least = smaller(least, distances[i]);
    return least;
}

/* Takes the rows of a leaf, those that are real, into a list. */
INLINE void take_rows(
    const Leaves *leaves, int64_t leaf, const int32_t *distances, int64_t *places, int64_t count) {
    const int64_t left = leaves->rows - leaf * LEAF;
    for (int i = 0; i < LEAF && i < left; i++) {
        int64_t place = place_of(distances[i], leaves->turns[leaf * LEAF + i]);
        if (place < places[count - 1]) take(place, places, count);
    }
}

/* Takes the rows of a leaf into every list; the greatest place that is still of use to one, which was `worst`. */
INLINE int64_t look_at(
    const Leaves *leaves, const Search *search, const int32_t *target, int64_t leaf, int64_t worst, int64_t *places) {
    int32_t total[LEAF], distances[LEAF];
    const int64_t count = search->count;
    to_rows(leaves, search, target, leaf, total);
    if (least_of(total) - (search->any_spared ? leaves->unit : 0) > distance_of(worst)) return worst;
    worst = 0;
    for (int64_t list = 0; list < search->lists; list++, places += count) {
        const int64_t left_out = search->left_out[list];
        for (int i = 0; i < LEAF; i++) distances[i] = total[i];
        if (left_out >= 0)
            for (int i = 0; i < LEAF; i++) distances[i] -= search->apart[left_out * LEAF + i];
        if (least_of(distances) <= distance_of(places[count - 1])) take_rows(leaves, leaf, distances, places, count);
        worst = places[count - 1] > worst ? places[count - 1] : worst;
    }
    return worst;
}

/* Looks at the leaves that are at least so near, unless no row of theirs is of use; the greatest place that still is. */
INLINE int64_t sweep(
    const Leaves *leaves, const Search *search, const int32_t *target, int32_t limit, int64_t worst, int64_t *places) {
    int32_t *near = search->near;
    for (int64_t leaf = 0; leaf < leaves->leaves; leaf++) {
        if (near[leaf] > limit || place_of(near[leaf], leaves->first[leaf]) > worst) continue;
        worst = look_at(leaves, search, target, leaf, worst, places);
        near[leaf] = SEEN;
    }
    return worst;
}

/* The nearest leaf is looked at first, then the nearer half of those left, so that few of the farther ones need be. */
INLINE void search_one(const Leaves *leaves, const Search *search, const int32_t *target, int64_t *places) {
    int32_t least = SEEN;
    for (int64_t i = 0; i < search->lists * search->count; i++) places[i] = INT64_MAX;
    for (int64_t group = 0; group < filled(leaves->leaves); group++) to_boxes(leaves, search, target, group);
    for (int64_t leaf = 0; leaf < leaves->leaves; leaf++) least = smaller(least, search->near[leaf]);
    int64_t nearest = 0;
    while (search->near[nearest] > least) nearest++;
    int64_t worst = look_at(leaves, search, target, nearest, INT64_MAX, places);
    search->near[nearest] = SEEN;
    worst = sweep(leaves, search, target, least + (distance_of(worst) - least) / 2, worst, places);
    sweep(leaves, search, target, smaller(distance_of(worst), SEEN - 1), worst, places);
}

FOR_EACH_PROCESSOR
static void search_all(
    const Leaves *leaves, const Search *search, const int32_t *targets, int64_t asked, int64_t *places) {
    for (int64_t i = 0; i < asked; i++)
        search_one(leaves, search, targets + i * leaves->columns, places + i * search->lists * search->count);
}

int find_nearest(
    const Leaves *leaves, const int32_t *targets, int64_t asked, const int32_t *left_out, int64_t lists, int64_t count,
    int64_t *places) {
    size_t columns = (size_t)leaves->columns, leaf = LEAF * sizeof(int32_t);
    Search search = {
        .left_out = left_out,
        .lists = lists,
        .count = count,
        .spared = calloc(columns, 1),
        .near = malloc((size_t)filled(leaves->leaves) * leaf),
        .apart = malloc(columns * leaf),
    };
    int enough = search.spared && search.near && search.apart;
    if (enough) {
        for (int64_t list = 0; list < lists; list++)
            if (left_out[list] >= 0) search.spared[left_out[list]] = 1, search.any_spared = 1;
        search_all(leaves, &search, targets, asked, places);
    }
    free(search.spared);
    free(search.near);
    free(search.apart);
    return enough;
}
