//! Headlines: what a finding says in one line. What does not fit stands at its places.

/// The longest headline, in characters.
pub const LONGEST: usize = 120;

/// The first of several ways to say something that takes no more than so many characters; the shortest, if none of them fits.
pub fn fitting(phrases: impl IntoIterator<Item = String>, room: usize) -> String {
    let length = |phrase: &String| phrase.chars().count();
    let phrases: Vec<String> = phrases.into_iter().collect();
    let shortest = phrases.iter().min_by_key(|phrase| length(phrase)).cloned().unwrap_or_default();
    phrases.into_iter().find(|phrase| length(phrase) <= room).unwrap_or(shortest)
}
