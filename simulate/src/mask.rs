//! What builtins compute on masks: a `uint4` with a bit for each thread of a sub-group.

use crate::value::{Val, number};

/// A mask as one number.
fn bits(mask: &Val) -> Option<u128> {
    let Val::Vector(words) = mask else { return None };
    words.iter().zip([0, 32, 64, 96]).try_fold(0, |bits, (word, low)| match word {
        Val::Undefined => None,
        word => Some(bits | (number(word) as u128 & 0xffff_ffff) << low),
    })
}

/// A number as a mask.
pub(crate) fn mask(bits: u128) -> Val {
    Val::Vector([0, 32, 64, 96].map(|low| Val::Int((bits >> low & 0xffff_ffff) as i128)).into())
}

/// The bits below a number of a lane, up to 128.
fn below(lane: usize) -> u128 {
    1u128.checked_shl(lane as u32).map_or(u128::MAX, |bit| bit - 1)
}

/// What a thread gets of a builtin on masks, by its lane and the number of lanes. None: the name is another.
pub(crate) fn builtin(name: &str, arguments: &[Val], lane: usize, lanes: usize) -> Option<Val> {
    if let Some(relation) = name.strip_prefix("get_sub_group_").and_then(|rest| rest.strip_suffix("_mask")) {
        let all = below(lanes);
        return Some(mask(match relation {
            "eq" => 1 << lane,
            "ge" => all & !below(lane),
            "gt" => all & !below(lane + 1),
            "le" => below(lane + 1),
            "lt" => below(lane),
            _ => return None,
        }));
    }
    let what = name.strip_prefix("sub_group_")?;
    let what = what.strip_prefix("ballot_").unwrap_or(what);
    let known = [
        "inverse_ballot",
        "bit_extract",
        "bit_count",
        "inclusive_scan",
        "exclusive_scan",
        "find_lsb",
        "find_msb",
    ];
    if !known.contains(&what) {
        return None;
    }
    let Some(set) = arguments.first().and_then(bits) else { return Some(Val::Undefined) };
    let set = set & below(lanes);
    let is_set = |lane: i128| {
        u32::try_from(lane).is_ok_and(|lane| set.checked_shr(lane).is_some_and(|it| it & 1 == 1))
    };
    Some(Val::Int(match what {
        "inverse_ballot" => is_set(lane as i128).into(),
        "bit_extract" => is_set(number(arguments.get(1)?)).into(),
        "bit_count" => set.count_ones().into(),
        "inclusive_scan" => (set & below(lane + 1)).count_ones().into(),
        "exclusive_scan" => (set & below(lane)).count_ones().into(),
        // Of a mask without bits there is neither.
        _ if set == 0 => return Some(Val::Undefined),
        "find_lsb" => set.trailing_zeros().into(),
        _ => (127 - set.leading_zeros()).into(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_what_the_language_says() {
        let given = |name: &str, arguments: &[Val]| builtin(name, arguments, 33, 40).unwrap();
        let odd = mask(0xaa_aaaa_aaaa);
        let count = |name: &str| given(name, std::slice::from_ref(&odd));
        assert_eq!(count("sub_group_ballot_bit_count"), Val::Int(20));
        assert_eq!(count("sub_group_ballot_inclusive_scan"), Val::Int(17));
        assert_eq!(count("sub_group_ballot_exclusive_scan"), Val::Int(16));
        assert_eq!(count("sub_group_ballot_find_lsb"), Val::Int(1));
        assert_eq!(count("sub_group_ballot_find_msb"), Val::Int(39));
        assert_eq!(count("sub_group_inverse_ballot"), Val::Int(1));
        assert_eq!(given("sub_group_ballot_bit_extract", &[odd, Val::Int(32)]), Val::Int(0));
        assert_eq!(given("get_sub_group_eq_mask", &[]), mask(1 << 33));
        assert_eq!(given("get_sub_group_gt_mask", &[]), mask(0xfc_0000_0000));
        assert_eq!(given("get_sub_group_ge_mask", &[]), mask(0xfe_0000_0000));
        assert_eq!(given("get_sub_group_lt_mask", &[]), mask(0x1_ffff_ffff));
        assert_eq!(given("get_sub_group_le_mask", &[]), mask(0x3_ffff_ffff));
        assert_eq!(builtin("sub_group_ballot", &[], 0, 4), None);
        // A sub-group of as many lanes as there are bits.
        assert_eq!(builtin("get_sub_group_ge_mask", &[], 127, 128), Some(mask(1 << 127)));
        assert_eq!(builtin("get_sub_group_gt_mask", &[], 127, 128), Some(mask(0)));
    }
}
