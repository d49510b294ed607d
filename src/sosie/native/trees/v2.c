/* The searches for x86-64-v2. */

#include "tree.h"

#if LEVELS
#pragma GCC target("arch=x86-64-v2")
#define LANES 2
#include "inside.h"
#include "nearest.h"

const Searches V2 = {nearest, inside};
#endif
