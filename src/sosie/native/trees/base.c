/* The searches for processors of whatever kind. */

#define LANES 2
#include "inside.h"
#include "nearest.h"

const Searches BASE = {nearest, inside};
