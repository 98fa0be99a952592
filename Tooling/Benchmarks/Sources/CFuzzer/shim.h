#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library; the compiler links it under `-sanitize=fuzzer`.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
