//! Computes positions on a line for objects in a given order with minimum distances.

/// An object with a preferred position.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    pub at: f64,
    pub weight: f64,
    /// The minimum distance to the previous object.
    pub gap: f64,
}

/// Returns the positions that are closest to the preferred positions (least squares) and keep the minimum distances.
///
/// The algorithm pools: without the distances, the positions must not decrease. Adjacent objects that would decrease
/// get their weighted mean as their common position.
pub fn settle(preferences: &[Wish]) -> Vec<f64> {
    struct Pool {
        sum: f64,
        weight: f64,
        count: usize,
    }
    let mut pools: Vec<Pool> = Vec::new();
    let mut offset = 0.0;
    for preference in preferences {
        offset += preference.gap;
        let mut pool =
            Pool { sum: (preference.at - offset) * preference.weight, weight: preference.weight, count: 1 };
        while let Some(last) = pools.pop_if(|last| last.sum / last.weight > pool.sum / pool.weight) {
            pool.sum += last.sum;
            pool.weight += last.weight;
            pool.count += last.count;
        }
        pools.push(pool);
    }
    let mut offset = 0.0;
    let mut preferences = preferences.iter();
    let mut places = Vec::with_capacity(preferences.len());
    for pool in pools {
        for preference in preferences.by_ref().take(pool.count) {
            offset += preference.gap;
            places.push(pool.sum / pool.weight + offset);
        }
    }
    places
}

/// The number of crossings among lines between two layers.
pub fn crossings(mut lines: Vec<(f64, f64)>) -> u64 {
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut places: Vec<f64> = lines.iter().map(|line| line.1).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    // A Fenwick tree: the number of previous lines that end at a position or left of it.
    let mut tree = vec![0u64; places.len() + 1];
    let mut crossed = 0;
    for (before, (_, end)) in (0..).zip(&lines) {
        let place = places.partition_point(|other| other < end) + 1;
        let (mut at, mut not_right) = (place, 0);
        while at > 0 {
            not_right += tree[at];
            at &= at - 1;
        }
        crossed += before - not_right;
        let mut at = place;
        while at < tree.len() {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    crossed
}

/// The number of crossings that vanish if two adjacent vertices are exchanged, given the sorted ends of their lines in
/// another layer. Negative if crossings are added.
pub fn swap_gain(left: &[f64], right: &[f64]) -> i64 {
    let inversions = |left: &[f64], right: &[f64]| -> i64 {
        left.iter().map(|end| right.partition_point(|other| other < end) as i64).sum()
    };
    inversions(left, right) - inversions(right, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(preferences: &[(f64, f64)]) -> Vec<f64> {
        let preferences: Vec<Wish> =
            preferences.iter().map(|&(at, gap)| Wish { at, weight: 1.0, gap }).collect();
        settle(&preferences)
    }

    #[test]
    fn preferred_positions_without_conflict_are_kept() {
        assert_eq!(places(&[(1.0, 0.0), (5.0, 2.0), (7.0, 2.0)]), [1.0, 5.0, 7.0]);
    }

    #[test]
    fn lines_cross_if_their_ends_are_in_opposite_order() {
        assert_eq!(crossings(vec![(0.0, 1.0), (1.0, 0.0), (2.0, 2.0)]), 1);
        assert_eq!(crossings(vec![(0.0, 2.0), (1.0, 1.0), (2.0, 0.0)]), 3);
        assert_eq!(crossings(vec![(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]), 0);
    }

    #[test]
    fn exchange_gains_the_crossings_between_two_vertices() {
        // Three pairs of lines cross before the exchange, and one pair after it.
        assert_eq!(swap_gain(&[1.0, 4.0], &[0.0, 2.0]), 2);
        assert_eq!(swap_gain(&[1.0], &[1.0]), 0);
        assert_eq!(swap_gain(&[0.0], &[1.0, 2.0]), -2);
    }

    #[test]
    fn objects_with_same_preference_are_centered_on_it() {
        assert_eq!(places(&[(10.0, 0.0), (10.0, 4.0), (10.0, 4.0)]), [6.0, 10.0, 14.0]);
    }
}
