//! Patterns of the words in names that users choose.
//!
//! Names are compared by words, not by letters: `HALF_WARP_SIZE` has the words `half`, `warp` and `size`.
//! `background_up` does not end with the words `round` and `up`.

use std::fmt;
use std::str::FromStr;

/// A sequence of words. A name may have other words before or after it, if the pattern allows them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    words: Vec<String>,
    more_before: bool,
    more_after: bool,
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) =
            (if self.more_before { "… " } else { "" }, if self.more_after { " …" } else { "" });
        write!(f, "{before}{}{after}", self.words.join(" "))
    }
}

/// The error for a text that is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPattern(String);

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid pattern `{}`: write words in small letters, such as `round up`, with `…` for more words at the beginning or end",
            self.0
        )
    }
}

impl std::error::Error for InvalidPattern {}

impl FromStr for Pattern {
    type Err = InvalidPattern;

    /// Reads words in small letters. `…` at the start or at the end allows more words there.
    fn from_str(text: &str) -> Result<Pattern, InvalidPattern> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let more_before = words.first() == Some(&"…");
        let more_after = words.len() > 1 && words.last() == Some(&"…");
        words.retain(|&word| word != "…");
        let is_word =
            |word: &&str| word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
        if words.is_empty() || !words.iter().all(is_word) {
            return Err(InvalidPattern(text.to_owned()));
        }
        Ok(Pattern { words: words.into_iter().map(str::to_owned).collect(), more_before, more_after })
    }
}

impl Pattern {
    /// Whether the words of a name match the pattern.
    pub fn matches(&self, words: &[String]) -> bool {
        match (self.more_before, self.more_after) {
            (false, false) => *words == self.words,
            (true, false) => words.ends_with(&self.words),
            (false, true) => words.starts_with(&self.words),
            (true, true) => words.windows(self.words.len()).any(|window| *window == self.words),
        }
    }
}

/// Whether the words of a name match a pattern, and do not include a word of `unless`.
pub fn any_matches<'a>(
    mut patterns: impl Iterator<Item = &'a Pattern>,
    unless: &[String],
    words: &[String],
) -> bool {
    patterns.any(|pattern| pattern.matches(words)) && !words.iter().any(|word| unless.contains(word))
}

/// Returns the words of a name, in small letters: `roundUp`, `ROUND_UP` and `RoundUp` have the words `round` and `up`.
/// Digits belong to the letters before them.
pub fn words(name: &str) -> impl Iterator<Item = String> + '_ {
    let letters = name.as_bytes();
    let is_boundary = |at: usize| {
        let (before, here, after) = (letters[at - 1], letters[at], letters.get(at + 1));
        let begins = here.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || before.is_ascii_uppercase() && after.is_some_and(u8::is_ascii_lowercase));
        begins || before == b'_' || here == b'_'
    };
    let mut from = 0;
    std::iter::from_fn(move || {
        let begin = from;
        if begin == letters.len() {
            return None;
        }
        from = (begin + 1..letters.len()).find(|&at| is_boundary(at)).unwrap_or(letters.len());
        Some(String::from_utf8_lossy(&letters[begin..from]).to_ascii_lowercase())
    })
    .filter(|word| word != "_")
}
