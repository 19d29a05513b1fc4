//! Draws the picture of a flow graph as SVG, for a browser.
//!
//! The file is self-contained, without scripts, fonts or other resources. It paints its own background, light or dark
//! by the preference of the reader, so that it is readable in every environment. Texts have fixed-width fonts, because
//! the widths of other fonts are unknown here.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::layout::{CAPTION, Layout, Plan, Point, Rect, layout};
use super::layout::{Cluster, Edge as PlanEdge, Node as PlanNode};
use super::picture::{Block, Edge, EdgeKind, Graph, Part, Picture, Region, Row, color, region_name, wrap};
use super::xml::{Escaped, width};
use tangle_diagnostic::Severity;

/// The width of a character of 12 pixels, and of a character of 11 pixels.
const WIDE: f64 = 7.25;
const NARROW: f64 = 6.65;
/// The heights of a source line, an operation, and the head of a block.
const LINE: f64 = 16.0;
const OPERATION: f64 = 19.0;
const HEAD: f64 = 22.0;
const PAD: f64 = 10.0;
const MARGIN: f64 = 24.0;
/// The minimum width of a picture, which leaves space for texts.
const NARROWEST: f64 = 640.0;
/// The maximum length of a line in the legend, in characters.
const LEGEND_CHARACTERS: usize = 96;

/// Writes a picture.
pub fn write(out: &mut dyn Write, picture: &Picture) -> io::Result<()> {
    let drawn: Vec<LaidOutGraph> = picture.graphs.iter().map(LaidOutGraph::of).collect();
    let width = drawn.iter().map(|drawn| drawn.width).fold(NARROWEST, f64::max);
    let key = Key::of(picture, width);
    let width = width + 2.0 * MARGIN;
    let height = drawn.iter().map(|drawn| drawn.height + MARGIN).sum::<f64>() + key.height + 2.0 * MARGIN;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}">"#
    )?;
    writeln!(out, "<title>Flow graphs of {}</title>", Escaped(&picture.file))?;
    style(out)?;
    markers(out)?;
    writeln!(out, r#"<rect class="paper" width="{width:.0}" height="{height:.0}"/>"#)?;
    let mut y = MARGIN;
    writeln!(out, r#"<g transform="translate({MARGIN},{y})">"#)?;
    key.write(out)?;
    writeln!(out, "</g>")?;
    y += key.height;
    for (graph, drawn) in picture.graphs.iter().zip(&drawn) {
        writeln!(out, r#"<g class="function" transform="translate({MARGIN},{y:.1})">"#)?;
        drawn.write(out, graph)?;
        writeln!(out, "</g>")?;
        y += drawn.height + MARGIN;
    }
    writeln!(out, "</svg>")
}

/// A graph with its layout.
struct LaidOutGraph {
    plan: Layout,
    /// For each token, the lines of its entry in the legend.
    legend: Vec<Vec<String>>,
    /// The start of the drawing, below the heading and the legend.
    top: f64,
    width: f64,
    height: f64,
}

/// The heights of the heading of a function, and of a line of its legend.
const HEADING: f64 = 30.0;
const LEGEND_LINE: f64 = 17.0;

impl LaidOutGraph {
    fn of(graph: &Graph) -> LaidOutGraph {
        let mut out_labels = vec![0.0; graph.blocks.len()];
        for edge in &graph.edges {
            out_labels[edge.from.index()] += width(&edge.label) * NARROW + 20.0;
        }
        let nodes = (graph.blocks.iter().zip(out_labels))
            .map(|(block, labels)| {
                let (width, height) = size(graph, block);
                PlanNode { width: width.max(labels), height, cluster: block.cycle }
            })
            .collect();
        let clusters = (graph.cycles.iter())
            .map(|cycle| Cluster { parent: cycle.parent, caption: width(&cycle.caption) * NARROW })
            .collect();
        let edges = (graph.edges.iter())
            .map(|edge| PlanEdge {
                from: edge.from.index(),
                to: edge.to.index(),
                label: if edge.label.is_empty() { 0.0 } else { width(&edge.label) * NARROW + 4.0 },
                kind: EDGES.iter().position(|(other, ..)| *other == class(edge)).unwrap_or(0),
            })
            .collect();
        let plan = layout(&Plan { nodes, clusters, edges });
        let entries = graph.tokens.iter().map(|token| {
            // A line number stays with its word.
            let meaning = token.meaning.replace("(line ", "(line\u{a0}");
            wrap(&format!("{} {}: {meaning}", token.kind.sign(), token.name), LEGEND_CHARACTERS)
        });
        let legend: Vec<Vec<String>> = entries.collect();
        let lines = || legend.iter().flatten();
        let widest = lines().map(|line| width(line) * NARROW + 24.0).fold(0.0, f64::max);
        let top = HEADING + lines().count() as f64 * LEGEND_LINE + 12.0;
        let heading = width(&heading(graph)) * 9.7;
        let (width, height) = (plan.width.max(widest).max(heading), top + plan.height);
        LaidOutGraph { plan, legend, top, width, height }
    }

    fn write(&self, out: &mut dyn Write, graph: &Graph) -> io::Result<()> {
        writeln!(out, r#"<text class="heading" x="0" y="18">{}</text>"#, Escaped(&heading(graph)))?;
        let mut y = HEADING;
        for (number, lines) in self.legend.iter().enumerate() {
            let color = number % 8;
            writeln!(
                out,
                r#"<g class="token-key"><rect class="fill{color}" x="0" y="{y:.1}" width="12" height="12" rx="3"/>"#
            )?;
            for line in lines {
                let base = y + 10.0;
                writeln!(out, r#"<text class="note" x="20" y="{base:.1}">{}</text>"#, Escaped(line))?;
                y += LEGEND_LINE;
            }
            writeln!(out, "</g>")?;
        }
        writeln!(out, r#"<g transform="translate(0,{:.1})">"#, self.top)?;
        for (cycle, rect) in graph.cycles.iter().zip(&self.plan.clusters) {
            let class = if cycle.irreducible { "cycle irreducible" } else { "cycle" };
            writeln!(
                out,
                r#"<g class="{class}"><title>{}</title>{}</g>"#,
                Escaped(&cycle.caption),
                frame(rect)
            )?;
        }
        // The shade of an inner region is on top of that of the outer one.
        let mut regions: Vec<&Region> = graph.regions.iter().collect();
        regions.sort_by_key(|region| (region.divides_workgroup, Reverse(region.blocks.len())));
        for region in regions {
            self.write_region(out, graph, region)?;
        }
        for (edge, way) in graph.edges.iter().zip(&self.plan.edges) {
            write_edge(out, graph, edge, way)?;
        }
        for piece in &self.plan.shared {
            writeln!(out, r#"<path class="shared" d="{}"/>"#, path(piece))?;
        }
        for (edge, way) in graph.edges.iter().zip(&self.plan.edges) {
            write_label(out, edge, way)?;
        }
        // Captions are above lines, to be readable.
        for (cycle, rect) in graph.cycles.iter().zip(&self.plan.clusters) {
            let class = if cycle.irreducible { "caption irreducible" } else { "caption" };
            let (x, y) = (rect.x + 8.0, rect.y + CAPTION - 7.0);
            writeln!(
                out,
                r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{}</text>"#,
                Escaped(&cycle.caption)
            )?;
        }
        for (block, rect) in graph.blocks.iter().zip(&self.plan.nodes) {
            write_block(out, graph, block, rect)?;
        }
        writeln!(out, "</g>")
    }

    /// Shades the blocks of a region and the edges between them.
    fn write_region(&self, out: &mut dyn Write, graph: &Graph, region: &Region) -> io::Result<()> {
        let title =
            format!("{}: {}", region_name(graph.blocks[region.branch].governs.unwrap_or(0)), region.verdict);
        write!(out, r#"<g class="{}"><title>{}</title>"#, region_class(region), Escaped(&title))?;
        for &block in &region.blocks {
            let Rect { x, y, width, height } = self.plan.nodes[block.index()];
            let (x, y, width, height) = (x - HALO, y - HALO, width + 2.0 * HALO, height + 2.0 * HALO);
            write!(out, r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="12"/>"#)?;
        }
        for (edge, way) in graph.edges.iter().zip(&self.plan.edges) {
            let inside = |block| region.blocks.contains(&block);
            if inside(edge.to) && (inside(edge.from) || edge.from == region.branch) {
                write!(out, r#"<path d="{}"/>"#, path(way))?;
            }
        }
        writeln!(out, "</g>")
    }
}

/// The width of the shade around a block of a region.
const HALO: f64 = 9.0;

fn region_class(region: &Region) -> &'static str {
    if region.divides_workgroup { "region" } else { "region groups" }
}

fn heading(graph: &Graph) -> String {
    let thread = graph.thread;
    let convergent = match (graph.convergent, graph.tokens.is_empty()) {
        (true, _) => format!(" (convergent: its effect depends on the {thread}s that call it together)"),
        (false, true) => String::new(),
        (false, false) => format!(" (not convergent: each {thread} can call it independently)"),
    };
    format!("{}{convergent}", graph.title)
}

fn frame(rect: &Rect) -> String {
    let Rect { x, y, width, height } = rect;
    format!(r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="10"/>"#)
}

/// The width of the column of line numbers of a block.
fn gutter(block: &Block) -> f64 {
    let lines = block.parts.iter().flat_map(|part| &part.lines);
    lines.map(|line| width(&line.number)).fold(0.0, f64::max) * NARROW + 10.0
}

/// The text in a branch that names its region: `◆1 divergent: get_local_id(0)`.
fn verdict(graph: &Graph, block: &Block) -> Option<String> {
    let region = block.governs?;
    Some(format!("{} {}", region_name(region), graph.regions[region].verdict))
}

fn size(graph: &Graph, block: &Block) -> (f64, f64) {
    let rows: Vec<Row> = block.parts.iter().flat_map(Part::rows).collect();
    let lines = rows.iter().map(|row| gutter(block) + width(&row.text()) * WIDE);
    let pills = block.operations.iter().map(|operation| width(&operation.text) * NARROW + 14.0);
    let verdict = verdict(graph, block).map(|verdict| PAD + width(&verdict) * NARROW + 14.0);
    let end = block.end.as_ref().map(|end| width(end) * NARROW);
    let last = end.unwrap_or(0.0) + verdict.unwrap_or(0.0);
    let head = width(&block.name) * WIDE + width(&block.region_names()) * NARROW + PAD;
    let wide = lines.chain(pills).fold(head.max(last), f64::max);
    let below = (block.operations.len() + usize::from(last > 0.0)) as f64 * OPERATION;
    let gap = if rows.is_empty() { 0.0 } else { 5.0 };
    let high = HEAD + rows.len() as f64 * LINE + gap + below + 4.0;
    ((wide + 2.0 * PAD).max(64.0).ceil(), high.max(HEAD + 4.0))
}

fn write_block(out: &mut dyn Write, graph: &Graph, block: &Block, rect: &Rect) -> io::Result<()> {
    let Rect { x, y, width: wide, height } = *rect;
    // A viewer uses the number to go from a block to its source and back.
    let number = |part: &Part| format!(r#" data-block="{}""#, part.id.index());
    let (own, several) = match &block.parts[..] {
        [only] => (number(only), false),
        _ => (String::new(), true),
    };
    writeln!(out, r#"<g class="block"{own}><title>{}</title>"#, Escaped(&block.tooltip(&graph.regions)))?;
    writeln!(
        out,
        r#"<rect class="card" x="{x:.1}" y="{y:.1}" width="{wide:.1}" height="{height:.1}" rx="6"/>"#
    )?;
    let hearts: Vec<usize> = (block.operations.iter())
        .filter(|operation| operation.defines)
        .filter_map(|operation| operation.token)
        .collect();
    if let Some(token) = hearts.first() {
        // The border of a block that defines a token has the colour of the token.
        writeln!(
            out,
            r#"<rect class="line{}" x="{x:.1}" y="{y:.1}" width="{wide:.1}" height="{height:.1}" rx="6"/>"#,
            token % 8
        )?;
    }
    let left = x + PAD;
    writeln!(out, r#"<text class="name" x="{left:.1}" y="{:.1}">{}</text>"#, y + 15.0, Escaped(&block.name))?;
    if !block.regions.is_empty() {
        let (right, base) = (x + wide - PAD, y + 15.0);
        writeln!(
            out,
            r#"<text class="number diverges" x="{right:.1}" y="{base:.1}">{}</text>"#,
            block.region_names()
        )?;
    }
    let mut base = y + HEAD + 11.0;
    let gutter = gutter(block);
    let mut rows = 0;
    for part in &block.parts {
        let own = part.rows();
        if several {
            let (top, high) = (base - 12.0, own.len() as f64 * LINE);
            writeln!(
                out,
                r#"<g{}><title>{}</title><rect class="card part" x="{:.1}" y="{top:.1}" width="{:.1}" height="{high:.1}" rx="4"/>"#,
                number(part),
                Escaped(&part.name),
                x + 3.0,
                wide - 6.0
            )?;
        }
        for row in &own {
            let (number, text) = (left + gutter - 10.0, left + gutter);
            let class = match row {
                Row::Line(_) => "code",
                Row::Folded(_) => "end",
                Row::Finding(severity, _) => {
                    let (class, from, top, wide) =
                        (severity_class(*severity), x + 3.0, base - 12.0, wide - 6.0);
                    writeln!(
                        out,
                        r#"<rect class="{class}" x="{from:.1}" y="{top:.1}" width="{wide:.1}" height="{LINE}"/>"#
                    )?;
                    class
                }
            };
            if !row.number().is_empty() {
                write!(
                    out,
                    r#"<text class="number" x="{number:.1}" y="{base:.1}">{}</text>"#,
                    Escaped(row.number())
                )?;
            }
            writeln!(
                out,
                r#"<text class="{class}" x="{text:.1}" y="{base:.1}">{}</text>"#,
                Escaped(&row.text())
            )?;
            base += LINE;
        }
        rows += own.len();
        if several {
            writeln!(out, "</g>")?;
        }
    }
    base += if rows == 0 { 2.0 } else { 7.0 };
    for operation in &block.operations {
        let color = operation.token.map(|token| token % 8);
        let (pill, text) = match (color, operation.defines) {
            (Some(color), true) => (format!("line{color}"), format!("ink{color}")),
            (Some(color), false) => (format!("fill{color}"), "onfill".to_owned()),
            (None, _) => ("none".to_owned(), "op".to_owned()),
        };
        write_pill(out, (left, base), (&pill, &format!("op {text}")), &operation.text)?;
        base += OPERATION;
    }
    let mut left = left;
    if let Some(end) = &block.end {
        writeln!(out, r#"<text class="end" x="{left:.1}" y="{base:.1}">{}</text>"#, Escaped(end))?;
        left += width(end) * NARROW + PAD;
    }
    if let Some(verdict) = verdict(graph, block) {
        let of_groups = block.governs.is_some_and(|region| !graph.regions[region].divides_workgroup);
        let classes = if of_groups { ("pill groups", "diverges groups") } else { ("pill", "diverges") };
        write_pill(out, (left, base), classes, &verdict)?;
    }
    writeln!(out, "</g>")
}

/// Writes a text on a rounded rectangle, both with a class.
fn write_pill(
    out: &mut dyn Write,
    (left, base): (f64, f64),
    (pill, class): (&str, &str),
    text: &str,
) -> io::Result<()> {
    let (top, wide) = (base - 12.5, width(text) * NARROW + 14.0);
    writeln!(
        out,
        r#"<rect class="{pill}" x="{left:.1}" y="{top:.1}" width="{wide:.1}" height="17" rx="8"/><text class="{class}" x="{:.1}" y="{base:.1}">{}</text>"#,
        left + 7.0,
        Escaped(text)
    )
}

fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "finding error",
        Severity::Warning => "finding warning",
        Severity::Note => "finding remark",
    }
}

fn class(edge: &Edge) -> &'static str {
    match (edge.back, edge.kind) {
        (true, _) => "back",
        (_, EdgeKind::Jump) => "jump",
        (_, EdgeKind::True) => "true",
        (_, EdgeKind::False) => "false",
        (_, EdgeKind::Case) => "case",
    }
}

fn write_edge(out: &mut dyn Write, graph: &Graph, edge: &Edge, way: &[Point]) -> io::Result<()> {
    let class = class(edge);
    let (from, to) = (&graph.blocks[edge.from].name, &graph.blocks[edge.to].name);
    let label = match (edge.label.is_empty(), edge.back) {
        (true, true) => " (back to the header)".to_owned(),
        (true, false) => String::new(),
        (false, true) => format!(" ({}, back to the header)", edge.label),
        (false, false) => format!(" ({})", edge.label),
    };
    let title = format!("{from} → {to}{label}");
    writeln!(
        out,
        r#"<g class="edge {class}"><title>{}</title><path d="{}" marker-end="url(#{class})"/></g>"#,
        Escaped(&title),
        path(way)
    )
}

/// Writes a label directly below its block, beside the line.
fn write_label(out: &mut dyn Write, edge: &Edge, way: &[Point]) -> io::Result<()> {
    let (false, Some(first)) = (edge.label.is_empty(), way.first()) else { return Ok(()) };
    let class = match edge.kind {
        EdgeKind::Jump => "jump",
        EdgeKind::True => "true",
        EdgeKind::False => "false",
        EdgeKind::Case => "case",
    };
    let (x, y) = (first.x + 5.0, first.y + 12.0);
    writeln!(out, r#"<text class="label {class}" x="{x:.1}" y="{y:.1}">{}</text>"#, Escaped(&edge.label))
}

/// A path with rounded corners.
fn path(way: &[Point]) -> String {
    let mut path = String::new();
    for (index, point) in way.iter().enumerate() {
        let around = index.checked_sub(1).and_then(|before| Some((way[before], *way.get(index + 1)?)));
        let Some((before, after)) = around else {
            path += &format!("{}{:.1} {:.1}", if index == 0 { "M" } else { "L" }, point.x, point.y);
            continue;
        };
        let toward = |other: Point| {
            let length = (other.x - point.x).hypot(other.y - point.y).max(0.1);
            let part = (6.0f64).min(length / 2.0) / length;
            (point.x + (other.x - point.x) * part, point.y + (other.y - point.y) * part)
        };
        let ((bx, by), (ax, ay)) = (toward(before), toward(after));
        path += &format!("L{bx:.1} {by:.1}Q{:.1} {:.1} {ax:.1} {ay:.1}", point.x, point.y);
    }
    path
}

/// Explains the lines and frames that occur in the picture.
struct Key {
    /// The kind, its explanation, and its position.
    entries: Vec<(&'static str, String, Point)>,
    height: f64,
}

impl Key {
    fn of(picture: &Picture, width: f64) -> Key {
        let edges = || picture.graphs.iter().flat_map(|graph| &graph.edges);
        let cycles = || picture.graphs.iter().flat_map(|graph| &graph.cycles);
        let shades = picture.shades();
        let kinds = [
            ("true", "condition true", edges().any(|edge| class(edge) == "true")),
            ("false", "condition false", edges().any(|edge| class(edge) == "false")),
            ("case", "switch", edges().any(|edge| class(edge) == "case")),
            ("jump", "unconditional", edges().any(|edge| class(edge) == "jump")),
            ("back", "next iteration", edges().any(|edge| edge.back)),
            ("cycle", "cycle, entered at one block", cycles().any(|cycle| !cycle.irreducible)),
            ("cycle irreducible", "cycle entered at several blocks", cycles().any(|cycle| cycle.irreducible)),
            (
                "token",
                "a token, and the operations that it controls",
                picture.graphs.iter().any(|graph| !graph.tokens.is_empty()),
            ),
        ];
        let kinds =
            kinds.into_iter().filter(|(.., occurs)| *occurs).map(|(kind, text, _)| (kind, text.to_owned()));
        let shades = shades.into_iter().map(|(divides_workgroup, text)| {
            (if divides_workgroup { "region" } else { "region groups" }, text)
        });
        let (mut entries, mut at) = (Vec::new(), Point::default());
        for (kind, text) in kinds.chain(shades) {
            let step = text.chars().count() as f64 * NARROW + 62.0;
            if at.x > 0.0 && at.x + step > width {
                at = Point { x: 0.0, y: at.y + 24.0 };
            }
            entries.push((kind, text, at));
            at.x += step;
        }
        let height = if entries.is_empty() { 0.0 } else { at.y + 38.0 };
        Key { entries, height }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (kind, text, at) in &self.entries {
            let Point { x, y } = *at;
            let text = Escaped(text);
            write!(out, r#"<g class="key">"#)?;
            match *kind {
                "cycle" | "cycle irreducible" => write!(
                    out,
                    r#"<g class="{kind} small"><rect x="{x:.1}" y="{:.1}" width="30" height="16" rx="4"/></g>"#,
                    y - 1.0
                )?,
                "region" | "region groups" => write!(
                    out,
                    r#"<g class="{kind}"><rect x="{x:.1}" y="{:.1}" width="30" height="16" rx="5"/></g>"#,
                    y - 1.0
                )?,
                "token" => write!(
                    out,
                    r#"<rect class="line0" x="{x:.1}" y="{y:.1}" width="14" height="14" rx="4"/><rect class="fill0" x="{:.1}" y="{y:.1}" width="14" height="14" rx="4"/>"#,
                    x + 17.0
                )?,
                _ => write!(
                    out,
                    r#"<g class="edge {kind}"><path d="M{x:.1} {0:.1}L{1:.1} {0:.1}" marker-end="url(#{kind})"/></g>"#,
                    y + 7.0,
                    x + 30.0
                )?,
            }
            writeln!(out, r#"<text class="note" x="{:.1}" y="{:.1}">{text}</text></g>"#, x + 38.0, y + 11.0)?;
        }
        Ok(())
    }
}

/// The colours of edges by class, for light and dark backgrounds.
const EDGES: [(&str, &str, &str); 5] = [
    ("jump", "#5b6573", "#9aa5b4"),
    ("true", "#15803d", "#5fd38a"),
    ("false", "#b4530a", "#f0a35e"),
    ("case", "#6d4ec2", "#b9a2f5"),
    ("back", "#0f6fa8", "#63bdf2"),
];

fn markers(out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<defs>")?;
    for (class, ..) in EDGES {
        write!(
            out,
            r#"<marker id="{class}" class="{class}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5L10 5L0 9.5z"/></marker>"#
        )?;
    }
    writeln!(out, "</defs>")
}

fn style(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<style>")?;
    writeln!(
        out,
        "text {{ font: 11px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; }}
.heading {{ font-size: 16px; font-weight: bold; }}
.name {{ font-size: 12px; font-weight: bold; }}
.code {{ font-size: 12px; }}
.number {{ text-anchor: end; }}
.label {{ paint-order: stroke; stroke-width: 3px; stroke-linejoin: round; }}
.caption {{ font-weight: bold; paint-order: stroke; stroke-width: 4px; stroke-linejoin: round; }}
.cycle rect {{ stroke-width: 1.5px; }}
.cycle.irreducible rect {{ stroke-width: 3px; stroke-dasharray: 9 5; }}
.cycle.small rect {{ stroke-width: 1.5px; stroke-dasharray: none; }}
.cycle.irreducible.small rect {{ stroke-width: 2px; stroke-dasharray: 5 3; }}
.edge path, .shared {{ fill: none; stroke-width: 1.5px; }}
.shared {{ pointer-events: none; }}
.edge.back path {{ stroke-width: 2.5px; stroke-dasharray: 7 3; }}
.edge:hover path {{ stroke-width: 4px; }}
.none {{ fill: none; stroke-dasharray: 3 2; }}
.end {{ font-style: italic; }}
.region path {{ fill: none; stroke-width: 10px; stroke-linejoin: round; }}
.card.part {{ fill: none; stroke: none; }}
.finding, .diverges {{ font-weight: bold; }}"
    )?;
    theme(out, |light, _| light)?;
    writeln!(out, "@media (prefers-color-scheme: dark) {{")?;
    theme(out, |_, dark| dark)?;
    writeln!(out, "}}\n</style>")
}

/// The rules that differ between light and dark.
fn theme(out: &mut dyn Write, choose: impl Fn(&'static str, &'static str) -> &'static str) -> io::Result<()> {
    let paper = choose("#ffffff", "#14181f");
    let text = choose("#1b222c", "#e4e9f0");
    let faint = choose("#6b7686", "#8e99a8");
    writeln!(
        out,
        ".paper {{ fill: {paper}; }}
text {{ fill: {text}; }}
.number, .end {{ fill: {faint}; }}
.card {{ fill: {}; stroke: {}; }}
.cycle rect {{ fill: {}; stroke: {}; }}
.caption {{ fill: {}; stroke: {paper}; }}
.cycle.irreducible rect {{ fill: {}; stroke: {red}; }}
.caption.irreducible {{ fill: {red}; }}
.label {{ stroke: {paper}; }}
.shared {{ stroke: {shared}; }}
.none {{ stroke: {faint}; }}
.onfill {{ fill: {paper}; }}
.region {{ opacity: {}; }}
.region rect {{ fill: {amber}; }} .region path {{ stroke: {amber}; }}
.region.groups rect {{ fill: {grey}; }} .region.groups path {{ stroke: {grey}; }}
.pill {{ fill: {}; }}
.diverges {{ fill: {}; }}
.pill.groups {{ fill: {}; }}
.diverges.groups {{ fill: {text}; }}",
        choose("#f7f9fb", "#1f2630"),
        choose("#aab4c0", "#4a5563"),
        choose("#eef3f9", "#19202a"),
        choose("#8fa1b8", "#4d6079"),
        choose("#4a6285", "#9db4d3"),
        choose("#fdeeee", "#2d1619"),
        choose("0.26", "0.26"),
        choose("#fbe3a6", "#57430f"),
        choose("#6f4200", "#ffd479"),
        choose("#dde2e8", "#37414f"),
        amber = choose("#f2b01e", "#c98a10"),
        grey = choose("#8793a3", "#76839a"),
        red = choose("#c81e1e", "#ff7b7b"),
        shared = choose(EDGES[0].1, EDGES[0].2),
    )?;
    for (class, light, dark) in EDGES {
        let color = choose(light, dark);
        writeln!(
            out,
            ".edge.{class} path {{ stroke: {color}; }} .label.{class}, marker.{class} {{ fill: {color}; }}"
        )?;
    }
    for (class, paper, ink) in [
        ("error", choose("#fde3e1", "#45191c"), choose("#a4161a", "#ffa39c")),
        ("warning", choose("#fff0cc", "#40300c"), choose("#7a4d00", "#f5c76b")),
        ("remark", choose("#e2ecf9", "#1c2f4a"), choose("#1f4b83", "#a3c9f7")),
    ] {
        writeln!(out, "rect.{class} {{ fill: {paper}; }} text.{class} {{ fill: {ink}; }}")?;
    }
    for number in 0..8 {
        let color = choose(color(number).light, color(number).dark);
        writeln!(
            out,
            ".fill{number} {{ fill: {color}; }} .ink{number} {{ fill: {color}; }} .line{number} {{ fill: none; stroke: {color}; stroke-width: 2px; }}"
        )?;
    }
    Ok(())
}
