//! Rewrites errors of values in a settings file in the terms of the file format.
//!
//! Settings are read with `serde`, whose messages name Rust types. [`rewrite_serde_error`] rewrites each of these messages to the
//! expected and the found value.

/// Returns the message for an error of `serde`. `table` is the format's name for a map. `within` names the table of an
/// unknown or missing key, with a space before it; it can be empty. Messages of this project remain unchanged.
pub fn rewrite_serde_error(message: &str, table: &str, within: &str) -> String {
    if let Some((message, name)) =
        message.split_once("; did you mean ").filter(|_| message.starts_with("invalid "))
    {
        return format!("{}; did you mean {name}", plain(message, table, within));
    }
    let sentence = plain(message, table, within);
    let found = sentence.rsplit_once(", found ").and_then(|(wanted, found)| {
        let word = found.strip_prefix("the string ").unwrap_or(found).trim_matches(['`', '"']);
        Some((quoted(wanted.rsplit_once("expected ")?.1), word))
    });
    let near = found.and_then(|(known, word)| nearest(word, &known));
    match near {
        Some(name) => format!("{sentence}; did you mean `{name}`?"),
        None => sentence,
    }
}

/// Returns the known name that is most similar to a word, if it is similar enough.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = |name: &&&str| strsim::jaro_winkler(word, name);
    known.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|name| near(name) > 0.8).copied()
}

fn plain(message: &str, table: &str, within: &str) -> String {
    let after = |beginning: &str| message.strip_prefix(beginning);
    let mismatch = after("invalid type: ").or_else(|| after("invalid value: "));
    if let Some((found, wanted)) = mismatch.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("expected {}, found {}", expected(wanted, table), describe_found(found, table));
    }
    let length = after("invalid length ");
    if let Some((length, wanted)) = length.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("expected {}, found a list of length {length}", expected(wanted, table));
    }
    let variant = after("unknown variant `");
    if let Some((word, known)) = variant.and_then(|rest| rest.split_once("`, expected ")) {
        return format!("expected {}, found `{word}`", either(&quoted(known)));
    }
    let field = after("unknown field `");
    if let Some((key, known)) = field.and_then(|rest| rest.split_once("`, expected ")) {
        let known = quoted(known);
        return match nearest(key, &known) {
            Some(name) => format!("unknown key `{key}`{within}; did you mean `{name}`?"),
            None => format!("unknown key `{key}`{within}: expected {}", either(&known)),
        };
    }
    if let Some(key) = after("missing field ") {
        return format!("missing key {key}{within}");
    }
    if let Some(key) = after("duplicate field ") {
        return format!("duplicate key {key}{within}");
    }
    message.to_owned()
}

/// Describes the expected value.
fn expected<'a>(wanted: &'a str, table: &'a str) -> &'a str {
    match wanted {
        "a map" => table,
        "a sequence" => "a list",
        "a boolean" => "`true` or `false`",
        "path string" => "a path",
        "string or map" => "a string",
        "u32" => "an integer from 0 to 4294967295",
        "i64" => "an integer",
        _ if wanted.starts_with("struct ") => table,
        _ => wanted,
    }
}

/// Describes the found value.
fn describe_found(found: &str, table: &str) -> String {
    let of_kind = |kind: &&str| found.strip_prefix(*kind);
    match found {
        "map" => table.to_owned(),
        "sequence" => "a list".to_owned(),
        "null" | "unit value" => "`null`".to_owned(),
        // The value is already in backticks.
        _ => match ["boolean ", "integer ", "floating point "].iter().find_map(of_kind) {
            Some(value) => value.to_owned(),
            None => match found.strip_prefix("string ") {
                Some(text) => format!("the string {text}"),
                None => found.to_owned(),
            },
        },
    }
}

/// Returns the names between backticks.
fn quoted(list: &str) -> Vec<&str> {
    list.split('`').skip(1).step_by(2).collect()
}

/// Joins names as `a`, `b` or `c`.
fn either(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::rewrite_serde_error;

    #[test]
    fn serde_messages_are_rewritten() {
        for (message, expected) in [
            ("invalid type: integer `3`, expected a string", "expected a string, found `3`"),
            ("invalid type: string \"x\", expected a sequence", "expected a list, found the string \"x\""),
            ("invalid type: map, expected a boolean", "expected `true` or `false`, found a table"),
            ("invalid type: sequence, expected struct Row", "expected a table, found a list"),
            (
                "invalid value: integer `-1`, expected u32",
                "expected an integer from 0 to 4294967295, found `-1`",
            ),
            ("invalid length 0, expected a pair", "expected a pair, found a list of length 0"),
            ("unknown variant `x`, expected one of `a`, `b`, `c`", "expected `a`, `b` or `c`, found `x`"),
            ("unknown variant `x`, expected `a` or `b`", "expected `a` or `b`, found `x`"),
            (
                "unknown variant `opncl`, expected `opencl` or `cuda`",
                "expected `opencl` or `cuda`, found `opncl`; did you mean `opencl`?",
            ),
            (
                "invalid value: string \"eror\", expected `error` or `note`",
                "expected `error` or `note`, found the string \"eror\"; did you mean `error`?",
            ),
            ("unknown field `arc`, expected `arch`", "unknown key `arc` in `[cuda]`; did you mean `arch`?"),
            ("unknown field `x`, expected `a` or `b`", "unknown key `x` in `[cuda]`: expected `a` or `b`"),
            ("missing field `name`", "missing key `name` in `[cuda]`"),
            ("a message of our own", "a message of our own"),
        ] {
            assert_eq!(rewrite_serde_error(message, "a table", " in `[cuda]`"), expected);
        }
    }
}
