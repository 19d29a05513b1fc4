//! Names against clang's.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Command;

use super::*;
use crate::hir::overload;

const TARGETS: [(&str, SpaceNames); 4] = [
    ("amdgcn-amd-amdhsa", SpaceNames::AMDGCN),
    ("nvptx64-nvidia-cuda", SpaceNames::NVPTX64),
    ("spir64-unknown-unknown", SpaceNames::SPIRV64),
    ("x86_64-unknown-linux-gnu", SpaceNames::X86_64),
];

fn pointer(pointee: Ty, space: AddressSpace, constant: bool, volatile: bool, restrict: bool) -> Ty {
    Ty::new(TyKind::Pointer(Pointer { pointee, space, constant, volatile, restrict }))
}

fn function(parameters: &[Ty]) -> Ty {
    let parameters = parameters.into();
    Ty::new(TyKind::Function(Box::new(FunctionTy { result: Ty::VOID, parameters, variadic: false })))
}

#[test]
fn pointees_carry_space_and_qualifiers() {
    let ty = function(&[pointer(Ty::vector(Ty::FLOAT, 4), AddressSpace::Global, true, true, true)]);
    let names = TARGETS.map(|(_, spaces)| mangle("f", ty, spaces));
    assert_eq!(names, [
        "_Z1fPU3AS1VKDv4_f",
        "_Z1fPU3AS1VKDv4_f",
        "_Z1fPU3AS1VKDv4_f",
        "_Z1fPU8CLglobalVKDv4_f"
    ]);
    let private = function(&[Ty::pointer(Ty::INT, AddressSpace::Private)]);
    let names = TARGETS.map(|(_, spaces)| mangle("f", private, spaces));
    assert_eq!(names, ["_Z1fPU3AS5i", "_Z1fPi", "_Z1fPi", "_Z1fPU9CLprivatei"]);
}

#[test]
fn what_stands_twice_is_substituted() {
    let global = Ty::pointer(Ty::INT, AddressSpace::Global);
    let vector = Ty::vector(Ty::UINT, 2);
    assert_eq!(
        mangle("f", function(&[global, global, vector, vector]), SpaceNames::SPIRV64),
        "_Z1fPU3AS1iS0_Dv2_jS1_"
    );
    // A private int is a component although nothing is written for its space.
    let private = Ty::pointer(Ty::INT, AddressSpace::Private);
    let twice = Ty::pointer(private, AddressSpace::Private);
    assert_eq!(mangle("f", function(&[private, private, twice]), SpaceNames::SPIRV64), "_Z1fPiS0_PS0_");
}

#[test]
fn functions_without_overloads_keep_their_names() {
    for name in ["printf", "to_global", "get_work_dim"] {
        let ty = overload::signatures(Symbol::intern(name)).first().copied().unwrap_or(function(&[]));
        let expected = match name {
            "printf" => "printf",
            "to_global" => "__to_global",
            _ => "_Z12get_work_dimv",
        };
        assert_eq!(mangle(name, ty, SpaceNames::SPIRV64), expected);
    }
}

#[test]
fn deep_types_do_not_end_the_stack() {
    let mut ty = Ty::INT;
    for _ in 0..20_000 {
        ty = Ty::pointer(ty, AddressSpace::Global);
    }
    let name = mangle("f", function(&[ty, ty]), SpaceNames::NVPTX64);
    assert!(name.starts_with("_Z1fPU3AS1PU3AS1") && name.ends_with('_'));
}

/// How OpenCL C writes a parameter's type, the name of the parameter included.
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
        TyKind::Vector { element, lanes } => format!("{}{lanes} {name}", declare(*element, "").trim()),
        TyKind::Atomic(of) => format!("atomic_{} {name}", declare(*of, "").trim()),
        TyKind::Record(record) => format!("{} {name}", record.tag.map_or("", Symbol::as_str)),
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

/// Extensions that clang's header does not declare.
fn is_foreign(name: &str) -> bool {
    const MORE: [&str; 6] = ["async_work_group_copy_", "arm_", "qcom_", "intel_work_group_barrier", "named_barrier", "atomic_dec_"];
    let uniform = ["mul", "and", "or", "xor"];
    let uniform = name.starts_with("work_group_") && uniform.iter().any(|end| name.ends_with(&format!("_{end}")));
    let chars = name.contains("block_read_u") || name.contains("block_write_u");
    let chars = chars && (name.contains("_uc") || name.contains("_ul"));
    uniform || chars || name == "work_group_named_barrier" || MORE.iter().any(|start| name.starts_with(start))
}

/// A file that calls overloads of every builtin with arguments of exactly their types; and the names that the calls must have.
fn calls(each: usize, target: &str) -> (String, Vec<Ty>, Vec<(String, Ty)>) {
    let mut text = String::new();
    let mut all = Vec::new();
    for name in overload::names() {
        let name = name.as_str();
        if is_foreign(name) || name == "printf" {
            continue;
        }
        let overloads = overload::signatures(Symbol::intern(name));
        for ty in overloads.iter().step_by((overloads.len() / each).max(1)) {
            let function = ty.as_function().expect("overloads are functions");
            let parameters: Vec<String> = (0..function.parameters.len()).map(|number| format!("p{number}")).collect();
            let declared: Vec<String> = function
                .parameters
                .iter()
                .zip(&parameters)
                .enumerate()
                .map(|(number, (parameter, name_of))| {
                    match signatures::of(Symbol::intern(name)).and_then(|of| of.enumeration(*ty, number)) {
                        Some(enumeration) => format!("{enumeration} {name_of}"),
                        None => declare(*parameter, name_of),
                    }
                })
                .collect();
            let number = all.len();
            let _ = writeln!(
                text,
                "void call{number}({}) {{ {name}({}); }}",
                declared.join(", "),
                parameters.join(", ")
            );
            all.push((name.to_owned(), *ty));
        }
    }
    let _ = target;
    (text, Vec::new(), all)
}
