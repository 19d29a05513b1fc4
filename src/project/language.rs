//! The language that a source is written in: as the user says, as the build says, or by the name of the file.

use std::path::Path;

use serde::Deserialize;

use crate::dialect::{self, opencl};

/// What `--dialect`, `dialect` in `tangle.toml` and an editor say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// By what the build says, and otherwise by the extension of the file.
    #[default]
    Auto,
    Opencl,
    Cuda,
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
    pub fn name(self) -> &'static str {
        match self {
            Language::Opencl => "OpenCL C",
            Language::Cuda => "CUDA",
            Language::Hip => "HIP",
        }
    }

    /// The language that an extension stands for; what has none of ours is OpenCL C if somebody wants it read.
    pub fn of_file(path: &Path) -> Language {
        if has_extension(path, &["cu", "cuh"]) {
            Language::Cuda
        } else if has_extension(path, &["hip"]) {
            Language::Hip
        } else {
            Language::Opencl
        }
    }

    /// The language that clang's `-x` names, if it is one for kernels.
    pub(super) fn of_option(name: &str) -> Option<Language> {
        match name {
            "cl" | "clcpp" => Some(Language::Opencl),
            "cuda" => Some(Language::Cuda),
            "hip" => Some(Language::Hip),
            _ => None,
        }
    }

    /// What the language is. None: it is not analysed.
    pub fn dialect(self) -> Option<dialect::Dialect> {
        match self {
            Language::Opencl => Some(opencl()),
            Language::Cuda | Language::Hip => None,
        }
    }

    pub fn is_analysed(self) -> bool {
        self.dialect().is_some()
    }

    /// The sentence on a language that is known and not analysed.
    pub fn refusal(self) -> String {
        format!("this version does not analyse {}", self.name())
    }
}

impl Dialect {
    /// The language that the user wants files read as, whatever they are called.
    pub fn language(self) -> Option<Language> {
        match self {
            Dialect::Auto => None,
            Dialect::Opencl => Some(Language::Opencl),
            Dialect::Cuda => Some(Language::Cuda),
            Dialect::Hip => Some(Language::Hip),
        }
    }
}

/// Whether a folder that is linted is searched for such files.
pub(super) fn is_kernel(path: &Path) -> bool {
    has_extension(path, &["cl", "ocl", "opencl"])
}

pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default();
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_known_by_extension() {
        for (path, language) in [
            ("a/b.CUH", Language::Cuda),
            ("b.hip", Language::Hip),
            ("cu", Language::Opencl),
            ("k.cl", Language::Opencl),
            ("k.h", Language::Opencl),
        ] {
            assert_eq!(Language::of_file(Path::new(path)), language, "{path}");
        }
        assert!(is_kernel(Path::new("k.OCL")) && !is_kernel(Path::new("k.clh")));
    }
}
