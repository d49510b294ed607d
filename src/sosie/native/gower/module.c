/* The module sosie._gower: arrays in, arrays out, without Python's lock while at work. sosie/attacks/gower_search.py is
   its face.

   Arrays are contiguous buffers of int32, int64 or bytes; each function checks that their sizes belong together and that
   int32 can hold all distances, which is why no number may be below 0. */

#include "../binding.h"
#include "leaves.h"

static const char NAME[] = "sosie._gower.leaves";

/* How many times so many cells of int32 go into a buffer; -1, which no buffer holds, if they do not fill it or int32
   cannot count them. */
static int64_t times_in(const Py_buffer *grid, int64_t cells) {
    const Py_ssize_t size = sizeof(int32_t);
    if (cells < 1 || grid->len % size || grid->len / size % cells) return -1;
    int64_t times = grid->len / size / cells;
    return times <= INT32_MAX ? times : -1;
}

/* Whether no number is below 0 among cells, those of a column `step` after each other and of the next `next` after them;
   raises if one is. */
static int none_below_0(
    const int32_t *cells, int64_t rows, int64_t step, int64_t next, const uint8_t *numeric, int64_t columns) {
    int32_t signs = 0;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; numeric[j] && i < rows; i++) signs |= cells[j * next + i * step];
    if (signs < 0) PyErr_SetString(PyExc_ValueError, "numbers below 0");
    return signs >= 0;
}

static void free_capsule(PyObject *capsule) { free_leaves(PyCapsule_GetPointer(capsule, NAME)); }

/* leaves(grid, numeric, unit): see leaves_of. */
static PyObject *leaves(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer grid, numeric;
    int unit;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*i", &grid, &numeric, &unit)) return NULL;
    int64_t columns = numeric.len, rows = times_in(&grid, columns);
    if (unit < 1 || columns > (INT32_MAX - 1) / unit) PyErr_SetString(PyExc_ValueError, "distances that int32 cannot hold");
    else if (fits(rows > 0) && none_below_0(grid.buf, rows, 1, rows, numeric.buf, columns)) {
        Leaves *made;
        Py_BEGIN_ALLOW_THREADS;
        made = leaves_of(grid.buf, rows, numeric.buf, columns, unit);
        Py_END_ALLOW_THREADS;
        result = made ? PyCapsule_New(made, NAME, free_capsule) : PyErr_NoMemory();
        if (made && !result) free_leaves(made);
    }
    PyBuffer_Release(&grid);
    PyBuffer_Release(&numeric);
    return result;
}

/* Whether all are columns, or -1; raises if not. */
static int are_columns(const Py_buffer *left_out, int64_t columns) {
    const int32_t *held = left_out->buf;
    int all = 1;
    for (Py_ssize_t i = 0; i < left_out->len / (Py_ssize_t)sizeof *held; i++) all &= held[i] >= -1 && held[i] < columns;
    if (!all) PyErr_SetString(PyExc_ValueError, "no such column to leave out");
    return all;
}

/* nearest(leaves, targets, left_out, count, places): see find_nearest. */
static PyObject *nearest(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule, *result = NULL;
    Py_buffer targets, left_out, places;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "Oy*y*nw*", &capsule, &targets, &left_out, &count, &places)) return NULL;
    const Leaves *leaves = PyCapsule_GetPointer(capsule, NAME);
    if (leaves) {
        int64_t asked = times_in(&targets, leaves->columns), lists = times_in(&left_out, 1);
        if (count < 1 || count > leaves->rows) PyErr_SetString(PyExc_ValueError, "a count that is not between 1 and the rows there are");
        else if (
            fits(asked >= 0 && lists > 0 && asked * lists <= INT64_MAX / count) &&
            holds(&places, asked * lists * count, sizeof(int64_t)) && are_columns(&left_out, leaves->columns) &&
            none_below_0(targets.buf, asked, leaves->columns, 1, leaves->numeric, leaves->columns)) {
            int enough;
            Py_BEGIN_ALLOW_THREADS;
            enough = find_nearest(leaves, targets.buf, asked, left_out.buf, lists, count, places.buf);
            Py_END_ALLOW_THREADS;
            result = nothing_or_no_memory(enough);
        }
    }
    PyBuffer_Release(&targets);
    PyBuffer_Release(&left_out);
    PyBuffer_Release(&places);
    return result;
}

static PyMethodDef METHODS[] = {
    {"leaves", leaves, METH_VARARGS, NULL},
    {"nearest", nearest, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

MODULE(_gower, "Searches by Gower distances.")
