//! `#pragma pack`: the maximum alignment of the members of a record.
//!
//! The pragma in force at the start of a record depends on all the text before it. The preprocessor tracks
//! this. It passes on pragmas with an explicit value (`pack(4)`, never `pack(pop)`), so the tokens of an item
//! and the packing at its start are sufficient.

/// The maximum alignment of the members of a record: 1, 2, 4, 8 or 16 bytes, or no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Packing {
    /// 0: no limit.
    bytes: u8,
}

impl Packing {
    /// Returns `None` for a number that `#pragma pack` does not accept. 0 means no limit.
    pub fn new(bytes: u64) -> Option<Packing> {
        matches!(bytes, 0 | 1 | 2 | 4 | 8 | 16).then_some(Packing { bytes: bytes as u8 })
    }

    /// The limit in bytes; `None` if there is no limit.
    pub fn limit(self) -> Option<u32> {
        (self.bytes != 0).then_some(self.bytes.into())
    }

    /// The text of the pragma that sets this packing, without `#pragma`.
    pub fn pragma(self) -> String {
        self.limit().map_or("pack()".into(), |limit| format!("pack({limit})"))
    }

    /// The packing that a pragma from the preprocessor sets; `None` for a pragma of another kind.
    pub fn of_pragma(text: &str) -> Option<Packing> {
        let number = text.strip_prefix("pack(")?.strip_suffix(')')?;
        Packing::new(if number.is_empty() { 0 } else { number.parse().ok()? })
    }
}
