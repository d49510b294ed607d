/* How leaves are made: rows are sorted by a key that is alike for rows that are alike. */

#include "leaves.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEY = 16, /* bits */
    BINS = 256,
    RANK = 8 /* bits, of a bin's place among all rows */
};

/* The bin of a cell: equal cells share one, and so may others. */
INLINE int bin_of(int32_t cell, int numeric, int32_t unit) {
    if (!numeric) return cell & (BINS - 1);
    return cell > unit ? BINS - 1 : (int)((float)cell * ((float)(BINS - 2) / (float)unit));
}

/* Writes for each bin of a column which share of the rows comes before its middle, in RANK bits; how many bits tell the
   bins apart. */
static int rank_bins(const int32_t *cells, int64_t rows, int numeric, int32_t unit, uint8_t *ranks) {
    int64_t times[BINS] = {0}, before = 0;
    for (int64_t i = 0; i < rows; i++) times[bin_of(cells[i], numeric, unit)]++;
    int held = 0, bits = 0;
    for (int bin = 0; bin < BINS; bin++) {
        ranks[bin] = (uint8_t)(((2 * before + times[bin]) * ((1 << RANK) - 1)) / (2 * rows));
        before += times[bin];
        held += times[bin] > 0;
    }
    while (1 << bits < held) bits++;
    return bits;
}

/* Writes the rows' keys. Their bits halve the rows by each column, then the halves, and so on: by categories first, which
   weigh most. `ranks` and `bits` are room for (columns, BINS) and (columns). */
static void write_keys(
    const int32_t *grid, int64_t rows, const uint8_t *numeric, int64_t columns, int32_t unit, uint8_t *ranks,
    uint8_t *bits, uint16_t *keys) {
    for (int64_t j = 0; j < columns; j++)
        bits[j] = (uint8_t)rank_bins(grid + j * rows, rows, numeric[j] != 0, unit, ranks + j * BINS);
    int left = KEY;
    for (int kind = 0; kind < 2; kind++)
        for (int depth = 0; depth < RANK; depth++)
            for (int64_t j = 0; j < columns; j++) {
                if ((numeric[j] != 0) != kind || depth >= bits[j] || !left) continue;
                const int32_t *cells = grid + j * rows;
                left--;
                for (int64_t i = 0; i < rows; i++) {
                    int rank = ranks[j * BINS + bin_of(cells[i], kind, unit)];
                    keys[i] |= (uint16_t)((rank >> (RANK - 1 - depth) & 1) << left);
                }
            }
}

/* Writes rows sorted by their keys, equals as they come. `ends` is room for a number for each key, all 0. */
static void sort(const uint16_t *keys, int64_t rows, int32_t *ends, int32_t *sorted) {
    for (int64_t i = 0; i < rows; i++) ends[keys[i]]++;
    for (int key = 1; key < 1 << KEY; key++) ends[key] += ends[key - 1];
    for (int64_t i = rows - 1; i >= 0; i--) sorted[--ends[keys[i]]] = (int32_t)i;
}

static int sort_by_keys(
    const int32_t *grid, int64_t rows, const uint8_t *numeric, int64_t columns, int32_t unit, int32_t *sorted) {
    uint16_t *keys = calloc((size_t)rows, sizeof *keys);
    uint8_t *ranks = malloc((size_t)columns * (BINS + 1));
    int32_t *ends = calloc(1 << KEY, sizeof *ends);
    int enough = keys && ranks && ends;
    if (enough) {
        write_keys(grid, rows, numeric, columns, unit, ranks, ranks + columns * BINS, keys);
        sort(keys, rows, ends, sorted);
    }
    free(keys);
    free(ranks);
    free(ends);
    return enough;
}

static void fill_boxes(Leaves *leaves, int64_t leaf, int64_t column, const int32_t *cells) {
    int32_t least = cells[0], most = cells[0];
    for (int i = 1; i < LEAF; i++) {
        least = cells[i] < least ? cells[i] : least;
        most = cells[i] > most ? cells[i] : most;
    }
    int32_t *box = leaves->boxes + (leaf / LEAF * leaves->columns + column) * 2 * LEAF + leaf % LEAF;
    box[0] = least;
    box[LEAF] = most;
}

static void fill(Leaves *leaves, const int32_t *grid) {
    for (int64_t leaf = 0; leaf < leaves->leaves; leaf++) {
        int32_t *turns = leaves->turns + leaf * LEAF;
        for (int64_t i = leaves->rows - leaf * LEAF; i < LEAF; i++) turns[i] = turns[i - 1];
        leaves->first[leaf] = turns[0];
        for (int i = 1; i < LEAF; i++)
            if (turns[i] < leaves->first[leaf]) leaves->first[leaf] = turns[i];
    }
    for (int64_t j = 0; j < leaves->columns; j++)
        for (int64_t leaf = 0; leaf < leaves->leaves; leaf++) {
            const int32_t *turns = leaves->turns + leaf * LEAF, *column = grid + j * leaves->rows;
            int32_t *cells = leaves->cells + (leaf * leaves->columns + j) * LEAF;
            for (int i = 0; i < LEAF; i++) cells[i] = column[turns[i]];
            fill_boxes(leaves, leaf, j, cells);
        }
}

Leaves *leaves_of(const int32_t *grid, int64_t rows, const uint8_t *numeric, int64_t columns, int32_t unit) {
    Leaves *leaves = calloc(1, sizeof *leaves);
    if (!leaves) return NULL;
    size_t count = (size_t)filled(rows), groups = (size_t)filled((int64_t)count), size = sizeof(int32_t);
    leaves->rows = rows;
    leaves->columns = columns;
    leaves->leaves = (int64_t)count;
    leaves->unit = unit;
    leaves->numeric = malloc((size_t)columns);
    leaves->cells = malloc(count * LEAF * (size_t)columns * size);
    leaves->turns = malloc(count * LEAF * size);
    leaves->first = malloc(count * size);
    leaves->boxes = calloc(groups * LEAF * 2 * (size_t)columns, size);
    int enough = leaves->numeric && leaves->cells && leaves->turns && leaves->first && leaves->boxes;
    if (!enough || !sort_by_keys(grid, rows, numeric, columns, unit, leaves->turns)) {
        free_leaves(leaves);
        return NULL;
    }
    memcpy(leaves->numeric, numeric, (size_t)columns);
    fill(leaves, grid);
    return leaves;
}

void free_leaves(Leaves *leaves) {
    free(leaves->numeric);
    free(leaves->cells);
    free(leaves->turns);
    free(leaves->first);
    free(leaves->boxes);
    free(leaves);
}
