/* What columns of numbers have as ends, and what they add up to. */

#include "../pairs.h"
#include "rows.h"

/* A number in units, 0 where there is none; of what is centred already, its square. */
INLINE double added(double number, double unit, int squared) {
    if (squared) return number * number;
    return number == number ? number / unit : 0;
}

INLINE void add_strip(
    const Columns *all, const double *units, double *sums, int squared, int64_t first, int width) {
    double held[STRIP] = {0};
    for (int64_t i = 0; i < all->rows; i++)
        for (int c = 0; c < width; c++)
            held[c] += added(all->numbers[i * all->count + first + c], units[first + c], squared);
    for (int c = 0; c < width; c++) sums[first + c] = held[c];
}

/* numpy adds what lies side by side in pairs, and that is so of one column alone. */
static double add_alone(const double *numbers, int64_t rows, double unit, int squared) {
    if (rows > AT_ONCE) {
        int64_t half = half_of(rows);
        return add_alone(numbers, half, unit, squared) + add_alone(numbers + half, rows - half, unit, squared);
    }
    double some[AT_ONCE];
    for (int64_t i = 0; i < rows; i++) some[i] = added(numbers[i], unit, squared);
    return sum_in_pairs(some, rows);
}

INLINE void add_all(const Columns *all, const double *units, double *sums, int squared) {
    if (all->count == 1) {
        sums[0] = add_alone(all->numbers, all->rows, units[0], squared);
        return;
    }
#define SUM(first, width) add_strip(all, units, sums, squared, first, width)
    IN_STRIPS(SUM, all->count)
}

FOR_EACH_PROCESSOR
void add_columns(const Columns *all, const double *units, double *sums) { add_all(all, units, sums, 0); }

FOR_EACH_PROCESSOR
void centre_columns(const Columns *all, const double *units, const double *means, double *centred, double *squares) {
    for (int64_t i = 0; i < all->rows; i++)
        for (int64_t j = 0; j < all->count; j++) {
            int64_t place = i * all->count + j;
            centred[place] = all->numbers[place] / units[j] - means[j];
        }
    const Columns made = {all->rows, all->count, centred};
    add_all(&made, units, squares, 1);
}

INLINE void widen_strip(const Columns *all, double *least, double *most, double *counts, int64_t first, int width) {
    double low[STRIP], high[STRIP], held[STRIP] = {0};
    for (int c = 0; c < width; c++) low[c] = least[first + c], high[c] = most[first + c];
    for (int64_t i = 0; i < all->rows; i++)
        for (int c = 0; c < width; c++) {
            double number = all->numbers[i * all->count + first + c];
            low[c] = number < low[c] ? number : low[c];
            high[c] = number > high[c] ? number : high[c];
            held[c] += number == number;
        }
    for (int c = 0; c < width; c++) least[first + c] = low[c], most[first + c] = high[c], counts[first + c] = held[c];
}

FOR_EACH_PROCESSOR
void widen_ends(const Columns *all, double *least, double *most, double *counts) {
#define WIDEN(first, width) widen_strip(all, least, most, counts, first, width)
    IN_STRIPS(WIDEN, all->count)
}
