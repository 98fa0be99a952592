// A program that is ended with all that it started. Between fork and exec, and in the process that
// watches, only what may run after fork in a program with threads is called.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CSys.h"

struct entry {
  unsigned long long inode;
  long long offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

/// The parent of a process; 0 when it has gone.
static pid_t parent_of(const char *number) {
  char path[64] = "/proc/";
  strncat(path, number, 20);
  strcat(path, "/stat");
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[512];
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  // The name of the program stands in parentheses, and may hold some itself.
  char *place = strrchr(text, ')');
  if (!place || !place[1] || !place[2] || !place[3]) return 0;
  pid_t parent = 0;
  for (place += 4; *place >= '0' && *place <= '9'; place++) parent = parent * 10 + (*place - '0');
  return parent;
}

/// Kills all children of this process; those of theirs become its own by that.
static void kill_children(void) {
  int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  pid_t self = getpid();
  _Alignas(8) char buffer[8192];
  long size;
  while ((size = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long place = 0; place < size;) {
      struct entry *entry = (struct entry *)(buffer + place);
      place += entry->length;
      pid_t process = 0;
      const char *digit = entry->name;
      while (*digit >= '0' && *digit <= '9') process = process * 10 + (*digit++ - '0');
      if (*digit || process <= 1 || parent_of(entry->name) != self) continue;
      kill(process, SIGKILL);
    }
  }
  close(folder);
}

/// Ends all descendants; each round reaches those whose parents the round before ended.
static void end_all(pid_t worker, int *status) {
  for (int round = 0; round < 4000; round++) {
    kill_children();
    for (int tries = 0; tries < 4; tries++) {
      int one;
      pid_t ended;
      while ((ended = waitpid(-1, &one, WNOHANG)) > 0) {
        if (ended == worker) *status = one;
      }
      if (ended < 0 && errno == ECHILD) return;
      usleep(500);
    }
  }
}

static _Noreturn void run(
    const char *program, char *const words[], char *const environment[], const int ends[3]) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int safe[3];
  for (int i = 0; i < 3; i++) {
    safe[i] = fcntl(ends[i], F_DUPFD, 10);
    if (safe[i] < 0) _exit(127);
  }
  for (int i = 0; i < 3; i++) {
    if (dup2(safe[i], i) < 0) _exit(127);
  }
  closefrom(3);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(program, words, environment);
  _exit(127);
}

static _Noreturn void watch(
    pid_t parent, const char *program, char *const words[], char *const environment[],
    const int ends[3]) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  setpgid(0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  pid_t worker = fork();
  if (worker < 0) _exit(127);
  if (worker == 0) run(program, words, environment, ends);
  // The ends of pipes above all: their readers wait until nobody has them.
  closefrom(0);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGTERM);
  int status = SIGKILL;
  for (int isOver = 0; !isOver;) {
    int one;
    pid_t ended;
    while ((ended = waitpid(-1, &one, WNOHANG)) > 0) {
      if (ended != worker) continue;
      status = one;
      isOver = 1;
    }
    if (!isOver && sigwaitinfo(&wanted, NULL) == SIGTERM) isOver = 1;
  }
  end_all(worker, &status);
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  // It ends as the program did, without a core of its own.
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  kill(getpid(), WTERMSIG(status));
  _exit(127);
}

pid_t csys_start_contained(
    const char *program, char *const words[], char *const environment[], int input, int output,
    int errors) {
  int ends[3] = {input, output, errors};
  sigset_t all, before;
  sigfillset(&all);
  pid_t self = getpid();
  // No handler of this program may run in the other.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) watch(self, program, words, environment, ends);
  int number = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = number;
  return child;
}
