//! Where the blocks, cycles and edges of a flow graph are drawn.
//!
//! **Level**: what stands directly in one cycle, or in no cycle: blocks, and the cycles inside as boxes. Without the edges back to the
//! header a level has no cycle, so each level is laid out in **layers** from the top down, the innermost first, and a cycle is then
//! a box of known size in the level around it. **Net**: the edges of a level that lead to one block. They run together as soon as
//! they meet, so that the ways of fifty `break`s are one line. **Channel**: the space below a layer, where edges run sideways, each
//! net on a **track** of its own. Edges into and out of a cycle pass through **ports** in the top and bottom of its box.
//!
//! ```text
//!   +-------+     layer 0
//!   | entry |
//!   +-------+
//!     |   '----.  channel 0, one track
//!  +----+      |  layer 1: a block, and the net to `end` passing by
//!  | if |      |
//!  +----+      |
//!     |.-------'  channel 1
//!  +-----+        layer 2
//!  | end |
//!  +-----+
//! ```
//!
//! Edges back to a header run up beside the level. The steps are those of Sugiyama's method: layers by longest paths, order in a layer by
//! the middle of the neighbours, places by averaging (the best ones that keep the order, found by pooling), then tracks.

mod level;
mod order;
mod tracks;

use std::collections::BTreeMap;

use level::Level;

/// What is to be laid out.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub nodes: Vec<Node>,
    /// Parents before children.
    pub clusters: Vec<Cluster>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub width: f64,
    pub height: f64,
    /// The innermost cluster that holds it.
    pub cluster: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Cluster {
    pub parent: Option<usize>,
    /// The width of its caption.
    pub caption: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// The width of the label at its beginning; 0: it has none.
    pub label: f64,
    /// Edges of one kind look alike.
    pub kind: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// Where everything stands.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    pub nodes: Vec<Rect>,
    pub clusters: Vec<Rect>,
    /// For each edge the corners of its way: lines are horizontal or vertical.
    pub edges: Vec<Vec<Point>>,
    /// Pieces that edges of different kinds have in common.
    pub shared: Vec<Vec<Point>>,
}

/// The height of a cluster's caption.
pub const CAPTION: f64 = 22.0;
/// Free space inside the border of a cluster.
const PADDING: f64 = 14.0;

/// Computes a layout.
pub fn layout(plan: &Plan) -> Layout {
    let paths = Paths::of(plan);
    let mut levels = paths.levels(plan);
    // Children have larger numbers than their parents, and the outermost level is 0.
    for number in (0..levels.len()).rev() {
        let (outer, inner) = levels.split_at_mut(number + 1);
        outer[number].arrange(plan, |cluster| &inner[cluster + 1 - (number + 1)]);
    }
    place(plan, &paths, &levels)
}

/// The clusters around each node, and the levels that each edge passes.
struct Paths {
    /// The outermost first, as numbers of levels, 0 included.
    around: Vec<Vec<usize>>,
}

/// What an edge is at a level. `item` is a node, or the cluster that holds its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Node(usize),
    Cluster(usize),
}

impl Paths {
    fn of(plan: &Plan) -> Paths {
        let mut of_cluster: Vec<Vec<usize>> = Vec::new();
        for (number, cluster) in plan.clusters.iter().enumerate() {
            let mut around = cluster.parent.map_or_else(|| vec![0], |parent| of_cluster[parent].clone());
            around.push(number + 1);
            of_cluster.push(around);
        }
        let around =
            |node: &Node| node.cluster.map_or_else(|| vec![0], |cluster| of_cluster[cluster].clone());
        Paths { around: plan.nodes.iter().map(around).collect() }
    }

    /// How many levels two nodes have in common, at least one.
    fn common(&self, from: usize, to: usize) -> usize {
        let pairs = self.around[from].iter().zip(&self.around[to]);
        pairs.take_while(|(left, right)| left == right).count()
    }

    /// What stands for a node at the level of that depth.
    fn item(&self, node: usize, depth: usize) -> Item {
        match self.around[node].get(depth + 1) {
            Some(level) => Item::Cluster(level - 1),
            None => Item::Node(node),
        }
    }

    fn levels(&self, plan: &Plan) -> Vec<Level> {
        let mut levels: Vec<Level> = (0..=plan.clusters.len()).map(|_| Level::default()).collect();
        for (number, cluster) in plan.clusters.iter().enumerate() {
            levels[cluster.parent.map_or(0, |parent| parent + 1)].add(Item::Cluster(number));
        }
        for (number, node) in plan.nodes.iter().enumerate() {
            levels[node.cluster.map_or(0, |cluster| cluster + 1)].add(Item::Node(number));
        }
        for (number, edge) in plan.edges.iter().enumerate() {
            let common = self.common(edge.from, edge.to);
            for depth in common..self.around[edge.from].len() {
                let level = self.around[edge.from][depth];
                levels[level].leave(self.item(edge.from, depth), edge.to, number);
            }
            let level = self.around[edge.from][common - 1];
            let (from, to) = (self.item(edge.from, common - 1), self.item(edge.to, common - 1));
            levels[level].connect(from, to, edge.to, number);
            for depth in common..self.around[edge.to].len() {
                let level = self.around[edge.to][depth];
                levels[level].enter(self.item(edge.to, depth), edge.to, number);
            }
        }
        levels
    }
}

/// Puts the levels into each other.
fn place(plan: &Plan, paths: &Paths, levels: &[Level]) -> Layout {
    let mut origins = vec![Point::default(); levels.len()];
    let mut clusters = vec![Rect::default(); plan.clusters.len()];
    let mut nodes = vec![Rect::default(); plan.nodes.len()];
    for (number, level) in levels.iter().enumerate() {
        let origin = origins[number];
        for (item, rect) in level.rects() {
            let rect = Rect { x: origin.x + rect.x, y: origin.y + rect.y, ..rect };
            match item {
                Item::Node(node) => nodes[node] = rect,
                Item::Cluster(cluster) => {
                    clusters[cluster] = rect;
                    origins[cluster + 1] = Point { x: rect.x + PADDING, y: rect.y + CAPTION };
                }
            }
        }
    }
    let mut pieces: BTreeMap<[u64; 4], (usize, bool, [Point; 2])> = BTreeMap::new();
    let mut edges = Vec::with_capacity(plan.edges.len());
    for (number, edge) in plan.edges.iter().enumerate() {
        let common = paths.common(edge.from, edge.to);
        let from = paths.around[edge.from][common - 1..].iter().rev();
        let to = paths.around[edge.to][common..].iter();
        let mut way: Vec<Point> = Vec::new();
        for &level in from.chain(to) {
            let origin = origins[level];
            let moved = |point: &Point| Point { x: origin.x + point.x, y: origin.y + point.y };
            way.extend(levels[level].way(number).iter().map(moved));
        }
        let way = straight(&way);
        for piece in way.windows(2) {
            let key = [piece[0].x, piece[0].y, piece[1].x, piece[1].y].map(f64::to_bits);
            let known = pieces.entry(key).or_insert((edge.kind, false, [piece[0], piece[1]]));
            known.1 |= known.0 != edge.kind;
        }
        edges.push(way);
    }
    let shared =
        pieces.into_values().filter(|(_, mixed, _)| *mixed).map(|(.., piece)| piece.to_vec()).collect();
    let Level { width, height, .. } = levels[0];
    Layout { width, height, nodes, clusters, edges, shared }
}

/// The same way without corners that are none.
fn straight(way: &[Point]) -> Vec<Point> {
    let mut corners: Vec<Point> = Vec::with_capacity(way.len());
    for &point in way {
        if corners.last() == Some(&point) {
            continue;
        }
        if let [.., before, last] = corners[..] {
            let vertical = before.x == last.x && last.x == point.x;
            let horizontal = before.y == last.y && last.y == point.y;
            if vertical || horizontal {
                corners.pop();
            }
        }
        corners.push(point);
    }
    corners
}

#[cfg(test)]
mod tests;
