//! Text from the input, for a terminal.

/// Text from the input as it may go to a terminal: a name or message could hold escape sequences.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { tame_char(c) }).collect()
}

/// The same on one line.
pub fn tame(text: &str) -> String {
    text.chars().map(tame_char).collect()
}

/// A character that moves nothing on the screen but the cursor, by one.
pub fn tame_char(c: char) -> char {
    match c {
        '\t' | '\r' | '\n' | '\x0B' | '\x0C' => ' ',
        // What turns the direction of writing can make code look like other code.
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' => {
            char::REPLACEMENT_CHARACTER
        }
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}
