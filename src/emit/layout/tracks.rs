//! Assigns the tracks of a channel: the height of the horizontal part of each net.
//!
//! Two nets on one track must not touch. If one net comes down at the position where another net goes down, the first
//! must turn above the second, or both would look like one line. Of two nets that turn to the same side, the net that
//! starts further on that side is above, so that they do not cross.

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

impl Wire {
    fn interval(&self) -> (f64, f64) {
        let ends = || self.above.iter().chain(&self.below).copied();
        (ends().fold(f64::INFINITY, f64::min), ends().fold(f64::NEG_INFINITY, f64::max))
    }

    fn is_straight(&self) -> bool {
        let (low, high) = self.interval();
        low == high
    }

    /// Whether this net must turn above the other one.
    fn above(&self, other: &Wire) -> bool {
        self.above.iter().any(|from| other.below.iter().any(|to| (from - to).abs() < NEAR))
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
            if first != second && wires[first].above(&wires[second]) {
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
