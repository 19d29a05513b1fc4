//! Computes the positions of the blocks, cycles and edges of a flow graph in a picture.
//!
//! **Level**: the blocks and inner cycles directly in one cycle, or outside of all cycles. Inner cycles are boxes.
//! Without the edges back to the header, a level is acyclic. So each level is laid out in **layers** from top to
//! bottom, the innermost level first, and then its cycle is a box of known size in the level around it. **Net**: the
//! edges of a level to one block. Their paths share one line as soon as they meet, so fifty `break`s make one line.
//! **Channel**: the space below a layer for the horizontal parts of edges. Each net has its own **track** there. Edges
//! into and out of a cycle pass through **ports** in the top and bottom of its box.
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
//! Edges back to a header lead up at the side of the level. The steps follow Sugiyama's method. Layers come from
//! longest paths, the order in a layer from the means of adjacent vertices, positions from averaging and pooling, and
//! then tracks.

mod level;
mod order;
mod tracks;

use std::collections::BTreeMap;

use level::Level;

/// The input of a layout.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub nodes: Vec<Node>,
    /// The clusters, with parents before children.
    pub clusters: Vec<Cluster>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub width: f64,
    pub height: f64,
    /// The innermost cluster that contains the node.
    pub cluster: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Cluster {
    pub parent: Option<usize>,
    /// The width of the caption.
    pub caption: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// The width of the label at the start of the edge; 0 without a label.
    pub label: f64,
    /// A number for the look of the edge. Edges of one kind look alike.
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

/// The positions of all parts of a picture.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    pub nodes: Vec<Rect>,
    pub clusters: Vec<Rect>,
    /// For each edge, the corners of its path. All lines are horizontal or vertical.
    pub edges: Vec<Vec<Point>>,
    /// The pieces that edges of different kinds share.
    pub shared: Vec<Vec<Point>>,
}

/// The height of the caption of a cluster.
pub const CAPTION: f64 = 22.0;
/// The space inside the border of a cluster.
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

/// The levels around each node.
struct Paths {
    /// For each node, the numbers of its levels, the outermost (0) first.
    around: Vec<Vec<usize>>,
}

/// The end of an edge on a level: a node, or the cluster that contains the node.
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

    /// The number of levels that two nodes share, at least one.
    fn common(&self, from: usize, to: usize) -> usize {
        let pairs = self.around[from].iter().zip(&self.around[to]);
        pairs.take_while(|(left, right)| left == right).count()
    }

    /// The item that represents a node on the level at this depth.
    fn item(&self, node: usize, depth: usize) -> Item {
        match self.around[node].get(depth + 1) {
            Some(level) => Item::Cluster(level - 1),
            None => Item::Node(node),
        }
    }

    fn levels(&self, plan: &Plan) -> Vec<Level> {
        let mut levels: Vec<Level> = (0..=plan.clusters.len()).map(|_| Level::default()).collect();
        let mut first_nodes = vec![usize::MAX; levels.len()];
        for (number, around) in self.around.iter().enumerate() {
            around.iter().for_each(|&level| first_nodes[level] = first_nodes[level].min(number));
        }
        for (number, cluster) in plan.clusters.iter().enumerate() {
            let level = cluster.parent.map_or(0, |parent| parent + 1);
            levels[level].add(Item::Cluster(number), first_nodes[number + 1]);
        }
        for (number, node) in plan.nodes.iter().enumerate() {
            levels[node.cluster.map_or(0, |cluster| cluster + 1)].add(Item::Node(number), number);
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

/// Places each level inside the level around it.
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

/// Removes points that are not corners of the path.
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
