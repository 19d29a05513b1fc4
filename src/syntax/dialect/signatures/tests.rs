//! Properties of the table of signatures.

use super::*;
use crate::dialect::{Name, opencl};

fn shown(name: &str) -> Vec<String> {
    let overloads = opencl().signatures().of(Symbol::intern(name)).expect("a builtin");
    overloads.functions.iter().map(|ty| show(*ty)).collect()
}

/// A short form of a type.
fn show(ty: Ty) -> String {
    match ty.kind() {
        TyKind::Function(function) => {
            let parameters: Vec<String> = function.parameters.iter().map(|ty| show(*ty)).collect();
            let dots = if function.variadic { ", ..." } else { "" };
            format!("{} ({}{dots})", show(function.result), parameters.join(", "))
        }
        TyKind::Void => "void".to_owned(),
        TyKind::Integer(integer) => integer.name().to_owned(),
        TyKind::Float(float) => float.name().to_owned(),
        TyKind::Vector { element, lanes, .. } => format!("{}{lanes}", show(*element)),
        TyKind::Pointer(pointer) => {
            let constant = if pointer.constant { "const " } else { "" };
            format!("{constant}{:?} {}*", pointer.space, show(pointer.pointee)).to_lowercase()
        }
        TyKind::Opaque(Opaque::Image { name, access }) => format!("{access:?} {name}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn row_expands_to_one_overload_per_type_choice() {
    let cross = ["half3 (half3, half3)", "half4 (half4, half4)", "float3 (float3, float3)"];
    assert_eq!(shown("cross")[..3], cross);
    assert_eq!(shown("cross").len(), 6);
    // Three floating-point types with one, two, three, four, eight and sixteen lanes; and the vectors with a scalar.
    assert_eq!(shown("fmax").len(), 3 * 6 + 3 * 5);
    // All eleven scalars with each number of lanes, in both directions.
    assert_eq!(shown("async_work_group_copy").len(), 2 * 66);
}

#[test]
fn type_in_name_selects_its_overloads() {
    assert_eq!(shown("vload2").len(), 11 * 2);
    assert_eq!(shown("vload2")[0], "char2 (ulong, const generic char*)");
    assert_eq!(
        shown("vload_half"),
        ["float (ulong, const generic half*)", "float (ulong, const constant half*)"]
    );
    let from: Vec<String> = shown("convert_uchar4_sat_rte");
    assert_eq!(from.len(), 11);
    assert_eq!(from[9], "uchar4 (float4)");
    assert!(
        opencl().signatures().of(Symbol::intern("convert_float4_sat")).is_none(),
        "only integers saturate"
    );
    assert!(opencl().signatures().of(Symbol::intern("vload5")).is_none());
}

#[test]
fn derived_types_follow_the_number_of_lanes() {
    assert_eq!(shown("isequal")[0], "int (half, half)");
    assert_eq!(shown("isequal")[1], "short2 (half2, half2)");
    assert!(shown("isequal").contains(&"long4 (double4, double4)".to_owned()));
    assert!(shown("upsample").contains(&"int2 (short2, ushort2)".to_owned()));
    assert!(shown("frexp").contains(&"double8 (double8, generic int8*)".to_owned()));
    assert!(shown("shuffle2").contains(&"float4 (float2, float2, uint4)".to_owned()));
}

#[test]
fn image_overloads_have_kind_and_access() {
    assert_eq!(
        shown("get_image_depth"),
        ["int (ReadOnly image3d_t)", "int (WriteOnly image3d_t)", "int (ReadWrite image3d_t)"]
    );
}

/// Names in the table of builtins without signatures, each with the reason.
const UNTYPED: [(&str, &str); 9] = [
    ("__builtin_amdgcn_", "a function of the compiler, whose types depend on the target"),
    ("__nvvm_", "a function of the compiler, whose types depend on the target"),
    ("__syncthreads", "a function of the compiler, whose types depend on the target"),
    ("intel_sub_group_2d_block_", "a family of hundreds of names that no header declares in one piece"),
    ("intel_sub_group_block_prefetch", "as above"),
    ("intel_sub_group_media_block_", "as above"),
    ("intel_sub_group_*matrix_mad_", "as above"),
    ("intel_sub_group_avc_", "video motion estimation: its own opaque types, for one generation of devices"),
    ("as_", "an operator on types: the type checker knows it"),
];

fn is_untyped(name: &str) -> bool {
    // An instruction of inline assembly, or a register.
    if name == "s_barrier" || name.contains([' ', '.', '%']) {
        return true;
    }
    UNTYPED.iter().any(|(start, _)| name.starts_with(start))
}

#[test]
fn names_in_builtin_table_have_signatures() {
    let signatures = opencl().signatures();
    let mut missing = Vec::new();
    for row in opencl().builtins().rows() {
        match &row.name {
            Name::Exact(name) if is_untyped(name) || signatures.has(Symbol::intern(name)) => {}
            Name::Pattern(pattern) if is_untyped(pattern) => {}
            Name::Pattern(pattern) => {
                let (start, end) = pattern.split_once('*').expect("a pattern must have a star");
                if !signatures
                    .names()
                    .any(|name| name.as_str().starts_with(start) && name.as_str().ends_with(end))
                {
                    missing.push(pattern);
                }
            }
            Name::Exact(name) => missing.push(name),
        }
    }
    assert!(missing.is_empty(), "without signatures: {missing:?}");
}

#[test]
fn names_with_signatures_are_in_builtin_table() {
    let known = |name: &Symbol| opencl().builtins().get(*name).is_some();
    let missing: Vec<Symbol> = opencl().signatures().names().filter(|name| !known(name)).collect();
    assert!(missing.is_empty(), "without a row in the table of builtins: {missing:?}");
}

#[test]
fn overloads_use_only_known_types() {
    for name in opencl().signatures().names() {
        let overloads = opencl().signatures().of(name).expect("the name is in the table");
        assert_eq!(overloads.functions.is_empty(), overloads.special, "{name}");
        for ty in &overloads.functions {
            let function = ty.as_function().expect("an overload must be a function");
            assert!(!function.result.is_unknown(), "{name}");
            assert!(function.parameters.iter().all(|ty| !ty.is_unknown() && !ty.is_void()), "{name}");
        }
    }
}

#[test]
fn enumeration_parameters_are_known_by_name() {
    let overloads =
        opencl().signatures().of(Symbol::intern("atomic_work_item_fence")).expect("must be a builtin");
    let names: Vec<Option<&str>> = (0..3)
        .map(|place| overloads.enumeration(overloads.functions[0], place).map(Symbol::as_str))
        .collect();
    assert_eq!(names, [None, Some("memory_order"), Some("memory_scope")]);
}

#[test]
fn parameters_have_the_names_of_the_specification() {
    let names = |function: &str, parameters: usize| -> Vec<&str> {
        let overloads = opencl().signatures().of(Symbol::intern(function)).expect("must be a builtin");
        let has_them = |ty: &&Ty| ty.as_function().is_some_and(|it| it.parameters.len() == parameters);
        let ty = overloads.functions.iter().find(has_them).expect("an overload has as many parameters");
        (0..parameters).filter_map(|at| overloads.parameter_name(*ty, at)).map(Symbol::as_str).collect()
    };
    assert_eq!(names("work_group_barrier", 2), ["flags", "scope"]);
    assert_eq!(names("atomic_cmpxchg", 3), ["p", "cmp", "val"]);
    assert_eq!(names("vstore4", 3), ["data", "offset", "p"]);
    // Each convergent builtin with arguments has a name for each.
    for name in opencl().signatures().names().filter(|name| name.as_str().starts_with("work_group_")) {
        // The types of some functions on pipes depend on their arguments.
        let Some((ty, known)) = opencl().signatures().first(name) else { continue };
        assert!(known.iter().all(Option::is_some), "{name}");
        assert_eq!(ty, opencl().signatures().of(name).expect("the name is in the table").functions[0]);
    }
}

#[test]
fn second_word_after_a_type_is_an_error() {
    let types = opencl().types();
    assert!(Signatures::read("f: (uint mask) -> void\n", types).is_ok());
    for row in ["f: (uint mask value) -> void\n", "f: (uint +) -> void\n", "f: () -> uint mask\n"] {
        let error = Signatures::read(row, types).unwrap_err();
        assert!(error.message.starts_with("expected a type, found `"), "{error}");
    }
}
