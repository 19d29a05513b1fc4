; verdict: same
; section: Hoisting and sinking
; Convergent operations without an effect can be sunk together with their anchor.

define spir_kernel void @old(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %id
  %d = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  %a = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %a) ]
  %c = icmp slt i32 %i, 1
  br i1 %c, label %then, label %end

then:
  store i32 %s, ptr addrspace(1) %q, align 4
  br label %end

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
  %c = icmp slt i32 %i, 1
  br i1 %c, label %then, label %end

then:
  %a = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %a) ]
  store i32 %s, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

declare token @llvm.experimental.convergence.anchor()
declare i64 @_Z13get_global_idj(i32)
declare i32 @_Z32sub_group_non_uniform_reduce_addi(i32) #1

attributes #0 = { convergent nounwind }
attributes #1 = { convergent nounwind willreturn memory(none) }
