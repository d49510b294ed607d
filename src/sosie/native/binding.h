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
