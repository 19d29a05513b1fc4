//! `#pragma pack`: how far the members of a record may be aligned.
//!
//! Which pragma is in force where a record begins depends on all the text before it. The preprocessor follows that, and hands on
//! pragmas that say it outright (`pack(4)`, never `pack(pop)`), so that an item's tokens and the packing at its start tell all.

/// The alignment beyond which no member of a record is aligned: 1, 2, 4, 8 or 16 bytes, or any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Packing {
    /// 0: any.
    bytes: u8,
}

impl Packing {
    /// None for a number that `#pragma pack` does not take; 0 stands for any alignment.
    pub fn new(bytes: u64) -> Option<Packing> {
        matches!(bytes, 0 | 1 | 2 | 4 | 8 | 16).then_some(Packing { bytes: bytes as u8 })
    }

    /// In bytes.
    pub fn limit(self) -> Option<u32> {
        (self.bytes != 0).then_some(self.bytes.into())
    }

    /// The text of the pragma, behind `#pragma`, that puts it in force.
    pub fn pragma(self) -> String {
        self.limit().map_or("pack()".into(), |limit| format!("pack({limit})"))
    }

    /// The packing that a pragma handed on by the preprocessor puts in force; none if the pragma is about something else.
    pub fn of_pragma(text: &str) -> Option<Packing> {
        let number = text.strip_prefix("pack(")?.strip_suffix(')')?;
        Packing::new(if number.is_empty() { 0 } else { number.parse().ok()? })
    }
}
