; verdict: same
; section: Dynamic Instances and Convergence Tokens
; Variables in memory become values, and a loop over an array is completely unrolled: the operations are the same.

define spir_kernel void @old(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %e = call token @llvm.experimental.convergence.entry()
  %sum = alloca i32, align 4
  %pair = alloca [2 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %id
  %d = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  %first = getelementptr inbounds [2 x i32], ptr %pair, i64 0, i64 0
  %second = getelementptr inbounds [2 x i32], ptr %pair, i64 0, i64 1
  store i32 %d, ptr %first, align 4
  store i32 %n, ptr %second, align 4
  store i32 0, ptr %sum, align 4
  br label %while

while:
  %k = phi i64 [ 0, %entry ], [ %k.next, %body ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %e) ]
  %c = icmp ult i64 %k, 2
  br i1 %c, label %body, label %end

body:
  %at = getelementptr inbounds [2 x i32], ptr %pair, i64 0, i64 %k
  %x = load i32, ptr %at, align 4
  %s = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %x) [ "convergencectrl"(token %h) ]
  %before = load i32, ptr %sum, align 4
  %after = add nsw i32 %before, %s
  store i32 %after, ptr %sum, align 4
  %k.next = add nuw i64 %k, 1
  br label %while

end:
  %result = load i32, ptr %sum, align 4
  store i32 %result, ptr addrspace(1) %q, align 4
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
  %t = call i32 @_Z32sub_group_non_uniform_reduce_addi(i32 %n) [ "convergencectrl"(token %e) ]
  %result = add nsw i32 %t, %s
  store i32 %result, ptr addrspace(1) %q, align 4
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i64 @_Z13get_global_idj(i32)
declare i32 @_Z32sub_group_non_uniform_reduce_addi(i32) #1

attributes #0 = { convergent nounwind }
attributes #1 = { convergent nounwind willreturn memory(none) }
