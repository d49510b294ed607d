/* What every module does with Python: arrays in, arrays out, as contiguous buffers whose sizes are checked. */

#ifndef SOSIE_BINDING_H
#define SOSIE_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* one build for Python 3.11 and all later ones */
#include <Python.h>

#include <stdint.h>

/* Whether sizes belong together, which is asked; raises if not. */
static inline int fits(int sizes) {
    if (!sizes) PyErr_SetString(PyExc_ValueError, "arrays whose sizes do not belong together");
    return sizes;
}

/* Whether a buffer has so many items of a size; raises if not. */
static inline int holds(const Py_buffer *buffer, int64_t items, Py_ssize_t size) {
    return fits(buffer->len % size == 0 && buffer->len / size == items);
}

/* Whether a buffer of int32 names one of so many rows everywhere; raises if not. */
static inline int name_rows(const Py_buffer *buffer, Py_ssize_t rows) {
    const int32_t *named = buffer->buf;
    uint32_t outside = (uint32_t)(rows > INT32_MAX) << 31; /* the sign of what is below 0, or of what is left to the end */
    for (Py_ssize_t i = 0; i < buffer->len / (Py_ssize_t)sizeof(int32_t); i++)
        outside |= (uint32_t)named[i] | ((uint32_t)rows - 1 - (uint32_t)named[i]);
    return fits(buffer->len % (Py_ssize_t)sizeof(int32_t) == 0 && !(outside >> 31));
}

static inline PyObject *nothing_or_no_memory(int enough) {
    if (!enough) return PyErr_NoMemory();
    return Py_NewRef(Py_None);
}

/* The module of the functions in METHODS. */
#define MODULE(name, text)                                                                                             \
    static PyModuleDef_Slot SLOTS[] = {{0, NULL}};                                                                     \
    static struct PyModuleDef DEFINITION = {                                                                           \
        PyModuleDef_HEAD_INIT, #name, text, 0, METHODS, SLOTS, NULL, NULL, NULL};                                      \
    PyMODINIT_FUNC PyInit_##name(void) { return PyModuleDef_Init(&DEFINITION); }

#endif
