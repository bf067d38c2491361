/* Loops that count while they wait.
 *
 * Many locks and queues look a number of times before they sleep, and pause longer each time.  To a checker
 * every look is a step, and a thread that has counted further is in another state: the search does not end.  Two
 * changes, which apply only where nothing but schedules is explored (ABI_WATCH_SCHEDULES), leave what a program can do
 * as it is:
 *
 * A loop that looks at most once in a round, does nothing but look, and gives up when a number of rounds is over gives
 * up after the first in vain.  The number is known to nobody afterwards.  Looks that came before the last one change
 * nothing; and who has looked once in vain can look again at once, as often as it takes, and see the same.  A round
 * whose compare-and-swap fails is not counted: another look could succeed.
 *
 * A number of rounds that decides only how long to pause does not change.
 *
 * A loop that yields is left alone.  Where data races are found (ABI_WATCH_RACES), what is not atomic or volatile is no
 * look: if others stored to it meanwhile that would be one.  Elsewhere it is: two looks of a round that is in vain may be
 * so far apart that the next round would not be. */
#ifndef INSTRUMENT_COUNTING_H
#define INSTRUMENT_COUNTING_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Variables are values already.  True: there are new ones in memory. */
bool counting_shorten(LLVMContextRef context, LLVMModuleRef module);

#endif
