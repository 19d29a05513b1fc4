//! Kernels, records and variables: the data that functions share.

use AddressSpace::Constant as Constant_;
use expect_test::expect;
use tangle_base::Symbol;

use crate::key::{FunctionKey, GlobalEntity};
use tangle_base::{Access, AddressSpace};

use super::graph::*;
use super::*;

#[test]
fn kernel_metadata_describes_its_arguments() {
    let image = Ty::new(TyKind::Opaque(Opaque::Image {
        name: Symbol::intern("image2d_t"),
        access: Access::WriteOnly,
    }));
    let pointer = Ty::new(TyKind::Pointer(Pointer {
        pointee: Ty::vector(Ty::FLOAT, 4),
        space: AddressSpace::Global,
        constant: true,
        volatile: false,
        restrict: true,
        reference: false,
    }));
    let pair = record("pair", false, false, &[field("a", Ty::CHAR), field("b", Ty::LONG)]);
    let mut graph = kernel("k");
    graph.function().work_group_size = Some([8, 2, 1]);
    graph.function().sub_group_size = Some(4);
    graph.parameter("p", pointer);
    graph.parameter("q", Ty::pointer(Ty::UCHAR, AddressSpace::Local));
    graph.parameter("c", Ty::CHAR);
    graph.parameter("im", image);
    graph.parameter("s", Ty::new(TyKind::Opaque(Opaque::Sampler)));
    let record_parameter = graph.passed("r", pair, Passing::Copy);
    let zero = graph.integer(Ty::LONG, 0);
    let b = graph.op(
        Op::Field { base: record_parameter, record: pair, field: 1 },
        Ty::pointer(Ty::LONG, AddressSpace::Private),
    );
    graph.store(zero, b);
    let kernel = done(graph);
    let module = module(vec![kernel], vec![]);
    check(
        &module,
        Target::Amdgcn,
        expect![[r#"
            %struct.pair = type { i8, i64 }

            define protected amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(3) %q, i8 %c, ptr addrspace(4) %im, ptr addrspace(4) %s, ptr addrspace(4) byref(%struct.pair) align 8 %r) #0 !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 !reqd_work_group_size !6 !intel_reqd_sub_group_size !7 {
            entry:
              %r.1 = alloca %struct.pair, align 8, addrspace(5)
              call void @llvm.memcpy.p5.p4.i64(ptr addrspace(5) align 8 %r.1, ptr addrspace(4) align 8 %r, i64 16, i1 false)
              %field = getelementptr inbounds %struct.pair, ptr addrspace(5) %r.1, i32 0, i32 1
              store i64 0, ptr addrspace(5) %field, align 8
              ret void
            }

            declare void @llvm.memcpy.p5.p4.i64(ptr addrspace(5), ptr addrspace(4), i64, i1)

            attributes #0 = { nounwind "amdgpu-flat-work-group-size"="16,16" }


            !0 = !{i32 1, i32 3, i32 0, i32 1, i32 0, i32 0}
            !1 = !{!"none", !"none", !"none", !"write_only", !"none", !"none"}
            !2 = !{!"float4*", !"uchar*", !"char", !"image2d_t", !"sampler_t", !"struct pair"}
            !3 = !{!"float __attribute__((ext_vector_type(4)))*", !"uchar*", !"char", !"image2d_t", !"sampler_t", !"struct pair"}
            !4 = !{!"restrict const", !"", !"", !"", !"", !""}
            !5 = !{!"p", !"q", !"c", !"im", !"s", !"r"}
            !6 = !{i32 8, i32 2, i32 1}
            !7 = !{i32 4}
        "#]],
    );
    check(
        &module,
        Target::Nvptx64,
        expect![[r#"
            %struct.pair = type { i8, i64 }

            define ptx_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(3) %q, i8 signext %c, i64 %im, i64 %s, ptr byval(%struct.pair) align 8 %r) #0 !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !4 !kernel_arg_type_qual !5 !kernel_arg_name !6 !reqd_work_group_size !7 !intel_reqd_sub_group_size !8 {
            entry:
              %field = getelementptr inbounds %struct.pair, ptr %r, i32 0, i32 1
              store i64 0, ptr %field, align 8
              ret void
            }

            attributes #0 = { nounwind }

            !nvvm.annotations = !{!0}

            !0 = !{ptr @k, !"kernel", i32 1}
            !1 = !{i32 1, i32 3, i32 0, i32 1, i32 0, i32 0}
            !2 = !{!"none", !"none", !"none", !"write_only", !"none", !"none"}
            !3 = !{!"float4*", !"uchar*", !"char", !"image2d_t", !"sampler_t", !"struct pair"}
            !4 = !{!"float __attribute__((ext_vector_type(4)))*", !"uchar*", !"char", !"image2d_t", !"sampler_t", !"struct pair"}
            !5 = !{!"restrict const", !"", !"", !"", !"", !""}
            !6 = !{!"p", !"q", !"c", !"im", !"s", !"r"}
            !7 = !{i32 8, i32 2, i32 1}
            !8 = !{i32 4}
        "#]],
    );
}

#[test]
fn records_are_passed_and_returned_by_address() {
    let s = record("S", false, false, &[field("c", Ty::CHAR), field("v", Ty::vector(Ty::INT, 3))]);
    let mut make = Builder::new("make", s);
    make.function().internal = true;
    let result = make.passed("", s, Passing::Result);
    let b = make.parameter("b", Ty::BOOL);
    make.op(Op::Clear { address: result, ty: s }, Ty::VOID);
    let c = make
        .op(Op::Field { base: result, record: s, field: 0 }, Ty::pointer(Ty::CHAR, AddressSpace::Private));
    let b = make.convert(Conversion::Integer, b, Ty::CHAR);
    make.store(b, c);
    let mut graph = Builder::new("f", Ty::VOID);
    let from = graph.passed("from", s, Passing::Copy);
    let own = graph.slot("own", s);
    let yes = graph.integer(Ty::BOOL, 1);
    let key = |name| FunctionKey::plain(Symbol::intern(name));
    let callee = Callee::Function { key: key("make"), ty: function(s, &[Ty::BOOL]) };
    let arguments = vec![(own, Passing::Result), (yes, Passing::Value)];
    let call =
        |callee, arguments| Op::Call(Call { callee, arguments, call: None, convergent: false, token: None });
    graph.op(call(callee, arguments), Ty::VOID);
    graph.op(Op::Copy { to: own, from, ty: s }, Ty::VOID);
    let callee = Callee::Function { key: key("elsewhere"), ty: function(Ty::SHORT, &[s]) };
    graph.op(call(callee, vec![(own, Passing::Copy)]), Ty::SHORT);
    check(
        &module(vec![done(make), done(graph)], vec![]),
        Target::Amdgcn,
        expect![[r#"
            %struct.S = type { i8, <3 x i32> }

            define internal void @make(ptr addrspace(5) sret(%struct.S) align 16 %result, i1 zeroext %b) #0 {
            entry:
              call void @llvm.memset.p5.i64(ptr addrspace(5) align 16 %result, i8 0, i64 32, i1 false)
              %field = getelementptr inbounds %struct.S, ptr addrspace(5) %result, i32 0, i32 0
              %conv = zext i1 %b to i8
              store i8 %conv, ptr addrspace(5) %field, align 1
              ret void
            }

            define hidden void @f(ptr addrspace(5) byval(%struct.S) align 16 %from) #0 {
            entry:
              %own = alloca %struct.S, align 16, addrspace(5)
              call void @make(ptr addrspace(5) sret(%struct.S) align 16 %own, i1 zeroext true)
              call void @llvm.memcpy.p5.p5.i64(ptr addrspace(5) align 16 %own, ptr addrspace(5) align 16 %from, i64 32, i1 false)
              %call = call signext i16 @elsewhere(ptr addrspace(5) byval(%struct.S) align 16 %own)
              ret void
            }

            declare void @llvm.memset.p5.i64(ptr addrspace(5), i8, i64, i1)
            declare void @llvm.memcpy.p5.p5.i64(ptr addrspace(5), ptr addrspace(5), i64, i1)
            declare signext i16 @elsewhere(ptr addrspace(5) byval(%struct.S) align 16) #0

            attributes #0 = { nounwind }


        "#]],
    );
}

#[test]
fn global_variables_are_emitted_with_their_initializers() {
    use AddressSpace::{Global, Local};
    let number = |value| Data::Constant(Constant::Integer(value));
    let ints = |length| Ty::array(Ty::INT, Some(length));
    let u = record(
        "U",
        true,
        false,
        &[field("i", Ty::INT), field("d", Ty::DOUBLE), field("c", Ty::array(Ty::CHAR, Some(12)))],
    );
    let p = record("P", false, true, &[field("c", Ty::CHAR), field("i", Ty::INT), field("u", u)]);
    let mut bits = field("b", Ty::UINT);
    bits.bits = Some(12);
    let b = record("B", false, false, &[field("a", Ty::CHAR), bits, field("z", Ty::INT)]);
    let text: Box<[u8]> = b"a\"\n\0".as_slice().into();
    let union = |field, data| Data::Union { field, data: Box::new(data) };
    let local_pointer = Ty::pointer(Ty::INT, Local);
    let globals = vec![
        global("table", ints(4), Constant_, Some(Data::Aggregate([number(1), number(-2)].into()))),
        global("long_table", ints(1000), Constant_, Some(Data::Aggregate([number(1)].into()))),
        global("text", Ty::array(Ty::CHAR, Some(6)), Constant_, Some(Data::Bytes(text.clone()))),
        global("u0", u, Global, Some(union(0, number(3)))),
        global("u1", u, Global, Some(union(1, Data::Constant(Constant::float(0.1))))),
        global("p", p, Constant_, Some(Data::Aggregate([number(1), number(2), union(0, number(3))].into()))),
        global("b", b, Constant_, Some(Data::Aggregate([number(1), number(0xabc), number(5)].into()))),
        global(
            "where",
            global_pointer(Ty::DOUBLE),
            Constant_,
            Some(Data::Address { of: GlobalEntity::Variable(Symbol::intern("u1")), offset: 8 }),
        ),
        global(
            "said",
            Ty::pointer(Ty::CHAR, AddressSpace::Constant),
            Constant_,
            Some(Data::StringAddress { bytes: text, offset: 0 }),
        ),
        global("null", Ty::array(local_pointer, Some(2)), Constant_, None),
        global("k.shared", ints(16), Local, None),
        global("flag", Ty::BOOL, Global, Some(number(1))),
    ];
    check(
        &module(vec![], globals),
        Target::Amdgcn,
        expect![[r#"
            %union.U = type { double, [8 x i8] }
            %struct.P = type <{ i8, i32, %union.U }>
            %struct.B = type { i8, [3 x i8], i32 }

            @table = addrspace(4) constant [4 x i32] [i32 1, i32 -2, i32 0, i32 0], align 4
            @long_table = addrspace(4) constant <{ i32, [999 x i32] }> <{ i32 1, [999 x i32] zeroinitializer }>, align 4
            @text = addrspace(4) constant [6 x i8] c"a\22\0A\00\00\00", align 1
            @u0 = addrspace(1) global <{ i32, [12 x i8] }> <{ i32 3, [12 x i8] zeroinitializer }>, align 8
            @u1 = addrspace(1) global <{ double, [8 x i8] }> <{ double 0.1, [8 x i8] zeroinitializer }>, align 8
            @p = addrspace(4) constant <{ i8, i32, <{ i32, [12 x i8] }> }> <{ i8 1, i32 2, <{ i32, [12 x i8] }> <{ i32 3, [12 x i8] zeroinitializer }> }>, align 1
            @b = addrspace(4) constant %struct.B { i8 1, [3 x i8] c"\BC\0A\00", i32 5 }, align 4
            @where = addrspace(4) constant ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @u1, i64 8), align 8
            @said = addrspace(4) constant ptr addrspace(4) @.str, align 8
            @null = addrspace(4) constant [2 x { ptr addrspace(3), [4 x i8] }] zeroinitializer, align 8
            @k.shared = internal addrspace(3) global [16 x i32] undef, align 4
            @flag = addrspace(1) global i8 1, align 1

            @.str = private unnamed_addr addrspace(4) constant [4 x i8] c"a\22\0A\00", align 1


        "#]],
    );
}

#[test]
fn called_kernel_is_also_emitted_as_a_function() {
    let mut caller = kernel("caller");
    let n = caller.parameter("n", Ty::INT);
    let callee = Callee::Function {
        key: FunctionKey::plain(Symbol::intern("callee")),
        ty: function(Ty::VOID, &[Ty::INT]),
    };
    caller.call(callee, &[n]);
    let mut callee = kernel("callee");
    callee.parameter("n", Ty::INT);
    check(
        &module(vec![done(callee), done(caller)], vec![]),
        Target::Spirv64,
        expect![[r#"
            define spir_kernel void @callee(i32 %n) #0 !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 !kernel_arg_name !4 {
            entry:
              ret void
            }

            define spir_kernel void @caller(i32 %n) #0 !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 !kernel_arg_name !4 {
            entry:
              call spir_func void @callee.called(i32 %n)
              ret void
            }

            define internal spir_func void @callee.called(i32 %n) #0 {
            entry:
              ret void
            }

            attributes #0 = { nounwind }


            !0 = !{i32 0}
            !1 = !{!"none"}
            !2 = !{!"int"}
            !3 = !{!""}
            !4 = !{!"n"}
        "#]],
    );
}
