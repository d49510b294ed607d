/* Building a tree: the order of its leaves, and their boxes. */

#include "tree.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct {
    double value;
    int32_t row;
} Place;

typedef struct {
    const double *points;
    int64_t rows, components;
    int32_t *order;
    Place *places;   /* (as many as rows are sorted) */
    double *corners; /* (2, components) */
    int64_t first, last; /* the leaves to sort */
} Sorting;

/* A place in from..to. Pivots at fixed places would meet the arches that projections are full of. */
static int64_t any_of(uint64_t *draw, int64_t from, int64_t to) {
    *draw = *draw * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)((*draw >> 33) % (uint64_t)(to - from + 1));
}

static double middle_of(double one, double two, double three) {
    double low = one < two ? one : two, high = one < two ? two : one;
    return three < low ? low : three > high ? high : three;
}

/* Orders the places so that those before `cut` have no larger value than those from it on. */
static void part(Place *places, int64_t count, int64_t cut) {
    uint64_t draw = (uint64_t)count; /* the same in whatever order leaves are sorted */
    int64_t from = 0, to = count - 1;
    while (from < to) {
        double pivot = middle_of(
            places[any_of(&draw, from, to)].value,
            places[any_of(&draw, from, to)].value,
            places[any_of(&draw, from, to)].value);
        int64_t up = from, down = to;
        while (up <= down) {
            while (places[up].value < pivot) up++;
            while (places[down].value > pivot) down--;
            if (up <= down) {
                Place place = places[up];
                places[up++] = places[down];
                places[down--] = place;
            }
        }
        if (cut <= down) to = down;
        else if (cut >= up) from = up;
        else return;
    }
}

static int64_t widest(Sorting *sorting, int64_t begin, int64_t end) {
    int64_t components = sorting->components, found = 0;
    double *least = sorting->corners, *most = least + components;
    for (int64_t j = 0; j < components; j++) least[j] = INFINITY, most[j] = -INFINITY;
    for (int64_t i = begin; i < end; i++) {
        const double *point = sorting->points + sorting->order[i] * components;
        for (int64_t j = 0; j < components; j++) {
            least[j] = point[j] < least[j] ? point[j] : least[j];
            most[j] = point[j] > most[j] ? point[j] : most[j];
        }
    }
    for (int64_t j = 1; j < components; j++)
        if (most[j] - least[j] > most[found] - least[found]) found = j;
    return found;
}

/* Brings the points before a cut to the front, and gives its leaf. Cuts fall where boxes end, so that each box holds
   what is near each other. */
static int64_t cut_leaves(Sorting *sorting) {
    int64_t first = sorting->first, last = sorting->last, unit = 1;
    while (unit * WIDTH < last - first) unit *= WIDTH;
    int64_t units = (last - first + unit - 1) / unit, cut = first + unit * ((units + 1) / 2);
    int64_t begin = first * LEAF, end = last * LEAF < sorting->rows ? last * LEAF : sorting->rows;
    int64_t component = widest(sorting, begin, end);
    int32_t *order = sorting->order + begin;
    for (int64_t i = 0; i < end - begin; i++)
        sorting->places[i] = (Place){sorting->points[order[i] * sorting->components + component], order[i]};
    part(sorting->places, end - begin, cut * LEAF - begin);
    for (int64_t i = 0; i < end - begin; i++) order[i] = sorting->places[i].row;
    return cut;
}

static void sort_leaves(Sorting sorting) {
    while (sorting.last - sorting.first > 1) {
        int64_t cut = cut_leaves(&sorting);
        Sorting front = sorting;
        front.last = cut;
        sort_leaves(front);
        sorting.first = cut;
    }
}

static void *sort_beside(void *sorting) {
    sort_leaves(*(Sorting *)sorting);
    return NULL;
}

/* One half in a thread of its own. */
static void sort_halves(Sorting sorting) {
    int64_t cut = cut_leaves(&sorting);
    Sorting front = sorting, back = sorting;
    front.last = back.first = cut;
    back.places += cut * LEAF;
    back.corners += 2 * sorting.components;
    pthread_t thread;
    int beside = !pthread_create(&thread, NULL, sort_beside, &back);
    sort_leaves(front);
    if (beside) pthread_join(thread, NULL);
    else sort_leaves(back);
}

int order_by_leaves(const double *points, int64_t rows, int64_t components, int two_threads, int32_t *order) {
    Sorting sorting = {points, rows, components, order, NULL, NULL, 0, (rows + LEAF - 1) / LEAF};
    sorting.places = malloc((size_t)rows * sizeof(Place));
    sorting.corners = malloc(4 * (size_t)components * sizeof(double));
    int enough = sorting.places && sorting.corners;
    if (enough) {
        for (int64_t i = 0; i < rows; i++) order[i] = (int32_t)i;
        if (two_threads && sorting.last > 1) sort_halves(sorting);
        else sort_leaves(sorting);
    }
    free(sorting.places);
    free(sorting.corners);
    return enough;
}

static void widen(double *box, int64_t components, const double *least, const double *most, int64_t stride) {
    for (int64_t j = 0; j < components; j++) {
        double *low = box + j * WIDTH, *high = box + (components + j) * WIDTH;
        *low = least[j * stride] < *low ? least[j * stride] : *low;
        *high = most[j * stride] > *high ? most[j * stride] : *high;
    }
}

static void fill(Tree *tree, const double *points, const int64_t *weights) {
    int64_t components = tree->components;
    for (int64_t leaf = 0; leaf < tree->counts[0]; leaf++) {
        double *held = tree->points + leaf * components * LEAF;
        for (int64_t i = 0; i < LEAF; i++) {
            int64_t row = leaf * LEAF + i;
            for (int64_t j = 0; j < components; j++)
                held[j * LEAF + i] = row < tree->rows ? points[row * components + j] : INFINITY;
            if (row < tree->rows)
                widen(corners(tree, 0, leaf), components, points + row * components, points + row * components, 1);
        }
    }
    for (int level = 1; level < tree->levels; level++)
        for (int64_t place = 0; place < tree->counts[level - 1]; place++) {
            const double *part = corners(tree, level - 1, place);
            widen(corners(tree, level, place / WIDTH), components, part, part + components * WIDTH, WIDTH);
        }
    if (weights) {
        tree->weights[0] = 0;
        for (int64_t i = 0; i < tree->rows; i++) tree->weights[i + 1] = tree->weights[i] + weights[i];
    }
}

Tree *tree_of(const double *points, int64_t rows, int64_t components, const int64_t *weights) {
    Tree *tree = calloc(1, sizeof(Tree));
    if (!tree) return NULL;
    tree->rows = rows;
    tree->components = components;
    const int64_t leaves = (rows + LEAF - 1) / LEAF;
    tree->points = numbers(leaves * components * LEAF);
    int enough = tree->points != NULL;
    if (weights) {
        tree->weights = malloc((size_t)(rows + 1) * sizeof(int64_t));
        enough = enough && tree->weights;
    }
    for (int64_t count = leaves, more = 1; more && enough; count = (count + WIDTH - 1) / WIDTH) {
        int64_t group = 2 * components * WIDTH, cells = (count + WIDTH - 1) / WIDTH * group;
        double *boxes = numbers(cells);
        for (int64_t i = 0; boxes && i < cells; i++) boxes[i] = i % group < group / 2 ? INFINITY : -INFINITY;
        tree->counts[tree->levels] = count;
        tree->boxes[tree->levels++] = boxes;
        enough = boxes != NULL;
        more = count > 1;
    }
    if (!enough) {
        free_tree(tree);
        return NULL;
    }
    fill(tree, points, weights);
    return tree;
}

void free_tree(Tree *tree) {
    for (int level = 0; level < tree->levels; level++) free(tree->boxes[level]);
    free(tree->points);
    free(tree->weights);
    free(tree);
}
