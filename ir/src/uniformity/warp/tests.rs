//! Lane values and reaching lanes. The expectations are computed by hand from the definitions.

use super::*;
use crate::flow::shape::GraphAnalysis;
use crate::operation::{Collective, CollectiveOp, Index, Lane, Mask, Math, Outside, Size};
use crate::text;

const ALL: u64 = 0xffff_ffff;

/// The operations of the builtins in these tests.
fn operation(callee: &Callee) -> Option<Operation> {
    let masked = |op| Operation::Collective(Collective { value: 1, mask: Some(0), ..Collective::of(op) });
    let shuffle =
        |from| masked(CollectiveOp::Shuffle { from, by: 2, outside: Outside::Segments { size: 3 } });
    Some(match callee.name()?.as_str() {
        "get_local_id" => Operation::Index(Index::Local),
        "get_local_size" => Operation::Size(Size::Local),
        "get_sub_group_local_id" => Operation::Index(Index::Lane),
        "popcount" => Operation::Math(Math::CountOnes),
        "find_first" => Operation::Math(Math::FindFirst),
        "leading_zeros" => Operation::Math(Math::LeadingZeros),
        "reverse_bits" => Operation::Math(Math::ReverseBits),
        "below" => Operation::Mask(Mask::Less),
        "ballot" => masked(CollectiveOp::Ballot),
        "match" => masked(CollectiveOp::MatchAny),
        "any" => masked(CollectiveOp::Any),
        "shuffle" => shuffle(Lane::Absolute),
        "shuffle_up" => shuffle(Lane::Up),
        "shuffle_down" => shuffle(Lane::Down),
        "shuffle_xor" => shuffle(Lane::Xor),
        _ => return None,
    })
}

/// Calls `then` with a function and one of its warps.
fn with_warp<R>(body: &str, number: u32, launch: Launch, then: impl FnOnce(&Function, &mut Warp) -> R) -> R {
    let function =
        text::read(&format!("function k(%p: global int *, %n: int, %u: bool) kernel {{\n{body}\n}}\n"));
    let function = function.unwrap_or_else(|error| panic!("{error}"));
    let graph = Graph::of(&function, GraphAnalysis::of(&function));
    let undivided = function.parameters[2].value;
    let inputs = WarpInputs {
        function: &function,
        graph: &graph,
        operation: &operation,
        result: &|_, _| None,
        is_divergent: &|block| function.blocks[block].terminator.operand() != Some(undivided),
        is_uniform: &|value| function.values[value].op == function.values[function.parameters[1].value].op,
        forwarded: &FxHashMap::default(),
        launch,
    };
    then(&function, &mut Warp::of(inputs, number, WarpEntry::default()))
}

fn rows_of_warps() -> Launch {
    Launch { sub_group_size: Some(32), rows_are_whole_sub_groups: true, ..Launch::default() }
}

/// The values of the variable `x` in a function of one block.
fn values(body: &str, number: u32, launch: Launch) -> Vec<Option<i128>> {
    with_warp(&format!("entry:\n{body}\n  return"), number, launch, |function, warp| {
        let named =
            |(_, value): &(ValueId, &crate::flow::Value)| value.name.is_some_and(|it| it.as_str() == "x");
        let (x, _) = function.values.iter_enumerated().find(named).expect("a value `x`");
        warp.values(x).exact()
    })
}

/// Checks the values of `x` in warp 1.
#[track_caller]
fn check(body: &str, expected: impl Fn(i128) -> i128) {
    let expected: Vec<Option<i128>> = (0..32).map(|lane| Some(expected(lane))).collect();
    assert_eq!(values(body, 1, rows_of_warps()), expected, "{body}");
}

/// Checks that `x` is unknown in all lanes.
#[track_caller]
fn check_unknown(body: &str) {
    assert_eq!(values(body, 1, rows_of_warps()), [None; 32], "{body}");
}

const ID: &str = "  %i = call uint get_local_id(uint 0)\n";

#[test]
fn numbers_of_threads_are_known() {
    check("  %x = call uint get_local_id(uint 0)", |lane| 32 + lane);
    check("  %x = call uint get_sub_group_local_id()", |lane| lane);
    // The row of a warp is unknown.
    check_unknown("  %x = call uint get_local_id(uint 1)");
    let launch = Launch { local_size: [Some(8), Some(16), Some(1)], ..rows_of_warps() };
    let rows = values("  %x = call uint get_local_id(uint 1)", 1, launch);
    assert_eq!((rows[0], rows[7], rows[8], rows[31]), (Some(4), Some(4), Some(5), Some(7)));
}

#[test]
fn arithmetic_follows_the_types() {
    check(&format!("{ID}  %x = and %i, 15"), |lane| lane & 15);
    check(&format!("{ID}  %0 = and %i, 24\n  %x = shl uint 255, %0"), |lane| 0xff << (lane & 24));
    check(&format!("{ID}  %x = sub %i, 40"), |lane| if lane < 8 { (1 << 32) - 8 + lane } else { lane - 8 });
    check(&format!("{ID}  %0 = lt %i, 40\n  %x = select %0, uint 1, 2"), |lane| if lane < 8 { 1 } else { 2 });
    check(&format!("{ID}  %0 = convert char %i\n  %x = mul %0, 4"), |lane| {
        let value = 4 * (32 + lane);
        if value > 127 { value - 256 } else { value }
    });
    check_unknown("  %x = add %n, 1");
}

/// The count of a shift is reduced modulo the width. A reduced count that is out of range gives an unknown result.
#[test]
fn shift_by_too_many_bits_is_unknown() {
    check(&format!("{ID}  %0 = and %i, 31\n  %1 = and %0, 31\n  %x = shl uint 1, %1"), |lane| 1 << lane);
    check_unknown(&format!("{ID}  %1 = and %i, 31\n  %x = shl uint 1, %1"));
}

#[test]
fn low_bits_of_unknown_numbers_are_kept() {
    let global = "  %0 = call uint get_local_size(uint 0)\n  %1 = convert uint %n\n  %2 = mul %1, %0\n";
    let index = format!("{global}{ID}  %3 = add %2, %i\n");
    // The size of a row is a multiple of 32, and the product as well.
    check(&format!("{index}  %x = and %3, 31"), |lane| lane);
    check(&format!("{index}  %x = rem %3, 8"), |lane| lane % 8);
    check(&format!("{index}  %5 = shl %3, 1\n  %x = and %5, 63"), |lane| 2 * lane);
    check(&format!("{index}  %5 = div %3, 4\n  %x = and %5, 7"), |lane| lane / 4);
    check_unknown(&format!("{index}  %x = and %3, 63"));
    check_unknown(&format!("{index}  %x = div %3, 32"));
    // Different low bits make a comparison certain.
    let equal = values(&format!("{index}  %x = eq %3, 33"), 1, rows_of_warps());
    assert_eq!((equal[0], equal[1], equal[2]), (Some(0), None, Some(0)));
}

#[test]
fn operations_on_masks_are_computed() {
    let bits = |lane: i128| 0xff_i128 << (lane & 24);
    let mask = format!("{ID}  %0 = and %i, 24\n  %m = shl uint 255, %0\n");
    check(&format!("{mask}  %x = call uint popcount(%m)"), |_| 8);
    check(&format!("{mask}  %x = call uint find_first(%m)"), |lane| (lane & 24) + 1);
    check(&format!("{mask}  %x = call uint leading_zeros(%m)"), |lane| 24 - (lane & 24));
    check(&format!("{mask}  %x = call uint reverse_bits(%m)"), |lane| 0xff << (24 - (lane & 24)));
    check("  %0 = call uint below()\n  %x = or %0, 0", |lane| (1 << lane) - 1);
    check(&format!("{mask}  %x = xor %m, 4294967295"), |lane| !bits(lane) & 0xffff_ffff);
}

#[test]
fn votes_of_known_lanes_are_computed() {
    let vote = |name: &str, mask: &str| {
        format!(
            "{ID}  %0 = and %i, 3\n  %1 = eq %0, 1\n  %2 = convert int %1\n  %x = call uint {name}({mask}, %2)"
        )
    };
    check(&vote("ballot", "uint 4294967295"), |_| 0x2222_2222);
    check(&vote("ballot", "uint 255"), |_| 0x22);
    check(&vote("match", "uint 255"), |lane| if lane % 4 == 1 { 0x22 } else { 0xdd });
    check(&vote("any", "uint 221"), |_| 0);
    check_unknown("  %x = call uint ballot(uint 4294967295, %n)");
}

#[test]
fn shuffles_read_the_source_lane() {
    let shuffle = |name: &str, by: u32, width: u32| {
        format!("{ID}  %0 = and %i, 31\n  %x = call uint {name}(uint 4294967295, %0, int {by}, int {width})")
    };
    check(&shuffle("shuffle", 3, 32), |_| 3);
    check(&shuffle("shuffle", 9, 8), |lane| lane / 8 * 8 + 1);
    check(&shuffle("shuffle_xor", 5, 32), |lane| lane ^ 5);
    check(&shuffle("shuffle_up", 2, 8), |lane| if lane % 8 < 2 { lane } else { lane - 2 });
    check(&shuffle("shuffle_down", 2, 8), |lane| if lane % 8 > 5 { lane } else { lane + 2 });
    check_unknown(&shuffle("shuffle", 3, 12));
}

/// The lanes that surely and possibly reach a block.
fn reaching(body: &str, block: &str, number: u32) -> (u64, u64) {
    with_warp(body, number, rows_of_warps(), |function, warp| {
        let text = text::print(function);
        let labels = text.lines().filter(|line| !line.starts_with([' ', 'f', '}']) && line.ends_with(':'));
        let at = labels.into_iter().position(|label| label == format!("{block}:")).expect("a block");
        let lanes = warp.flow().reaching(BlockId::new(at));
        (lanes.surely, lanes.possibly)
    })
}

const BRANCH: &str = "entry:
  %i = call uint get_local_id(uint 0)
  %0 = lt %i, 16
  branch %0, then, else
then:
  jump end
else:
  jump end
end:
  return";

#[test]
fn known_condition_divides_the_lanes() {
    assert_eq!(reaching(BRANCH, "then", 0), (0xffff, 0xffff));
    assert_eq!(reaching(BRANCH, "else", 0), (0xffff_0000, 0xffff_0000));
    assert_eq!(reaching(BRANCH, "end", 0), (ALL, ALL));
    // All threads of warp 1 have a greater number.
    assert_eq!(reaching(BRANCH, "then", 1), (0, 0));
    assert_eq!(reaching(BRANCH, "else", 1), (ALL, ALL));
}

/// `n` is one unknown number, so a multiple of 32 plus the lane is in one part for all lanes.
#[test]
fn shared_base_makes_conditions_uniform() {
    let condition = |condition: &str| {
        let index = format!("  %1 = convert uint %n\n  %2 = mul %1, 32\n  %3 = add %2, %i\n{condition}");
        let body = BRANCH.replace("  %0 = lt %i, 16", &index);
        (reaching(&body, "then", 1), reaching(&body, "else", 1))
    };
    let both = ((ALL, ALL), (ALL, ALL));
    assert_eq!(condition("  %0 = lt %3, 64"), both);
    assert_eq!(condition("  %0 = ge %3, 96"), both);
    assert_eq!(condition("  %4 = div %3, 32\n  %0 = eq %4, 3"), both);
    assert_eq!(condition("  %4 = div %3, 64\n  %0 = eq %4, 3"), both);
    assert_eq!(condition("  %4 = rem %3, 64\n  %0 = lt %4, 32"), both);
    assert_eq!(condition("  %4 = rem %3, 32\n  %0 = lt %4, 8"), ((0xff, 0xff), (!0xff & ALL, !0xff & ALL)));
    // The lanes are on both sides of these.
    let either = ((0, ALL), (0, ALL));
    assert_eq!(condition("  %0 = lt %3, 40"), either);
    assert_eq!(condition("  %0 = gt %3, 64"), either);
    assert_eq!(condition("  %0 = lt %3, %1"), either);
    assert_eq!(condition("  %4 = div %3, 48\n  %0 = eq %4, 3"), either);
    // At most one lane is equal to a number.
    assert_eq!(condition("  %0 = eq %3, 64"), ((0, 1), (ALL & !1, ALL)));
}

#[test]
fn unknown_condition_leaves_lanes_possible() {
    let body = BRANCH.replace("lt %i, 16", "lt %i, %1").replace("  %0 =", "  %1 = convert uint %n\n  %0 =");
    assert_eq!(reaching(&body, "then", 0), (0, ALL));
    // All lanes reach the end of the branch.
    assert_eq!(reaching(&body, "end", 0), (ALL, ALL));
    let uniform = BRANCH.replace("%0, then", "%u, then");
    assert_eq!(reaching(&uniform, "then", 0), (ALL, ALL));
    let exits = body.replace("then:\n  jump end", "then:\n  return");
    assert_eq!(reaching(&exits, "end", 0), (0, ALL));
}

#[test]
fn phi_has_the_value_of_the_edge_of_each_lane() {
    let body = BRANCH.replace("end:\n", "end:\n  %x = phi uint [then: 65535], [else: 4294901760]\n");
    with_warp(&body, 0, rows_of_warps(), |function, warp| {
        let phi = function.values.iter_enumerated().find(|(_, value)| matches!(value.op, Op::Phi(_)));
        let values = warp.values(phi.unwrap().0).exact();
        assert_eq!((values[0], values[16]), (Some(0xffff), Some(0xffff_0000)));
    });
}

/// The lanes that surely and possibly reach the body of a loop, and whether its condition is undecided.
fn loop_body(first: &str, condition: &str, step: &str) -> ((u64, u64), bool) {
    let body = format!(
        "entry:
  %i = call uint get_local_id(uint 0)
  %m = convert uint %n
  jump head
head:
  %x = phi uint [entry: {first}], [body: %y]
  %0 = {condition}
  branch %0, body, end
body:
  %y = add %x, {step}
  jump head
end:
  return"
    );
    let is_undecided =
        with_warp(&body, 1, rows_of_warps(), |_, warp| warp.flow().is_undecided(BlockId::new(1)));
    (reaching(&body, "body", 1), is_undecided)
}

#[test]
fn trip_counts_of_loops_are_uniform_if_the_steps_are() {
    let all = ((ALL, ALL), false);
    assert_eq!(loop_body("0", "lt %x, 8", "1"), all);
    assert_eq!(loop_body("0", "lt %x, %m", "%m"), all);
    // The first value is the id of the thread: 32 to 63.
    assert_eq!(loop_body("%i", "lt %x, 96", "32"), all);
    let divergent = ((0, ALL), true);
    assert_eq!(loop_body("%i", "lt %x, 96", "1"), divergent);
    assert_eq!(loop_body("%i", "lt %x, 100", "32"), divergent);
    assert_eq!(loop_body("%i", "lt %x, %m", "32"), divergent);
    assert_eq!(loop_body("0", "lt %x, 8", "%i"), divergent);
}

#[test]
fn last_warp_of_a_known_block_has_the_remaining_threads() {
    let launch = Launch { local_size: [Some(40), Some(1), Some(1)], ..rows_of_warps() };
    assert_eq!(count_warps(launch, 32), 2);
    assert_eq!(count_warps(rows_of_warps(), 32), 32);
    let of = |number| with_warp(BRANCH, number, launch, |_, warp| warp.flow().all());
    assert_eq!((of(0), of(1)), (ALL, 0xff));
}

#[test]
fn wave_of_64_lanes_has_masks_of_64_bits() {
    let launch = Launch { sub_group_size: Some(64), ..rows_of_warps() };
    with_warp(BRANCH, 0, launch, |_, warp| {
        assert_eq!(warp.flow().all(), u64::MAX);
        assert_eq!(warp.flow().reaching(BlockId::new(2)).surely, u64::MAX << 16);
    });
}

/// A chain of a hundred thousand additions ends as unknown, and does not overflow the stack.
#[test]
fn long_chains_are_bounded() {
    let mut body = String::from("entry:\n  %v = call uint get_local_id(uint 0)\n");
    let mut before = "%v".to_owned();
    for number in 0..100_000 {
        body.push_str(&format!("  %a{number} = add {before}, 1\n"));
        before = format!("%a{number}");
    }
    body.push_str("  return");
    with_warp(&body, 0, rows_of_warps(), |function, warp| {
        let last = function.blocks[Function::ENTRY].values.last().unwrap();
        assert_eq!(warp.values(*last).exact()[0], None);
    });
}
