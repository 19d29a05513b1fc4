//! Manually built graphs. LLVM's own verifier checks the emitted IR for every target.

mod graph;
mod modules;

use std::io::Write;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use tangle_base::Symbol;
use tangle_base::{AddressSpace, Span};

use AddressSpace::Constant as Constant_;

use self::graph::*;
use super::*;
use crate::flow::builder::Builder;
use crate::flow::*;
use crate::key::FunctionKey;
use crate::types::*;
use crate::value::{Arithmetic, Comparison, Constant, Conversion, Data, UnaryOp};

const TARGETS: [Target; 5] = [Target::Amdgcn, Target::Nvptx64, Target::Spirv64, Target::X86_64, Target::None];
/// Function `i` is in line `i + 1`. The column is the start of the span plus 1.
struct Lines;

impl LocationMap for Lines {
    fn place(&self, function: usize, span: Span) -> Option<SourceLocation> {
        let file = if span.start > 100 { "dir/k.h" } else { "dir/k.cl" };
        Some(SourceLocation { file: file.into(), line: function as u32 + 1, column: span.start + 1 })
    }
}

fn emitted(module: &Module, target: Target, debug: bool) -> String {
    emit(module, &Options { target, language: &PlainNames, debug }, &Lines)
        .unwrap_or_else(|problem| panic!("{target:?}: {problem:?}"))
}

/// Checks the text for one target, from the types on, and that LLVM accepts the text for all targets.
fn check(module: &Module, target: Target, expected: Expect) {
    accepted(module);
    let text = emitted(module, target, false);
    let body = text.split_once("\n\n").map_or("", |(_, body)| body);
    expected.assert_eq(body.trim_start());
}

/// Runs a program of LLVM on a text, if it is installed.
fn llvm(program: &str, arguments: &[&str], text: &str) {
    let Some(program) = tangle_referees::llvm(program) else { return };
    let mut child = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program exists");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("the program reads its input");
    let output = child.wait_with_output().expect("the program exits");
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}\n{text}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn accepted(module: &Module) {
    for target in TARGETS {
        for debug in [false, true] {
            let text = emitted(module, target, debug);
            llvm("opt", &["-passes=verify", "-S"], &text);
            llvm("opt", &["-passes=default<O2>", "-S"], &text);
        }
    }
}

#[test]
fn integer_and_float_operations_are_emitted() {
    use Arithmetic::*;
    let mut graph = Builder::new("f", Ty::FLOAT);
    let a = graph.parameter("a", Ty::INT);
    let b = graph.parameter("b", Ty::UINT);
    let x = graph.parameter("x", Ty::FLOAT);
    let two = graph.op(Op::Constant(Constant::float(2.5)), Ty::FLOAT);
    let c = graph.binary(Div, a, a);
    let c = graph.binary(Shr, c, a);
    let d = graph.convert(Conversion::Integer, c, Ty::UINT);
    let d = graph.binary(Rem, d, b);
    let d = graph.binary(Shr, d, b);
    let d = graph.op(Op::Unary { op: UnaryOp::Complement, operand: d }, Ty::UINT);
    let y = graph.convert(Conversion::IntToFloat, d, Ty::FLOAT);
    let y = graph.binary(Mul, y, two);
    let y = graph.op(Op::Unary { op: UnaryOp::Negate, operand: y }, Ty::FLOAT);
    let less = graph.op(Op::Compare { op: Comparison::Less, left: x, right: y }, Ty::BOOL);
    let y = named(&mut graph, "y", Op::Select { condition: less, then: x, otherwise: y }, Ty::FLOAT);
    let z = graph.convert(Conversion::Float, y, Ty::HALF);
    let z = graph.convert(Conversion::FloatToInt, z, Ty::CHAR);
    let z = graph.convert(Conversion::Integer, z, Ty::ULONG);
    let z = graph.convert(Conversion::ToBool, z, Ty::BOOL);
    let z = graph.convert(Conversion::Integer, z, Ty::UCHAR);
    let z = graph.convert(Conversion::IntToFloat, z, Ty::FLOAT);
    let y = named(&mut graph, "y", Op::Binary { op: Sub, left: y, right: z }, Ty::FLOAT);
    graph.end(Terminator::Return(Some(y)));
    check(
        &module(vec![graph.finish()], vec![]),
        Target::None,
        expect![[r#"
            define spir_func float @f(i32 %a, i32 %b, float %x) #0 {
            entry:
              %div = sdiv i32 %a, %a
              %shr = ashr i32 %div, %a
              %rem = urem i32 %shr, %b
              %shr.1 = lshr i32 %rem, %b
              %not = xor i32 %shr.1, -1
              %conv = uitofp i32 %not to float
              %mul = fmul float %conv, 2.5
              %neg = fneg float %mul
              %cmp = fcmp olt float %x, %neg
              %y = select i1 %cmp, float %x, float %neg
              %conv.1 = fptrunc float %y to half
              %conv.2 = fptosi half %conv.1 to i8
              %conv.3 = sext i8 %conv.2 to i64
              %conv.4 = icmp ne i64 %conv.3, 0
              %conv.5 = zext i1 %conv.4 to i8
              %conv.6 = uitofp i8 %conv.5 to float
              %y.1 = fsub float %y, %conv.6
              ret float %y.1
            }

            attributes #0 = { nounwind }


        "#]],
    );
}

#[test]
fn three_element_vectors_take_four_elements_in_memory() {
    let int3 = Ty::vector(Ty::INT, 3);
    let float4 = Ty::vector(Ty::FLOAT, 4);
    let mut graph = kernel("k");
    let p = graph.parameter("p", global_pointer(int3));
    let q = graph.parameter("q", global_pointer(float4));
    let one = graph.integer(Ty::UINT, 1);
    let n = graph.parameter("n", Ty::UINT);
    let element = graph.op(Op::Element { base: p, index: n, element: int3 }, global_pointer(int3));
    let v = graph.load(int3, element);
    let seven = graph.integer(Ty::INT, 7);
    let w = graph.convert(Conversion::Splat, seven, int3);
    let less = graph.op(Op::Compare { op: Comparison::Less, left: v, right: w }, int3);
    let v = graph.op(Op::Select { condition: less, then: v, otherwise: w }, int3);
    let v = graph.op(Op::Insert { vector: v, lane: one, value: seven }, int3);
    graph.store(v, p);
    let bits = graph.convert(Conversion::Bits, v, float4);
    graph.store(bits, q);
    let lanes: Box<[_]> = [Some(1), None, Some(7), Some(0)].into();
    let u = graph.load(float4, q);
    let u = graph.op(Op::Shuffle { left: u, right: bits, lanes }, float4);
    let x = graph.op(Op::Extract { vector: u, lane: n }, Ty::FLOAT);
    let x = graph.convert(Conversion::Splat, x, float4);
    graph.store(x, q);
    let back = graph.convert(Conversion::Bits, u, int3);
    graph.store(back, p);
    check(
        &module(vec![done(graph)], vec![]),
        Target::Amdgcn,
        expect![[r#"
            define protected amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) #0 !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
            entry:
              %index = zext i32 %n to i64
              %elem = getelementptr inbounds <3 x i32>, ptr addrspace(1) %p, i64 %index
              %wide = load <4 x i32>, ptr addrspace(1) %elem, align 16
              %load = shufflevector <4 x i32> %wide, <4 x i32> poison, <3 x i32> <i32 0, i32 1, i32 2>
              %first = insertelement <3 x i32> poison, i32 7, i64 0
              %conv = shufflevector <3 x i32> %first, <3 x i32> poison, <3 x i32> zeroinitializer
              %cmp.1 = icmp slt <3 x i32> %load, %conv
              %cmp = sext <3 x i1> %cmp.1 to <3 x i32>
              %top = icmp slt <3 x i32> %cmp, zeroinitializer
              %sel = select <3 x i1> %top, <3 x i32> %load, <3 x i32> %conv
              %vec = insertelement <3 x i32> %sel, i32 7, i32 1
              %wide.1 = shufflevector <3 x i32> %vec, <3 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
              store <4 x i32> %wide.1, ptr addrspace(1) %p, align 16
              %wide.2 = shufflevector <3 x i32> %vec, <3 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
              %conv.1 = bitcast <4 x i32> %wide.2 to <4 x float>
              store <4 x float> %conv.1, ptr addrspace(1) %q, align 16
              %load.1 = load <4 x float>, ptr addrspace(1) %q, align 16
              %lanes = shufflevector <4 x float> %load.1, <4 x float> %conv.1, <4 x i32> <i32 1, i32 poison, i32 7, i32 0>
              %lane = extractelement <4 x float> %lanes, i32 %n
              %first.1 = insertelement <4 x float> poison, float %lane, i64 0
              %conv.2 = shufflevector <4 x float> %first.1, <4 x float> poison, <4 x i32> zeroinitializer
              store <4 x float> %conv.2, ptr addrspace(1) %q, align 16
              %bits = bitcast <4 x float> %lanes to <4 x i32>
              %conv.3 = shufflevector <4 x i32> %bits, <4 x i32> poison, <3 x i32> <i32 0, i32 1, i32 2>
              %wide.3 = shufflevector <3 x i32> %conv.3, <3 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
              store <4 x i32> %wide.3, ptr addrspace(1) %p, align 16
              ret void
            }

            attributes #0 = { nounwind }


            !0 = !{i32 1, i32 1, i32 0}
            !1 = !{!"none", !"none", !"none"}
            !2 = !{!"int3*", !"float4*", !"uint"}
            !3 = !{!"int __attribute__((ext_vector_type(3)))*", !"float __attribute__((ext_vector_type(4)))*", !"uint"}
            !4 = !{!"", !"", !""}
            !5 = !{!"p", !"q", !"n"}
        "#]],
    );
}

#[test]
fn loops_and_switches_are_emitted() {
    let mut graph = Builder::new("f", Ty::INT);
    let n = graph.parameter("n", Ty::INT);
    let (zero, one) = (graph.integer(Ty::INT, 0), graph.integer(Ty::INT, 1));
    graph.end(Terminator::Jump(BlockId::new(1)));
    let header = begin(&mut graph, "for.cond");
    let i = named(&mut graph, "i", Op::Phi(vec![]), Ty::INT);
    let less = graph.op(Op::Compare { op: Comparison::Less, left: i, right: n }, Ty::BOOL);
    graph.end(Terminator::Branch { condition: less, then: BlockId::new(2), otherwise: BlockId::new(3) });
    begin(&mut graph, "for.body");
    let next = named(&mut graph, "i", Op::Binary { op: Arithmetic::Add, left: i, right: one }, Ty::INT);
    graph.end(Terminator::Jump(header));
    graph.function().values[i].op = Op::Phi(vec![(BlockId::new(0), zero), (BlockId::new(2), next)]);
    let exit = begin(&mut graph, "for.end");
    let end = BlockId::new(4);
    let cases = vec![(1, 3, end), (-100, -1, end), (1000, 9000, end), (7, 7, end)];
    graph.end(Terminator::Switch { value: i, cases, otherwise: BlockId::new(5) });
    begin(&mut graph, "sw.case");
    let x = named(&mut graph, "x", Op::Phi(vec![(exit, n)]), Ty::INT);
    graph.end(Terminator::Return(Some(x)));
    begin(&mut graph, "sw.default");
    graph.function().blocks.last_mut().unwrap().label = Some(Symbol::intern("n"));
    graph.end(Terminator::Return(Some(one)));
    begin(&mut graph, "nothing leads here");
    let x = graph.op(Op::Phi(vec![]), Ty::INT);
    graph.end(Terminator::Return(Some(x)));
    check(
        &module(vec![graph.finish()], vec![]),
        Target::X86_64,
        expect![[r#"
            define dso_local i32 @f(i32 %n) #0 {
            entry:
              br label %for.cond

            for.cond:
              %i = phi i32 [ 0, %entry ], [ %i.1, %for.body ]
              %cmp = icmp slt i32 %i, %n
              br i1 %cmp, label %for.body, label %for.end

            for.body:
              %i.1 = add i32 %i, 1
              br label %for.cond

            for.end:
              %distance = sub i32 %i, -100
              %inside = icmp ule i32 %distance, 99
              br i1 %inside, label %sw.case, label %range

            range:
              %distance.1 = sub i32 %i, 1000
              %inside.1 = icmp ule i32 %distance.1, 8000
              br i1 %inside.1, label %sw.case, label %range.1

            range.1:
              switch i32 %i, label %n.1 [
                i32 1, label %sw.case
                i32 2, label %sw.case
                i32 3, label %sw.case
                i32 7, label %sw.case
              ]

            sw.case:
              %x = phi i32 [ %n, %for.end ], [ %n, %range ], [ %n, %range.1 ], [ %n, %range.1 ], [ %n, %range.1 ], [ %n, %range.1 ]
              ret i32 %x

            n.1:
              ret i32 1

            "nothing leads here":
              %phi = freeze i32 undef
              ret i32 %phi
            }

            attributes #0 = { nounwind }


        "#]],
    );
}

/// Returns a kernel with a barrier in a `do` loop.
fn barrier_in_loop() -> Function {
    let mut graph = kernel("k");
    let at = |graph: &mut Builder, column: u32| graph.place(Span::new(column, column + 1));
    graph.function().convergent = true;
    let n = graph.parameter("n", Ty::INT);
    let zero = graph.integer(Ty::INT, 0);
    let fence = graph.integer(Ty::UINT, 1);
    at(&mut graph, 3);
    let entry = graph.entry();
    at(&mut graph, 0);
    let (body, end) = (graph.block("do.body"), graph.block("do.end"));
    graph.jump(body);
    graph.at(body);
    at(&mut graph, 4);
    let heart = graph.heart(entry);
    at(&mut graph, 5);
    graph.controlled_call(builtin("barrier", Ty::VOID, &[Ty::UINT]), &[fence], heart);
    at(&mut graph, 6);
    let x = graph.compare(Comparison::NotEqual, n, zero);
    at(&mut graph, 0);
    graph.branch(x, body, end);
    graph.at(end);
    done(graph)
}

#[test]
fn convergence_tokens_are_emitted_as_operand_bundles() {
    check(
        &module(vec![barrier_in_loop()], vec![]),
        Target::Spirv64,
        expect![[r#"
            define spir_kernel void @k(i32 %n) #1 !kernel_arg_addr_space !2 !kernel_arg_access_qual !3 !kernel_arg_type !4 !kernel_arg_base_type !4 !kernel_arg_type_qual !5 !kernel_arg_name !6 {
            entry:
              %entry.token = call token @llvm.experimental.convergence.entry()
              br label %do.body

            do.body:
              %loop.token = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry.token) ]
              call spir_func void @barrier(i32 1) #0 [ "convergencectrl"(token %loop.token) ]
              %cmp = icmp ne i32 %n, 0
              br i1 %cmp, label %do.body, label %do.end, !llvm.loop !1

            do.end:
              ret void
            }

            declare token @llvm.experimental.convergence.entry()
            declare token @llvm.experimental.convergence.loop()
            declare spir_func void @barrier(i32) #1

            attributes #0 = { convergent }
            attributes #1 = { convergent nounwind }


            !0 = !{!"llvm.loop.unroll.disable"}
            !1 = distinct !{!1, !0}
            !2 = !{i32 0}
            !3 = !{!"none"}
            !4 = !{!"int"}
            !5 = !{!""}
            !6 = !{!"n"}
        "#]],
    );
}

#[test]
fn compiler_builtins_are_lowered() {
    let float4 = Ty::vector(Ty::FLOAT, 4);
    let int4 = Ty::vector(Ty::INT, 4);
    let float2 = Ty::vector(Ty::FLOAT, 2);
    let mut graph = Builder::new("f", Ty::INT);
    let x = graph.parameter("x", Ty::ULONG);
    let y = graph.parameter("y", Ty::UINT);
    let v = graph.parameter("v", float4);
    let w = graph.parameter("w", int4);
    let s = graph.parameter("s", float2);
    let d = graph.parameter("d", Ty::DOUBLE);
    let p = graph.parameter("p", Ty::pointer(Ty::VOID, AddressSpace::Generic));
    let n = compiler(&mut graph, "__builtin_popcountl", Ty::INT, &[x]);
    compiler(&mut graph, "__builtin_ffs", Ty::INT, &[y]);
    compiler(&mut graph, "__builtin_bswap32", Ty::UINT, &[y]);
    compiler(&mut graph, "__builtin_rotateleft32", Ty::UINT, &[y, y]);
    let t = compiler(&mut graph, "__builtin_elementwise_max", float4, &[v, v]);
    compiler(&mut graph, "__builtin_elementwise_abs", int4, &[w]);
    compiler(&mut graph, "__builtin_reduce_add", Ty::INT, &[w]);
    compiler(&mut graph, "__builtin_fma", Ty::DOUBLE, &[d, d, d]);
    compiler(&mut graph, "__builtin_isinf", Ty::INT, &[d]);
    compiler(&mut graph, "__builtin_signbit", Ty::INT, &[d]);
    compiler(&mut graph, "__builtin_inff", Ty::FLOAT, &[]);
    compiler(&mut graph, "__builtin_memset", Ty::pointer(Ty::VOID, AddressSpace::Generic), &[p, n, x]);
    compiler(&mut graph, "__builtin_memcpy", Ty::pointer(Ty::VOID, AddressSpace::Generic), &[p, p, x]);
    let (one, five, none) =
        (graph.integer(Ty::INT, 1), graph.integer(Ty::INT, 5), graph.integer(Ty::INT, -1));
    compiler(&mut graph, "__builtin_shufflevector", Ty::vector(Ty::FLOAT, 3), &[t, s, one, five, none]);
    let m = compiler(&mut graph, "__builtin_expect", Ty::INT, &[n, one]);
    compiler(&mut graph, "__builtin_trap", Ty::VOID, &[]);
    graph.end(Terminator::Return(Some(m)));
    check(
        &module(vec![graph.finish()], vec![]),
        Target::X86_64,
        expect![[r#"
            define dso_local i32 @f(i64 %x, i32 %y, <4 x float> %v, <4 x i32> %w, <2 x float> %s, double %d, ptr %p) #0 {
            entry:
              %count = call i64 @llvm.ctpop.i64(i64 %x)
              %call = trunc i64 %count to i32
              %count.1 = call i32 @llvm.cttz.i32(i32 %y, i1 false)
              %next = add i32 %count.1, 1
              %none = icmp eq i32 %y, 0
              %first = select i1 %none, i32 0, i32 %next
              %call.1 = or i32 %first, 0
              %call.2 = call i32 @llvm.bswap.i32(i32 %y)
              %call.3 = call i32 @llvm.fshl.i32(i32 %y, i32 %y, i32 %y)
              %call.4 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v, <4 x float> %v)
              %call.5 = call <4 x i32> @llvm.abs.v4i32(<4 x i32> %w, i1 false)
              %call.6 = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %w)
              %call.7 = call double @llvm.fma.f64(double %d, double %d, double %d)
              %is = call i1 @llvm.is.fpclass.f64(double %d, i32 516)
              %call.8 = zext i1 %is to i32
              %bits = bitcast double %d to i64
              %sign = icmp slt i64 %bits, 0
              %call.9 = zext i1 %sign to i32
              %call.10 = freeze float 0x7FF0000000000000
              %byte = trunc i32 %call to i8
              call void @llvm.memset.p0.i64(ptr %p, i8 %byte, i64 %x, i1 false)
              %call.11 = getelementptr i8, ptr %p, i64 0
              call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %p, i64 %x, i1 false)
              %call.12 = getelementptr i8, ptr %p, i64 0
              %wide = shufflevector <2 x float> %s, <2 x float> poison, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
              %call.13 = shufflevector <4 x float> %call.4, <4 x float> %wide, <3 x i32> <i32 1, i32 5, i32 poison>
              call void @llvm.trap()
              ret i32 %call
            }

            declare i64 @llvm.ctpop.i64(i64)
            declare i32 @llvm.cttz.i32(i32, i1)
            declare i32 @llvm.bswap.i32(i32)
            declare i32 @llvm.fshl.i32(i32, i32, i32)
            declare <4 x float> @llvm.maxnum.v4f32(<4 x float>, <4 x float>)
            declare <4 x i32> @llvm.abs.v4i32(<4 x i32>, i1)
            declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
            declare double @llvm.fma.f64(double, double, double)
            declare i1 @llvm.is.fpclass.f64(double, i32)
            declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
            declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
            declare void @llvm.trap()

            attributes #0 = { nounwind }


        "#]],
    );
}

#[test]
fn builtin_of_another_target_is_rejected() {
    let mut graph = Builder::new("f", Ty::VOID);
    compiler(&mut graph, "__builtin_amdgcn_s_barrier", Ty::VOID, &[]);
    let module = module(vec![done(graph)], vec![]);
    let options = |target| Options { target, language: &PlainNames, debug: false };
    assert!(emit(&module, &options(Target::Amdgcn), &NoLocations).is_ok());
    let problem = emit(&module, &options(Target::X86_64), &NoLocations).unwrap_err();
    assert_eq!(problem.reason, "`__builtin_amdgcn_s_barrier` requires the target `amdgcn`");
    assert_eq!(problem.function, Some(FunctionKey::plain(Symbol::intern("f"))));
}

#[test]
fn address_and_pointer_operations_are_emitted() {
    use AddressSpace::{Generic, Local, Private};
    let generic = Ty::pointer(Ty::INT, Generic);
    let local = Ty::pointer(Ty::INT, Local);
    let mut graph = Builder::new("f", Ty::INT);
    let q = graph.parameter("q", local);
    let array = graph.slot("array", Ty::array(local, Some(3)));
    let spot = graph.slot("spot", Ty::INT);
    let two = graph.integer(Ty::INT, 2);
    let null = graph.op(Op::Constant(Constant::Zero), local);
    let element =
        graph.op(Op::Element { base: array, index: two, element: local }, Ty::pointer(local, Private));
    graph.store(q, element);
    let isnt = graph.op(Op::Compare { op: Comparison::NotEqual, left: q, right: null }, Ty::BOOL);
    let spot = graph.convert(Conversion::Pointer, spot, generic);
    let far = graph.convert(Conversion::Pointer, q, generic);
    let chosen = graph.op(Op::Select { condition: isnt, then: far, otherwise: spot }, generic);
    let table = graph.op(Op::Global(Symbol::intern("table")), Ty::pointer(Ty::INT, Constant_));
    let text = graph.op(Op::String(b"%d\0".as_slice().into()), Ty::pointer(Ty::CHAR, Constant_));
    let x = graph.load(Ty::INT, table);
    graph.store(x, chosen);
    let ty = Ty::new(TyKind::Function(Box::new(FunctionTy {
        result: Ty::INT,
        parameters: [Ty::pointer(Ty::CHAR, Constant_)].into(),
        variadic: true,
    })));
    let printf = Callee::Builtin { name: Symbol::intern("printf"), ty };
    graph.call(printf, &[text, x]);
    let number = graph.convert(Conversion::PointerToInt, chosen, Ty::ULONG);
    let number = graph.convert(Conversion::Integer, number, Ty::INT);
    let back = graph.convert(Conversion::IntToPointer, number, generic);
    let yes = graph.slot("yes", Ty::BOOL);
    graph.store(isnt, yes);
    let itself = graph.op(
        Op::Function(FunctionKey::plain(Symbol::intern("f"))),
        Ty::pointer(function(Ty::INT, &[local]), Generic),
    );
    let callee = Callee::Pointer { address: itself, ty: function(Ty::INT, &[local]) };
    graph.call(callee, &[q]);
    let last = graph.load(Ty::INT, back);
    graph.end(Terminator::Return(Some(last)));
    let table = global("table", Ty::INT, Constant_, Some(Data::Constant(Constant::Integer(4))));
    check(
        &module(vec![graph.finish()], vec![table]),
        Target::Amdgcn,
        expect![[r#"
            @table = addrspace(4) constant i32 4, align 4

            @.str = private unnamed_addr addrspace(4) constant [3 x i8] c"%d\00", align 1

            define hidden i32 @f(ptr addrspace(3) %q) #0 {
            entry:
              %array = alloca [3 x { ptr addrspace(3), [4 x i8] }], align 8, addrspace(5)
              %spot = alloca i32, align 4, addrspace(5)
              %yes = alloca i8, align 1, addrspace(5)
              %elem = getelementptr inbounds { ptr addrspace(3), [4 x i8] }, ptr addrspace(5) %array, i64 2
              store ptr addrspace(3) %q, ptr addrspace(5) %elem, align 8
              %cmp = icmp ne ptr addrspace(3) %q, addrspacecast (ptr null to ptr addrspace(3))
              %conv = addrspacecast ptr addrspace(5) %spot to ptr
              %conv.1 = addrspacecast ptr addrspace(3) %q to ptr
              %sel = select i1 %cmp, ptr %conv.1, ptr %conv
              %load = load i32, ptr addrspace(4) @table, align 4
              store i32 %load, ptr %sel, align 4
              %call = call i32 (ptr addrspace(4), ...) @printf(ptr addrspace(4) @.str, i32 %load)
              %conv.2 = ptrtoint ptr %sel to i64
              %conv.3 = trunc i64 %conv.2 to i32
              %wide = sext i32 %conv.3 to i64
              %conv.4 = inttoptr i64 %wide to ptr
              %byte = zext i1 %cmp to i8
              store i8 %byte, ptr addrspace(5) %yes, align 1
              %call.1 = call i32 @f(ptr addrspace(3) %q)
              %load.1 = load i32, ptr %conv.4, align 4
              ret i32 %load.1
            }

            declare i32 @printf(ptr addrspace(4), ...) #0

            attributes #0 = { nounwind }


        "#]],
    );
}

#[test]
fn instructions_have_debug_locations() {
    let module = module(vec![barrier_in_loop()], vec![]);
    let text = emitted(&module, Target::None, true);
    let shown: Vec<&str> =
        text.lines().filter(|line| line.contains("!dbg") || line.starts_with('!')).collect();
    expect![[r#"
        define spir_kernel void @k(i32 %n) #1 !dbg !4 !kernel_arg_addr_space !12 !kernel_arg_access_qual !13 !kernel_arg_type !14 !kernel_arg_base_type !14 !kernel_arg_type_qual !15 !kernel_arg_name !16 {
          %entry.token = call token @llvm.experimental.convergence.entry(), !dbg !6
          br label %do.body, !dbg !5
          %loop.token = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %entry.token) ], !dbg !7
          call spir_func void @barrier(i32 1) #0 [ "convergencectrl"(token %loop.token) ], !dbg !8
          %cmp = icmp ne i32 %n, 0, !dbg !9
          br i1 %cmp, label %do.body, label %do.end, !llvm.loop !11, !dbg !5
          ret void, !dbg !5
        !llvm.dbg.cu = !{!1}
        !llvm.module.flags = !{!18, !17}
        !0 = !DIFile(filename: "k.cl", directory: "dir")
        !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !0, producer: "tangle", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)
        !2 = !{null}
        !3 = !DISubroutineType(types: !2)
        !4 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 1, type: !3, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !1)
        !5 = !DILocation(line: 1, column: 1, scope: !4)
        !6 = !DILocation(line: 1, column: 4, scope: !4)
        !7 = !DILocation(line: 1, column: 5, scope: !4)
        !8 = !DILocation(line: 1, column: 6, scope: !4)
        !9 = !DILocation(line: 1, column: 7, scope: !4)
        !10 = !{!"llvm.loop.unroll.disable"}
        !11 = distinct !{!11, !10}
        !12 = !{i32 0}
        !13 = !{!"none"}
        !14 = !{!"int"}
        !15 = !{!""}
        !16 = !{!"n"}
        !17 = !{i32 2, !"Debug Info Version", i32 3}
        !18 = !{i32 7, !"Dwarf Version", i32 4}"#]].assert_eq(&shown.join("\n"));
}

#[test]
fn llc_compiles_emitted_ir_for_gpu_and_cpu_targets() {
    let module = module(vec![barrier_in_loop()], vec![]);
    for (target, arguments) in [
        (Target::Amdgcn, &["-mcpu=gfx1030", "-filetype=null"][..]),
        (Target::Nvptx64, &["-filetype=null"][..]),
        (Target::X86_64, &["-filetype=null"][..]),
    ] {
        llvm("llc", arguments, &emitted(&module, target, true));
    }
}
