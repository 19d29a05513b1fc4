// Hash functions as hashcat computes them, on messages of 0 to 119 bytes. The headers are hashcat's: not part of this repository.

#include M2S(INCLUDE_PATH/inc_vendor.h)
#include M2S(INCLUDE_PATH/inc_types.h)
#include M2S(INCLUDE_PATH/inc_platform.cl)
#include M2S(INCLUDE_PATH/inc_common.cl)
#include M2S(INCLUDE_PATH/inc_hash_md4.cl)
#include M2S(INCLUDE_PATH/inc_hash_md5.cl)
#include M2S(INCLUDE_PATH/inc_hash_sha1.cl)
#include M2S(INCLUDE_PATH/inc_hash_sha224.cl)
#include M2S(INCLUDE_PATH/inc_hash_sha256.cl)
#include M2S(INCLUDE_PATH/inc_hash_sha384.cl)
#include M2S(INCLUDE_PATH/inc_hash_sha512.cl)
#include M2S(INCLUDE_PATH/inc_hash_ripemd160.cl)
#include M2S(INCLUDE_PATH/inc_hash_whirlpool.cl)
#include M2S(INCLUDE_PATH/inc_cipher_aes.cl)

#define HASH(NAME, WORD, WORDS) \
  kernel void hash_##NAME(global const u32 *in, global WORD *out) { \
    const u32 gid = get_global_id(0); \
    u32 w[32]; \
    for (int k = 0; k < 32; k++) w[k] = in[32 * gid + k]; \
    NAME##_ctx_t ctx; \
    NAME##_init(&ctx); \
    NAME##_update(&ctx, w, w[0] % 60); \
    NAME##_update(&ctx, w + 1, w[1] % 60); \
    NAME##_final(&ctx); \
    for (int k = 0; k < WORDS; k++) out[WORDS * gid + k] = ctx.h[k]; \
  }

HASH(md4, u32, 4)
HASH(md5, u32, 4)
HASH(sha1, u32, 5)
HASH(sha224, u32, 7)
HASH(sha256, u32, 8)
HASH(sha384, u64, 6)
HASH(sha512, u64, 8)
HASH(ripemd160, u32, 5)

kernel void hash_whirlpool(global const u32 *in, global u32 *out) {
  const u32 gid = get_global_id(0);
  LOCAL_VK u64 s_MT[8][256];
  for (int k = 0; k < 256; k++) {
    s_MT[0][k] = MT0[k]; s_MT[1][k] = MT1[k]; s_MT[2][k] = MT2[k]; s_MT[3][k] = MT3[k];
    s_MT[4][k] = MT4[k]; s_MT[5][k] = MT5[k]; s_MT[6][k] = MT6[k]; s_MT[7][k] = MT7[k];
  }
  SYNC_THREADS();
  u32 w[32];
  for (int k = 0; k < 32; k++) w[k] = in[32 * gid + k];
  whirlpool_ctx_t ctx;
  whirlpool_init(&ctx, s_MT[0], s_MT[1], s_MT[2], s_MT[3], s_MT[4], s_MT[5], s_MT[6], s_MT[7]);
  whirlpool_update(&ctx, w, w[0] % 60);
  whirlpool_final(&ctx);
  for (int k = 0; k < 16; k++) out[16 * gid + k] = ctx.h[k];
}

kernel void cipher_aes(global const u32 *in, global u32 *out) {
  const u32 gid = get_global_id(0);
  LOCAL_VK u32 s_te[5][256];
  for (int k = 0; k < 256; k++) { s_te[0][k] = te0[k]; s_te[1][k] = te1[k]; s_te[2][k] = te2[k]; s_te[3][k] = te3[k]; s_te[4][k] = te4[k]; }
  SYNC_THREADS();
  u32 key[4], text[4], made[4], ks[44];
  for (int k = 0; k < 4; k++) { key[k] = in[8 * gid + k]; text[k] = in[8 * gid + 4 + k]; }
  AES128_set_encrypt_key(ks, key, s_te[0], s_te[1], s_te[2], s_te[3]);
  AES128_encrypt(ks, text, made, s_te[0], s_te[1], s_te[2], s_te[3], s_te[4]);
  for (int k = 0; k < 4; k++) out[4 * gid + k] = made[k];
}
