//! Headlines: a finding in one line. Details that do not fit are in its labels.
//!
//! A headline has at most [`LONGEST`] characters, if its names permit this. Quoted names count as at most 30 characters
//! in total, so that a long name does not displace the explanation.

/// The maximum length of a headline, in characters.
pub const LONGEST: usize = 100;

/// The maximum length that the quoted names of a headline count as, in characters.
const MAX_COUNTED_NAMES: usize = 30;

/// The maximum length of a headline with the full length of its names, in characters.
const LIMIT: usize = 140;

/// Whether a headline is short enough.
pub fn fits(headline: &str) -> bool {
    let length = headline.chars().count();
    let quoted = headline.split('`').skip(1).step_by(2).map(|name| name.chars().count() + 2);
    let names: usize = quoted.sum();
    length - names.saturating_sub(MAX_COUNTED_NAMES).min(length) <= LONGEST && length <= LIMIT
}

/// Returns the first headline that [`fits`], or the shortest one if none fits.
pub fn fitting(headlines: impl IntoIterator<Item = String>) -> String {
    let headlines: Vec<String> = headlines.into_iter().collect();
    let shortest = headlines.iter().min_by_key(|headline| headline.chars().count()).cloned();
    headlines.into_iter().find(|headline| fits(headline)).or(shortest).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_quoted_names_count_only_in_part() {
        assert!(fits(&"w".repeat(100)));
        assert!(!fits(&"w".repeat(101)));
        assert!(fits(&format!("{} `{}`", "w".repeat(69), "n".repeat(60))));
        assert!(!fits(&format!("{} `{}`", "w".repeat(70), "n".repeat(60))));
        assert!(!fits(&format!("`{}`", "n".repeat(140))));
    }
}
