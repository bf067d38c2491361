#include "door/door.h"

const struct door *door;
