// Macros of the standard and of compilers: each is there, and has the type and value that it should have.

constant double constants[] = {
  M_E, M_LOG2E, M_LOG10E, M_LN2, M_LN10, M_PI, M_PI_2, M_PI_4, M_1_PI, M_2_PI, M_2_SQRTPI, M_SQRT2, M_SQRT1_2, HUGE_VAL,
};
constant float floats[] = {M_PI_2_F, M_SQRT1_2_F, HUGE_VALF, INFINITY, MAXFLOAT, __FLT_DENORM_MIN__};
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant half halves[] = {M_PI_2_H, HALF_MAX, HALF_EPSILON, __FLT16_MAX__};

global atomic_int counter = ATOMIC_VAR_INIT(3);

kernel void k(global int *p, read_only image2d_t image) {
  queue_t queue = CLK_NULL_QUEUE;
  clk_event_t event = CLK_NULL_EVENT;
  reserve_id_t id = CLK_NULL_RESERVE_ID;
#if HALF_MAX_EXP != 16 || !defined CLK_UNORM_INT24 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error the values are those of the standard
#endif
  if (ilogb(0.0f) == FP_ILOGB0 || get_image_channel_order(image) == CLK_RGBA)
    p[0] = FP_ILOGBNAN;
  p[1] = _Generic(M_PI_H, half: 1);
  p[2] = _Generic(M_PI_F, float: 1);
  p[3] = _Generic((__INT64_TYPE__)0, long: MAX_WORK_DIM);
  if (is_valid_event(event) || is_valid_reserve_id(id))
    p[4] = isnan(NAN) ? CLK_SUCCESS : CL_COMPLETE;
}
