//! Text for XML.

use std::fmt;

/// A text that is displayed with XML escapes, for content and attributes.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sign in self.0.chars() {
            match sign {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' => f.write_str("\n")?,
                // XML 1.0 has no notation for these.
                '\u{fffe}' | '\u{ffff}' => f.write_str("\u{fffd}")?,
                sign if sign.is_control() => f.write_str("\u{fffd}")?,
                sign => write!(f, "{sign}")?,
            }
        }
        Ok(())
    }
}

/// The number of columns of a text in a fixed-width font. East Asian characters have two columns.
pub fn width(text: &str) -> f64 {
    text.chars()
        .map(|sign| {
            if ('\u{1100}'..'\u{fb00}').contains(&sign) && !('\u{2000}'..'\u{2e80}').contains(&sign) {
                2.0
            } else {
                1.0
            }
        })
        .sum()
}
