/* The searches for x86-64-v3. */

#include "tree.h"

#if LEVELS
#pragma GCC target("arch=x86-64-v3")
#define LANES 4
#include "inside.h"
#include "nearest.h"

const Searches V3 = {nearest, inside};
#endif
