//! Decodes the bytes of a file as text. Real kernels contain Latin-1 comments, byte order marks and UTF-16, which are
//! accepted. Binary files are rejected.

/// The decoded content of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Decoded {
    Text(String),
    /// A binary file, with the offset and a description of the bytes that show this. The line and column count bytes,
    /// because the file has no characters.
    Binary {
        offset: usize,
        line: usize,
        column: usize,
        what: &'static str,
    },
}

/// A NUL byte among the first `HEAD` bytes marks a binary file. A later one is a stray character.
const HEAD: usize = 8 << 10;

/// The first bytes of files that users pass as kernels by mistake.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x7FELF", "the signature of an ELF object"),
    (b"\x03\x02\x23\x07", "the signature of a SPIR-V module"),
    (b"\x07\x23\x02\x03", "the signature of a SPIR-V module"),
    (b"BC\xC0\xDE", "the signature of LLVM bitcode"),
    (b"\x89PNG", "the signature of a PNG image"),
    (b"PK\x03\x04", "the signature of a ZIP archive"),
    (b"\x1F\x8B", "the signature of a gzip archive"),
    (b"\xFF\xFE\0\0", "a UTF-32 byte order mark"),
    (b"\0\0\xFE\xFF", "a UTF-32 byte order mark"),
];

pub fn decode(bytes: Vec<u8>) -> Decoded {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Decoded::Binary { offset: 0, line: 1, column: 1, what };
    }
    if let Some(units) = bytes.strip_prefix(b"\xFF\xFE") {
        return Decoded::Text(utf16(units, u16::from_le_bytes));
    }
    if let Some(units) = bytes.strip_prefix(b"\xFE\xFF") {
        return Decoded::Text(utf16(units, u16::from_be_bytes));
    }
    if let Some(offset) = bytes.iter().take(HEAD).position(|byte| *byte == 0) {
        let before = &bytes[..offset];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        return Decoded::Binary { offset, line, column, what: "a NUL byte" };
    }
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    Decoded::Text(text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        match decode(bytes.to_vec()) {
            Decoded::Text(text) => text,
            binary => panic!("{binary:?}"),
        }
    }

    #[test]
    fn byte_order_marks_are_recognized() {
        assert_eq!(text(b""), "");
        assert_eq!(text(b"\xEF\xBB\xBFint \xC2\xB5;"), "int µ;");
        assert_eq!(text(b"\xFF\xFEi\0\xB5\0"), "iµ");
        assert_eq!(text(b"\xFE\xFF\0i\0\xB5"), "iµ");
        assert_eq!(text(b"\xFF\xFE\0\xD8i\0x"), "\u{FFFD}i\u{FFFD}", "half a pair, half a unit");
    }

    #[test]
    fn latin_1_is_accepted() {
        assert_eq!(text(b"// caf\xE9\nint x;"), "// caf\u{FFFD}\nint x;");
    }

    #[test]
    fn binary_files_are_rejected() {
        let elf = Decoded::Binary { offset: 0, line: 1, column: 1, what: "the signature of an ELF object" };
        assert_eq!(decode(b"\x7FELF\x02".to_vec()), elf);
        let nul = Decoded::Binary { offset: 6, line: 2, column: 4, what: "a NUL byte" };
        assert_eq!(decode(b"a;\nint\0x".to_vec()), nul);
        let mut late = vec![b' '; HEAD];
        late.push(0);
        assert!(matches!(decode(late), Decoded::Text(_)), "a stray NUL far into a text");
    }
}
