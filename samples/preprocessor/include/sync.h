// Included by helper_in_header.cl.
#pragma once

#define SYNC_GROUP() barrier(CLK_LOCAL_MEM_FENCE)

static inline void sync_group(void) { SYNC_GROUP(); }
