//! Texts in pictures: their length, and the characters that cannot be drawn.

/// The maximum length of a text in characters. Longer texts are cut.
pub const MAX_TEXT: usize = 76;

/// Replaces tabs by spaces, and characters that cannot be drawn or written in XML by U+FFFD.
pub fn expanded(text: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\t' => expanded.push_str("    "),
            '\u{fffe}' | '\u{ffff}' => expanded.push('\u{fffd}'),
            sign if sign.is_control() => expanded.push('\u{fffd}'),
            sign => expanded.push(sign),
        }
    }
    expanded
}

/// Breaks a text into lines of at most `most` characters. A longer word has its own line.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().map(|line| line.chars().count()).unwrap_or(0);
        if line > 0 && line + 1 + word.chars().count() > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Cuts a text that is too long.
pub fn cut(text: &str) -> String {
    let text = expanded(text);
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
