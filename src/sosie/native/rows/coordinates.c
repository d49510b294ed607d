/* Rows on principal axes: what each number adds, then what each level does. */

#include "rows.h"

INLINE void project_strip(
    const Cells *cells, const double *numbers, const Additions *all, double *coordinates, int64_t first, int width) {
    for (int64_t i = 0; i < cells->rows; i++) {
        const double *row = numbers + i * all->count, *slope = all->slopes + first;
        const int32_t *codes = cells->codes + i * cells->categories;
        const double *table = all->tables + first;
        double sums[STRIP] = {0};
        for (int64_t j = 0; j < all->count; j++, slope += all->components) {
            double away = row[j] - all->means[j];
            for (int c = 0; c < width; c++) sums[c] += away * slope[c];
        }
        for (int64_t j = 0; j < cells->categories; j++) {
            int64_t size = cells->sizes[j], level = codes[j] >= 0 && codes[j] < size ? codes[j] : size;
            const double *added = table + level * all->components;
            for (int c = 0; c < width; c++) sums[c] += added[c];
            table += (size + 1) * all->components;
        }
        for (int c = 0; c < width; c++) coordinates[i * all->components + first + c] = sums[c];
    }
}

FOR_EACH_PROCESSOR
void project(const Cells *cells, const double *numbers, const Additions *additions, double *coordinates) {
#define SUM(first, width) project_strip(cells, numbers, additions, coordinates, first, width)
    IN_STRIPS(SUM, additions->components)
}
