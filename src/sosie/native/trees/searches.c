/* The searches for each kind of processors, and which of them this one can run. */

#include "tree.h"

extern const Searches BASE, V2, V3, V4;

static const Searches *const KINDS[] = {
    &BASE,
#if LEVELS
    &V2, &V3, &V4,
#endif
};

int kinds_here(void) {
#if LEVELS
    if (__builtin_cpu_supports("x86-64-v4")) return 4;
    if (__builtin_cpu_supports("x86-64-v3")) return 3;
    if (__builtin_cpu_supports("x86-64-v2")) return 2;
#endif
    return 1;
}

const Searches *searches_of(int kind) { return KINDS[kind]; }
