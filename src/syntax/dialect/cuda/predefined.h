// What nvcc of CUDA 12.4 predefines where it compiles for a device of compute capability 8.0, with GCC 11 for the host. What a build chooses has a default:
// text for other devices and versions is told of.
#define __NVCC__ 1
#define __CUDACC__ 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#define __CUDA_ARCH_LIST__ 800
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 12
#endif
#ifndef __CUDACC_VER_MINOR__
#define __CUDACC_VER_MINOR__ 4
#endif
#define __CUDACC_VER_BUILD__ 131
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 4
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1
#define __GNUC__ 11
#define __GNUC_MINOR__ 4
#define __GNUC_PATCHLEVEL__ 0
#define __GNUG__ 11
#define __GXX_ABI_VERSION 1016
#define __FLOAT_WORD_ORDER__ __ORDER_LITTLE_ENDIAN__
#define __LONG_LONG_WIDTH__ 64

// What the headers define that nvcc reads before every file (cuda_runtime.h), and some that nearly every program reads.
#ifndef CUDART_VERSION
#define CUDART_VERSION 12040
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION 12040
#endif

// math_constants.h.
#define CUDART_INF_F __int_as_float(0x7f800000U)
#define CUDART_NAN_F __int_as_float(0x7fffffffU)
#define CUDART_MIN_DENORM_F __int_as_float(0x00000001U)
#define CUDART_MAX_NORMAL_F __int_as_float(0x7f7fffffU)
#define CUDART_NEG_ZERO_F __int_as_float(0x80000000U)
#define CUDART_ZERO_F 0.0F
#define CUDART_ONE_F 1.0F
#define CUDART_SQRT_HALF_F 0.707106781F
#define CUDART_SQRT_TWO_F 1.414213562F
#define CUDART_PIO4_F 0.785398163F
#define CUDART_PIO2_F 1.570796327F
#define CUDART_2_OVER_PI_F 0.636619772F
#define CUDART_PI_F 3.141592654F
#define CUDART_L2E_F 1.442695041F
#define CUDART_LN2_F 0.693147181F
#define CUDART_INF __longlong_as_double(0x7ff0000000000000ULL)
#define CUDART_NAN __longlong_as_double(0xfff8000000000000ULL)
#define CUDART_NEG_ZERO __longlong_as_double(0x8000000000000000ULL)
#define CUDART_MIN_DENORM __longlong_as_double(0x0000000000000001ULL)
#define CUDART_ZERO 0.0
#define CUDART_ONE 1.0
#define CUDART_SQRT_TWO 1.4142135623730951e+0
#define CUDART_SQRT_HALF 7.0710678118654757e-1
#define CUDART_PIO4 7.8539816339744828e-1
#define CUDART_PIO2 1.5707963267948966e+0
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_L2E 1.4426950408889634e+0
#define CUDART_LN2 6.9314718055994529e-1

// <nv/target>: which statements are compiled for the device of the build.
#define NV_IS_HOST 0
#define NV_IS_DEVICE 1
#define NV_ANY_TARGET 1
#define NV_NO_TARGET 0
#define NV_PROVIDES_SM_35 (__CUDA_ARCH__ >= 350)
#define NV_IS_EXACTLY_SM_35 (__CUDA_ARCH__ == 350)
#define NV_PROVIDES_SM_37 (__CUDA_ARCH__ >= 370)
#define NV_IS_EXACTLY_SM_37 (__CUDA_ARCH__ == 370)
#define NV_PROVIDES_SM_50 (__CUDA_ARCH__ >= 500)
#define NV_IS_EXACTLY_SM_50 (__CUDA_ARCH__ == 500)
#define NV_PROVIDES_SM_52 (__CUDA_ARCH__ >= 520)
#define NV_IS_EXACTLY_SM_52 (__CUDA_ARCH__ == 520)
#define NV_PROVIDES_SM_53 (__CUDA_ARCH__ >= 530)
#define NV_IS_EXACTLY_SM_53 (__CUDA_ARCH__ == 530)
#define NV_PROVIDES_SM_60 (__CUDA_ARCH__ >= 600)
#define NV_IS_EXACTLY_SM_60 (__CUDA_ARCH__ == 600)
#define NV_PROVIDES_SM_61 (__CUDA_ARCH__ >= 610)
#define NV_IS_EXACTLY_SM_61 (__CUDA_ARCH__ == 610)
#define NV_PROVIDES_SM_62 (__CUDA_ARCH__ >= 620)
#define NV_IS_EXACTLY_SM_62 (__CUDA_ARCH__ == 620)
#define NV_PROVIDES_SM_70 (__CUDA_ARCH__ >= 700)
#define NV_IS_EXACTLY_SM_70 (__CUDA_ARCH__ == 700)
#define NV_PROVIDES_SM_72 (__CUDA_ARCH__ >= 720)
#define NV_IS_EXACTLY_SM_72 (__CUDA_ARCH__ == 720)
#define NV_PROVIDES_SM_75 (__CUDA_ARCH__ >= 750)
#define NV_IS_EXACTLY_SM_75 (__CUDA_ARCH__ == 750)
#define NV_PROVIDES_SM_80 (__CUDA_ARCH__ >= 800)
#define NV_IS_EXACTLY_SM_80 (__CUDA_ARCH__ == 800)
#define NV_PROVIDES_SM_86 (__CUDA_ARCH__ >= 860)
#define NV_IS_EXACTLY_SM_86 (__CUDA_ARCH__ == 860)
#define NV_PROVIDES_SM_87 (__CUDA_ARCH__ >= 870)
#define NV_IS_EXACTLY_SM_87 (__CUDA_ARCH__ == 870)
#define NV_PROVIDES_SM_88 (__CUDA_ARCH__ >= 880)
#define NV_IS_EXACTLY_SM_88 (__CUDA_ARCH__ == 880)
#define NV_PROVIDES_SM_89 (__CUDA_ARCH__ >= 890)
#define NV_IS_EXACTLY_SM_89 (__CUDA_ARCH__ == 890)
#define NV_PROVIDES_SM_90 (__CUDA_ARCH__ >= 900)
#define NV_IS_EXACTLY_SM_90 (__CUDA_ARCH__ == 900)
#define NV_PROVIDES_SM_100 (__CUDA_ARCH__ >= 1000)
#define NV_IS_EXACTLY_SM_100 (__CUDA_ARCH__ == 1000)
#define NV_PROVIDES_SM_103 (__CUDA_ARCH__ >= 1030)
#define NV_IS_EXACTLY_SM_103 (__CUDA_ARCH__ == 1030)
#define NV_PROVIDES_SM_107 (__CUDA_ARCH__ >= 1070)
#define NV_IS_EXACTLY_SM_107 (__CUDA_ARCH__ == 1070)
#define NV_PROVIDES_SM_110 (__CUDA_ARCH__ >= 1100)
#define NV_IS_EXACTLY_SM_110 (__CUDA_ARCH__ == 1100)
#define NV_PROVIDES_SM_120 (__CUDA_ARCH__ >= 1200)
#define NV_IS_EXACTLY_SM_120 (__CUDA_ARCH__ == 1200)
#define NV_PROVIDES_SM_121 (__CUDA_ARCH__ >= 1210)
#define NV_IS_EXACTLY_SM_121 (__CUDA_ARCH__ == 1210)
#define NV_HAS_FEATURE_SM_90a 0
#define NV_HAS_FEATURE_SM_100a 0
#define NV_HAS_FEATURE_SM_100f 0
#define NV_HAS_FEATURE_SM_103a 0
#define NV_HAS_FEATURE_SM_103f 0
#define NV_HAS_FEATURE_SM_107a 0
#define NV_HAS_FEATURE_SM_107f 0
#define NV_HAS_FEATURE_SM_110a 0
#define NV_HAS_FEATURE_SM_110f 0
#define NV_HAS_FEATURE_SM_120a 0
#define NV_HAS_FEATURE_SM_120f 0
#define NV_HAS_FEATURE_SM_121a 0
#define NV_HAS_FEATURE_SM_121f 0
#define NV_IF_TARGET(query, then, ...) { if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_BLOCK(__VA_ARGS__)) }
#define NV_IF_ELSE_TARGET(query, then, otherwise) NV_IF_TARGET(query, then, otherwise)
#define NV_DISPATCH_TARGET(...) { __NV_CASES_1(__VA_ARGS__) }
// The statements with or without parentheses around them, as a block.
#define __NV_BLOCK(...) { __NV_THIRD(__NV_PROBE __VA_ARGS__, __NV_UNWRAP, __NV_KEEP, )(__VA_ARGS__) }
#define __NV_PROBE(...) ,
#define __NV_THIRD(...) __NV_THIRD_OF(__VA_ARGS__)
#define __NV_THIRD_OF(first, second, third, ...) third
#define __NV_UNWRAP(...) __NV_KEEP __VA_ARGS__
#define __NV_KEEP(...) __VA_ARGS__
#define __NV_CASES_1(query, then, ...) if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_CASES_2(__VA_ARGS__))
#define __NV_CASES_2(query, then, ...) if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_CASES_3(__VA_ARGS__))
#define __NV_CASES_3(query, then, ...) if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_CASES_4(__VA_ARGS__))
#define __NV_CASES_4(query, then, ...) if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_CASES_5(__VA_ARGS__))
#define __NV_CASES_5(query, then, ...) if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_CASES_6(__VA_ARGS__))
#define __NV_CASES_6(query, then, ...) if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_CASES_7(__VA_ARGS__))
#define __NV_CASES_7(query, then, ...) if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_CASES_8(__VA_ARGS__))
#define __NV_CASES_8(query, then, ...) if (query) __NV_BLOCK(then) __VA_OPT__(else __NV_CASES_8(__VA_ARGS__))
