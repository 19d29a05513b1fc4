//! The language of a source: as set by the user or the build, or as derived from its file name and content.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{embedded, read};
use tangle_syntax::dialect::content::{has_device_words, is_cuda_or_hip};
use tangle_syntax::dialect::{self, cuda, hip, opencl};

/// The language of sources, as `--dialect`, `tangle.toml` or an editor gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The dialect of the build; otherwise from the extension and the content of the file.
    #[default]
    Auto,
    /// OpenCL C.
    Opencl,
    /// CUDA.
    Cuda,
    /// HIP.
    Hip,
}

/// The language of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    #[default]
    Opencl,
    Cuda,
    Hip,
}

impl Language {
    /// Returns the language of a source without a configured language, by its extension and, if that is ambiguous, by
    /// its content.
    ///
    /// LLVM IR (`.ll`) has the language that it was compiled from. A `.cu` or `.cuh` file is CUDA, or HIP if it includes headers of HIP but not of CUDA. A C or C++ file is CUDA
    /// or HIP if it contains device keywords, and no OpenCL in its literals. Any other file is OpenCL C, unless its
    /// content is [CUDA or HIP](is_cuda_or_hip).
    pub fn of_source(path: &Path) -> Language {
        Language::of_named(path, || read::file(path).ok().map(|text| text.text().to_owned()))
    }

    /// Returns the same for a text that differs from the file, or whose file does not exist yet.
    pub fn of_file(path: &Path, text: &str) -> Language {
        Language::of_named(path, || Some(text.to_owned()))
    }

    fn of_named(path: &Path, text: impl FnOnce() -> Option<String>) -> Language {
        let is_cuda = has_extension(path, &["cu", "cuh"]);
        if has_extension(path, &["hip"]) {
            return Language::Hip;
        }
        if has_extension(path, &["ll"]) {
            let language = text().map(|text| tangle_llvm::language(&text));
            return language.map_or(Language::Opencl, |language| match language {
                tangle_llvm::Language::OpenCl => Language::Opencl,
                tangle_llvm::Language::Cuda => Language::Cuda,
                tangle_llvm::Language::Hip => Language::Hip,
            });
        }
        let by_name = if is_cuda { Language::Cuda } else { Language::Opencl };
        text().map_or(by_name, |text| match is_cuda || embedded::is_host(path) {
            true => Language::of_text(&text, is_cuda),
            false => Language::of_unnamed(&text),
        })
    }

    /// Returns the language of a text without a file name, by its content.
    pub fn of_unnamed(text: &str) -> Language {
        if is_cuda_or_hip(text) { Language::of_text(text, false) } else { Language::Opencl }
    }

    /// Returns the language of a text in a C or C++ file, or in a file with a CUDA extension (`is_cuda`).
    fn of_text(text: &str, is_cuda: bool) -> Language {
        if !is_cuda && (!has_device_words(text) || !embedded::read(text).programs.is_empty()) {
            return Language::Opencl;
        }
        let includes = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
        let headers = includes.filter_map(|line| {
            let name = line.trim_start().strip_prefix("include")?.trim_start();
            name.strip_prefix(['<', '"'])
        });
        let (mut hip, mut cuda) = (false, false);
        for header in headers {
            hip |= header.starts_with("hip/") || header.starts_with("hip_runtime");
            cuda |= header.starts_with("cuda") || header.starts_with("cub/");
        }
        match !cuda && (hip || text.contains("hipLaunchKernelGGL")) {
            true => Language::Hip,
            false => Language::Cuda,
        }
    }

    /// Returns the kernel language that `-x` of clang or nvcc names, or `None` for other languages.
    pub(super) fn of_option(name: &str) -> Option<Language> {
        match name {
            "cl" | "clcpp" => Some(Language::Opencl),
            "cuda" | "cu" => Some(Language::Cuda),
            "hip" => Some(Language::Hip),
            _ => None,
        }
    }

    /// Returns the definition of the language.
    pub fn dialect(self) -> dialect::Dialect {
        match self {
            Language::Opencl => opencl(),
            Language::Cuda => cuda(),
            Language::Hip => hip(),
        }
    }
}

impl Dialect {
    /// Returns the language that the user sets for all files, or `None` for `Auto`.
    pub fn language(self) -> Option<Language> {
        match self {
            Dialect::Auto => None,
            Dialect::Opencl => Some(Language::Opencl),
            Dialect::Cuda => Some(Language::Cuda),
            Dialect::Hip => Some(Language::Hip),
        }
    }
}

/// Returns whether a search in a folder finds files with this extension.
pub(super) fn is_kernel(path: &Path) -> bool {
    has_extension(path, &["cl", "ocl", "opencl", "cu", "cuh", "hip"])
}

pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default();
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_is_determined_by_extension() {
        for (path, language) in [
            ("a/b.CUH", Language::Cuda),
            ("b.hip", Language::Hip),
            ("cu", Language::Opencl),
            ("k.cl", Language::Opencl),
            ("k.h", Language::Opencl),
        ] {
            assert_eq!(Language::of_source(Path::new(path)), language, "{path}");
        }
        assert!(
            is_kernel(Path::new("k.OCL")) && is_kernel(Path::new("k.cuh")) && !is_kernel(Path::new("k.clh"))
        );
    }

    #[test]
    fn language_of_unnamed_text_depends_on_content() {
        assert_eq!(Language::of_unnamed("__global__ void k() {}"), Language::Cuda);
        assert_eq!(
            Language::of_unnamed("#include <hip/hip_runtime.h>\n__global__ void k() {}"),
            Language::Hip
        );
        assert_eq!(Language::of_unnamed("#define __global__\nkernel void k() {}"), Language::Opencl);
        assert_eq!(Language::of_unnamed(""), Language::Opencl);
    }

    #[test]
    fn content_decides_if_extension_is_ambiguous() {
        let kernel = "__global__ void k() {}";
        let of = |text: &str| (Language::of_text(text, true), Language::of_text(text, false));
        assert_eq!(of(kernel), (Language::Cuda, Language::Cuda));
        assert_eq!(of("int main() {}"), (Language::Cuda, Language::Opencl));
        let hip = format!("#include <hip/hip_runtime.h>\n{kernel}");
        assert_eq!(of(&hip), (Language::Hip, Language::Hip));
        assert_eq!(of(&format!(" # include \"cuda_runtime.h\"\n{hip}")).0, Language::Cuda);
        assert_eq!(
            of(&format!("{kernel} void f() {{ hipLaunchKernelGGL(k, 1, 2, 0, 0); }}")).1,
            Language::Hip
        );
        // A C++ file with OpenCL in literals remains OpenCL.
        let embedded =
            format!("{kernel}\nconst char *s = R\"(kernel void k(global int *p) {{ p[0] = 1; }})\";");
        assert_eq!(of(&embedded), (Language::Cuda, Language::Opencl));
    }
}
