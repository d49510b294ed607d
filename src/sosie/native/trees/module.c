/* The module sosie._trees: arrays in, arrays out, without Python's lock while at work. sosie/trees.py is its face.

   Arrays are contiguous buffers of float64, int64 or int32; each function checks that their sizes belong together, and
   that coordinates are finite, since those that are not would be near nothing. */

#include "../binding.h"
#include "tree.h"

#include <math.h>

static const char NAME[] = "sosie._trees.tree";

/* The rows of so many components that fill a buffer; -1, which no buffer holds, if none do or int32 cannot count them. */
static int64_t rows_of(const Py_buffer *points, Py_ssize_t components) {
    const Py_ssize_t size = sizeof(double);
    if (components < 1 || points->len % size || points->len / size % components) return -1;
    int64_t rows = points->len / size / components;
    return rows <= INT32_MAX ? rows : -1;
}

/* Whether all coordinates are finite; raises if not. */
static int all_finite(const Py_buffer *points) {
    const double *values = points->buf;
    const Py_ssize_t count = points->len / (Py_ssize_t)sizeof(double);
    int all = 1;
    for (Py_ssize_t i = 0; i < count; i++) all &= isfinite(values[i]) != 0;
    if (!all) PyErr_SetString(PyExc_ValueError, "coordinates that are not finite");
    return all;
}

/* order(points, components, two_threads, order): see order_by_leaves. */
static PyObject *order(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer points, order;
    Py_ssize_t components;
    int two_threads;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*npw*", &points, &components, &two_threads, &order)) return NULL;
    int64_t rows = rows_of(&points, components);
    if (holds(&order, rows, sizeof(int32_t))) {
        int enough;
        Py_BEGIN_ALLOW_THREADS;
        enough = order_by_leaves(points.buf, rows, components, two_threads, order.buf);
        Py_END_ALLOW_THREADS;
        result = nothing_or_no_memory(enough);
    }
    PyBuffer_Release(&points);
    PyBuffer_Release(&order);
    return result;
}

static void free_capsule(PyObject *capsule) { free_tree(PyCapsule_GetPointer(capsule, NAME)); }

/* tree(points, components, weights or None): see tree_of. */
static PyObject *tree(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer points, weights;
    Py_ssize_t components;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*nz*", &points, &components, &weights)) return NULL;
    int64_t rows = rows_of(&points, components);
    if (fits(rows > 0) && (!weights.buf || holds(&weights, rows, sizeof(int64_t))) && all_finite(&points)) {
        Tree *made;
        Py_BEGIN_ALLOW_THREADS;
        made = tree_of(points.buf, rows, components, weights.buf);
        Py_END_ALLOW_THREADS;
        result = made ? PyCapsule_New(made, NAME, free_capsule) : PyErr_NoMemory();
        if (made && !result) free_tree(made);
    }
    PyBuffer_Release(&points);
    PyBuffer_Release(&weights);
    return result;
}

/* kinds(): see kinds_here. */
static PyObject *kinds(PyObject *module, PyObject *args) {
    (void)module;
    (void)args;
    return PyLong_FromLong(kinds_here());
}

/* The searches of this kind, by default of the last; raises if there are none. */
static const Searches *searches(int kind) {
    if (kind == -1) kind = kinds_here() - 1;
    if (kind >= 0 && kind < kinds_here()) return searches_of(kind);
    PyErr_SetString(PyExc_ValueError, "a kind of searches that this processor does not run");
    return NULL;
}

/* nearest(tree, queries, count, positions, distances, kind=-1): see Searches. */
static PyObject *nearest(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule, *result = NULL;
    Py_buffer queries, positions, distances;
    Py_ssize_t count;
    int kind = -1;
    if (!PyArg_ParseTuple(args, "Oy*nw*w*|i", &capsule, &queries, &count, &positions, &distances, &kind)) return NULL;
    const Tree *tree = PyCapsule_GetPointer(capsule, NAME);
    const Searches *chosen = searches(kind);
    if (tree && chosen) {
        int64_t asked = rows_of(&queries, tree->components);
        if (count < 1 || count > tree->rows) PyErr_SetString(PyExc_ValueError, "a count that is not between 1 and the points there are");
        else if (
            holds(&positions, asked * count, sizeof(int32_t)) &&
            holds(&distances, asked * count, sizeof(double)) && all_finite(&queries)) {
            int enough;
            Py_BEGIN_ALLOW_THREADS;
            enough = chosen->nearest(tree, queries.buf, asked, count, positions.buf, distances.buf);
            Py_END_ALLOW_THREADS;
            result = nothing_or_no_memory(enough);
        }
    }
    PyBuffer_Release(&queries);
    PyBuffer_Release(&positions);
    PyBuffer_Release(&distances);
    return result;
}

/* inside(tree, centres, squares, most, found, kind=-1): see Searches. */
static PyObject *inside(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule, *result = NULL;
    Py_buffer centres, squares, found;
    Py_ssize_t most;
    int kind = -1;
    if (!PyArg_ParseTuple(args, "Oy*y*nw*|i", &capsule, &centres, &squares, &most, &found, &kind)) return NULL;
    const Tree *tree = PyCapsule_GetPointer(capsule, NAME);
    const Searches *chosen = searches(kind);
    if (tree && chosen) {
        int64_t asked = rows_of(&centres, tree->components);
        if (holds(&squares, asked, sizeof(double)) && holds(&found, asked, sizeof(int64_t)) && all_finite(&centres)) {
            int enough;
            Py_BEGIN_ALLOW_THREADS;
            enough = chosen->inside(tree, centres.buf, squares.buf, asked, most, found.buf);
            Py_END_ALLOW_THREADS;
            result = nothing_or_no_memory(enough);
        }
    }
    PyBuffer_Release(&centres);
    PyBuffer_Release(&squares);
    PyBuffer_Release(&found);
    return result;
}

static PyMethodDef METHODS[] = {
    {"order", order, METH_VARARGS, NULL},
    {"tree", tree, METH_VARARGS, NULL},
    {"kinds", kinds, METH_NOARGS, NULL},
    {"nearest", nearest, METH_VARARGS, NULL},
    {"inside", inside, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

MODULE(_trees, "Searches in trees.")
