use std::time::{Duration, Instant};

use super::*;

/// A plan with blocks of one size.
fn plan(clusters: &[Option<usize>], nodes: &[Option<usize>], edges: &[(usize, usize)]) -> Plan {
    Plan {
        nodes: nodes.iter().map(|&cluster| Node { width: 100.0, height: 40.0, cluster }).collect(),
        clusters: clusters.iter().map(|&parent| Cluster { parent, caption: 50.0 }).collect(),
        edges: edges.iter().map(|&(from, to)| Edge { from, to, label: 0.0, kind: 0 }).collect(),
    }
}

fn inside(inner: &Rect, outer: &Rect) -> bool {
    outer.x <= inner.x
        && outer.y <= inner.y
        && inner.x + inner.width <= outer.x + outer.width + 0.01
        && inner.y + inner.height <= outer.y + outer.height + 0.01
}

fn apart(a: &Rect, b: &Rect) -> bool {
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
}

/// Checks the properties that every layout must have.
fn check(plan: &Plan) -> Layout {
    let layout = layout(plan);
    for (number, rect) in layout.nodes.iter().enumerate() {
        assert!(
            layout.nodes[..number].iter().all(|other| apart(rect, other)),
            "block {number} overlaps another"
        );
        for (cluster, outer) in layout.clusters.iter().enumerate() {
            let mut around = plan.nodes[number].cluster;
            while around.is_some_and(|around| around != cluster) {
                around = around.and_then(|around| plan.clusters[around].parent);
            }
            let right = if around.is_some() { inside(rect, outer) } else { apart(rect, outer) };
            assert!(right, "block {number} and cycle {cluster}: {rect:?} {outer:?}");
        }
    }
    for (edge, way) in plan.edges.iter().zip(&layout.edges) {
        let (from, to) = (&layout.nodes[edge.from], &layout.nodes[edge.to]);
        let (first, last) = (way[0], way[way.len() - 1]);
        assert_eq!(first.y, from.y + from.height, "{edge:?} begins at the bottom of its block: {way:?}");
        assert!(from.x <= first.x && first.x <= from.x + from.width, "{edge:?}: {way:?} {from:?}");
        assert_eq!(last.y, to.y, "{edge:?} ends at the top of its block: {way:?}");
        assert!(to.x <= last.x && last.x <= to.x + to.width, "{edge:?}: {way:?} {to:?}");
        for piece in way.windows(2) {
            let straight = (piece[0].x - piece[1].x).abs() < 0.01 || (piece[0].y - piece[1].y).abs() < 0.01;
            assert!(straight, "{edge:?} is not horizontal or vertical: {way:?}");
        }
    }
    layout
}

#[test]
fn branches_are_side_by_side_below_their_condition() {
    let layout = check(&plan(&[], &[None; 4], &[(0, 1), (0, 2), (1, 3), (2, 3)]));
    let [top, left, right, bottom] = layout.nodes[..] else { panic!("the layout has four blocks") };
    assert!(top.y < left.y && left.y == right.y && right.y < bottom.y);
    assert!(left.x < right.x, "the first successor is on the left");
    assert!((top.x - bottom.x).abs() < 1.0, "the join is below the condition");
}

#[test]
fn wide_layers_are_split() {
    // Forty blocks of 100 with their gaps of 28 are wider than three rows of 1600. Their lines pass between the others.
    let cases = (1..41).flat_map(|case| [(0, case), (case, 41)]).collect::<Vec<_>>();
    let mut plan = plan(&[], &[None; 42], &cases);
    plan.nodes[0].width = 1000.0;
    let layout = check(&plan);
    let rows: std::collections::BTreeSet<u64> =
        layout.nodes[1..41].iter().map(|node| node.y.to_bits()).collect();
    assert_eq!(rows.len(), 4);
    assert!(layout.width < 3000.0, "{}", layout.width);
}

#[test]
fn edge_back_to_the_header_leads_up_on_the_side_without_the_exit() {
    // The exit of the header is its second successor, on the right.
    let layout = check(&plan(&[None], &[None, Some(0), Some(0), None], &[(0, 1), (1, 2), (1, 3), (2, 1)]));
    let (exit, back) = (&layout.edges[2], &layout.edges[3]);
    let leftmost = back.iter().map(|point| point.x).fold(f64::INFINITY, f64::min);
    assert!(leftmost < layout.nodes[2].x, "{back:?}");
    assert!(exit.iter().all(|point| point.x > leftmost), "{exit:?}");
}

#[test]
fn chain_of_blocks_is_a_straight_line() {
    let layout = check(&plan(&[], &[None; 3], &[(0, 1), (1, 2)]));
    assert!(layout.edges.iter().all(|way| way.len() == 2), "{:?}", layout.edges);
}

#[test]
fn cycle_box_contains_its_blocks_and_inner_cycles() {
    let edges = [(0, 1), (1, 2), (2, 2), (2, 1), (1, 3), (2, 3)];
    check(&plan(&[None, Some(0)], &[None, Some(0), Some(1), None], &edges));
}

#[test]
fn cycle_with_two_entry_blocks_is_laid_out() {
    check(&plan(&[None], &[None, Some(0), Some(0), None], &[(0, 1), (0, 2), (1, 2), (2, 1), (1, 3)]));
}

#[test]
fn blocks_without_predecessors_are_laid_out() {
    check(&plan(&[None], &[None, Some(0), None], &[(1, 1), (1, 2)]));
    check(&plan(&[], &[], &[]));
}

/// Pseudo-random numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn random_graphs_have_valid_layouts() {
    let mut numbers = Numbers(7);
    for round in 0..300 {
        let count = 1 + numbers.below(14);
        let clusters: Vec<Option<usize>> = (0..round % 4)
            .map(|number| if number == 0 { None } else { Some(numbers.below(number)) })
            .collect();
        let nodes: Vec<Option<usize>> = (0..count)
            .map(|_| Some(numbers.below(clusters.len() + 1)).filter(|&cluster| cluster < clusters.len()))
            .collect();
        let mut edges: Vec<(usize, usize)> =
            (0..numbers.below(2 * count)).map(|_| (numbers.below(count), numbers.below(count))).collect();
        edges.sort_unstable();
        edges.dedup();
        check(&plan(&clusters, &nodes, &edges));
    }
}

#[test]
fn large_functions_are_laid_out_quickly() {
    let begin = Instant::now();
    // A chain of a thousand blocks with exits, a `switch` with a thousand cases, and four hundred nested cycles.
    let leaving = (0..999).flat_map(|block| [(block, block + 1), (block, 999)]).collect::<Vec<_>>();
    layout(&plan(&[], &[None; 1000], &leaving));
    let cases = (1..999).flat_map(|block| [(0, block), (block, 999)]).collect::<Vec<_>>();
    layout(&plan(&[], &[None; 1000], &cases));
    let clusters: Vec<Option<usize>> = (0..400usize).map(|number| number.checked_sub(1)).collect();
    let nodes: Vec<Option<usize>> =
        (0..800).map(|node: usize| Some(if node < 400 { node } else { 799 - node })).collect();
    let nested = (0..799).map(|node| (node, node + 1)).chain((400..800).map(|node| (node, 799 - node)));
    layout(&plan(&clusters, &nodes, &nested.collect::<Vec<_>>()));
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
