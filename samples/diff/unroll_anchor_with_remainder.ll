; verdict: same
; section: Loop unrolling examples
; All operations refer to an anchor in the loop, so the loop can be unrolled with a remainder.

define spir_kernel void @old(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %id
  %d = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  %m = and i32 %d, 3
  br label %while

while:
  %k = phi i32 [ %m, %entry ], [ %k.next, %body ]
  %c = icmp sgt i32 %k, 0
  br i1 %c, label %body, label %end

body:
  %a = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %a) ]
  store i32 %s, ptr addrspace(1) %q, align 4
  %k.next = add nsw i32 %k, -1
  br label %while

end:
  ret void
}

define spir_kernel void @new(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %id
  %d = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  %m = and i32 %d, 3
  br label %while

while:
  %k = phi i32 [ %m, %entry ], [ %k.next, %body ]
  %c = icmp sgt i32 %k, 1
  br i1 %c, label %body, label %tail

body:
  %a = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %a) ]
  store i32 %s, ptr addrspace(1) %q, align 4
  %b = call token @llvm.experimental.convergence.anchor()
  %t = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %b) ]
  store i32 %t, ptr addrspace(1) %q, align 4
  %k.next = add nsw i32 %k, -2
  br label %while

tail:
  %r = icmp sgt i32 %k, 0
  br i1 %r, label %last, label %end

last:
  %z = call token @llvm.experimental.convergence.anchor()
  %w = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %z) ]
  store i32 %w, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare i64 @_Z13get_global_idj(i32)
declare i32 @_Z32sub_group_non_uniform_reduce_addi(i32) #1

attributes #0 = { convergent nounwind }
attributes #1 = { convergent nounwind willreturn memory(none) }
