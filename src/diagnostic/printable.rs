//! Sanitizes text from the input for a terminal.

/// Replaces control characters in a text, except line breaks. A name or message can contain escape sequences.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { printable_char(c) }).collect()
}

/// Replaces control characters and line breaks in a text.
pub fn single_line(text: &str) -> String {
    text.chars().map(printable_char).collect()
}

/// Replaces a character that would do more than advance the cursor by one.
pub fn printable_char(c: char) -> char {
    match c {
        '\t' | '\r' | '\n' | '\x0B' | '\x0C' => ' ',
        // Characters that change the writing direction can disguise code.
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' => {
            char::REPLACEMENT_CHARACTER
        }
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}
