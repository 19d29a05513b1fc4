//! The target of a source: the language version or device that its settings name, and the macros that follow from it.
//!
//! | language | set by | defines |
//! |---|---|---|
//! | OpenCL | `[opencl] std = "CL3.1"`, `-cl-std=CL3.1` | `__OPENCL_C_VERSION__` as 310 |
//! | CUDA | `[cuda] arch = 80`, `-arch=sm_80`, `-gencode arch=compute_80,…` | `__CUDA_ARCH__` as 800 |
//! | HIP | `[hip] wave = 32`, `64` or `"both"` | `__AMDGCN_WAVEFRONT_SIZE` |
//!
//! The configuration is stronger than the build. A source is read once for each architecture or wavefront size in its
//! list.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use super::build::MacroOption;
use super::flags::{self, Flags};
use super::language::Language;
use super::tangle_toml::Config;

/// The table `[opencl]` of a `tangle.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Opencl")]
pub struct OpenclTable {
    /// The version of the language, as `-cl-std=` names it. Default: that of the build, or `CL3.0`.
    pub std: Option<Std>,
}

/// A version of OpenCL C or C++ for OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Std(&'static str);

impl<'de> Deserialize<'de> for Std {
    fn deserialize<D: Deserializer<'de>>(std: D) -> Result<Std, D::Error> {
        std.deserialize_str(StdVisitor)
    }
}

impl JsonSchema for Std {
    fn schema_name() -> Cow<'static, str> {
        "Std".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // clang accepts two spellings: all upper case, or all lower case.
        let spellings = flags::standards().flat_map(|name| [name.to_ascii_uppercase(), name.to_owned()]);
        json_schema!({ "type": "string", "enum": spellings.collect::<Vec<_>>() })
    }
}

struct StdVisitor;

impl Visitor<'_> for StdVisitor {
    type Value = Std;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a version such as \"CL1.2\", \"CL3.0\", \"CL3.1\" or \"CLC++2021\"")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Std, E> {
        flags::standard(word).map(Std).ok_or_else(|| E::invalid_value(Unexpected::Str(word), &self))
    }
}

/// The table `[cuda]` of a `tangle.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Cuda")]
pub struct CudaTable {
    /// The compute capability without its dot, such as 80; or a list, to analyse the files once for each.
    pub arch: Archs,
}

/// The architectures for which a source is read. Empty without a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archs(pub Vec<u32>);

impl<'de> Deserialize<'de> for Archs {
    fn deserialize<D: Deserializer<'de>>(archs: D) -> Result<Archs, D::Error> {
        archs.deserialize_any(ArchsVisitor)
    }
}

impl JsonSchema for Archs {
    fn schema_name() -> Cow<'static, str> {
        "Archs".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let arch = generator.subschema_for::<u32>();
        json_schema!({ "anyOf": [arch, { "type": "array", "items": arch }] })
    }
}

struct ArchsVisitor;

impl<'de> Visitor<'de> for ArchsVisitor {
    type Value = Archs;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a compute capability such as 80, or a list of them")
    }

    fn visit_i64<E: Error>(self, arch: i64) -> Result<Archs, E> {
        ArchVisitor.visit_i64(arch).map(|Arch(arch)| Archs(vec![arch]))
    }

    fn visit_str<E: Error>(self, arch: &str) -> Result<Archs, E> {
        ArchVisitor.visit_str(arch).map(|Arch(arch)| Archs(vec![arch]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Archs, A::Error> {
        let mut archs = Vec::new();
        while let Some(Arch(arch)) = list.next_element()? {
            archs.push(arch);
        }
        Ok(Archs(archs))
    }
}

/// A compute capability without its dot, from 10 to 199.
struct Arch(u32);

impl<'de> Deserialize<'de> for Arch {
    fn deserialize<D: Deserializer<'de>>(arch: D) -> Result<Arch, D::Error> {
        arch.deserialize_any(ArchVisitor)
    }
}

struct ArchVisitor;

const ARCH: &str = "a compute capability such as 80";

impl Visitor<'_> for ArchVisitor {
    type Value = Arch;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(ARCH)
    }

    fn visit_i64<E: Error>(self, arch: i64) -> Result<Arch, E> {
        match u32::try_from(arch) {
            Ok(arch @ 10..200) => Ok(Arch(arch)),
            // The user may have written the value of `__CUDA_ARCH__`.
            Ok(value @ 200..2000) if value % 10 == 0 => {
                let (found, meant) = (format!("integer `{value}`"), value / 10);
                Err(E::custom(format!("invalid value: {found}, expected {ARCH}; did you mean `{meant}`?")))
            }
            _ => Err(E::invalid_value(Unexpected::Signed(arch), &self)),
        }
    }

    fn visit_str<E: Error>(self, arch: &str) -> Result<Arch, E> {
        let number = ["sm_", "compute_"].iter().find_map(|prefix| arch.strip_prefix(prefix)).unwrap_or(arch);
        let number: String = number.chars().filter(|c| *c != '.').collect();
        match number.trim_end_matches(['a', 'f']).parse::<u32>() {
            Ok(meant @ 10..200) => {
                let found = format!("string {arch:?}");
                Err(E::custom(format!("invalid value: {found}, expected {ARCH}; did you mean `{meant}`?")))
            }
            _ => Err(E::invalid_value(Unexpected::Str(arch), &self)),
        }
    }
}

/// The table `[hip]` of a `tangle.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Hip")]
pub struct HipTable {
    /// Threads per wavefront: 32, 64, or `both` to analyse the files once for each.
    pub wave: Waves,
}

/// The wavefront sizes for which a source is read, in threads. Empty without a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waves(pub Vec<u32>);

impl<'de> Deserialize<'de> for Waves {
    fn deserialize<D: Deserializer<'de>>(waves: D) -> Result<Waves, D::Error> {
        waves.deserialize_any(WavesVisitor)
    }
}

impl JsonSchema for Waves {
    fn schema_name() -> Cow<'static, str> {
        "Waves".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [32, 64, "both"] })
    }
}

struct WavesVisitor;

impl Visitor<'_> for WavesVisitor {
    type Value = Waves;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("32, 64 or \"both\"")
    }

    fn visit_i64<E: Error>(self, size: i64) -> Result<Waves, E> {
        match size {
            32 => Ok(Waves(vec![32])),
            64 => Ok(Waves(vec![64])),
            _ => Err(E::invalid_value(Unexpected::Signed(size), &self)),
        }
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Waves, E> {
        match word {
            "both" => Ok(Waves(vec![32, 64])),
            _ => Err(E::invalid_value(Unexpected::Str(word), &self)),
        }
    }
}

/// The target of one build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DeviceTarget {
    pub language: Language,
    std: Option<Std>,
    arch: Option<u32>,
    /// The number of threads in a wavefront.
    pub wave: Option<u32>,
    /// The source is also read for other architectures or wavefront sizes.
    has_alternatives: bool,
}

impl DeviceTarget {
    /// Returns the targets for which a source in a language is read.
    pub fn of(language: Language, flags: &Flags, config: &Config) -> Vec<DeviceTarget> {
        let plain = DeviceTarget { language, ..DeviceTarget::default() };
        match language {
            Language::Cuda if !config.cuda.arch.0.is_empty() => {
                let archs = &config.cuda.arch.0;
                let target =
                    |&arch| DeviceTarget { arch: Some(arch), has_alternatives: archs.len() > 1, ..plain };
                archs.iter().map(target).collect()
            }
            Language::Cuda => vec![DeviceTarget { arch: flags.arch, ..plain }],
            Language::Hip if !config.hip.wave.0.is_empty() => {
                let waves = &config.hip.wave.0;
                let target =
                    |&wave| DeviceTarget { wave: Some(wave), has_alternatives: waves.len() > 1, ..plain };
                waves.iter().map(target).collect()
            }
            Language::Opencl => vec![DeviceTarget { std: config.opencl.std, ..plain }],
            Language::Hip => vec![plain],
        }
    }

    /// Returns the name in findings: the setting that distinguishes it from the other targets.
    pub fn name(self) -> Option<String> {
        let arch = self.arch.map(|arch| format!("arch = {arch}"));
        let wave = self.wave.map(|wave| format!("wave = {wave}"));
        arch.or(wave).filter(|_| self.has_alternatives)
    }

    /// Returns the macros that the target defines.
    pub fn macros(self) -> Vec<MacroOption> {
        let arch = self.arch.map(|arch| format!("__CUDA_ARCH__={}", arch.saturating_mul(10)));
        let wave = self.wave.map(|wave| format!("__AMDGCN_WAVEFRONT_SIZE={wave}"));
        arch.into_iter().chain(wave).map(MacroOption::Define).collect()
    }

    /// Returns the changes of the configured OpenCL version to the predefined macros. They override the version in the
    /// build.
    pub fn standard(self) -> Vec<MacroOption> {
        self.std.and_then(|Std(name)| flags::macros_of_standard(name)).unwrap_or_default()
    }
}
