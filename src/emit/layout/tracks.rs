//! Assigns the tracks of a channel: the height of the horizontal part of each net.
//!
//! Two nets on one track must not touch. If one net comes down at the position where another net goes down, the first
//! must turn above the second, or both would look like one line. Otherwise the one is above with which they cross less:
//! a net crosses the lines that come down to a lower net, and its own lines down cross a lower net.

/// A net in a channel.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    /// Its positions at the layer above.
    pub above: Vec<f64>,
    /// Its positions at the layer below, or at a lane.
    pub below: Vec<f64>,
}

/// The minimum distance of two lines that look separate.
const NEAR: f64 = 5.0;
/// The number of crossings that are better than two lines that look like one.
const LIKE_ONE: usize = 1000;

impl Wire {
    fn interval(&self) -> (f64, f64) {
        let ends = || self.above.iter().chain(&self.below).copied();
        (ends().fold(f64::INFINITY, f64::min), ends().fold(f64::NEG_INFINITY, f64::max))
    }

    fn is_straight(&self) -> bool {
        let (low, high) = self.interval();
        low == high
    }

    /// The number of crossings if this net turns above the other one. Lines that look like one line count as many.
    fn crossings_above(&self, lower: &Wire) -> usize {
        let strictly_in = |x: &&f64, (low, high): (f64, f64)| low + 0.5 < **x && **x < high - 0.5;
        let coming = lower.above.iter().filter(|x| strictly_in(x, self.interval())).count();
        let going = self.below.iter().filter(|x| strictly_in(x, lower.interval())).count();
        let near = |to: &f64| lower.above.iter().filter(|from| (*from - to).abs() < NEAR).count();
        coming + going + LIKE_ONE * self.below.iter().map(near).sum::<usize>()
    }

    fn overlaps(&self, other: &Wire) -> bool {
        let ((low, high), (l, h)) = (self.interval(), other.interval());
        l <= high + NEAR && low <= h + NEAR
    }

    /// The position in the order of assignment. Earlier nets get higher tracks.
    fn rank(&self) -> f64 {
        let mean = |places: &[f64]| places.iter().sum::<f64>() / places.len().max(1) as f64;
        let (above, below) = (mean(&self.above), mean(&self.below));
        if below > above { -above } else { above }
    }
}

/// Returns the track of each wire, counted from the top, and the number of tracks. A straight wire has no track.
pub fn assign(wires: &[Wire]) -> (Vec<Option<usize>>, usize) {
    let mut todo: Vec<usize> = (0..wires.len()).filter(|&wire| !wires[wire].is_straight()).collect();
    todo.sort_by(|&a, &b| wires[a].rank().total_cmp(&wires[b].rank()).then(a.cmp(&b)));
    let mut must_wait: Vec<Vec<usize>> = vec![Vec::new(); wires.len()];
    let mut waiting = vec![0usize; wires.len()];
    for &first in &todo {
        for &second in &todo {
            let (upper, lower) = (&wires[first], &wires[second]);
            if first != second
                && upper.overlaps(lower)
                && upper.crossings_above(lower) < lower.crossings_above(upper)
            {
                must_wait[first].push(second);
                waiting[second] += 1;
            }
        }
    }
    let mut tracks: Vec<Option<usize>> = vec![None; wires.len()];
    let mut least = vec![0usize; wires.len()];
    let mut taken: Vec<Vec<(f64, f64)>> = Vec::new();
    while !todo.is_empty() {
        // If wires wait for each other in a cycle, some lines touch.
        let next = todo.iter().position(|&wire| waiting[wire] == 0).unwrap_or(0);
        let wire = todo.remove(next);
        let (low, high) = wires[wire].interval();
        let free = |track: &Vec<(f64, f64)>| track.iter().all(|&(l, h)| high + NEAR < l || h + NEAR < low);
        let from = least[wire].min(taken.len());
        let track = (from..taken.len()).find(|&track| free(&taken[track])).unwrap_or(taken.len());
        if track == taken.len() {
            taken.push(Vec::new());
        }
        taken[track].push((low, high));
        tracks[wire] = Some(track);
        for &second in &must_wait[wire] {
            waiting[second] = waiting[second].saturating_sub(1);
            least[second] = least[second].max(track + 1);
        }
    }
    let count = taken.len();
    (tracks, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracks(wires: &[(f64, f64)]) -> Vec<Option<usize>> {
        let wire = |&(above, below): &(f64, f64)| Wire { above: vec![above], below: vec![below] };
        assign(&wires.iter().map(wire).collect::<Vec<_>>()).0
    }

    #[test]
    fn nets_to_one_side_are_nested() {
        // The one that begins further on that side turns first. The short net overlaps only the second one.
        assert_eq!(tracks(&[(10.0, 60.0), (50.0, 150.0), (140.0, 250.0)]), [Some(2), Some(1), Some(0)]);
        assert_eq!(tracks(&[(60.0, 10.0), (150.0, 50.0), (250.0, 140.0)]), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn net_that_comes_down_where_another_goes_down_turns_above_it() {
        assert_eq!(tracks(&[(10.0, 100.0), (100.0, 200.0)]), [Some(1), Some(0)]);
        assert_eq!(tracks(&[(10.0, 10.0)]), [None]);
    }
}
