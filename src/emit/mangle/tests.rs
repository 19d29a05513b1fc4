//! Compares names with the names of clang.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};

use super::*;
use tangle_hir::def::overload;
use tangle_hir::types::{Record, RecordName};
use tangle_ir::Namespace;
use tangle_syntax::dialect::opencl;

const TARGETS: [(&str, SpaceNames); 4] = [
    ("amdgcn-amd-amdhsa", SpaceNames::AMDGCN),
    ("nvptx64-nvidia-cuda", SpaceNames::NVPTX64),
    ("spir64-unknown-unknown", SpaceNames::SPIRV64),
    ("x86_64-unknown-linux-gnu", SpaceNames::X86_64),
];

fn pointer(pointee: Ty, space: AddressSpace, constant: bool, volatile: bool, restrict: bool) -> Ty {
    Ty::new(TyKind::Pointer(Pointer { pointee, space, constant, volatile, restrict, reference: false }))
}

fn function(parameters: &[Ty]) -> Ty {
    let parameters = parameters.into();
    Ty::new(TyKind::Function(Box::new(FunctionTy { result: Ty::VOID, parameters, variadic: false })))
}

#[test]
fn pointee_names_contain_address_space_and_qualifiers() {
    let ty = function(&[pointer(Ty::vector(Ty::FLOAT, 4), AddressSpace::Global, true, true, true)]);
    let names = TARGETS.map(|(_, spaces)| mangle(opencl(), "f", ty, spaces));
    assert_eq!(
        names,
        ["_Z1fPU3AS1VKDv4_f", "_Z1fPU3AS1VKDv4_f", "_Z1fPU3AS1VKDv4_f", "_Z1fPU8CLglobalVKDv4_f"]
    );
    let private = function(&[Ty::pointer(Ty::INT, AddressSpace::Private)]);
    let names = TARGETS.map(|(_, spaces)| mangle(opencl(), "f", private, spaces));
    assert_eq!(names, ["_Z1fPU3AS5i", "_Z1fPi", "_Z1fPi", "_Z1fPU9CLprivatei"]);
}

#[test]
fn repeated_components_are_substituted() {
    let global = Ty::pointer(Ty::INT, AddressSpace::Global);
    let vector = Ty::vector(Ty::UINT, 2);
    assert_eq!(
        mangle(opencl(), "f", function(&[global, global, vector, vector]), SpaceNames::SPIRV64),
        "_Z1fPU3AS1iS0_Dv2_jS1_"
    );
    // The pointee `private int` is a component, although its space is not written.
    let private = Ty::pointer(Ty::INT, AddressSpace::Private);
    let twice = Ty::pointer(private, AddressSpace::Private);
    assert_eq!(
        mangle(opencl(), "f", function(&[private, private, twice]), SpaceNames::SPIRV64),
        "_Z1fPiS0_PS0_"
    );
}

/// A record. An enumeration has the same name.
fn named(tag: &str) -> Ty {
    let record = Record { union: false, tag: Some(RecordName::plain(Symbol::intern(tag))), definition: None };
    Ty::new(TyKind::Record(Box::new(record)))
}

#[test]
fn restrict_and_array_pointees_are_mangled_like_clang() {
    use AddressSpace::{Generic, Global, Private};
    let constant = pointer(Ty::INT, Global, true, false, true);
    let vector = pointer(Ty::vector(Ty::INT, 4), Generic, false, true, false);
    let array = Ty::pointer(Ty::array(Ty::INT, Some(3)), Generic);
    let ty = function(&[Ty::pointer(constant, Generic), vector, Ty::vector(Ty::INT, 16), array]);
    // The names that clang 19 gives `void g(const global int *restrict *, volatile int4 *, int16, int (*)[3])`.
    let names = TARGETS.map(|(_, spaces)| mangle(opencl(), "g", ty, spaces));
    assert_eq!(
        names,
        [
            "_Z1gPU3AS0rPU3AS1KiPU3AS0VDv4_iDv16_iPA3_U3AS0i",
            "_Z1gPrPU3AS1KiPVDv4_iDv16_iPA3_i",
            "_Z1gPU3AS4rPU3AS1KiPU3AS4VDv4_iDv16_iPA3_U3AS4i",
            "_Z1gPU9CLgenericrPU8CLglobalKiPU9CLgenericVDv4_iDv16_iPA3_U9CLgenerici",
        ]
    );
    // The names of `void h(int *restrict *, int *const *, private int *private *)`.
    let restricted = Ty::pointer(pointer(Ty::INT, Generic, false, false, true), Generic);
    let constant = pointer(Ty::pointer(Ty::INT, Generic), Generic, true, false, false);
    let private = Ty::pointer(Ty::pointer(Ty::INT, Private), Private);
    let ty = function(&[restricted, constant, private]);
    let names = TARGETS.map(|(_, spaces)| mangle(opencl(), "h", ty, spaces));
    assert_eq!(
        names,
        [
            "_Z1hPU3AS0rPU3AS0iPU3AS0KS0_PU3AS5PU3AS5i",
            "_Z1hPrPiPKS0_PPi",
            "_Z1hPU3AS4rPU3AS4iPU3AS4KS0_PPi",
            "_Z1hPU9CLgenericrPU9CLgenericiPU9CLgenericKS0_PU9CLprivatePU9CLprivatei",
        ]
    );
}

#[test]
fn substitutions_are_numbered_in_base_36() {
    let opaque = |opaque| Ty::new(TyKind::Opaque(opaque));
    let image = |name: &str, access| opaque(Opaque::Image { name: Symbol::intern(name), access });
    let pipe = |packet, access| opaque(Opaque::Pipe { packet, access });
    let to = |ty| Ty::pointer(ty, AddressSpace::Generic);
    let writable = image("image2d_t", Access::WriteOnly);
    let atomic = to(Ty::new(TyKind::Atomic(Ty::INT)));
    let ty = function(&[
        to(named("S")),
        named("U"),
        to(named("T")),
        named("T"),
        named("E"),
        Ty::vector(Ty::HALF, 4),
        Ty::BOOL,
        opaque(Opaque::NdRange),
        opaque(Opaque::Queue),
        opaque(Opaque::ClkEvent),
        opaque(Opaque::ReserveId),
        opaque(Opaque::Event),
        opaque(Opaque::Sampler),
        writable,
        image("image2d_array_msaa_depth_t", Access::ReadWrite),
        pipe(Ty::INT, Access::ReadOnly),
        writable,
        atomic,
        atomic,
        named("memory_order"),
        pipe(Ty::FLOAT, Access::ReadOnly),
        pipe(Ty::INT, Access::WriteOnly),
    ]);
    // Pipes of different packets are different components, though their names are the same.
    assert_eq!(
        mangle(opencl(), "h", ty, SpaceNames::SPIRV64),
        "_Z1hPU3AS41S1UPU3AS41TS3_1EDv4_Dhb9ndrange_t9ocl_queue12ocl_clkevent13ocl_reserveid9ocl_event11ocl_sampler\
         14ocl_image2d_wo31ocl_image2d_array_msaa_depth_rw8ocl_pipeSE_PU3AS4U7_AtomiciSJ_12memory_order8ocl_pipe8ocl_pipe"
    );
}

#[test]
fn printf_keeps_its_name_and_other_builtins_are_mangled() {
    let printf = overload::signatures(opencl(), Symbol::intern("printf"))[0];
    assert_eq!(mangle(opencl(), "printf", printf, SpaceNames::SPIRV64), "printf");
    assert_eq!(mangle(opencl(), "get_work_dim", function(&[]), SpaceNames::SPIRV64), "_Z12get_work_dimv");
}

#[test]
fn compiler_builtins_have_runtime_function_names() {
    let opaque = |opaque| Ty::new(TyKind::Opaque(opaque));
    let read = opaque(Opaque::Pipe { packet: Ty::INT, access: Access::ReadOnly });
    let write = opaque(Opaque::Pipe { packet: Ty::INT, access: Access::WriteOnly });
    let reserve = opaque(Opaque::ReserveId);
    let pointer = Ty::pointer(Ty::INT, AddressSpace::Private);
    let (queue, range) = (opaque(Opaque::Queue), opaque(Opaque::NdRange));
    let events = Ty::pointer(opaque(Opaque::ClkEvent), AddressSpace::Private);
    let local = Ty::pointer(Ty::VOID, AddressSpace::Local);
    let block = Ty::new(TyKind::BlockPointer(function(&[])));
    let sized = Ty::new(TyKind::BlockPointer(function(&[local])));
    let calls: [(&str, &[Ty], &str); 13] = [
        ("to_global", &[pointer], "__to_global"),
        ("read_pipe", &[read, pointer], "__read_pipe_2"),
        ("write_pipe", &[write, reserve, Ty::UINT, pointer], "__write_pipe_4"),
        ("reserve_read_pipe", &[read, Ty::UINT], "__reserve_read_pipe"),
        ("sub_group_commit_write_pipe", &[write, reserve], "__sub_group_commit_write_pipe"),
        ("get_pipe_num_packets", &[read], "__get_pipe_num_packets_ro"),
        ("get_pipe_max_packets", &[write], "__get_pipe_max_packets_wo"),
        ("enqueue_kernel", &[queue, Ty::INT, range, block], "__enqueue_kernel_basic"),
        (
            "enqueue_kernel",
            &[queue, Ty::INT, range, Ty::UINT, events, events, block],
            "__enqueue_kernel_basic_events",
        ),
        ("enqueue_kernel", &[queue, Ty::INT, range, sized, Ty::UINT], "__enqueue_kernel_varargs"),
        (
            "enqueue_kernel",
            &[queue, Ty::INT, range, Ty::UINT, events, events, sized, Ty::UINT],
            "__enqueue_kernel_events_varargs",
        ),
        ("get_kernel_work_group_size", &[block], "__get_kernel_work_group_size_impl"),
        (
            "get_kernel_sub_group_count_for_ndrange",
            &[range, block],
            "__get_kernel_sub_group_count_for_ndrange_impl",
        ),
    ];
    for (name, arguments, expected) in calls {
        let overload::Resolution::Found { ty } = overload::resolve(opencl(), Symbol::intern(name), arguments)
        else {
            panic!("{name} should take these arguments")
        };
        assert_eq!(mangle(opencl(), name, ty, SpaceNames::SPIRV64), expected);
    }
}

#[test]
fn deep_types_do_not_overflow_the_stack() {
    let mut ty = Ty::INT;
    for _ in 0..20_000 {
        ty = Ty::pointer(ty, AddressSpace::Global);
    }
    let name = mangle(opencl(), "f", function(&[ty, ty]), SpaceNames::NVPTX64);
    assert!(name.starts_with("_Z1fPU3AS1PU3AS1") && name.ends_with('_'));
}

/// The declaration of a parameter in OpenCL C, with its type and name.
fn declare(ty: Ty, name: &str) -> String {
    match ty.kind() {
        TyKind::Pointer(pointer) => {
            let space = match pointer.space {
                AddressSpace::Global => "global",
                AddressSpace::Local => "local",
                AddressSpace::Constant => "constant",
                AddressSpace::Private => "private",
                AddressSpace::Generic => "generic",
            };
            let constant = if pointer.constant { "const " } else { "" };
            let volatile = if pointer.volatile { "volatile " } else { "" };
            format!("{constant}{volatile}{space} {}", declare(pointer.pointee, &format!("*{name}")))
        }
        TyKind::Void => format!("void {name}"),
        TyKind::Bool => format!("bool {name}"),
        TyKind::Integer(integer) => format!("{} {name}", integer.name()),
        TyKind::Float(float) => format!("{} {name}", float.name()),
        TyKind::Vector { element, lanes, .. } => format!("{}{lanes} {name}", declare(*element, "").trim()),
        TyKind::Atomic(of) => format!("atomic_{} {name}", declare(*of, "").trim()),
        TyKind::Record(record) => format!("{} {name}", record.tag.map_or("", |tag| tag.name().as_str())),
        TyKind::Opaque(opaque) => {
            let written = match opaque {
                Opaque::Image { name, access } => {
                    let access = match access {
                        Access::ReadOnly => "read_only",
                        Access::WriteOnly => "write_only",
                        Access::ReadWrite => "read_write",
                    };
                    format!("{access} {name}")
                }
                Opaque::Sampler => "sampler_t".to_owned(),
                Opaque::Event => "event_t".to_owned(),
                Opaque::ClkEvent => "clk_event_t".to_owned(),
                Opaque::Queue => "queue_t".to_owned(),
                Opaque::ReserveId => "reserve_id_t".to_owned(),
                Opaque::NdRange => "ndrange_t".to_owned(),
                Opaque::Pipe { .. } | Opaque::VaList => "void".to_owned(),
            };
            format!("{written} {name}")
        }
        _ => format!("void {name}"),
    }
}

/// Whether a builtin belongs to an extension that the header of clang does not declare.
fn is_foreign(name: &str) -> bool {
    const MORE: [&str; 6] = [
        "async_work_group_copy_",
        "arm_",
        "qcom_",
        "intel_work_group_barrier",
        "named_barrier",
        "atomic_dec_",
    ];
    let uniform = ["mul", "and", "or", "xor"];
    let uniform =
        name.starts_with("work_group_") && uniform.iter().any(|end| name.ends_with(&format!("_{end}")));
    let chars = name.contains("block_read_u") || name.contains("block_write_u");
    let chars = chars && (name.contains("_uc") || name.contains("_ul"));
    uniform || chars || name == "work_group_named_barrier" || MORE.iter().any(|start| name.starts_with(start))
}

/// Whether an overload differs from the header of clang. The header does not declare `cl_intel_subgroups_char`. In some
/// functions that write blocks to an image, it has a `read_only` image.
fn is_foreign_overload(name: &str, ty: Ty) -> bool {
    let first = ty.as_function().and_then(|function| function.parameters.first());
    let Some(first) = first else { return false };
    let chars = first.lanes().is_some_and(|(element, _)| element == Ty::CHAR || element == Ty::UCHAR);
    let image = matches!(first.kind(), TyKind::Opaque(Opaque::Image { access: Access::WriteOnly, .. }));
    (chars && name.starts_with("intel_sub_group_shuffle"))
        || (image && name.starts_with("intel_sub_group_block_write_ui"))
}

/// A call of a builtin: its name, and the overload.
type Call = (&'static str, Ty);

/// All overloads of all builtins that clang has.
fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for name in opencl().signatures().names() {
        if is_foreign(name.as_str()) || name.as_str() == "printf" {
            continue;
        }
        let overloads = overload::signatures(opencl(), name);
        let overloads = overloads.iter().filter(|ty| !is_foreign_overload(name.as_str(), **ty));
        calls.extend(overloads.map(|ty| (name.as_str(), *ty)));
    }
    calls
}

/// A file where function `call7` makes call 7, with arguments of exactly the types of the overload.
fn program(calls: &[Call]) -> String {
    let mut text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n".to_owned();
    for (number, (name, ty)) in calls.iter().enumerate() {
        let function = ty.as_function().expect("overloads are functions");
        let overloads = opencl().signatures().of(Symbol::intern(name)).expect("the function is a builtin");
        let declared: Vec<String> = function
            .parameters
            .iter()
            .enumerate()
            .map(|(place, parameter)| match overloads.enumeration(*ty, place) {
                Some(enumeration) => format!("{enumeration} p{place}"),
                None => declare(*parameter, &format!("p{place}")),
            })
            .collect();
        let arguments: Vec<String> = (0..declared.len()).map(|place| format!("p{place}")).collect();
        let (declared, arguments) = (declared.join(", "), arguments.join(", "));
        let _ = writeln!(text, "void call{number}({declared}) {{ {name}({arguments}); }}");
    }
    text
}

/// The builtin that each function of the IR calls.
fn called(ir: &str) -> BTreeMap<usize, String> {
    let mut called = BTreeMap::new();
    let mut function = None;
    for line in ir.lines() {
        if let Some((_, rest)) = line.split_once("@call").filter(|_| line.starts_with("define")) {
            function = rest.split_once('(').and_then(|(number, _)| number.parse().ok());
        } else if let Some(number) = function
            && line.contains(" call ")
            && let Some((_, rest)) = line.split_once("@_Z")
            && let Some((name, _)) = rest.split_once('(')
        {
            called.insert(number, format!("_Z{name}"));
        }
    }
    called
}

/// The IR and the errors of clang for a program and a target. `None` without clang.
fn clang(target: &str, program: &str) -> Option<(String, String)> {
    let mut child = Command::new(tangle_referees::clang()?)
        .args([
            "-x",
            "cl",
            "-cl-std=CL3.0",
            "-cl-no-stdinc",
            "-Xclang",
            "-finclude-default-header",
            "-nogpulib",
        ])
        // The header declares all builtins only for SPIR.
        .args(["-Xclang", "-cl-ext=+all", "-D__SPIR__=1", "-target", target])
        .args(["-Wno-everything", "-ferror-limit=0", "-S", "-emit-llvm", "-O0", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let program = program.to_owned();
    let writer = std::thread::spawn(move || input.write_all(program.as_bytes()));
    let output = child.wait_with_output().ok()?;
    // If clang did not read all of its input, its errors show this.
    let _ = writer.join();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some((text(output.stdout), text(output.stderr)))
}

#[test]
fn builtins_are_mangled_like_clang() {
    let calls = calls();
    assert!(calls.len() > 11_000, "{} calls", calls.len());
    let program = program(&calls);
    for (target, spaces) in TARGETS {
        let Some((ir, problems)) = clang(target, &program) else { return };
        let errors: Vec<&str> = problems.lines().filter(|line| line.contains("error:")).take(20).collect();
        assert!(errors.is_empty(), "{target}: {errors:#?}");
        let called = called(&ir);
        let mut wrong = Vec::new();
        for (number, (name, ty)) in calls.iter().enumerate() {
            let ours = mangle(opencl(), name, *ty, spaces);
            if called.get(&number) != Some(&ours) {
                wrong.push((ours, called.get(&number).cloned()));
            }
        }
        assert!(
            wrong.is_empty(),
            "{target}: {} of {}: {:#?}",
            wrong.len(),
            calls.len(),
            &wrong[..wrong.len().min(20)]
        );
    }
}

#[test]
fn names_of_cpp_functions_contain_their_scopes_and_operators() {
    let namespace = Namespace::GLOBAL.of_path(["a", "b"].map(Symbol::intern));
    let key = |owner, name: &str| FunctionKey::of(owner, Symbol::intern(name), None);
    let of = |owner, name: &str| mangle_in_cpp(key(owner, name), function(&[Ty::INT]));
    // `c++filt` writes these as `f(int)`, `a::b::f(int)`, `a::b::C::operator()(int)` and `operator+=(int)`.
    assert_eq!(of(DeclaringScope::Namespace(Namespace::GLOBAL), "f"), "_Z1fi");
    assert_eq!(of(DeclaringScope::Namespace(namespace), "f"), "_ZN1a1b1fEi");
    let class = RecordName::new(namespace, Symbol::intern("C"), Box::default());
    assert_eq!(of(DeclaringScope::Class(class), "operator()"), "_ZN1a1b1CclEi");
    assert_eq!(of(DeclaringScope::Namespace(Namespace::GLOBAL), "operator+="), "_ZpLi");
    let literal = DeclaringScope::Function { name: Symbol::intern("k"), literal: 1 };
    assert_eq!(of(literal, ""), "_Z11k_literal_1i");
}

/// The expected names were printed by clang 19 for CUDA.
#[test]
fn names_of_instances_contain_their_arguments_and_mention_the_parameters() {
    let parameter = |number| Ty::new(TyKind::Parameter(number));
    let generic = |to| Ty::pointer(to, AddressSpace::Generic);
    let reads = |to| match Ty::pointer(to, AddressSpace::Generic).kind() {
        TyKind::Pointer(pointer) => Ty::new(TyKind::Pointer(Pointer { constant: true, ..*pointer })),
        _ => unreachable!(),
    };
    let of_types = |result: Ty, parameters: &[Ty]| {
        let parameters = parameters.into();
        Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters, variadic: false })))
    };
    let symbol = |namespace: &[&str], name: &str, pattern: Ty, arguments: &[InstanceArgument]| {
        let namespace = Namespace::GLOBAL.of_path(namespace.iter().copied().map(Symbol::intern));
        let template =
            FunctionKey::of(DeclaringScope::Namespace(namespace), Symbol::intern(name), Some(pattern));
        let arguments = InstanceArguments::new(arguments);
        mangle_in_cpp(
            FunctionKey { arguments, ..template },
            tangle_hir::def::template::substituted(pattern, arguments),
        )
    };
    let (first, number) = (parameter(0), |value, ty| InstanceArgument::Value { value, ty });
    let float = InstanceArgument::Type(Ty::FLOAT);
    // template <class T> T ns::twice(T)
    let twice = of_types(first, &[first]);
    assert_eq!(symbol(&["ns"], "twice", twice, &[float]), "_ZN2ns5twiceIfEET_S1_");
    // template <class T> void swap_them(T &, T &)
    let reference = Ty::reference(first, AddressSpace::Generic);
    let swap = of_types(Ty::VOID, &[reference, reference]);
    assert_eq!(symbol(&[], "swap_them", swap, &[float]), "_Z9swap_themIfEvRT_S1_");
    // template <int N> int down(int)
    let down = of_types(Ty::INT, &[Ty::INT]);
    assert_eq!(symbol(&[], "down", down, &[number(4, Ty::INT)]), "_Z4downILi4EEii");
    assert_eq!(symbol(&[], "down", down, &[number(-4, Ty::INT)]), "_Z4downILin4EEii");
    // template <class T, int W> T reduce(T)
    let reduce = of_types(first, &[first]);
    let arguments = [InstanceArgument::Type(Ty::DOUBLE), number(16, Ty::INT)];
    assert_eq!(symbol(&[], "reduce", reduce, &arguments), "_Z6reduceIdLi16EET_S0_");
    // template <bool B, unsigned U> unsigned flag(unsigned)
    let flag = of_types(Ty::UINT, &[Ty::UINT]);
    let arguments = [number(1, Ty::BOOL), number(5, Ty::UINT)];
    assert_eq!(symbol(&[], "flag", flag, &arguments), "_Z4flagILb1ELj5EEjj");
    // template <class T> T first(T *, T *)
    let pointers = of_types(first, &[generic(first), generic(first)]);
    assert_eq!(symbol(&[], "first", pointers, &[float]), "_Z5firstIfET_PS0_S1_");
    // template <class T, int N> T ns::scaled(const T *, ns::Pt)
    let class = RecordName::new(
        Namespace::GLOBAL.of_path(["ns"].map(Symbol::intern)),
        Symbol::intern("Pt"),
        Box::default(),
    );
    let point =
        Ty::new(TyKind::Record(Box::new(Record { union: false, tag: Some(class), definition: None })));
    let scaled = of_types(first, &[reads(first), point]);
    let arguments = [float, number(7, Ty::INT)];
    assert_eq!(symbol(&["ns"], "scaled", scaled, &arguments), "_ZN2ns6scaledIfLi7EEET_PKS1_NS_2PtE");
    // template <> int down<1>(int), an explicit specialisation
    let template =
        FunctionKey::of(DeclaringScope::Namespace(Namespace::GLOBAL), Symbol::intern("down"), Some(down));
    let special = FunctionKey { head: InstanceArguments::new(&[number(1, Ty::INT)]), ..template };
    assert_eq!(mangle_in_cpp(special, down), "_Z4downILi1EEii");
    // void ns::inner(float *, float *, Pt *, Pt *)
    let all = [generic(Ty::FLOAT), generic(Ty::FLOAT), generic(point), generic(point)];
    assert_eq!(symbol(&["ns"], "inner", of_types(Ty::VOID, &all), &[]), "_ZN2ns5innerEPfS0_PNS_2PtES2_");
}

#[test]
fn vectors_are_named_as_in_their_language() {
    let symbol = |abi| {
        let float3 = Ty::vector_of(abi, Ty::FLOAT, 3);
        let half2 = Ty::vector_of(abi, Ty::HALF, 2);
        let double4 = Ty::vector_of(abi, Ty::DOUBLE, 4);
        let to = Ty::pointer(double4, AddressSpace::Global);
        mangle_in_cpp(FunctionKey::plain(Symbol::intern("f")), function(&[float3, to, float3, half2]))
    };
    assert_eq!(symbol(VectorAbi::OpenCl), "_Z1fDv3_fPDv4_dS_Dv2_Dh");
    assert_eq!(symbol(VectorAbi::Cuda), "_Z1f6float3P7double4S_7__half2");
    assert_eq!(symbol(VectorAbi::Hip), "_Z1f15HIP_vector_typeIfLj3EEPS_IdLj4EES0_7__half2");
}
