; verdict: same
; section: llvm.experimental.convergence.loop
; The threads of iteration n execute the heart for the n-th time in both programs.

define spir_kernel void @old(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %e = call token @llvm.experimental.convergence.entry()
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %id
  %d = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  %m = and i32 %d, 3
  br label %while

while:
  %k = phi i32 [ %m, %entry ], [ %k.next, %body ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %e) ]
  %c = icmp sgt i32 %k, 0
  br i1 %c, label %body, label %end

body:
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %h) ]
  store i32 %s, ptr addrspace(1) %q, align 4
  %k.next = add nsw i32 %k, -1
  br label %while

end:
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
  %m = and i32 %d, 3
  %any = icmp ne i32 %m, 0
  br i1 %any, label %body, label %end

body:
  %k = phi i32 [ %m, %entry ], [ %k.next, %body ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %e) ]
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %d) [ "convergencectrl"(token %h) ]
  store i32 %s, ptr addrspace(1) %q, align 4
  %k.next = add nsw i32 %k, -1
  %c = icmp ugt i32 %k, 1
  br i1 %c, label %body, label %end

end:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i64 @_Z13get_global_idj(i32)
declare i32 @_Z32sub_group_non_uniform_reduce_addi(i32) #1

attributes #0 = { convergent nounwind }
attributes #1 = { convergent nounwind willreturn memory(none) }
