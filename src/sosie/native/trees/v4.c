/* The searches for x86-64-v4. */

#include "tree.h"

#if LEVELS
#pragma GCC target("arch=x86-64-v4")
#define LANES 8
#include "inside.h"
#include "nearest.h"

const Searches V4 = {nearest, inside};
#endif
