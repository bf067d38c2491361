#pragma once

namespace queue {
extern __thread long pushed; /* by this thread */
}

extern "C" void queue_push(long value);
extern "C" long queue_read();
