#ifndef RETRY_H
#define RETRY_H
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#define RETRY_IF(condition) \
  do { \
    if (condition) \
      goto retry; \
  } while (0)
#define FAIL_IF(condition, label) do { if (condition) goto label; } while (0)
#define QUIET_MAX(a, b) ((a) > (b) ? (a) : (b))

inline int exchange(local int *tile, int t, int value) {
  tile[t] = value;
  SYNC();
  return tile[t ^ 1];
}
#endif
