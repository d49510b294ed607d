/* The module sosie._rows: arrays in, arrays out, without Python's lock while at work.

   Arrays are contiguous buffers of float64, int64 (sizes) or int32 (codes); each function checks that their sizes belong
   together. Codes need no check: those that no level has are those of an unseen one. */

#include "../binding.h"
#include "rows.h"

#include <stdlib.h>

/* The items of each of so many groups that fill a buffer; -1, which no buffer holds, if none do or int32 cannot count
   them. */
static int64_t items_of(const Py_buffer *buffer, Py_ssize_t groups, Py_ssize_t size) {
    if (groups < 1 || groups > INT32_MAX || buffer->len % size || buffer->len / size % groups) return -1;
    int64_t items = buffer->len / size / groups;
    return items <= INT32_MAX ? items : -1;
}

/* Whether codes of so many rows and the sizes of their categories make cells; raises if not. */
static int make_cells(Cells *cells, Py_ssize_t rows, const Py_buffer *codes, const Py_buffer *sizes) {
    *cells = (Cells){rows, items_of(sizes, 1, sizeof(int64_t)), 0, codes->buf, sizes->buf};
    if (!fits(cells->categories >= 0 && items_of(codes, rows, sizeof(int32_t)) == cells->categories)) return 0;
    for (int64_t j = 0; j < cells->categories; j++) {
        if (!fits(cells->sizes[j] >= 0 && cells->sizes[j] <= INT32_MAX - cells->levels)) return 0;
        cells->levels += cells->sizes[j];
    }
    return 1;
}

/* coordinates(rows, numbers, means, slopes, codes, sizes, tables, coordinates): see project. */
static PyObject *coordinates(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer numbers, means, slopes, codes, sizes, tables, found;
    Py_ssize_t rows;
    Cells cells;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(
            args, "ny*y*y*y*y*y*w*", &rows, &numbers, &means, &slopes, &codes, &sizes, &tables, &found))
        return NULL;
    if (make_cells(&cells, rows, &codes, &sizes)) {
        int64_t count = items_of(&numbers, rows, sizeof(double)), components = items_of(&found, rows, sizeof(double));
        Additions additions = {count, components, means.buf, slopes.buf, tables.buf};
        if (fits(count >= 0 && components >= 0) && holds(&means, count, sizeof(double)) &&
            holds(&slopes, count * components, sizeof(double)) &&
            holds(&tables, (cells.levels + cells.categories) * components, sizeof(double))) {
            Py_BEGIN_ALLOW_THREADS;
            project(&cells, numbers.buf, &additions, found.buf);
            Py_END_ALLOW_THREADS;
            result = Py_NewRef(Py_None);
        }
    }
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&means);
    PyBuffer_Release(&slopes);
    PyBuffer_Release(&codes);
    PyBuffer_Release(&sizes);
    PyBuffer_Release(&tables);
    PyBuffer_Release(&found);
    return result;
}

/* by_level(rows, codes, sizes, numbers, counts, sums): see add_by_level. */
static PyObject *by_level(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer codes, sizes, numbers, counts, sums;
    Py_ssize_t rows;
    Cells cells;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "ny*y*y*w*w*", &rows, &codes, &sizes, &numbers, &counts, &sums)) return NULL;
    if (make_cells(&cells, rows, &codes, &sizes)) {
        int64_t count = items_of(&numbers, rows, sizeof(double));
        if (fits(count >= 0) && holds(&counts, cells.levels, sizeof(double)) &&
            holds(&sums, cells.levels * count, sizeof(double))) {
            Py_BEGIN_ALLOW_THREADS;
            add_by_level(&cells, numbers.buf, count, counts.buf, sums.buf);
            Py_END_ALLOW_THREADS;
            result = Py_NewRef(Py_None);
        }
    }
    PyBuffer_Release(&codes);
    PyBuffer_Release(&sizes);
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&counts);
    PyBuffer_Release(&sums);
    return result;
}

/* together(rows, codes, sizes, met): see add_together. */
static PyObject *together(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer codes, sizes, met;
    Py_ssize_t rows;
    Cells cells;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "ny*y*w*", &rows, &codes, &sizes, &met)) return NULL;
    if (make_cells(&cells, rows, &codes, &sizes) && holds(&met, cells.levels * cells.levels, sizeof(double))) {
        int64_t *places = malloc((size_t)(cells.categories + 1) * sizeof(int64_t));
        if (places) {
            Py_BEGIN_ALLOW_THREADS;
            add_together(&cells, places, met.buf);
            Py_END_ALLOW_THREADS;
        }
        result = nothing_or_no_memory(places != NULL);
        free(places);
    }
    PyBuffer_Release(&codes);
    PyBuffer_Release(&sizes);
    PyBuffer_Release(&met);
    return result;
}

/* weighed(rows, neighbours, weights, held, numbers, sums): see add_neighbours; `held` rows have numbers. */
static PyObject *weighed(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer neighbours, weights, numbers, sums;
    Py_ssize_t rows, held;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "ny*y*ny*w*", &rows, &neighbours, &weights, &held, &numbers, &sums)) return NULL;
    int64_t k = items_of(&neighbours, rows, sizeof(int32_t)), count = items_of(&numbers, held, sizeof(double));
    if (fits(k >= 0 && count >= 0) && holds(&weights, rows * k, sizeof(double)) &&
        holds(&sums, rows * count, sizeof(double)) && name_rows(&neighbours, held)) {
        Py_BEGIN_ALLOW_THREADS;
        add_neighbours(rows, k, neighbours.buf, weights.buf, numbers.buf, count, sums.buf);
        Py_END_ALLOW_THREADS;
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&neighbours);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&sums);
    return result;
}

/* Whether (rows, count) numbers make columns; raises if not. */
static int make_columns(Columns *columns, Py_ssize_t rows, const Py_buffer *numbers) {
    *columns = (Columns){rows, items_of(numbers, rows, sizeof(double)), numbers->buf};
    return fits(columns->count >= 0);
}

/* ends(rows, numbers, least, most, counts): see widen_ends. */
static PyObject *ends(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer numbers, least, most, counts;
    Py_ssize_t rows;
    Columns columns;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "ny*w*w*w*", &rows, &numbers, &least, &most, &counts)) return NULL;
    if (make_columns(&columns, rows, &numbers) && holds(&least, columns.count, sizeof(double)) &&
        holds(&most, columns.count, sizeof(double)) && holds(&counts, columns.count, sizeof(double))) {
        Py_BEGIN_ALLOW_THREADS;
        widen_ends(&columns, least.buf, most.buf, counts.buf);
        Py_END_ALLOW_THREADS;
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&least);
    PyBuffer_Release(&most);
    PyBuffer_Release(&counts);
    return result;
}

/* columns(rows, numbers, units, sums): see add_columns. */
static PyObject *columns(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer numbers, units, sums;
    Py_ssize_t rows;
    Columns all;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "ny*y*w*", &rows, &numbers, &units, &sums)) return NULL;
    if (make_columns(&all, rows, &numbers) && holds(&units, all.count, sizeof(double)) &&
        holds(&sums, all.count, sizeof(double))) {
        Py_BEGIN_ALLOW_THREADS;
        add_columns(&all, units.buf, sums.buf);
        Py_END_ALLOW_THREADS;
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&units);
    PyBuffer_Release(&sums);
    return result;
}

/* centred(rows, numbers, units, means, centred, squares): see centre_columns. */
static PyObject *centred(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer numbers, units, means, found, squares;
    Py_ssize_t rows;
    Columns all;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "ny*y*y*w*w*", &rows, &numbers, &units, &means, &found, &squares)) return NULL;
    if (make_columns(&all, rows, &numbers) && holds(&units, all.count, sizeof(double)) &&
        holds(&means, all.count, sizeof(double)) && holds(&found, rows * all.count, sizeof(double)) &&
        holds(&squares, all.count, sizeof(double))) {
        Py_BEGIN_ALLOW_THREADS;
        centre_columns(&all, units.buf, means.buf, found.buf, squares.buf);
        Py_END_ALLOW_THREADS;
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&units);
    PyBuffer_Release(&means);
    PyBuffer_Release(&found);
    PyBuffer_Release(&squares);
    return result;
}

static PyMethodDef METHODS[] = {
    {"coordinates", coordinates, METH_VARARGS, NULL},
    {"by_level", by_level, METH_VARARGS, NULL},
    {"together", together, METH_VARARGS, NULL},
    {"ends", ends, METH_VARARGS, NULL},
    {"columns", columns, METH_VARARGS, NULL},
    {"centred", centred, METH_VARARGS, NULL},
    {"weighed", weighed, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

MODULE(_rows, "Sums over rows of mixed data.")
