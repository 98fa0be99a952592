// What Glibc's module hides from Swift.
#define _GNU_SOURCE
#include "CSys.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int signal_pipe[2] = {-1, -1};

static void note_signal(int signal) {
  int number = errno;
  unsigned char byte = (unsigned char)signal;
  ssize_t written = write(signal_pipe[1], &byte, 1);
  (void)written;  // A pipe that is full says enough.
  errno = number;
}

int csys_open_signals(const int *signals, int count) {
  if (pipe2(signal_pipe, O_NONBLOCK | O_CLOEXEC) != 0) return -1;
  struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) {
    if (sigaction(signals[i], &action, NULL) != 0) return -1;
    sigaddset(&set, signals[i]);
  }
  // Whoever started us may have had them blocked.
  if (pthread_sigmask(SIG_UNBLOCK, &set, NULL) != 0) return -1;
  return signal_pipe[0];
}

int csys_next_signal(int descriptor) {
  unsigned char byte;
  return read(descriptor, &byte, 1) == 1 ? byte : 0;
}

int csys_accept(int descriptor) {
  return accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int csys_peer_user(int descriptor, uid_t *user) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *user = peer.uid;
  return 0;
}

int csys_open_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int csys_open_poll_set(void) { return epoll_create1(EPOLL_CLOEXEC); }

int csys_add_to_poll_set(int set, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN};
  return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

int csys_open_connection(int ends[2]) {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

int csys_sync_files(int descriptor) { return syncfs(descriptor); }

int csys_exchange(const char *one, const char *other) {
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

void csys_close_from(int first) { closefrom(first); }

int csys_can_isolate(void) {
  pid_t child = fork();
  if (child == 0) {
    // Some systems grant the namespace and then nothing in it, so it is used as well.
    _exit(
        unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0);
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && status == 0;
}

void csys_trim_memory(void) { malloc_trim(0); }
