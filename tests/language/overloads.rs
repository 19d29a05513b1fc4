//! The overload of a builtin that a call resolves to: the same as in clang 19, for every kind of argument.

use tangle_emit::mangle::{SpaceNames, mangle};
use tangle_grammar::ast::{Access, AddressSpace};
use tangle_grammar::symbol::Symbol;
use tangle_hir::def::overload::{Resolution, resolve, signatures};
use tangle_hir::types::{FunctionTy, Opaque, Pointer, Record, Ty, TyKind};
use tangle_syntax::dialect::opencl;

/// Returns the type of an argument for its short name.
fn argument(name: &str) -> Ty {
    let pointer = |pointee, space| Ty::pointer(pointee, space);
    let qualified = |pointee, space, constant, volatile| {
        Ty::new(TyKind::Pointer(Pointer {
            pointee,
            space,
            constant,
            volatile,
            restrict: false,
            reference: false,
        }))
    };
    let image = |access| Ty::new(TyKind::Opaque(Opaque::Image { name: Symbol::intern("image2d_t"), access }));
    use AddressSpace::{Constant, Generic, Global, Local, Private};
    match name {
        "b" => Ty::BOOL,
        "c" => Ty::CHAR,
        "uc" => Ty::UCHAR,
        "s" => Ty::SHORT,
        "i" => Ty::INT,
        "u" => Ty::UINT,
        "l" => Ty::LONG,
        "ul" => Ty::ULONG,
        "h" => Ty::HALF,
        "f" => Ty::FLOAT,
        "d" => Ty::DOUBLE,
        "h4" => Ty::vector(Ty::HALF, 4),
        "f2" => Ty::vector(Ty::FLOAT, 2),
        "f4" => Ty::vector(Ty::FLOAT, 4),
        "i2" => Ty::vector(Ty::INT, 2),
        "i4" => Ty::vector(Ty::INT, 4),
        "uc4" => Ty::vector(Ty::UCHAR, 4),
        "gf" => pointer(Ty::FLOAT, Global),
        "lf" => pointer(Ty::FLOAT, Local),
        "pf" => pointer(Ty::FLOAT, Private),
        "nf" => pointer(Ty::FLOAT, Generic),
        "kf" => pointer(Ty::FLOAT, Constant),
        "gh" => pointer(Ty::HALF, Global),
        "gi" => pointer(Ty::INT, Global),
        "li" => pointer(Ty::INT, Local),
        "gu" => pointer(Ty::UINT, Global),
        "gv" => pointer(Ty::VOID, Global),
        "gf4" => pointer(Ty::vector(Ty::FLOAT, 4), Global),
        "cgf" => qualified(Ty::FLOAT, Global, true, false),
        "cgi" => qualified(Ty::INT, Global, true, false),
        "vgi" => qualified(Ty::INT, Global, false, true),
        "vli" => qualified(Ty::INT, Local, false, true),
        "ai" => qualified(Ty::new(TyKind::Atomic(Ty::INT)), Global, false, true),
        "im" => image(Access::ReadOnly),
        "rw" => image(Access::ReadWrite),
        "sm" => Ty::new(TyKind::Opaque(Opaque::Sampler)),
        "ev" => Ty::new(TyKind::Opaque(Opaque::Event)),
        "?" => Ty::UNKNOWN,
        _ => panic!("no argument {name}"),
    }
}

fn call(name: &str, arguments: &str) -> Resolution {
    let arguments: Vec<Ty> = arguments.split_whitespace().map(argument).collect();
    resolve(opencl(), Symbol::intern(name), &arguments)
}

/// Each row is a function with its arguments, and the result: a mangled name, `ambiguous`, or `none`.
const CALLS: &str = "\
fmax f i = _Z4fmaxff
fmax f4 i = _Z4fmaxDv4_ff
fmax f4 d = _Z4fmaxDv4_ff
fmax i i = ambiguous
max u i = ambiguous
max c i = ambiguous
max c c = _Z3maxcc
max c s = ambiguous
max l i = ambiguous
max i f = ambiguous
max b i = _Z3maxii
max b b = _Z3maxii
pow f d = ambiguous
pow f4 i = _Z3powDv4_fS_
pow f4 f = _Z3powDv4_fS_
pow i i = ambiguous
sqrt i = ambiguous
sqrt h = _Z4sqrtDh
sqrt f = _Z4sqrtf
clamp f4 i i = _Z5clampDv4_fff
clamp f4 f f = _Z5clampDv4_fff
clamp f i i = ambiguous
clamp i i i = _Z5clampiii
clamp u i i = ambiguous
clamp s i i = ambiguous
clamp uc i i = ambiguous
mix f4 f4 d = _Z3mixDv4_fS_f
mix f4 f4 f = _Z3mixDv4_fS_f
mix f4 f f = _Z3mixDv4_fS_f
select f f i = _Z6selectffi
select f f u = _Z6selectffj
select f4 f4 i4 = _Z6selectDv4_fS_Dv4_i
select i u u = ambiguous
select f f c = ambiguous
fract f pf = _Z5fractfPU3AS4f
fract f gf = _Z5fractfPU3AS4f
fract f nf = _Z5fractfPU3AS4f
fract f kf = none
fract d pf = _Z5fractfPU3AS4f
sincos f lf = _Z6sincosfPU3AS4f
vload4 i gf = _Z6vload4mPU3AS4Kf
vload4 i kf = _Z6vload4mPU3AS2Kf
vload4 i cgf = _Z6vload4mPU3AS4Kf
vload4 i gv = ambiguous
vload4 i pf = _Z6vload4mPU3AS4Kf
vstore4 f4 i gf = _Z7vstore4Dv4_fmPU3AS4f
vstore4 i4 i gf = _Z7vstore4Dv4_imPU3AS4i
vload_half i gh = _Z10vload_halfmPU3AS4KDh
atomic_add gi i = _Z10atomic_addPU3AS1Vii
atomic_add vgi u = _Z10atomic_addPU3AS1Vii
atomic_add gu i = _Z10atomic_addPU3AS1Vjj
atomic_add gf i = _Z10atomic_addPU3AS1Vii
atomic_xchg gf i = _Z11atomic_xchgPU3AS1Vff
atomic_xchg gi f = _Z11atomic_xchgPU3AS1Vii
atomic_inc li = _Z10atomic_incPU3AS3Vi
atomic_cmpxchg vli i u = _Z14atomic_cmpxchgPU3AS3Viii
atomic_load ai = _Z11atomic_loadPU3AS4VU7_Atomici
atomic_fetch_add ai i = _Z16atomic_fetch_addPU3AS4VU7_Atomicii
atomic_fetch_add_explicit ai i u = _Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicii12memory_order
convert_int4 f4 = _Z12convert_int4Dv4_f
convert_int4 f = ambiguous
convert_int u = _Z11convert_intj
convert_uchar4_sat i4 = _Z18convert_uchar4_satDv4_i
read_imagef im sm i2 = _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i
read_imagef im sm f2 = _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f
read_imagef im sm i = ambiguous
read_imagef im i f2 = _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f
read_imagef im i2 = _Z11read_imagef14ocl_image2d_roDv2_i
read_imagef rw i2 = _Z11read_imagef14ocl_image2d_rwDv2_i
dot f4 f4 = _Z3dotDv4_fS_
dot uc4 uc4 = _Z3dotDv4_hS_
length f = _Z6lengthf
length f4 = _Z6lengthDv4_f
abs i = _Z3absi
abs f = ambiguous
abs c = _Z3absc
abs_diff i u = ambiguous
min i f = ambiguous
min f i = ambiguous
min ul i = ambiguous
rotate u i = ambiguous
rotate i u = ambiguous
mul24 i u = ambiguous
mad24 i i i = _Z5mad24iii
popcount c = _Z8popcountc
popcount b = _Z8popcounti
ldexp f i = _Z5ldexpfi
ldexp f u = _Z5ldexpfi
ldexp f4 i = _Z5ldexpDv4_fi
pown f i = _Z4pownfi
step f f4 = _Z4stepfDv4_f
smoothstep f f f4 = _Z10smoothstepffDv4_f
smoothstep i i f4 = _Z10smoothstepffDv4_f
isnan f = _Z5isnanf
isnan i = ambiguous
any i4 = _Z3anyDv4_i
any i = _Z3anyi
any u = ambiguous
all b = _Z3alli
bitselect f f u = ambiguous
shuffle f4 i4 = none
async_work_group_copy lf gf i ev = _Z21async_work_group_copyPU3AS3fPU3AS1Kfm9ocl_event
async_work_group_copy lf cgf i i = _Z21async_work_group_copyPU3AS3fPU3AS1Kfm9ocl_event
async_work_group_copy gi li i ev = _Z21async_work_group_copyPU3AS1iPU3AS3Kim9ocl_event
async_work_group_copy li gf i ev = ambiguous
prefetch gf i = _Z8prefetchPU3AS1Kfm
prefetch gf4 i = _Z8prefetchPU3AS1KDv4_fm
work_group_reduce_add i = _Z21work_group_reduce_addi
work_group_reduce_add c = _Z21work_group_reduce_addi
sub_group_broadcast f i = _Z19sub_group_broadcastfj
sub_group_shuffle i i = _Z17sub_group_shuffleij
get_global_id i = _Z13get_global_idj
get_global_id f = _Z13get_global_idj
native_sin d = _Z10native_sinf
native_sin i = _Z10native_sinf
half_sin f = _Z8half_sinf
hadd c i = ambiguous
upsample s s = _Z8upsamplest
upsample i u = _Z8upsampleij
exp h4 = _Z3expDv4_Dh
atan2 f i = _Z5atan2ff
hypot d f = ambiguous
fma f f d = ambiguous
mad f4 f f4 = _Z3madDv4_fS_S_
mad f4 f4 f = _Z3madDv4_fS_S_
get_fence gi = _Z9get_fencePU3AS4v
get_fence cgi = _Z9get_fencePU3AS4Kv
degrees i = ambiguous
sign f = _Z4signf
nan u = _Z3nanj
nan i = ambiguous
remquo f f pf = _Z6remquoffPU3AS4i
remquo f f li = _Z6remquoffPU3AS4i
frexp f gi = _Z5frexpfPU3AS4i
barrier i = _Z7barrierj
work_group_barrier i u = _Z18work_group_barrierj12memory_scope
work_group_broadcast f i = _Z20work_group_broadcastfm
mul_hi i u = ambiguous
add_sat uc i = ambiguous
amd_bitalign i i i = _Z12amd_bitalignjjj
amd_bfe i i i = _Z7amd_bfeijj
fract h pf = _Z5fractfPU3AS4f
frexp d lf = _Z5frexpdPU3AS4i
frexp f pf = _Z5frexpfPU3AS4i
modf d gf = _Z4modffPU3AS4f
vload4 f gf = _Z6vload4mPU3AS4Kf
vstore4 f4 f gv = _Z7vstore4Dv4_fmPU3AS4f
atomic_load gi = ambiguous
atomic_add cgi i = _Z10atomic_addPU3AS1Vii
atomic_add kf i = none
get_fence kf = none
async_work_group_copy gf gf i ev = none
wait_group_events i pf = _Z17wait_group_eventsiPU3AS49ocl_event
fmin h f = ambiguous
fmin h h = _Z4fminDhDh
fmin h i = _Z4fminDhDh
sqrt c = ambiguous
ldexp f f = _Z5ldexpfi
ldexp h l = _Z5ldexpDhi
clamp i4 i i = _Z5clampDv4_iii
clamp uc4 i i = _Z5clampDv4_hhh
max i4 u = _Z3maxDv4_ii
max i4 c = _Z3maxDv4_ii
select f4 f4 i = ambiguous
isequal f d = ambiguous
isequal f4 f = _Z7isequalDv4_fS_
mad24 u u i = ambiguous
vload2 i lf = _Z6vload2mPU3AS4Kf
pow f i = _Z3powff
rootn d s = _Z5rootndi
exp gi = none
fma f4 f4 f = _Z3fmaDv4_fS_S_
dot f4 f = _Z3dotDv4_fS_
sub_group_reduce_add b = _Z20sub_group_reduce_addi
sub_group_broadcast uc l = _Z19sub_group_broadcasthj
intel_sub_group_shuffle i i = _Z23intel_sub_group_shuffleij
intel_sub_group_block_read gu = _Z26intel_sub_group_block_readPU3AS1Kj
intel_sub_group_block_read gi = _Z26intel_sub_group_block_readPU3AS1Kj
write_imagef rw i2 f4 = _Z12write_imagef14ocl_image2d_rwDv2_iDv4_f
write_imagef rw i2 f = _Z12write_imagef14ocl_image2d_rwDv2_iDv4_f
write_imagef im i2 f4 = none
get_image_width im = _Z15get_image_width14ocl_image2d_ro
get_image_dim rw = _Z13get_image_dim14ocl_image2d_rw";

#[test]
fn resolved_overloads_match_clang() {
    let mut wrong = Vec::new();
    for row in CALLS.lines() {
        let (written, expected) = row.split_once(" = ").expect("a call and its meaning");
        let (name, arguments) = written.split_once(' ').expect("a name and arguments");
        let meaning = match call(name, arguments) {
            Resolution::Found { ty } => mangle(opencl(), name, ty, SpaceNames::SPIRV64),
            Resolution::NoMatch { .. } => "none".to_owned(),
            Resolution::Ambiguous { .. } => "ambiguous".to_owned(),
            Resolution::NotABuiltin => "no builtin".to_owned(),
        };
        if meaning != expected {
            wrong.push(format!("{written}: {meaning}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn result(resolution: Resolution) -> Option<Ty> {
    match resolution {
        Resolution::Found { ty } => ty.as_function().map(|function| function.result),
        _ => None,
    }
}

#[test]
fn unknown_arguments_affect_only_dependent_results() {
    assert_eq!(result(call("fmax", "? f4")), Some(Ty::vector(Ty::FLOAT, 4)));
    assert_eq!(result(call("fmax", "? ?")), Some(Ty::UNKNOWN));
    assert_eq!(result(call("isnan", "?")), Some(Ty::UNKNOWN));
    assert_eq!(result(call("dot", "f4 ?")), Some(Ty::FLOAT));
    assert_eq!(result(call("get_global_id", "?")), Some(Ty::SIZE));
    // The kind of image is unknown, but not the result.
    assert_eq!(result(call("read_imageui", "? sm f2")), Some(Ty::vector(Ty::UINT, 4)));
    assert_eq!(result(call("vload4", "i ?")), Some(Ty::UNKNOWN));
    assert_eq!(result(call("enqueue_kernel", "? ? ? ?")), Some(Ty::INT));
    assert_eq!(result(call("to_global", "?")), Some(Ty::UNKNOWN));
}

#[test]
fn failed_resolution_lists_fitting_argument_counts_first() {
    assert!(matches!(call("get_global_id", ""), Resolution::NoMatch { .. }));
    let Resolution::NoMatch { candidates } = call("dot", "f4") else { panic!("`dot` takes two arguments") };
    assert_eq!(candidates.len(), 8);
    let Resolution::NoMatch { candidates } = call("work_group_broadcast", "gf i") else {
        panic!("the builtin takes no pointer")
    };
    assert_eq!(candidates[0].as_function().map(|function| function.parameters.len()), Some(2));
}

#[test]
fn user_function_is_not_a_builtin() {
    assert_eq!(call("my_function", "i"), Resolution::NotABuiltin);
    assert!(!opencl().signatures().has(Symbol::intern("my_function")));
    assert!(signatures(opencl(), Symbol::intern("my_function")).is_empty());
    assert!(opencl().signatures().has(Symbol::intern("to_global")));
    assert!(opencl().signatures().names().count() > 1000);
}

#[test]
fn printf_accepts_any_arguments_after_the_format() {
    let format = Pointer {
        pointee: Ty::CHAR,
        space: AddressSpace::Constant,
        constant: false,
        volatile: false,
        restrict: false,
        reference: false,
    };
    let format = Ty::new(TyKind::Pointer(format));
    let record = Record { union: false, tag: None, definition: None };
    for arguments in [vec![format], vec![format, Ty::FLOAT, Ty::new(TyKind::Record(Box::new(record)))]] {
        assert_eq!(result(resolve(opencl(), Symbol::intern("printf"), &arguments)), Some(Ty::INT));
    }
    assert_eq!(result(resolve(opencl(), Symbol::intern("printf"), &[])), None);
}

#[test]
fn address_space_casts_keep_the_pointee_type() {
    let to_local = result(call("to_local", "gf4"));
    assert_eq!(to_local, Some(Ty::pointer(Ty::vector(Ty::FLOAT, 4), AddressSpace::Local)));
    assert_eq!(result(call("to_global", "kf")), None);
    assert_eq!(result(call("to_private", "i")), None);
}

#[test]
fn pipe_builtins_accept_their_packet_type() {
    let pipe = Ty::new(TyKind::Opaque(Opaque::Pipe { packet: Ty::INT, access: Access::ReadOnly }));
    let reserve = Ty::new(TyKind::Opaque(Opaque::ReserveId));
    let private = Ty::pointer(Ty::INT, AddressSpace::Private);
    let read = |arguments: &[Ty]| result(resolve(opencl(), Symbol::intern("read_pipe"), arguments));
    assert_eq!(read(&[pipe, private]), Some(Ty::INT));
    assert_eq!(read(&[pipe, reserve, Ty::INT, private]), Some(Ty::INT));
    assert_eq!(read(&[pipe, reserve]), None);
    assert_eq!(
        result(resolve(opencl(), Symbol::intern("reserve_read_pipe"), &[pipe, Ty::INT])),
        Some(reserve)
    );
    let commit = Symbol::intern("work_group_commit_write_pipe");
    assert_eq!(result(resolve(opencl(), commit, &[pipe, reserve])), Some(Ty::VOID));
}

#[test]
fn enqueue_kernel_requires_a_size_for_each_block_pointer() {
    let block = |parameters: &[Ty]| {
        let function = FunctionTy { result: Ty::VOID, parameters: parameters.into(), variadic: false };
        Ty::new(TyKind::BlockPointer(Ty::new(TyKind::Function(Box::new(function)))))
    };
    let local = Ty::pointer(Ty::VOID, AddressSpace::Local);
    let queue = Ty::new(TyKind::Opaque(Opaque::Queue));
    let range = Ty::new(TyKind::Opaque(Opaque::NdRange));
    let enqueue = |arguments: &[Ty]| result(resolve(opencl(), Symbol::intern("enqueue_kernel"), arguments));
    let plain = block(&[]);
    let two = block(&[local, local]);
    assert_eq!(enqueue(&[queue, Ty::INT, range, plain]), Some(Ty::INT));
    assert_eq!(enqueue(&[queue, Ty::INT, range, two, Ty::UINT, Ty::INT]), Some(Ty::INT));
    assert_eq!(enqueue(&[queue, Ty::INT, range, two, Ty::UINT]), None);
    let event = Ty::pointer(Ty::new(TyKind::Opaque(Opaque::ClkEvent)), AddressSpace::Private);
    assert_eq!(enqueue(&[queue, Ty::INT, range, Ty::UINT, event, event, plain]), Some(Ty::INT));
    let size = Symbol::intern("get_kernel_work_group_size");
    assert_eq!(result(resolve(opencl(), size, &[plain])), Some(Ty::UINT));
}
