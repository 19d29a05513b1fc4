//! Unique names, as LLVM writes them.

use std::fmt::Write;

use rustc_hash::FxHashMap;

/// Creates unique names. The first request for a name gets it unchanged, and later ones get a number: `x`, `x.1`,
/// `x.2`.
///
/// No requested name ends in a dot and a number: names in C have no dots, and ours have no number after a dot.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    used: FxHashMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    pub fn fresh(&mut self, wanted: &'a str) -> String {
        let count = self.used.entry(wanted).or_insert(0);
        *count += 1;
        if *count == 1 { quoted(wanted) } else { quoted(&format!("{wanted}.{}", *count - 1)) }
    }
}

/// Returns the spelling of a name after `%` or `@`, with quotes if necessary.
pub(super) fn quoted(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_');
    let begins = |byte: u8| plain(byte) && !byte.is_ascii_digit();
    if name.bytes().next().is_some_and(begins) && name.bytes().all(plain) {
        return name.to_owned();
    }
    format!("\"{}\"", escaped(name.as_bytes()))
}

/// Returns the spelling of the symbol of a variable after `@`. A variable in a namespace of C++ has a symbol by the ABI of
/// Itanium: `_ZN3ops5tableE` for `ops::table`.
pub(super) fn variable(name: &str) -> String {
    if !name.contains("::") {
        return quoted(name);
    }
    let mut symbol = "_ZN".to_owned();
    for part in name.split("::") {
        let _ = write!(symbol, "{}{part}", part.len());
    }
    quoted(&(symbol + "E"))
}

/// Returns the spelling of bytes between quotes.
pub(super) fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'"' | b'\\' | 0..=0x1f | 0x7f.. => {
                let _ = write!(text, "\\{byte:02X}");
            }
            _ => text.push(char::from(byte)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::variable;

    #[test]
    fn variable_in_a_namespace_has_a_mangled_symbol() {
        assert_eq!(variable("table"), "table");
        assert_eq!(variable("k.part"), "k.part");
        assert_eq!(variable("ops::table"), "_ZN3ops5tableE");
        assert_eq!(variable("a::bc::def"), "_ZN1a2bc3defE");
    }
}
