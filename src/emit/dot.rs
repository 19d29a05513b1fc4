//! Draws the picture of a flow graph for Graphviz.
//!
//! The picture is the same as in [`svg`](super::svg), but `dot` computes the layout: blocks are tables, and cycles are
//! clusters. The background is always white, because a Graphviz file has only one set of colours.

use std::io::{self, Write};

use super::picture::{Block, EdgeKind, Graph, Part, Picture, Row, color, region_name};
use super::xml::{Escaped, width};
use tangle_diagnostic::Severity;

const FAINT: &str = "#6b7686";
const BORDER: &str = "#aab4c0";
const RED: &str = "#c81e1e";
const CARD: &str = "#f7f9fb";
/// The text about divergent branches, and the shades of blocks in one region and in several: where threads of a
/// work-group diverge, and where work-groups do.
const INK: &str = "#6f4200";
const SHADES: [&str; 3] = ["#fdf0cf", "#f8dc96", "#f2c65c"];
const GROUP_SHADE: &str = "#e1e5ea";

/// Writes a picture.
pub fn write(out: &mut dyn Write, picture: &Picture) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quoted(&picture.file))?;
    writeln!(out, "  bgcolor=white; labelloc=t; labeljust=l; nodesep=0.35; ranksep=0.45;")?;
    writeln!(out, "  fontname=\"monospace\"; fontsize=11;")?;
    writeln!(
        out,
        "  node [shape=box, style=\"rounded,filled\", fillcolor=\"{CARD}\", color=\"{BORDER}\", fontname=\"monospace\", fontsize=11, margin=\"0.06,0.03\"];"
    )?;
    writeln!(out, "  edge [fontname=\"monospace\", fontsize=10, penwidth=1.3, arrowsize=0.8];")?;
    writeln!(out, "  label=<{}>;", key(picture))?;
    for (number, graph) in picture.graphs.iter().enumerate() {
        write_graph(out, number, graph)?;
    }
    writeln!(out, "}}")
}

/// Explains the colours and lines that occur in the picture.
fn key(picture: &Picture) -> String {
    let edges = || picture.graphs.iter().flat_map(|graph| &graph.edges);
    let cycles = || picture.graphs.iter().flat_map(|graph| &graph.cycles);
    let has = |kind| edges().any(|edge| !edge.back && edge.kind == kind);
    let entries = [
        (line(EdgeKind::True), "condition true", has(EdgeKind::True)),
        (line(EdgeKind::False), "condition false", has(EdgeKind::False)),
        (line(EdgeKind::Case), "switch", has(EdgeKind::Case)),
        (line(EdgeKind::Jump), "unconditional", has(EdgeKind::Jump)),
        (BACK, "next iteration (dashed)", edges().any(|edge| edge.back)),
        (RED, "cycle entered at several blocks (dashed frame)", cycles().any(|cycle| cycle.irreducible)),
        (
            color(0).light,
            "token, and the operations that it controls",
            picture.graphs.iter().any(|graph| !graph.tokens.is_empty()),
        ),
    ];
    let entries = entries.into_iter().filter(|(.., occurs)| *occurs);
    let entries = entries.map(|(color, meaning, _)| (color, meaning.to_owned()));
    let shade = |divides_workgroup| if divides_workgroup { SHADES[1] } else { GROUP_SHADE };
    let shades = picture.shades().into_iter().map(|(divides, meaning)| (shade(divides), meaning));
    let mut text = String::from("<table border=\"0\" cellspacing=\"2\"><tr>");
    for (color, meaning) in entries.chain(shades) {
        text += &format!("<td bgcolor=\"{color}\" width=\"12\"></td><td align=\"left\">{meaning}  </td>");
    }
    text += "<td></td></tr></table>";
    text
}

const BACK: &str = "#0f6fa8";

fn line(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Jump => "#5b6573",
        EdgeKind::True => "#15803d",
        EdgeKind::False => "#b4530a",
        EdgeKind::Case => "#6d4ec2",
    }
}

fn write_graph(out: &mut dyn Write, number: usize, graph: &Graph) -> io::Result<()> {
    writeln!(out, "  subgraph cluster_f{number} {{")?;
    writeln!(out, "    label=<{}>; style=solid; color=\"{BORDER}\"; margin=12;", legend(graph))?;
    // The blocks and inner cycles of each cycle. Index `none` is for blocks and cycles that are in no cycle.
    let none = graph.cycles.len();
    let mut blocks = vec![Vec::new(); none + 1];
    let mut inner = vec![Vec::new(); none + 1];
    for (id, block) in graph.blocks.iter_enumerated() {
        blocks[block.cycle.unwrap_or(none)].push(id);
    }
    for (id, cycle) in graph.cycles.iter().enumerate() {
        inner[cycle.parent.unwrap_or(none)].push(id);
    }
    // The cycles to open. `None` closes the last open cycle.
    let mut todo: Vec<Option<usize>> = vec![Some(none)];
    let mut depth = 1usize;
    while let Some(next) = todo.pop() {
        let Some(cycle) = next else {
            depth -= 1;
            writeln!(out, "{}}}", indent(depth))?;
            continue;
        };
        if cycle != none {
            let (irreducible, caption) =
                (graph.cycles[cycle].irreducible, quoted(&graph.cycles[cycle].caption));
            let look = match irreducible {
                true => format!("style=\"rounded,filled,dashed\", penwidth=3, color=\"{RED}\", fontcolor=\"{RED}\", fillcolor=\"#fdeeee\""),
                false => "style=\"rounded,filled\", penwidth=1.3, color=\"#8fa1b8\", fontcolor=\"#4a6285\", fillcolor=\"#eef3f9\"".to_owned(),
            };
            writeln!(out, "{}subgraph cluster_f{number}c{cycle} {{", indent(depth))?;
            depth += 1;
            writeln!(out, "{}graph [label={caption}, tooltip={caption}, {look}];", indent(depth))?;
            todo.push(None);
        }
        for &id in &blocks[cycle] {
            let block = &graph.blocks[id];
            let token =
                block.operations.iter().filter(|operation| operation.defines).find_map(|one| one.token);
            let border = token.map(|token| format!(", color=\"{}\", penwidth=2", color(token).light));
            let tooltip = quoted(&block.tooltip(&graph.regions));
            let shade = shade(graph, block).map(|shade| format!(", fillcolor=\"{shade}\""));
            writeln!(
                out,
                "{}f{number}b{} [label=<{}>, tooltip={tooltip}{}{}];",
                indent(depth),
                id.index(),
                table(graph, block),
                border.unwrap_or_default(),
                shade.unwrap_or_default()
            )?;
        }
        todo.extend(inner[cycle].iter().rev().map(|&cycle| Some(cycle)));
    }
    for edge in &graph.edges {
        let color = if edge.back { BACK } else { line(edge.kind) };
        let label = match edge.label.is_empty() {
            true => String::new(),
            false => {
                format!("label={}, fontcolor=\"{}\", ", quoted(&format!(" {} ", edge.label)), line(edge.kind))
            }
        };
        let back = if edge.back { ", style=dashed, penwidth=2.2" } else { "" };
        let (from, to) = (&graph.blocks[edge.from].name, &graph.blocks[edge.to].name);
        writeln!(
            out,
            "    f{number}b{} -> f{number}b{} [{label}color=\"{color}\"{back}, tooltip={}];",
            edge.from.index(),
            edge.to.index(),
            quoted(&format!("{from} → {to}"))
        )?;
    }
    writeln!(out, "  }}")
}

/// The maximum depth of indentation. Deeper clusters are not indented further.
const MOST_INDENTED: usize = 40;

fn indent(depth: usize) -> String {
    "  ".repeat(1 + depth.min(MOST_INDENTED))
}

/// The name of a function, and its tokens with their colours.
fn legend(graph: &Graph) -> String {
    let convergent = if graph.convergent { ", convergent" } else { "" };
    let mut text = format!(
        "<table border=\"0\" cellspacing=\"1\"><tr><td colspan=\"2\" align=\"left\"><font point-size=\"14\"><b>{}{convergent}</b></font></td></tr>",
        Escaped(&graph.title)
    );
    for (number, token) in graph.tokens.iter().enumerate() {
        text += &format!(
            "<tr><td bgcolor=\"{}\" width=\"12\"></td><td align=\"left\">{} {}: {}</td></tr>",
            color(number).light,
            token.kind.sign(),
            Escaped(&token.name),
            Escaped(&token.meaning)
        );
    }
    text += "</table>";
    text
}

/// The shade of a block in regions. Blocks in more regions are darker.
fn shade(graph: &Graph, block: &Block) -> Option<&'static str> {
    let depth = block.regions.iter().filter(|&&region| graph.regions[region].divides_workgroup).count();
    match depth {
        0 => (!block.regions.is_empty()).then_some(GROUP_SHADE),
        depth => Some(SHADES[depth.min(SHADES.len()) - 1]),
    }
}

/// A block as a table: its name, its source lines, its operations, and its terminator.
fn table(graph: &Graph, block: &Block) -> String {
    let space = |count: usize| "&#160;".repeat(count);
    let regions = match block.regions.is_empty() {
        true => String::new(),
        false => format!("<font color=\"{INK}\">{}{}</font>", space(3), block.region_names()),
    };
    let mut text = format!(
        "<table border=\"0\" cellborder=\"0\" cellspacing=\"1\" cellpadding=\"1\"><tr><td align=\"left\"><b>{}</b>{regions}</td></tr>",
        Escaped(&block.name)
    );
    let rows: Vec<Row> = block.parts.iter().flat_map(Part::rows).collect();
    let widest = rows.iter().map(|row| width(row.number()) as usize).max().unwrap_or(0);
    for row in &rows {
        // Graphviz drops leading spaces.
        let line = row.text();
        let code = line.trim_start();
        let (cell, ink) = match row {
            Row::Line(_) => ("", "black"),
            Row::Folded(_) => ("", FAINT),
            Row::Finding(Severity::Error, _) => (" bgcolor=\"#fde3e1\"", "#a4161a"),
            Row::Finding(Severity::Warning, _) => (" bgcolor=\"#fff0cc\"", "#7a4d00"),
            Row::Finding(Severity::Note, _) => (" bgcolor=\"#e2ecf9\"", "#1f4b83"),
        };
        text += &format!(
            "<tr><td align=\"left\"{cell}><font color=\"{FAINT}\">{}{}{}</font>{}<font color=\"{ink}\">{}</font></td></tr>",
            space(widest - width(row.number()) as usize),
            Escaped(row.number()),
            space(2),
            space(line.len() - code.len()),
            Escaped(code),
        );
    }
    for operation in &block.operations {
        let words = Escaped(&operation.text);
        text += &match (operation.token, operation.defines) {
            (Some(token), true) => format!(
                "<tr><td align=\"left\"><font color=\"{}\" point-size=\"10\">{words}</font></td></tr>",
                color(token).light
            ),
            (Some(token), false) => format!(
                "<tr><td align=\"left\" bgcolor=\"{}\"><font color=\"white\" point-size=\"10\">{words}</font></td></tr>",
                color(token).light
            ),
            (None, _) => format!("<tr><td align=\"left\"><font point-size=\"10\">{words}</font></td></tr>"),
        };
    }
    if let Some(end) = &block.end {
        text += &format!(
            "<tr><td align=\"left\"><font color=\"{FAINT}\" point-size=\"10\"><i>{}</i></font></td></tr>",
            Escaped(end)
        );
    }
    if let Some(region) = block.governs {
        let verdict = format!("{} {}", region_name(region), graph.regions[region].verdict);
        let color = if graph.regions[region].divides_workgroup { "#fbe3a6" } else { "#dde2e8" };
        text += &format!(
            "<tr><td align=\"left\" bgcolor=\"{color}\"><font color=\"{INK}\" point-size=\"10\"><b>{}</b></font></td></tr>",
            Escaped(&verdict)
        );
    }
    text += "</table>";
    text
}

/// Puts a text in quotes.
fn quoted(text: &str) -> String {
    let text =
        text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace(['\r', '\0'], " ");
    format!("\"{text}\"")
}
