//! Which builtin a symbol or an intrinsic is.
//!
//! A symbol of a library function has the name of the function and the types of its parameters (Itanium C++ ABI). An
//! intrinsic of a target has a row in a table.
//!
//! ```text
//! _Z7barrierj                     → barrier(uint)
//! llvm.nvvm.read.ptx.sreg.tid.x   → get_local_id(0)
//! llvm.amdgcn.s.barrier           → __syncthreads() of HIP
//! ```

use tangle_base::AddressSpace;
use tangle_ir::types::{Integer, Pointer, Ty, TyKind};

/// The language that a module was compiled from. It has the names of the builtins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// OpenCL C.
    OpenCl,
    /// CUDA.
    Cuda,
    /// HIP.
    Hip,
}

/// Returns the language of a module, by its triple and the metadata of OpenCL.
pub fn language(text: &str) -> Language {
    let lines = || text.lines();
    if lines().any(|line| line.starts_with("!opencl.ocl.version =")) {
        return Language::OpenCl;
    }
    let triple = lines().find_map(|line| line.strip_prefix("target triple = \""));
    match triple {
        Some(triple) if triple.starts_with("nvptx") => Language::Cuda,
        Some(triple) if triple.starts_with("amdgcn") => Language::Hip,
        _ => Language::OpenCl,
    }
}

/// The type of a parameter or of the result of a builtin, compared with that of its intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Of the same type.
    Same,
    /// `int`.
    Int,
    /// `uint`.
    UInt,
    /// `ulong`.
    ULong,
    /// `int` instead of `i1`.
    Truth,
    /// No result.
    Void,
}

/// A builtin for an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The name of the intrinsic. Its suffix for a type may follow.
    pub intrinsic: &'static str,
    /// The names in OpenCL C, CUDA and HIP.
    names: [&'static str; 3],
    /// The parameters. Further arguments of the intrinsic are dropped.
    pub parameters: &'static [Form],
    pub result: Form,
    /// Whether it matters which threads execute it together.
    pub is_convergent: bool,
}

const fn row(
    intrinsic: &'static str,
    names: [&'static str; 3],
    parameters: &'static [Form],
    result: Form,
) -> Row {
    Row { intrinsic, names, parameters, result, is_convergent: true }
}

const fn one(intrinsic: &'static str, name: &'static str, parameters: &'static [Form], result: Form) -> Row {
    row(intrinsic, [name, name, name], parameters, result)
}

/// A number that each thread has without others.
const fn query(intrinsic: &'static str, name: &'static str, parameters: &'static [Form]) -> Row {
    Row { is_convergent: false, ..one(intrinsic, name, parameters, UInt) }
}

use Form::{Int, Same, Truth, UInt, ULong, Void};

/// The intrinsics of targets that are builtins with the same operands.
const ROWS: &[Row] = &[
    one("llvm.nvvm.barrier0", "__syncthreads", &[], Void),
    one("llvm.nvvm.barrier.cta.sync.aligned.all", "__syncthreads", &[], Void),
    one("llvm.nvvm.barrier.cta.sync.all", "__syncthreads", &[], Void),
    one("llvm.nvvm.barrier0.popc", "__syncthreads_count", &[Int], Int),
    one("llvm.nvvm.barrier0.and", "__syncthreads_and", &[Int], Int),
    one("llvm.nvvm.barrier0.or", "__syncthreads_or", &[Int], Int),
    row("llvm.nvvm.bar.warp.sync", ["__nvvm_bar_warp_sync", "__syncwarp", "__syncwarp"], &[UInt], Void),
    row(
        "llvm.nvvm.vote.all.sync",
        ["__nvvm_vote_all_sync", "__all_sync", "__all_sync"],
        &[UInt, Truth],
        Truth,
    ),
    row(
        "llvm.nvvm.vote.any.sync",
        ["__nvvm_vote_any_sync", "__any_sync", "__any_sync"],
        &[UInt, Truth],
        Truth,
    ),
    row(
        "llvm.nvvm.vote.uni.sync",
        ["__nvvm_vote_uni_sync", "__uni_sync", "__uni_sync"],
        &[UInt, Truth],
        Truth,
    ),
    row(
        "llvm.nvvm.vote.ballot.sync",
        ["__nvvm_vote_ballot_sync", "__ballot_sync", "__ballot_sync"],
        &[UInt, Truth],
        UInt,
    ),
    row("llvm.nvvm.activemask", ["__nvvm_activemask", "__activemask", "__activemask"], &[], UInt),
    row(
        "llvm.nvvm.match.any.sync",
        ["__nvvm_match_any_sync_i32", "__match_any_sync", "__match_any_sync"],
        &[UInt, Same],
        UInt,
    ),
    query("llvm.nvvm.read.ptx.sreg.laneid", "get_sub_group_local_id", &[]),
    query("llvm.nvvm.read.ptx.sreg.warpsize", "get_max_sub_group_size", &[]),
    query("llvm.amdgcn.wavefrontsize", "get_max_sub_group_size", &[]),
    query("llvm.spv.thread.id", "get_global_id", &[UInt]),
    query("llvm.spv.thread.id.in.group", "get_local_id", &[UInt]),
    query("llvm.spv.group.id", "get_group_id", &[UInt]),
    row(
        "llvm.amdgcn.s.barrier",
        ["__builtin_amdgcn_s_barrier", "__builtin_amdgcn_s_barrier", "__syncthreads"],
        &[],
        Void,
    ),
    row(
        "llvm.amdgcn.wave.barrier",
        ["__builtin_amdgcn_wave_barrier", "__builtin_amdgcn_wave_barrier", "__syncwarp"],
        &[],
        Void,
    ),
    row(
        "llvm.amdgcn.ballot.i64",
        ["__builtin_amdgcn_ballot_w64", "__builtin_amdgcn_ballot_w64", "__ballot"],
        &[Truth],
        ULong,
    ),
    one("llvm.amdgcn.ballot.i32", "__builtin_amdgcn_ballot_w32", &[Truth], UInt),
    one("llvm.amdgcn.readfirstlane", "__builtin_amdgcn_readfirstlane", &[Same], Same),
    one("llvm.amdgcn.readlane", "__builtin_amdgcn_readlane", &[Same, UInt], Same),
    one("__ockl_wgred_add_i32", "__syncthreads_count", &[Int], Int),
    one("__ockl_wgred_and_i32", "__syncthreads_and", &[Int], Int),
    one("__ockl_wgred_or_i32", "__syncthreads_or", &[Int], Int),
];

/// Intrinsics that are an index or a size in one dimension, which is a letter at their end.
const DIMENSIONS: [(&str, &str); 6] = [
    ("llvm.nvvm.read.ptx.sreg.tid.", "get_local_id"),
    ("llvm.nvvm.read.ptx.sreg.ctaid.", "get_group_id"),
    ("llvm.nvvm.read.ptx.sreg.ntid.", "get_local_size"),
    ("llvm.nvvm.read.ptx.sreg.nctaid.", "get_num_groups"),
    ("llvm.amdgcn.workitem.id.", "get_local_id"),
    ("llvm.amdgcn.workgroup.id.", "get_group_id"),
];

/// The names of OpenCL C for builtin variables of SPIR-V, after `__spirv_BuiltIn`.
const SPIRV: [(&str, &str); 14] = [
    ("GlobalInvocationId", "get_global_id"),
    ("LocalInvocationId", "get_local_id"),
    ("WorkgroupId", "get_group_id"),
    ("GlobalSize", "get_global_size"),
    ("WorkgroupSize", "get_local_size"),
    ("EnqueuedWorkgroupSize", "get_enqueued_local_size"),
    ("NumWorkgroups", "get_num_groups"),
    ("GlobalOffset", "get_global_offset"),
    ("WorkDim", "get_work_dim"),
    ("LocalInvocationIndex", "get_local_linear_id"),
    ("SubgroupLocalInvocationId", "get_sub_group_local_id"),
    ("SubgroupId", "get_sub_group_id"),
    ("SubgroupSize", "get_sub_group_size"),
    ("SubgroupMaxSize", "get_max_sub_group_size"),
];

impl Row {
    /// Returns the name of the builtin in a language.
    pub fn name(&self, language: Language) -> &'static str {
        self.names[language as usize]
    }

    /// Returns the row of an intrinsic.
    pub fn of(intrinsic: &str) -> Option<&'static Row> {
        let is_suffix = |rest: &str| rest.is_empty() || is_type_suffix(rest);
        ROWS.iter().find(|row| intrinsic.strip_prefix(row.intrinsic).is_some_and(is_suffix))
    }
}

/// Whether the rest of the name of an intrinsic is a type: `.i32`, `.p1`.
fn is_type_suffix(rest: &str) -> bool {
    let word = rest.strip_prefix('.').unwrap_or_default();
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    digits.len() < word.len() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the index or size that an intrinsic yields, and its dimension.
pub(crate) fn dimension(intrinsic: &str) -> Option<(&'static str, u32)> {
    let (name, axis) =
        DIMENSIONS.iter().find_map(|&(prefix, name)| Some((name, intrinsic.strip_prefix(prefix)?)))?;
    Some((name, ["x", "y", "z"].iter().position(|&it| it == axis)? as u32))
}

/// Returns the name in OpenCL C of a builtin variable of SPIR-V.
pub(crate) fn spirv_variable(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("__spirv_BuiltIn")?;
    SPIRV.iter().find(|(known, _)| *known == name).map(|&(_, name)| name)
}

/// The name and the parameters in a mangled symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demangled<'a> {
    pub name: &'a str,
    /// The types of the parameters. `None`: a type that no number has.
    pub parameters: Vec<Option<Ty>>,
}

/// Returns the name and the parameters in the symbol of a function that is in no namespace and is no template.
pub(crate) fn demangled(symbol: &str) -> Option<Demangled<'_>> {
    let mut mangled =
        Mangled { rest: symbol.strip_prefix("_Z")?, known: Vec::new(), is_constant: false, depth: 0 };
    let name = mangled.source_name()?;
    let mut parameters = Vec::new();
    while !mangled.rest.is_empty() {
        let parameter = mangled.ty()?;
        if parameter != Some(Ty::VOID) {
            parameters.push(parameter);
        }
    }
    Some(Demangled { name, parameters })
}

/// The rest of a mangled symbol.
struct Mangled<'a> {
    rest: &'a str,
    /// The types that `S_` and `S0_` repeat.
    known: Vec<Option<Ty>>,
    /// Whether `const` was among the last qualifiers.
    is_constant: bool,
    depth: u32,
}

/// Returns the type of a pointer to generic memory.
fn pointer(pointee: Ty, constant: bool) -> Ty {
    let space = AddressSpace::Generic;
    Ty::new(TyKind::Pointer(Pointer {
        pointee,
        space,
        constant,
        volatile: false,
        restrict: false,
        reference: false,
    }))
}

/// The builtin types by their letters.
const LETTERS: [(&str, Ty); 16] = [
    ("v", Ty::VOID),
    ("b", Ty::BOOL),
    ("c", Ty::CHAR),
    ("a", Ty::CHAR),
    ("h", Ty::UCHAR),
    ("s", Ty::SHORT),
    ("t", Ty::USHORT),
    ("i", Ty::INT),
    ("j", Ty::UINT),
    ("l", Ty::LONG),
    ("m", Ty::ULONG),
    ("x", Ty::LONG),
    ("y", Ty::ULONG),
    ("Dh", Ty::HALF),
    ("f", Ty::FLOAT),
    ("d", Ty::DOUBLE),
];

impl<'a> Mangled<'a> {
    fn eat(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn digits(&mut self) -> Option<usize> {
        let end = self.rest.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(self.rest.len());
        let number = self.rest[..end].parse().ok();
        self.rest = &self.rest[end..];
        number
    }

    fn source_name(&mut self) -> Option<&'a str> {
        let length = self.digits()?;
        let name = self.rest.get(..length)?;
        self.rest = &self.rest[length..];
        Some(name)
    }

    /// Reads a qualifier, if one is there: `const`, `volatile`, `restrict`, or one of the vendor, such as an address space.
    fn qualifier(&mut self) -> Option<bool> {
        match self.eat("U") {
            true => self.source_name().map(|_| true),
            false => {
                let is_constant = self.eat("K");
                self.is_constant |= is_constant;
                Some(is_constant || self.eat("V") || self.eat("r"))
            }
        }
    }

    /// Reads a type. `Some(None)` is a type without a counterpart.
    fn ty(&mut self) -> Option<Option<Ty>> {
        self.depth += 1;
        let ty = if self.depth > 64 { None } else { self.type_inside() };
        self.depth -= 1;
        ty
    }

    fn type_inside(&mut self) -> Option<Option<Ty>> {
        if let Some(&(letter, ty)) = LETTERS.iter().find(|(letter, _)| self.rest.starts_with(letter)) {
            self.eat(letter);
            return Some(Some(ty));
        }
        if self.eat("n") || self.eat("o") {
            return Some(Some(Ty::integer(Integer::Int128)));
        }
        if self.eat("S") {
            let number = match self.eat("_") {
                true => 0,
                false => {
                    let end = self.rest.find('_')?;
                    let number = usize::from_str_radix(&self.rest[..end], 36).ok()?;
                    self.rest = &self.rest[end + 1..];
                    number.checked_add(1)?
                }
            };
            return self.known.get(number).copied();
        }
        let ty = if self.eat("P") || self.eat("R") {
            self.is_constant = false;
            self.ty()?.map(|pointee| pointer(pointee, std::mem::take(&mut self.is_constant)))
        } else if self.qualifier()? {
            // Several qualifiers are one type for repetitions.
            while self.qualifier()? {}
            self.ty()?
        } else if self.eat("Dv") {
            let lanes = u8::try_from(self.digits()?).ok()?;
            if !self.eat("_") {
                return None;
            }
            let element = self.ty()?;
            element.filter(|_| (2..=16).contains(&lanes)).map(|element| Ty::vector(element, lanes))
        } else if self.rest.starts_with(|digit: char| digit.is_ascii_digit()) {
            self.source_name()?;
            None
        } else {
            return None;
        };
        self.known.push(ty);
        Some(ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The types by the Itanium C++ ABI, section *Type encodings*.
    #[test]
    fn symbols_have_a_name_and_parameters() {
        let float4 = Ty::vector(Ty::FLOAT, 4);
        let int2 = Ty::vector(Ty::INT, 2);
        for (symbol, name, parameters) in [
            ("_Z7barrierj", "barrier", vec![Some(Ty::UINT)]),
            ("_Z12get_work_dimv", "get_work_dim", vec![]),
            ("_Z5clampDv4_fS_S_", "clamp", vec![Some(float4); 3]),
            ("_Z10atomic_addPU3AS1Vii", "atomic_add", vec![Some(pointer(Ty::INT, false)), Some(Ty::INT)]),
            ("_Z6vload4mPU3AS2Kf", "vload4", vec![Some(Ty::ULONG), Some(pointer(Ty::FLOAT, true))]),
            (
                "_Z11read_imagei14ocl_image2d_ro11ocl_samplerDv2_i",
                "read_imagei",
                vec![None, None, Some(int2)],
            ),
        ] {
            assert_eq!(demangled(symbol), Some(Demangled { name, parameters }), "{symbol}");
        }
        assert_eq!(demangled("_ZN3ops3sumEi"), None);
        assert_eq!(demangled("barrier"), None);
    }

    #[test]
    fn intrinsics_have_a_builtin_in_each_language() {
        let name = |intrinsic, language| Row::of(intrinsic).map(|row| row.name(language));
        assert_eq!(name("llvm.amdgcn.s.barrier", Language::Hip), Some("__syncthreads"));
        assert_eq!(
            name("llvm.amdgcn.readfirstlane.i32", Language::OpenCl),
            Some("__builtin_amdgcn_readfirstlane")
        );
        assert_eq!(name("llvm.nvvm.barrier0.popc", Language::Cuda), Some("__syncthreads_count"));
        assert_eq!(name("llvm.amdgcn.s.barrier.signal", Language::Hip), None);
        assert_eq!(dimension("llvm.nvvm.read.ptx.sreg.tid.y"), Some(("get_local_id", 1)));
    }
}
