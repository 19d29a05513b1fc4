//! Text for sets of lanes and for masks.

/// The maximum number of ranges that a list of lanes has.
const LONGEST_LIST: usize = 3;

/// Returns a noun phrase for some lanes: `lanes 16 to 31`, `lane 4`, `lanes 0, 2 and 5 to
/// 7`. If there are too many ranges, the list ends with `others`.
pub fn lanes(lanes: u64) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut rest = lanes;
    while rest != 0 {
        let first = rest.trailing_zeros();
        let count = (rest >> first).trailing_ones();
        ranges.push((first, first + count - 1));
        rest &= u64::MAX.checked_shl(first + count).unwrap_or(0);
    }
    let mut parts: Vec<String> = Vec::new();
    for &(first, last) in ranges.iter().take(LONGEST_LIST) {
        match last - first {
            0 => parts.push(first.to_string()),
            1 => parts.extend([first.to_string(), last.to_string()]),
            _ => parts.push(format!("{first} to {last}")),
        }
    }
    if ranges.len() > LONGEST_LIST {
        parts.push("others".to_owned());
    }
    let last = parts.pop().unwrap_or_default();
    let noun = if lanes.count_ones() == 1 { "lane" } else { "lanes" };
    match parts.is_empty() {
        true => format!("{noun} {last}"),
        false => format!("{noun} {} and {last}", parts.join(", ")),
    }
}

/// Returns a mask as in a source: `0xffff`.
pub fn mask(mask: u64) -> String {
    format!("{mask:#x}")
}

#[cfg(test)]
mod tests {
    use super::lanes;

    #[test]
    fn lists_of_lanes_are_short() {
        assert_eq!(lanes(1 << 4), "lane 4");
        assert_eq!(lanes(0xffff_0000), "lanes 16 to 31");
        assert_eq!(lanes(0b1110_0101), "lanes 0, 2 and 5 to 7");
        assert_eq!(lanes(0b11), "lanes 0 and 1");
        assert_eq!(lanes(0xaaaa_aaaa), "lanes 1, 3, 5 and others");
        assert_eq!(lanes(u64::MAX), "lanes 0 to 63");
    }
}
