; verdict: same
; section: Dynamic Instances and Convergence Tokens
; The same threads execute both operations with the same operands, so one result stands for the other.

define spir_kernel void @old(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %e = call token @llvm.experimental.convergence.entry()
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %id
  %d = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %e) ]
  %t = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %e) ]
  %u = sub nsw i32 %s, %t
  %v = add nsw i32 %u, %t
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @new(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %e = call token @llvm.experimental.convergence.entry()
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %id
  %d = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %e) ]
  store i32 %s, ptr addrspace(1) %q, align 4
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare i64 @_Z13get_global_idj(i32)
declare i32 @_Z32sub_group_non_uniform_reduce_addi(i32) #1

attributes #0 = { convergent nounwind }
attributes #1 = { convergent nounwind willreturn memory(none) }
