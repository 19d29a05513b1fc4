// The builtins that the kernels here call, for a machine without an OpenCL runtime. Compiled by clang without its header,
// so that each is a function under its mangled name.

#define OVER __attribute__((overloadable))
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
#define VECTORS(T) typedef T T##2 __attribute__((ext_vector_type(2))); typedef T T##3 __attribute__((ext_vector_type(3))); typedef T T##4 __attribute__((ext_vector_type(4)));
VECTORS(char) VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int) VECTORS(uint) VECTORS(long) VECTORS(ulong) VECTORS(float) VECTORS(double)

#define MINMAX(T) \
  T OVER min(T a, T b) { return a < b ? a : b; } \
  T OVER max(T a, T b) { return a > b ? a : b; } \
  T OVER clamp(T a, T b, T c) { return min(max(a, b), c); }
MINMAX(char) MINMAX(uchar) MINMAX(short) MINMAX(ushort) MINMAX(int) MINMAX(uint) MINMAX(long) MINMAX(ulong) MINMAX(float)

int4 OVER min(int4 a, int4 b) { return (int4)(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)); }
int4 OVER max(int4 a, int b) { return (int4)(max(a.x, b), max(a.y, b), max(a.z, b), max(a.w, b)); }
float4 OVER min(float4 a, float4 b) { return (float4)(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)); }

uint OVER abs(int a) { return a < 0 ? -(uint)a : a; }
uint OVER rotate(uint a, uint b) { b &= 31; return b ? a << b | a >> (32 - b) : a; }
int OVER rotate(int a, int b) { return rotate((uint)a, (uint)b); }
uint OVER popcount(uint a) { return __builtin_popcount(a); }
uint OVER clz(uint a) { return a ? __builtin_clz(a) : 32; }
int OVER mul24(int a, int b) { return a * b; }
int OVER mad24(int a, int b, int c) { return a * b + c; }
int OVER mul_hi(int a, int b) { return (long)a * b >> 32; }
uint OVER mul_hi(uint a, uint b) { return (ulong)a * b >> 32; }
int OVER hadd(int a, int b) { return ((long)a + b) >> 1; }
char OVER add_sat(char a, char b) { int c = a + b; return c < -128 ? -128 : c > 127 ? 127 : c; }
int OVER upsample(short a, ushort b) { return a << 16 | b; }
int OVER select(int a, int b, int c) { return c ? b : a; }
uint OVER select(uint a, uint b, uint c) { return c ? b : a; }
int4 OVER select(int4 a, int4 b, int4 c) { return c < 0 ? b : a; }
int OVER any(int4 a) { return (a.x | a.y | a.z | a.w) < 0; }
int OVER all(int4 a) { return (a.x & a.y & a.z & a.w) < 0; }
int OVER bitselect(int a, int b, int c) { return (a & ~c) | (b & c); }
uint4 OVER shuffle(uint4 a, uint4 b) { return (uint4)(a[b.x & 3], a[b.y & 3], a[b.z & 3], a[b.w & 3]); }

float OVER fabs(float a) { return __builtin_fabsf(a); }
float4 OVER fabs(float4 a) { return (float4)(fabs(a.x), fabs(a.y), fabs(a.z), fabs(a.w)); }
float OVER sqrt(float a) { return __builtin_sqrtf(a); }
float OVER native_sqrt(float a) { return __builtin_sqrtf(a); }
float OVER half_recip(float a) { return 1.0f / a; }
float OVER floor(float a) { int n = (int)a; return n > a ? n - 1 : n; }
float OVER ceil(float a) { int n = (int)a; return n < a ? n + 1 : n; }
float OVER trunc(float a) { return (int)a; }
float OVER fmin(float a, float b) { return a < b ? a : b; }
float OVER fmax(float a, float b) { return a > b ? a : b; }
float4 OVER fmin(float4 a, float b) { return (float4)(fmin(a.x, b), fmin(a.y, b), fmin(a.z, b), fmin(a.w, b)); }
double OVER fmax(double a, double b) { return a > b ? a : b; }
float OVER mix(float a, float b, float c) { return a + (b - a) * c; }
float OVER step(float a, float b) { return b < a ? 0 : 1; }
float OVER fma(float a, float b, float c) { return a * b + c; }
float OVER mad(float a, float b, float c) { return a * b + c; }
float OVER dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
int OVER isnan(float a) { return a != a; }
int OVER isequal(float a, float b) { return a == b; }
int OVER isless(float a, float b) { return a < b; }
float OVER copysign(float a, float b) { return __builtin_copysignf(a, b); }
float OVER sign(float a) { return a > 0 ? 1 : a < 0 ? -1 : a; }

static int nearest(float a) { int n = (int)floor(a); float r = a - n; return r > 0.5f || (r == 0.5f && n & 1) ? n + 1 : n; }
uchar4 OVER convert_uchar4_sat(int4 a) { int4 b = a < 0 ? (int4)0 : a > 255 ? (int4)255 : a; return __builtin_convertvector(b, uchar4); }
float4 OVER convert_float4(int4 a) { return __builtin_convertvector(a, float4); }
int4 OVER convert_int4_rte(float4 a) { return (int4)(nearest(a.x), nearest(a.y), nearest(a.z), nearest(a.w)); }
int OVER convert_int(float a) { return (int)a; }
char OVER convert_char_sat(int a) { return a < -128 ? -128 : a > 127 ? 127 : a; }
uint OVER convert_uint(uchar a) { return a; }
long2 OVER convert_long2(int2 a) { return __builtin_convertvector(a, long2); }
short4 OVER convert_short4(int4 a) { return __builtin_convertvector(a, short4); }
int OVER convert_int_rtz(float a) { return (int)a; }
ushort OVER convert_ushort_sat(int a) { return a < 0 ? 0 : a > 65535 ? 65535 : a; }

// The same pointer may have a named address space for one compiler and a generic one for the other.
#define MEMORY(SPACE) \
  uint4 OVER vload4(ulong n, const SPACE uint *p) { p += 4 * n; return (uint4)(p[0], p[1], p[2], p[3]); } \
  uint3 OVER vload3(ulong n, const SPACE uint *p) { p += 3 * n; return (uint3)(p[0], p[1], p[2]); } \
  uint2 OVER vload2(ulong n, const SPACE uint *p) { p += 2 * n; return (uint2)(p[0], p[1]); } \
  void OVER vstore4(uint4 v, ulong n, SPACE uint *p) { p += 4 * n; for (int i = 0; i < 4; i++) p[i] = v[i]; } \
  void OVER vstore3(uint3 v, ulong n, SPACE uint *p) { p += 3 * n; for (int i = 0; i < 3; i++) p[i] = v[i]; } \
  void OVER vstore2(uint2 v, ulong n, SPACE uint *p) { p += 2 * n; for (int i = 0; i < 2; i++) p[i] = v[i]; } \
  uint OVER atomic_add(volatile SPACE uint *p, uint x) { uint old = *p; *p = old + x; return old; } \
  uint OVER atomic_inc(volatile SPACE uint *p) { return atomic_add(p, 1u); } \
  uint OVER atomic_cmpxchg(volatile SPACE uint *p, uint c, uint x) { uint old = *p; if (old == c) *p = x; return old; }
MEMORY(global) MEMORY(local) MEMORY(private) MEMORY(generic)
