/* tidemark-mpi: the tidemark command on many machines.
 *
 *      mpirun -n 64 tidemark-mpi check ./program
 *
 * Rank 0 is the supervisor, with a worker of its own, and reports; every other rank is an agent
 * (cli/agent.h).  Messages are bytes between rank 0 and the others, in order. */
#include "base/mem.h"
#include "cli/remote.h"
#include "cli/tidemark.h"
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define TAG 1

static void send_bytes(int to, const char *text, size_t length) {
  MPI_Send(text, (int)length, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static bool receive_bytes(int *from, struct str *text) {
  MPI_Status status;
  int there = 0, length = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
  if (!there)
    return false;
  MPI_Get_count(&status, MPI_BYTE, &length);
  char *bytes = mem_alloc((size_t)length + 1);
  MPI_Recv(bytes, length, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, &status);
  str_clear(text);
  str_append_bytes(text, bytes, (size_t)length);
  mem_free(bytes, (size_t)length + 1);
  *from = status.MPI_SOURCE;
  return true;
}

/* Agents may be in the middle of a message: listen until each has said that it was its last. */
static void dismiss_agents(int count) {
  struct str text = {0};
  for (int i = 1; i <= count; i++)
    send_bytes(i, "quit", 4);
  for (int from; count > 0;)
    if (receive_bytes(&from, &text))
      count -= strcmp(str_text(&text), "bye") == 0;
  str_free(&text);
}

/* The supervisor says everything once. */
static void be_silent(void) {
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
}

static int count_beside(void) {
  MPI_Comm machine;
  int count = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &count);
  MPI_Comm_free(&machine);
  return count;
}

/* The MPI may start threads of its own.  They leave the signals that end a search to this one, which knows when it can be
 * ended (cli/crew.c, cli/agent.c). */
static void begin_mpi(int *argc, char ***argv) {
  sigset_t ends, old;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  sigprocmask(SIG_BLOCK, &ends, &old);
  MPI_Init(argc, argv);
  sigprocmask(SIG_SETMASK, &old, NULL);
}

int main(int argc, char **argv) {
  int rank, size;
  begin_mpi(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct remote all = {.rank = rank,
                       .count = size - 1,
                       .beside = count_beside(),
                       .send = send_bytes,
                       .receive = receive_bytes};
  if (size > 1)
    remote = &all;
  if (rank)
    be_silent();
  int status = tidemark_main(argc, argv);
  if (rank == 0)
    dismiss_agents(size - 1);
  else
    send_bytes(0, "bye", 3);
  MPI_Finalize();
  return rank ? 0 : status;
}
