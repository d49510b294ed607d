/* One function for each generation of processors, chosen when the program starts; the same bits from each. */

#ifndef SOSIE_PROCESSORS_H
#define SOSIE_PROCESSORS_H

#ifdef __FAST_MATH__
#error "sums would depend on the processor: compile without -ffast-math"
#endif

/* Whether the compiler makes code for several levels of x86-64. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define LEVELS 1
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LEVELS 0
#define FOR_EACH_PROCESSOR
#endif

/* What becomes a part of each of them. */
#define INLINE static inline __attribute__((always_inline))

#endif
