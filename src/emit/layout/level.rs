//! The layout of one level: its layers, their order, the positions, the tracks, and the paths of its edges.

use std::collections::BTreeMap;
use std::ops::Range;

use super::order::{Wish, crossings, settle, swap_gain};
use super::tracks::{Wire, assign};
use super::{CAPTION, Item, PADDING, Plan, Point, Rect};

/// The space between adjacent blocks of a layer, and beside a line.
const GAP: f64 = 28.0;
const LINE_GAP: f64 = 14.0;
/// The height of a channel without tracks, and the additional heights for labels and for each track.
const CHANNEL: f64 = 26.0;
const LABEL: f64 = 14.0;
const TRACK: f64 = 9.0;
/// The distance of a line from the corner of a block.
const CORNER: f64 = 14.0;
/// The width of a layer that is split.
const WIDEST: f64 = 1600.0;
/// The number of sweeps that improve the order, and that average the positions.
const SWEEPS: usize = 12;

/// The edges of a level to one block, either all down or all back up.
#[derive(Clone, Debug)]
struct Net {
    target: usize,
    back: bool,
    /// Whether a net that leads back does so on the left side.
    left: bool,
    end: End,
    /// The edges, each with the item where it begins. `None` if it begins at the top port.
    edges: Vec<(usize, Option<usize>)>,
    /// For a net that leads down: the layers that it passes through, with the layers of its ports.
    passes: Range<usize>,
    /// The vertex of the net in the first of these layers.
    first: usize,
}

/// The end of a net on a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Item(usize),
    /// At a port in the bottom border.
    Bottom,
}

/// A position in a layer: an item, or a net that passes through. Items come first, and have the same numbers.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    layer: usize,
    width: f64,
    /// The horizontal centre.
    x: f64,
}

/// A piece of a net in the channel below a layer, between two vertices. The offsets of its ends count from the centres
/// of the vertices.
#[derive(Clone, Copy, Debug)]
struct Link {
    above: usize,
    below: usize,
    above_offset: f64,
    below_offset: f64,
    weight: f64,
}

#[derive(Clone, Debug, Default)]
struct Layer {
    /// The vertices from left to right.
    order: Vec<usize>,
    top: f64,
    height: f64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    items: Vec<Item>,
    /// The first block of each item.
    first_blocks: Vec<usize>,
    numbers: BTreeMap<Item, usize>,
    /// The edges inside the level: source item, target item, target block, edge.
    inner: Vec<(usize, usize, usize, usize)>,
    /// The edges that leave or enter the level: item, target block, edge.
    leaving: Vec<(usize, usize, usize)>,
    entering: Vec<(usize, usize, usize)>,

    // The results of `arrange`.
    nets: Vec<Net>,
    net_of: BTreeMap<usize, usize>,
    vertices: Vec<Vertex>,
    heights: Vec<f64>,
    /// The layers, with the layer of the top ports first and of the bottom ports last. Both may be empty.
    layers: Vec<Layer>,
    /// The ports, by edge or net. Offsets from the centre of the item.
    out_ports: BTreeMap<usize, f64>,
    in_ports: Vec<f64>,
    /// The horizontal positions where nets lead back up.
    lanes: Vec<f64>,
    /// The height of a track, by channel and net.
    tracks: BTreeMap<(usize, usize), f64>,
    pub width: f64,
    pub height: f64,
}

impl Level {
    pub fn add(&mut self, item: Item, first_block: usize) {
        self.numbers.insert(item, self.items.len());
        self.items.push(item);
        self.first_blocks.push(first_block);
    }

    pub fn connect(&mut self, from: Item, to: Item, target: usize, edge: usize) {
        self.inner.push((self.numbers[&from], self.numbers[&to], target, edge));
    }

    pub fn leave(&mut self, from: Item, target: usize, edge: usize) {
        self.leaving.push((self.numbers[&from], target, edge));
    }

    pub fn enter(&mut self, to: Item, target: usize, edge: usize) {
        self.entering.push((self.numbers[&to], target, edge));
    }

    /// The position where edges to a block pass the top or bottom border.
    fn port(&self, target: usize, bottom: bool) -> f64 {
        let layer = if bottom { self.layers.len() - 1 } else { 0 };
        let net = self.nets.iter().find(|net| {
            net.target == target && net.passes.contains(&layer) && (net.end == End::Bottom) == bottom
        });
        net.map_or(0.0, |net| self.vertices[net.first + layer - net.passes.start].x)
    }

    pub fn rects(&self) -> impl Iterator<Item = (Item, Rect)> + '_ {
        self.items.iter().enumerate().map(|(number, &item)| (item, self.rect(number)))
    }

    fn rect(&self, item: usize) -> Rect {
        let vertex = self.vertices[item];
        let y = self.layers[vertex.layer].top;
        Rect { x: vertex.x - vertex.width / 2.0, y, width: vertex.width, height: self.heights[item] }
    }

    /// Computes the layout of the level. The levels of its clusters must have their layouts.
    pub fn arrange<'a>(&mut self, plan: &Plan, inner: impl Fn(usize) -> &'a Level) {
        for item in &self.items {
            let (width, height) = match *item {
                Item::Node(node) => (plan.nodes[node].width, plan.nodes[node].height),
                Item::Cluster(cluster) => {
                    let Level { width, height, .. } = *inner(cluster);
                    let width = width.max(plan.clusters[cluster].caption);
                    (width + 2.0 * PADDING, height + CAPTION + PADDING)
                }
            };
            self.vertices.push(Vertex { layer: 1, width, x: 0.0 });
            self.heights.push(height);
        }
        let back = self.find_layers();
        self.find_nets(&back);
        self.find_ports(plan, inner);
        self.find_order();
        self.find_places();
        self.straighten();
        self.choose_sides();
        self.align_ports(plan);
        self.find_lanes();
        self.find_heights(plan);
    }

    /// Assigns layers by longest paths. Returns the back edges of a depth-first search, sorted.
    fn find_layers(&mut self) -> Vec<(usize, usize)> {
        let count = self.items.len();
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut entered = vec![false; count];
        for &(from, to, ..) in &self.inner {
            successors[from].push(to);
            entered[to] = true;
        }
        // The search starts at targets of edges from outside, by block. Then follow items without predecessors, and
        // then all others.
        self.entering.sort_by_key(|&(_, target, _)| target);
        let outside = self.entering.iter().map(|&(to, ..)| to);
        let roots = outside.chain((0..count).filter(|&item| !entered[item])).chain(0..count);
        let (mut seen, mut open) = (vec![false; count], vec![false; count]);
        let (mut back, mut finished) = (Vec::new(), Vec::with_capacity(count));
        for root in roots {
            let mut stack = Vec::new();
            if !std::mem::replace(&mut seen[root], true) {
                open[root] = true;
                stack.push((root, 0));
            }
            while let Some((item, next)) = stack.last_mut() {
                let item = *item;
                let Some(&to) = successors[item].get(*next) else {
                    open[item] = false;
                    finished.push(item);
                    stack.pop();
                    continue;
                };
                *next += 1;
                if open[to] {
                    back.push((item, to));
                } else if !std::mem::replace(&mut seen[to], true) {
                    open[to] = true;
                    stack.push((to, 0));
                }
            }
        }
        back.sort_unstable();
        for &item in finished.iter().rev() {
            for &to in &successors[item] {
                if back.binary_search(&(item, to)).is_err() {
                    self.vertices[to].layer = self.vertices[to].layer.max(self.vertices[item].layer + 1);
                }
            }
        }
        self.split_wide_layers();
        let last = self.vertices.iter().map(|vertex| vertex.layer).max().unwrap_or(0) + 1;
        self.layers = vec![Layer::default(); last + 1];
        // In the order of the search, which keeps connected items together.
        for &item in finished.iter().rev() {
            self.layers[self.vertices[item].layer].order.push(item);
        }
        back
    }

    /// Splits layers that are wider than a screen, such as the cases of a `switch`. Neighbours get different layers, so
    /// that lines to and from them pass between the others.
    fn split_wide_layers(&mut self) {
        let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (item, vertex) in self.vertices.iter().enumerate() {
            layers.entry(vertex.layer).or_default().push(item);
        }
        let mut next = 1;
        for mut items in layers.into_values() {
            items.sort_by_key(|&item| self.first_blocks[item]);
            let width: f64 = items.iter().map(|&item| self.vertices[item].width + GAP).sum();
            let rows = ((width / WIDEST).ceil() as usize).clamp(1, items.len());
            for (number, &item) in items.iter().enumerate() {
                self.vertices[item].layer = next + number % rows;
            }
            next += rows;
        }
    }

    fn find_nets(&mut self, back: &[(usize, usize)]) {
        let mut nets: BTreeMap<(usize, bool), Net> = BTreeMap::new();
        let inner = self.inner.iter().map(|&(from, to, target, edge)| {
            (target, back.binary_search(&(from, to)).is_ok(), End::Item(to), edge, Some(from))
        });
        let leaving =
            self.leaving.iter().map(|&(from, target, edge)| (target, false, End::Bottom, edge, Some(from)));
        let entering =
            self.entering.iter().map(|&(to, target, edge)| (target, false, End::Item(to), edge, None));
        for (target, back, end, edge, begin) in inner.chain(leaving).chain(entering) {
            let new = || Net { target, back, left: false, end, edges: Vec::new(), passes: 0..0, first: 0 };
            nets.entry((target, back)).or_insert_with(new).edges.push((edge, begin));
        }
        self.nets = nets.into_values().collect();
        for (number, net) in self.nets.iter_mut().enumerate() {
            self.net_of.extend(net.edges.iter().map(|&(edge, _)| (edge, number)));
            if net.back {
                continue;
            }
            let layer =
                |&(_, begin): &(usize, Option<usize>)| begin.map_or(0, |item| self.vertices[item].layer + 1);
            let from = net.edges.iter().map(layer).min().unwrap_or(0);
            let to = match net.end {
                End::Item(item) => self.vertices[item].layer,
                End::Bottom => self.layers.len(),
            };
            net.passes = from..to;
            net.first = self.vertices.len();
            for layer in from..to {
                self.layers[layer].order.push(self.vertices.len());
                self.vertices.push(Vertex { layer, width: 0.0, x: 0.0 });
            }
        }
    }

    /// Computes where edges leave and enter items, from their centres. This is final for clusters, and a first guess
    /// for blocks.
    fn find_ports<'a>(&mut self, plan: &Plan, inner: impl Fn(usize) -> &'a Level) {
        let mut of_item: Vec<Vec<usize>> = vec![Vec::new(); self.items.len()];
        for (number, net) in self.nets.iter().enumerate() {
            for &(edge, begin) in &net.edges {
                let Some(item) = begin else { continue };
                match self.items[item] {
                    Item::Node(_) => of_item[item].push(edge),
                    Item::Cluster(cluster) => {
                        let port =
                            PADDING + inner(cluster).port(net.target, true) - self.vertices[item].width / 2.0;
                        self.out_ports.insert(edge, port);
                    }
                }
            }
            let port = match net.end {
                End::Bottom => 0.0,
                End::Item(item) => {
                    let half = self.vertices[item].width / 2.0;
                    match self.items[item] {
                        Item::Cluster(cluster) => PADDING + inner(cluster).port(net.target, false) - half,
                        Item::Node(_) if net.back => (half - CORNER).max(half / 2.0),
                        Item::Node(_) => 0.0,
                    }
                }
            };
            debug_assert_eq!(self.in_ports.len(), number);
            self.in_ports.push(port);
        }
        for (item, mut edges) in of_item.into_iter().enumerate() {
            edges.sort_unstable();
            self.spread(plan, item, &edges);
        }
    }

    /// Distributes the outgoing ports along the bottom of a block, each with space for its label on the right.
    fn spread(&mut self, plan: &Plan, item: usize, edges: &[usize]) {
        let width = self.vertices[item].width;
        let needs = |edge: usize| plan.edges[edge].label + CORNER;
        let free = (width - edges.iter().map(|&edge| needs(edge)).sum::<f64>()) / (edges.len() + 1) as f64;
        let mut left = -width / 2.0 + free;
        for &edge in edges {
            self.out_ports.insert(edge, left + CORNER / 2.0);
            left += needs(edge) + free;
        }
    }

    /// The vertex of a net in the given layer, and the position of the net on it.
    fn stop(&self, number: usize, layer: usize) -> (usize, f64) {
        let net = &self.nets[number];
        match net.end {
            End::Item(item) if layer == self.vertices[item].layer => (item, self.in_ports[number]),
            _ => (net.first + layer - net.passes.start, 0.0),
        }
    }

    /// The pieces of a net that leads down, with their channels.
    fn links_of(&self, number: usize) -> impl Iterator<Item = (usize, Link)> + '_ {
        let net = &self.nets[number];
        let last = self.layers.len() - 1;
        let passing = net.passes.clone().filter(move |&layer| layer < last).map(move |layer| {
            let (below, below_offset) = self.stop(number, layer + 1);
            let above = net.first + layer - net.passes.start;
            let weight = if net.passes.contains(&(layer + 1)) { 8.0 } else { 2.0 };
            (layer, Link { above, below, above_offset: 0.0, below_offset, weight })
        });
        let beginning = net.edges.iter().filter_map(move |&(edge, begin)| {
            let item = begin?;
            let layer = self.vertices[item].layer;
            let (below, below_offset) = self.stop(number, layer + 1);
            Some((
                layer,
                Link { above: item, below, above_offset: self.out_ports[&edge], below_offset, weight: 1.0 },
            ))
        });
        passing.chain(beginning)
    }

    /// All pieces of nets that lead down, by channel.
    fn links(&self) -> Vec<Vec<Link>> {
        let mut links: Vec<Vec<Link>> = vec![Vec::new(); self.layers.len()];
        for number in (0..self.nets.len()).filter(|&number| !self.nets[number].back) {
            for (layer, link) in self.links_of(number) {
                links[layer].push(link);
            }
        }
        links
    }

    /// Improves the order in the layers by several sweeps, and keeps the order with the fewest crossings. The sweeps begin
    /// with the order of the source, and again with the order of the search.
    fn find_order(&mut self) {
        let links = self.links();
        let of_search: Vec<Vec<usize>> = self.layers.iter().map(|layer| layer.order.clone()).collect();
        let mut key: Vec<usize> = self.first_blocks.iter().map(|first| first.saturating_mul(2)).collect();
        key.resize(self.vertices.len(), 0);
        for net in self.nets.iter().filter(|net| !net.back) {
            // The blocks that an edge skips precede its target in the source. They are on its left.
            key[net.first..net.first + net.passes.len()].fill((2 * net.target).saturating_sub(1));
        }
        self.layers.iter_mut().for_each(|layer| layer.order.sort_by_key(|&vertex| key[vertex]));
        let mut best: Option<(u64, Vec<Vec<usize>>)> = None;
        self.sweep(&links, &mut best);
        if best.as_ref().is_some_and(|(crossed, _)| *crossed > 0) {
            self.layers.iter_mut().zip(of_search).for_each(|(layer, order)| layer.order = order);
            self.sweep(&links, &mut best);
        }
        if let Some((_, orders)) = best {
            self.layers.iter_mut().zip(orders).for_each(|(layer, order)| layer.order = order);
        }
    }

    /// Moves each vertex to the mean of its neighbours, one layer after the other, and then exchanges adjacent vertices.
    fn sweep(&mut self, links: &[Vec<Link>], best: &mut Option<(u64, Vec<Vec<usize>>)>) {
        let mut position = vec![0.0; self.vertices.len()];
        let number = |layer: &[usize], position: &mut [f64]| {
            layer.iter().enumerate().for_each(|(at, &vertex)| position[vertex] = at as f64);
        };
        self.layers.iter().for_each(|layer| number(&layer.order, &mut position));
        for sweep in 0..=SWEEPS {
            let down = sweep % 2 == 1;
            let count = self.layers.len();
            // The first order counts unchanged.
            for step in 1..if sweep == 0 { 1 } else { count } {
                let layer = if down { step } else { count - 1 - step };
                let mut middles: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
                for link in &links[if down { layer - 1 } else { layer }] {
                    let (vertex, other, offset) = match down {
                        true => (link.below, link.above, link.above_offset),
                        false => (link.above, link.below, link.below_offset),
                    };
                    // The position on the other vertex, as a fraction of its width.
                    let fraction = offset / self.vertices[other].width.max(1.0);
                    let (sum, count) = middles.entry(vertex).or_default();
                    *sum += position[other] + fraction;
                    *count += 1.0;
                }
                let order = &mut self.layers[layer].order;
                let key = |vertex: &usize| match middles.get(vertex) {
                    Some((sum, count)) => sum / count,
                    None => position[*vertex],
                };
                let mut keyed: Vec<(f64, usize)> =
                    order.iter().map(|vertex| (key(vertex), *vertex)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                order.clear();
                order.extend(keyed.into_iter().map(|(_, vertex)| vertex));
                number(order, &mut position);
            }
            self.exchange(links, &mut position);
            let crossed = links.iter().map(|links| {
                let ends = links.iter().map(|link| self.ends(link, &position));
                crossings(ends.collect())
            });
            let crossed = crossed.sum();
            if best.as_ref().is_none_or(|(least, _)| crossed < *least) {
                *best = Some((crossed, self.layers.iter().map(|layer| layer.order.clone()).collect()));
            }
            if crossed == 0 {
                break;
            }
        }
    }

    /// The ends of a link as positions in the layers above and below.
    fn ends(&self, link: &Link, position: &[f64]) -> (f64, f64) {
        let end = |vertex: usize, offset: f64| {
            position[vertex] + offset / self.vertices[vertex].width.max(1.0) / 2.0
        };
        (end(link.above, link.above_offset), end(link.below, link.below_offset))
    }

    /// Exchanges adjacent vertices of a layer while this removes crossings.
    fn exchange(&mut self, links: &[Vec<Link>], position: &mut [f64]) {
        for layer in 0..self.layers.len() {
            // The ends of the links of each vertex in the layers above and below.
            let mut ends: BTreeMap<usize, [Vec<f64>; 2]> = BTreeMap::new();
            for link in links.get(layer.wrapping_sub(1)).into_iter().flatten() {
                ends.entry(link.below).or_default()[0].push(self.ends(link, position).0);
            }
            for link in &links[layer] {
                ends.entry(link.above).or_default()[1].push(self.ends(link, position).1);
            }
            ends.values_mut().flatten().for_each(|ends| ends.sort_by(f64::total_cmp));
            let order = &mut self.layers[layer].order;
            for _ in 0..SWEEPS {
                let mut changed = false;
                for at in 1..order.len() {
                    let (Some(left), Some(right)) = (ends.get(&order[at - 1]), ends.get(&order[at])) else {
                        continue;
                    };
                    let gain: i64 = left.iter().zip(right).map(|(left, right)| swap_gain(left, right)).sum();
                    if gain > 0 {
                        order.swap(at - 1, at);
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
            order.iter().enumerate().for_each(|(at, &vertex)| position[vertex] = at as f64);
        }
    }

    /// The minimum distance of the centres of two adjacent vertices.
    fn distance(&self, left: usize, right: usize) -> f64 {
        let line = |vertex: usize| vertex >= self.items.len();
        let gap = if line(left) || line(right) { LINE_GAP } else { GAP };
        (self.vertices[left].width + self.vertices[right].width) / 2.0 + gap
    }

    fn find_places(&mut self) {
        let links = self.links();
        let count = self.layers.len();
        // At first, each layer is packed around the middle.
        for layer in 0..count {
            let preferences = vec![(0.0, 1.0); self.layers[layer].order.len()];
            self.settle(layer, preferences);
        }
        for sweep in 0..3 * SWEEPS {
            // The first sweeps move whole parts of the level. Then both neighbouring layers count.
            let both = sweep >= SWEEPS;
            let (above, below) = (sweep % 2 == 0 || both, sweep % 2 == 1 || both);
            for step in 0..count {
                let layer = if sweep % 2 == 0 { step } else { count - 1 - step };
                let mut pulls: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
                let mut pull = |vertex: usize, at: f64, weight: f64| {
                    let (sum, total) = pulls.entry(vertex).or_default();
                    *sum += at * weight;
                    *total += weight;
                };
                if above && layer > 0 {
                    for link in &links[layer - 1] {
                        let at = self.vertices[link.above].x + link.above_offset - link.below_offset;
                        pull(link.below, at, link.weight);
                    }
                }
                if below {
                    for link in &links[layer] {
                        let at = self.vertices[link.below].x + link.below_offset - link.above_offset;
                        pull(link.above, at, link.weight);
                    }
                }
                let preference = |vertex: &usize| match pulls.get(vertex) {
                    Some((sum, total)) => (sum / total, *total),
                    None => (self.vertices[*vertex].x, 0.1),
                };
                let preferences = self.layers[layer].order.iter().map(preference).collect();
                self.settle(layer, preferences);
            }
        }
    }

    /// Gives the vertices of a layer the positions closest to their wishes. A wish is a position and its weight.
    fn settle(&mut self, layer: usize, preferences: Vec<(f64, f64)>) {
        let order = std::mem::take(&mut self.layers[layer].order);
        let preferences = preferences.into_iter().enumerate().map(|(index, (at, weight))| {
            let gap = if index == 0 { 0.0 } else { self.distance(order[index - 1], order[index]) };
            Wish { at, weight, gap }
        });
        let places = settle(&preferences.collect::<Vec<_>>());
        for (&vertex, x) in order.iter().zip(places) {
            self.vertices[vertex].x = x;
        }
        self.layers[layer].order = order;
    }

    /// Makes passing nets straight as far as adjacent vertices allow. Otherwise they would have bends of a few pixels.
    fn straighten(&mut self) {
        let mut room = vec![(f64::NEG_INFINITY, f64::INFINITY); self.vertices.len()];
        for number in 0..self.nets.len() {
            let (first, passes) = (self.nets[number].first, self.nets[number].passes.clone());
            for layer in &self.layers[passes.start..passes.end] {
                // Adjacent vertices may have moved since the last net.
                if let Some(at) =
                    layer.order.iter().position(|vertex| (first..first + passes.len()).contains(vertex))
                {
                    let vertex = layer.order[at];
                    let before = at.checked_sub(1).map(|before| layer.order[before]);
                    let low = before.map(|before| self.vertices[before].x + self.distance(before, vertex));
                    let after = layer.order.get(at + 1);
                    let high = after.map(|&after| self.vertices[after].x - self.distance(vertex, after));
                    room[vertex] = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
                }
            }
            // The best position is that of the end of the net.
            let end = match self.nets[number].end {
                End::Item(item) => Some(self.vertices[item].x + self.in_ports[number]),
                End::Bottom => None,
            };
            let mut last = first + passes.len();
            while last > first {
                let (mut low, mut high) = room[last - 1];
                let mut begin = last - 1;
                while begin > first {
                    let (l, h) = room[begin - 1];
                    if low.max(l) > high.min(h) {
                        break;
                    }
                    (low, high, begin) = (low.max(l), high.min(h), begin - 1);
                }
                let mean =
                    (begin..last).map(|vertex| self.vertices[vertex].x).sum::<f64>() / (last - begin) as f64;
                let preference = end.filter(|_| last == first + passes.len()).unwrap_or(mean);
                let x = if low <= high { preference.clamp(low, high) } else { mean };
                self.vertices[begin..last].iter_mut().for_each(|vertex| vertex.x = x);
                last = begin;
            }
        }
    }

    /// Lets nets that lead back do so on the side where they cross fewer other nets.
    fn choose_sides(&mut self) {
        let links = self.links();
        for number in 0..self.nets.len() {
            let net = &self.nets[number];
            let (true, End::Item(end)) = (net.back, net.end) else { continue };
            let begins = net.edges.iter().filter_map(|&(edge, begin)| Some((begin?, self.out_ports[&edge])));
            let begins = begins.map(|(item, port)| (self.vertices[item].layer, self.vertices[item].x + port));
            let target = (self.vertices[end].layer - 1, self.vertices[end].x);
            let (mut left, mut right) = (0, 0);
            for (channel, x) in begins.chain([target]) {
                for link in &links[channel] {
                    let above = self.vertices[link.above].x + link.above_offset;
                    let below = self.vertices[link.below].x + link.below_offset;
                    // Lines to the same place as the net itself do not cross it.
                    left += usize::from(above + below < 2.0 * x);
                    right += usize::from(above + below > 2.0 * x);
                }
            }
            if left < right {
                self.nets[number].left = true;
                if matches!(self.items[end], Item::Node(_)) {
                    self.in_ports[number] = -self.in_ports[number];
                }
            }
        }
    }

    /// Moves the ports of blocks so that lines become straight where possible.
    fn align_ports(&mut self, plan: &Plan) {
        let mut of_item: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.items.len()];
        for (number, net) in self.nets.iter().enumerate() {
            for &(edge, begin) in &net.edges {
                if let Some(item) = begin.filter(|&item| matches!(self.items[item], Item::Node(_))) {
                    of_item[item].push((edge, number));
                }
            }
        }
        for (item, edges) in of_item.iter().enumerate() {
            let own = self.vertices[item];
            let to = |number: usize| match self.nets[number].back {
                true if self.nets[number].left => f64::NEG_INFINITY,
                true => f64::INFINITY,
                false => {
                    let (vertex, offset) = self.stop(number, own.layer + 1);
                    self.vertices[vertex].x + offset
                }
            };
            if let [(edge, number)] = edges[..] {
                let reach = (own.width / 2.0 - CORNER).max(0.0);
                let port =
                    if self.nets[number].back { 0.0 } else { (to(number) - own.x).clamp(-reach, reach) };
                self.out_ports.insert(edge, port);
                continue;
            }
            let mut edges: Vec<(f64, usize)> =
                edges.iter().map(|&(edge, number)| (to(number), edge)).collect();
            edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let edges: Vec<usize> = edges.into_iter().map(|(_, edge)| edge).collect();
            self.spread(plan, item, &edges);
        }
        let returned: Vec<(End, bool)> =
            self.nets.iter().filter(|net| net.back).map(|net| (net.end, net.left)).collect();
        for number in 0..self.nets.len() {
            let End::Item(item) = self.nets[number].end else { continue };
            if self.nets[number].back || matches!(self.items[item], Item::Cluster(_)) {
                continue;
            }
            let own = self.vertices[item];
            let into = self.links_of(number).filter(|(_, link)| link.below == item);
            let from: Vec<f64> = into
                .map(|(_, link)| self.vertices[link.above].x + link.above_offset - own.x)
                .take(2)
                .collect();
            if let [from] = from[..] {
                let reach = (own.width / 2.0 - CORNER).max(0.0);
                // A corner is for edges that lead back.
                let limit = |left: bool| match returned.contains(&(End::Item(item), left)) {
                    true => (reach - CORNER).max(0.0),
                    false => reach,
                };
                if -limit(true) <= from && from <= limit(false) {
                    self.in_ports[number] = from;
                }
            }
        }
    }

    /// Moves all vertices into the box, and makes space at its sides for edges that lead back.
    fn find_lanes(&mut self) {
        let edges = |side: f64| self.vertices.iter().map(move |vertex| vertex.x + side * vertex.width / 2.0);
        let left = edges(-1.0).fold(f64::INFINITY, f64::min);
        let right = edges(1.0).fold(f64::NEG_INFINITY, f64::max);
        let left = if left.is_finite() { left } else { 0.0 };
        let on_left = self.nets.iter().filter(|net| net.back && net.left).count() as f64 * LINE_GAP;
        self.vertices.iter_mut().for_each(|vertex| vertex.x += on_left - left);
        self.width = on_left + (right - left).max(0.0);
        let mut next_left = on_left;
        for net in &self.nets {
            let lane = match (net.back, net.left) {
                (true, true) => {
                    next_left -= LINE_GAP;
                    next_left
                }
                (back, _) => {
                    self.width += if back { LINE_GAP } else { 0.0 };
                    self.width
                }
            };
            self.lanes.push(lane);
        }
    }

    /// Computes the tracks in all channels, and the vertical positions that depend on them.
    fn find_heights(&mut self, plan: &Plan) {
        let mut wires: Vec<Vec<(usize, Wire)>> = vec![Vec::new(); self.layers.len()];
        let mut labels = vec![false; self.layers.len()];
        let mut add = |channel: usize, net: usize, above: Option<f64>, below: &[f64]| {
            let wires = &mut wires[channel];
            if wires.last().is_none_or(|(last, _)| *last != net) {
                wires.push((net, Wire::default()));
            }
            if let Some((_, wire)) = wires.last_mut() {
                wire.above.extend(above);
                wire.below.extend(below);
            }
        };
        for (number, net) in self.nets.iter().enumerate() {
            match (net.back, net.end) {
                (true, End::Item(end)) => {
                    let port = self.vertices[end].x + self.in_ports[number];
                    add(self.vertices[end].layer - 1, number, None, &[port, self.lanes[number]]);
                    for &(edge, begin) in &net.edges {
                        let Some(item) = begin else { continue };
                        let above = self.vertices[item].x + self.out_ports[&edge];
                        add(self.vertices[item].layer, number, Some(above), &[self.lanes[number]]);
                    }
                }
                _ => {
                    for (channel, link) in self.links_of(number) {
                        let above = self.vertices[link.above].x + link.above_offset;
                        let below = self.vertices[link.below].x + link.below_offset;
                        add(channel, number, Some(above), &[below]);
                    }
                }
            }
            for &(edge, begin) in &net.edges {
                if let Some(item) = begin.filter(|_| plan.edges[edge].label > 0.0) {
                    labels[self.vertices[item].layer] |= matches!(self.items[item], Item::Node(_));
                }
            }
        }
        let mut y = 0.0;
        for layer in 0..self.layers.len() {
            let order = &self.layers[layer].order;
            let heights = order.iter().filter_map(|&vertex| self.heights.get(vertex));
            let height = heights.copied().fold(0.0, f64::max);
            self.layers[layer].top = y;
            self.layers[layer].height = height;
            y += height;
            if wires[layer].is_empty() {
                continue;
            }
            let (nets, wires): (Vec<usize>, Vec<Wire>) =
                std::mem::take(&mut wires[layer]).into_iter().unzip();
            let (tracks, count) = assign(&wires);
            let top = y + CHANNEL / 2.0 + if labels[layer] { LABEL } else { 0.0 };
            for (net, track) in nets.into_iter().zip(tracks) {
                if let Some(track) = track {
                    self.tracks.insert((layer, net), top + track as f64 * TRACK);
                }
            }
            y = top + CHANNEL / 2.0 + count.saturating_sub(1) as f64 * TRACK;
        }
        self.height = y;
    }

    /// The path of an edge through the level.
    pub fn way(&self, edge: usize) -> Vec<Point> {
        let Some(&number) = self.net_of.get(&edge) else { return Vec::new() };
        let net = &self.nets[number];
        let begin = net.edges.iter().find(|(other, _)| *other == edge).and_then(|(_, begin)| *begin);
        let mut way = Vec::new();
        let mut layer = 0;
        let mut x;
        match begin {
            Some(item) => {
                layer = self.vertices[item].layer;
                x = self.vertices[item].x + self.out_ports[&edge];
                way.push(Point { x, y: self.layers[layer].top + self.heights[item] });
            }
            None => {
                x = self.vertices[net.first].x;
                way.push(Point { x, y: -CAPTION });
            }
        }
        let mut turn = |channel: usize, from: f64, to: f64| {
            if let Some(&y) = self.tracks.get(&(channel, number)) {
                way.push(Point { x: from, y });
                way.push(Point { x: to, y });
            }
        };
        match net.end {
            End::Item(end) if net.back => {
                let lane = self.lanes[number];
                turn(layer, x, lane);
                layer = self.vertices[end].layer - 1;
                x = self.vertices[end].x + self.in_ports[number];
                turn(layer, lane, x);
            }
            _ => {
                let last = match net.end {
                    End::Item(end) => self.vertices[end].layer,
                    End::Bottom => self.layers.len() - 1,
                };
                while layer < last {
                    let (vertex, offset) = self.stop(number, layer + 1);
                    let to = self.vertices[vertex].x + offset;
                    turn(layer, x, to);
                    (x, layer) = (to, layer + 1);
                }
            }
        }
        let y = match net.end {
            End::Item(end) => self.layers[self.vertices[end].layer].top,
            End::Bottom => self.height + PADDING,
        };
        way.push(Point { x, y });
        way
    }
}
