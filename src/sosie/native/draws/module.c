/* The module sosie._draws: arrays in, arrays out, without Python's lock while at work. sosie/generation.py and
   sosie/donors.py are its faces.

   Arrays are contiguous buffers of float64 or int32; each function checks that their sizes belong together. */

#include "../binding.h"
#include "draws.h"

/* The rows of k values that fill a buffer; -1, which no buffer holds, if none do or int32 cannot count them. */
static int64_t rows_of(const Py_buffer *values, Py_ssize_t k) {
    const Py_ssize_t size = sizeof(double);
    if (k < 1 || k > INT32_MAX || values->len % size || values->len / size % k) return -1;
    return values->len / size / k;
}

/* shuffle(capsule, k, values): see shuffle_rows. The bit generator stays its caller's: nobody else may draw from it. */
static PyObject *shuffle(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule, *result = NULL;
    Py_buffer values;
    Py_ssize_t k;
    if (!PyArg_ParseTuple(args, "Onw*", &capsule, &k, &values)) return NULL;
    const Bits *bits = PyCapsule_GetPointer(capsule, "BitGenerator");
    int64_t rows = rows_of(&values, k);
    if (bits && fits(rows >= 0)) {
        Py_BEGIN_ALLOW_THREADS;
        shuffle_rows(bits, rows, k, values.buf);
        Py_END_ALLOW_THREADS;
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&values);
    return result;
}

/* weights(distances, exponentials, halvings, k, limit, weights): see combine. */
static PyObject *weights(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *result = NULL;
    Py_buffer distances, exponentials, halvings, found;
    Py_ssize_t k;
    int limit;
    if (!PyArg_ParseTuple(args, "y*y*y*npw*", &distances, &exponentials, &halvings, &k, &limit, &found))
        return NULL;
    int64_t rows = rows_of(&distances, k);
    if (fits(rows >= 0) && holds(&exponentials, rows * k, sizeof(double)) &&
        holds(&halvings, rows * k, sizeof(double)) && holds(&found, rows * k, sizeof(double))) {
        Py_BEGIN_ALLOW_THREADS;
        combine(distances.buf, exponentials.buf, halvings.buf, rows, k, limit, found.buf);
        Py_END_ALLOW_THREADS;
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&distances);
    PyBuffer_Release(&exponentials);
    PyBuffer_Release(&halvings);
    PyBuffer_Release(&found);
    return result;
}

/* positions(masses, uniforms, names or None, k, positions): see draw_positions. */
static PyObject *positions(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *result = NULL;
    Py_buffer masses, uniforms, names, found;
    Py_ssize_t k;
    if (!PyArg_ParseTuple(args, "y*y*z*nw*", &masses, &uniforms, &names, &k, &found)) return NULL;
    int64_t rows = rows_of(&masses, k), draws = rows_of(&uniforms, rows ? rows : 1);
    if (fits(rows >= 0 && draws >= 0) && holds(&found, rows * draws, sizeof(int32_t)) &&
        (!names.buf || holds(&names, rows * k, sizeof(int32_t)))) {
        int enough;
        Py_BEGIN_ALLOW_THREADS;
        enough = draw_positions(masses.buf, uniforms.buf, names.buf, rows, k, draws, found.buf);
        Py_END_ALLOW_THREADS;
        result = nothing_or_no_memory(enough);
    }
    PyBuffer_Release(&masses);
    PyBuffer_Release(&uniforms);
    PyBuffer_Release(&names);
    PyBuffer_Release(&found);
    return result;
}

static PyMethodDef METHODS[] = {
    {"shuffle", shuffle, METH_VARARGS, NULL},
    {"weights", weights, METH_VARARGS, NULL},
    {"positions", positions, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

MODULE(_draws, "Weights and positions drawn.")
