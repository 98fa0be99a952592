#ifndef CSYS_H
#define CSYS_H

#include <stdint.h>
#include <sys/types.h>

/// Catches signals for the whole process and gives a descriptor that becomes readable when one of
/// them comes; negative, with errno, when there is none to be had. Not signalfd(2), which misses
/// what a thread takes that some library has let all signals through to.
int csys_open_signals(const int *signals, int count);

/// Takes the next signal that came; 0 when there is none.
int csys_next_signal(int descriptor);

/// Accepts a connection that neither blocks nor is handed on; negative, with errno, when there is
/// none.
int csys_accept(int descriptor);

/// The user at the other end of a local connection; -1, with errno, when that cannot be known.
int csys_peer_user(int descriptor, uid_t *user);

/// Opens a pipe whose ends are not handed on, at no moment; -1, with errno, when there is none to be
/// had.
int csys_open_pipe(int ends[2]);

/// Makes a local connection whose ends are not handed on; the first one does not block. -1, with errno,
/// when there is none to be had.
int csys_open_connection(int ends[2]);

/// Makes a descriptor that is readable whenever one of the descriptors added to it is; -1, with
/// errno, when there is none to be had. It is not passed on to programs.
int csys_open_poll_set(void);

/// Adds a descriptor to a set. Closing the descriptor removes it again. Returns -1, with errno, on
/// failure.
int csys_add_to_poll_set(int set, int descriptor);

/// Gives each of two files the other's name in one step; -1, with errno, where that cannot be done.
int csys_exchange(const char *one, const char *other);

/// Makes durable what was written to the file system of a descriptor; -1, with errno, where it failed.
int csys_sync_files(int descriptor);

/// Starts a program whose every descendant ends with it, whatever sessions they make, and gives the
/// process that watches over them; -1, with errno, when there can be none. The program has `input`,
/// `output` and `errors` as its first three descriptors and no others, no signal blocked and none
/// ignored. The watching process ends as the program did, when none of its descendants is left; at
/// SIGTERM, or when the calling thread ends, it ends all of them.
pid_t csys_start_contained(
    const char *program, char *const words[], char *const environment[], int input, int output,
    int errors);

/// Closes all descriptors from one on.
void csys_close_from(int first);

/// Whether this person may have namespaces of users and mounts: 1 or 0.
int csys_can_isolate(void);

/// Computes the SHA-256 digest of some bytes with the processor's SHA instructions, in a fifth of the
/// time of portable code. Returns 1, or 0 if the processor has no such instructions.
int csys_sha256(const void *bytes, size_t count, unsigned char digest[32]);

/// The same digest for bytes that come in pieces: `begin` returns 0 if the processor has no such
/// instructions, `add` takes whole blocks of 64 bytes, and `end` takes the rest, fewer than 64, and
/// the number of all bytes.
int csys_sha256_begin(uint32_t state[8]);
void csys_sha256_add(uint32_t state[8], const void *bytes, size_t blocks);
void csys_sha256_end(
    uint32_t state[8], const void *bytes, size_t rest, uint64_t count, unsigned char digest[32]);

/// Gives memory that was freed back to the system.
void csys_trim_memory(void);

#endif
