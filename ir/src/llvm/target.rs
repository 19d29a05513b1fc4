//! Properties of targets for LLVM: triple, data layout, numbers of address spaces, calling conventions.

use tangle_base::{Access, AddressSpace};

use crate::scope::Scope;
use crate::types::{Opaque, Pointer, TyKind};

/// The target machine of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// AMD's graphics processors, through ROCm.
    Amdgcn,
    /// NVIDIA's graphics processors, through PTX.
    Nvptx64,
    /// SPIR-V.
    Spirv64,
    /// The CPU, for tests.
    X86_64,
    /// No machine: address spaces and calling conventions of SPIR, no triple.
    None,
}

impl Target {
    /// Returns the target with this name on the command line.
    pub fn by_name(name: &str) -> Option<Target> {
        Some(match name {
            "amdgcn" => Target::Amdgcn,
            "nvptx64" => Target::Nvptx64,
            "spirv64" => Target::Spirv64,
            "x86_64" => Target::X86_64,
            "none" => Target::None,
            _ => return None,
        })
    }

    pub(super) fn triple(self) -> Option<&'static str> {
        match self {
            Target::Amdgcn => Some("amdgcn-amd-amdhsa"),
            Target::Nvptx64 => Some("nvptx64-nvidia-cuda"),
            Target::Spirv64 => Some("spirv64-unknown-unknown"),
            Target::X86_64 => Some("x86_64-unknown-linux-gnu"),
            Target::None => None,
        }
    }

    /// Returns the data layout of LLVM 19. Without a data layout, LLVM would align 64-bit integers to 32 bits. So
    /// [`Target::None`] has that of SPIR.
    pub(super) fn data_layout(self) -> &'static str {
        match self {
            Target::Amdgcn => {
                "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-\
                 p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-\
                 v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
            }
            Target::Nvptx64 => "e-i64:64-i128:128-v16:16-v32:32-n16:32:64",
            Target::Spirv64 | Target::None => {
                "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
            }
            Target::X86_64 => {
                "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
            }
        }
    }

    pub(super) fn space(self, space: AddressSpace) -> u8 {
        match (self, space) {
            (Target::X86_64, _) => 0,
            (_, AddressSpace::Global) => 1,
            (_, AddressSpace::Local) => 3,
            (Target::Amdgcn, AddressSpace::Private) => 5,
            (Target::Amdgcn | Target::Nvptx64, AddressSpace::Constant) => 4,
            (Target::Amdgcn | Target::Nvptx64, AddressSpace::Generic) => 0,
            (Target::Spirv64 | Target::None, AddressSpace::Constant) => 2,
            (Target::Spirv64 | Target::None, AddressSpace::Generic) => 4,
            (_, AddressSpace::Private) => 0,
        }
    }

    /// Returns the address space of a pointer. Functions are in space 0 on every target, in spite of their space in C.
    pub(super) fn pointer_space(self, pointer: &Pointer) -> u8 {
        match pointer.pointee.kind() {
            TyKind::Function(_) => 0,
            _ => self.space(pointer.space),
        }
    }

    /// Whether the type is a pointer of 4 bytes.
    pub(super) fn is_small_pointer(self, text: &str) -> bool {
        self == Target::Amdgcn && matches!(text, "ptr addrspace(3)" | "ptr addrspace(5)")
    }

    /// Whether the null pointer of this space is not address 0: 0 is a valid address in local and private memory.
    pub(super) fn null_is_cast(self, space: u8) -> bool {
        self == Target::Amdgcn && matches!(space, 3 | 5)
    }

    /// Returns the alignment of 128-bit integers in LLVM.
    pub(super) fn int128_align(self) -> u32 {
        match self {
            Target::Nvptx64 | Target::X86_64 => 16,
            Target::Amdgcn | Target::Spirv64 | Target::None => 8,
        }
    }

    /// Returns the scope of an atomic or a fence, after a space. Empty: all threads.
    pub(super) fn sync_scope(self, scope: Scope) -> &'static str {
        match (self, scope) {
            (Target::Amdgcn, Scope::None) => " syncscope(\"singlethread\")",
            (Target::Amdgcn, Scope::Subgroup) => " syncscope(\"wavefront\")",
            (Target::Amdgcn, Scope::Workgroup) => " syncscope(\"workgroup\")",
            (Target::Amdgcn, Scope::Cluster | Scope::Grid) => " syncscope(\"agent\")",
            (Target::Nvptx64, Scope::None | Scope::Subgroup | Scope::Workgroup) => " syncscope(\"block\")",
            (Target::Nvptx64, Scope::Cluster | Scope::Grid) => " syncscope(\"device\")",
            _ => "",
        }
    }

    pub(super) fn kernel_convention(self) -> &'static str {
        match self {
            Target::Amdgcn => "amdgpu_kernel ",
            Target::Nvptx64 => "ptx_kernel ",
            Target::Spirv64 | Target::None => "spir_kernel ",
            Target::X86_64 => "",
        }
    }

    pub(super) fn function_convention(self) -> &'static str {
        match self {
            Target::Spirv64 | Target::None => "spir_func ",
            _ => "",
        }
    }

    /// Whether kernels can be called like other functions. On other targets, only the host can launch them.
    pub(super) fn calls_kernels(self) -> bool {
        self == Target::X86_64
    }

    /// Whether the code generator leads all exits of a cycle through one block, and cannot keep a token there
    /// ([`exits`](crate::flow::exits)).
    pub(super) fn unifies_exits(self) -> bool {
        self == Target::Amdgcn
    }

    /// Returns the type of an opaque value. `None` if the target has no such type.
    pub(super) fn opaque(self, opaque: &Opaque) -> Option<String> {
        if matches!(opaque, Opaque::NdRange | Opaque::VaList) {
            return None;
        }
        match self {
            Target::Spirv64 | Target::None => spirv(opaque),
            Target::Amdgcn => Some(
                match opaque {
                    Opaque::Image { .. } | Opaque::Sampler => "ptr addrspace(4)",
                    Opaque::Event => "ptr addrspace(5)",
                    _ => "ptr addrspace(1)",
                }
                .to_owned(),
            ),
            // These are handles of textures and samplers.
            Target::Nvptx64 if matches!(opaque, Opaque::Image { .. } | Opaque::Sampler) => {
                Some("i64".to_owned())
            }
            Target::Nvptx64 | Target::X86_64 => Some("ptr".to_owned()),
        }
    }
}

fn access(access: Access) -> u8 {
    match access {
        Access::ReadOnly => 0,
        Access::WriteOnly => 1,
        Access::ReadWrite => 2,
    }
}

/// Returns the SPIR-V type of an opaque value. An image has the parameters of `OpTypeImage`: dimension, depth, arrayed,
/// multisampled, sampled, format, access.
fn spirv(opaque: &Opaque) -> Option<String> {
    Some(match opaque {
        Opaque::Image { name, access: qualifier } => {
            let name = name.as_str();
            let dimension = match name {
                _ if name.starts_with("image1d_buffer") => 5,
                _ if name.starts_with("image1d") => 0,
                _ if name.starts_with("image2d") => 1,
                _ if name.starts_with("image3d") => 2,
                _ => return None,
            };
            let depth = u8::from(name.contains("depth"));
            let arrayed = u8::from(name.contains("array"));
            let multisampled = u8::from(name.contains("msaa"));
            format!(
                "target(\"spirv.Image\", void, {dimension}, {depth}, {arrayed}, {multisampled}, 0, 0, {})",
                access(*qualifier)
            )
        }
        Opaque::Pipe { access: qualifier, .. } => format!("target(\"spirv.Pipe\", {})", access(*qualifier)),
        Opaque::Sampler => "target(\"spirv.Sampler\")".to_owned(),
        Opaque::Event => "target(\"spirv.Event\")".to_owned(),
        Opaque::ClkEvent => "target(\"spirv.DeviceEvent\")".to_owned(),
        Opaque::Queue => "target(\"spirv.Queue\")".to_owned(),
        Opaque::ReserveId => "target(\"spirv.ReserveId\")".to_owned(),
        Opaque::NdRange | Opaque::VaList => return None,
    })
}
