#include "CSys.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/// Whether the processor has SHA instructions, and SSSE3 and SSE4.1, which the blocks need as well.
static int has_instructions(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29));
}

/// Adds blocks of 64 bytes to a hash.
__attribute__((target("sha,ssse3,sse4.1"))) static void add_blocks(
    uint32_t state[8], const uint8_t *bytes, size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  // The instructions take the words of the state in the orders ABEF and CDGH.
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
  __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
  for (; count > 0; count--, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; i++)
      words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), big_endian);
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      const __m128i key = _mm_loadu_si128((const __m128i *)(constants + 4 * i));
      const __m128i sum = _mm_add_epi32(words[i & 3], key);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
      if (i >= 12) continue;
      const __m128i last = words[(i + 3) & 3];
      const __m128i between = _mm_alignr_epi8(last, words[(i + 2) & 3], 4);
      const __m128i first = _mm_sha256msg1_epu32(words[i & 3], words[(i + 1) & 3]);
      words[i & 3] = _mm_sha256msg2_epu32(_mm_add_epi32(first, between), last);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  low = _mm_shuffle_epi32(abef, 0x1B);
  high = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

int csys_sha256_begin(uint32_t state[8]) {
  static int known = -1;
  int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (has < 0) __atomic_store_n(&known, has = has_instructions(), __ATOMIC_RELAXED);
  if (!has) return 0;
  static const uint32_t first[8] = {
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  };
  memcpy(state, first, sizeof first);
  return 1;
}

void csys_sha256_add(uint32_t state[8], const void *bytes, size_t blocks) {
  add_blocks(state, bytes, blocks);
}

void csys_sha256_end(
    uint32_t state[8], const void *bytes, size_t rest, uint64_t count, unsigned char digest[32]) {
  // The rest, a bit that is set, and the length in bits, which may need a second block.
  uint8_t end[128] = {0};
  const size_t size = rest < 56 ? 64 : 128;
  if (rest > 0) memcpy(end, bytes, rest);
  end[rest] = 0x80;
  for (size_t i = 0; i < 8; i++) end[size - 1 - i] = (uint8_t)(count * 8 >> (8 * i));
  add_blocks(state, end, size / 64);
  for (size_t i = 0; i < 32; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

int csys_sha256(const void *bytes, size_t count, unsigned char digest[32]) {
  uint32_t state[8];
  if (!csys_sha256_begin(state)) return 0;
  const size_t rest = count % 64;
  add_blocks(state, bytes, count / 64);
  csys_sha256_end(state, (const uint8_t *)bytes + (count - rest), rest, count, digest);
  return 1;
}
#else
int csys_sha256(const void *bytes, size_t count, unsigned char digest[32]) { return 0; }
int csys_sha256_begin(uint32_t state[8]) { return 0; }
void csys_sha256_add(uint32_t state[8], const void *bytes, size_t blocks) {}
void csys_sha256_end(
    uint32_t state[8], const void *bytes, size_t rest, uint64_t count, unsigned char digest[32]) {}
#endif
