//! Computes the results of builtins on masks: a `uint4`, or an unsigned integer, with a bit for each thread of a
//! sub-group.

use crate::operation::Mask;
use crate::value::{Value, number};

/// Converts a mask to a number. `None` if the value is not a mask, or undefined.
fn bits(mask: &Value) -> Option<u128> {
    let words = match mask {
        Value::Vector(words) => words,
        // A mask of CUDA or HIP is an unsigned integer.
        Value::Int(bits) => return u128::try_from(*bits).ok(),
        _ => return None,
    };
    words.iter().zip([0, 32, 64, 96]).try_fold(0, |bits, (word, low)| match word {
        Value::Undefined => None,
        word => Some(bits | (number(word) as u128 & 0xffff_ffff) << low),
    })
}

/// Converts a number to a mask.
pub(crate) fn mask(bits: u128) -> Value {
    Value::Vector([0, 32, 64, 96].map(|low| Value::Int((bits >> low & 0xffff_ffff) as i128)).into())
}

/// The bits of all lanes below `lane`, which is at most 128.
fn below(lane: usize) -> u128 {
    1u128.checked_shl(lane as u32).map_or(u128::MAX, |bit| bit - 1)
}

/// The number of threads of a tile: a power of two. `None` if the argument is not one.
pub(crate) fn tile_size(argument: &Value) -> Option<usize> {
    usize::try_from(argument.as_int()?).ok().filter(|size| size.is_power_of_two())
}

/// The result of an operation on masks, for a thread in `lane` of a sub-group of `lanes` threads.
pub(crate) fn compute(op: Mask, arguments: &[Value], lane: usize, lanes: usize) -> Value {
    let all = below(lanes);
    let set = || arguments.first().and_then(bits).map(|set| set & all);
    let of = |number: &dyn Fn(u128) -> Option<u32>| match set().and_then(number) {
        Some(number) => Value::Int(number.into()),
        None => Value::Undefined,
    };
    let is_set = |set: u128, lane: u32| set.checked_shr(lane).map_or(0, |bits| (bits & 1) as u32);
    match op {
        Mask::Equal => mask(1 << lane),
        Mask::GreaterOrEqual => mask(all & !below(lane)),
        Mask::Greater => mask(all & !below(lane + 1)),
        Mask::LessOrEqual => mask(below(lane + 1)),
        Mask::Less => mask(below(lane)),
        Mask::Own => of(&|set| Some(is_set(set, lane as u32))),
        Mask::Extract => {
            of(&|set| Some(u32::try_from(number(arguments.get(1)?)).map_or(0, |lane| is_set(set, lane))))
        }
        Mask::Count => of(&|set| Some(set.count_ones())),
        Mask::InclusiveScan => of(&|set| Some((set & below(lane + 1)).count_ones())),
        Mask::ExclusiveScan => of(&|set| Some((set & below(lane)).count_ones())),
        // A mask without bits has no first and no last lane.
        Mask::First => of(&|set| (set != 0).then(|| set.trailing_zeros())),
        Mask::Last => of(&|set| set.checked_ilog2()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mask_operations_compute_expected_values() {
        let given = |op: Mask, arguments: &[Value]| compute(op, arguments, 33, 40);
        let odd = mask(0xaa_aaaa_aaaa);
        let of_odd = |op: Mask| given(op, std::slice::from_ref(&odd));
        assert_eq!(of_odd(Mask::Count), Value::Int(20));
        assert_eq!(of_odd(Mask::InclusiveScan), Value::Int(17));
        assert_eq!(of_odd(Mask::ExclusiveScan), Value::Int(16));
        assert_eq!(of_odd(Mask::First), Value::Int(1));
        assert_eq!(of_odd(Mask::Last), Value::Int(39));
        assert_eq!(of_odd(Mask::Own), Value::Int(1));
        assert_eq!(given(Mask::Extract, &[odd.clone(), Value::Int(32)]), Value::Int(0));
        assert_eq!(given(Mask::Extract, &[odd, Value::Int(-1)]), Value::Int(0));
        assert_eq!(given(Mask::Equal, &[]), mask(1 << 33));
        assert_eq!(given(Mask::Greater, &[]), mask(0xfc_0000_0000));
        assert_eq!(given(Mask::GreaterOrEqual, &[]), mask(0xfe_0000_0000));
        assert_eq!(given(Mask::Less, &[]), mask(0x1_ffff_ffff));
        assert_eq!(given(Mask::LessOrEqual, &[]), mask(0x3_ffff_ffff));
        for op in [Mask::First, Mask::Last] {
            assert_eq!(given(op, &[mask(0)]), Value::Undefined);
        }
        assert_eq!(given(Mask::Count, &[Value::Undefined]), Value::Undefined);
        // A sub-group with as many lanes as a mask has bits.
        assert_eq!(compute(Mask::GreaterOrEqual, &[], 127, 128), mask(1 << 127));
        assert_eq!(compute(Mask::Greater, &[], 127, 128), mask(0));
    }
}
