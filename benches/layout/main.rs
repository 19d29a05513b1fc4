//! Compares the layout of flow graphs in `tangle lower --emit svg` with that of Graphviz for `--emit dot`: area, crossings,
//! edges over blocks, and lengths of edges. `docs/lowering.md` has the figures.
//!
//! ```sh
//! cargo bench --bench layout -- gemm.cl:gemm sort.cu:merge
//! ```
//!
//! Without arguments, it draws some kernels of this repository. `TANGLE_PICTURES` names a folder for the pictures.
//!
//! Lengths are in pixels at a size of the source text of 12 pixels. An area is that of the smallest rectangle around all
//! blocks and edges, divided by the total area of the blocks. Crossings at one point count once. Of several instances
//! of a template, the first one is measured.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use roxmltree::{Document, Node};

/// Kernels of this repository, each with the function to draw.
const DRAWN: [&str; 4] = [
    "benches/layout/gemm.cl:gemm",
    "benches/layout/gotos.cl:gotos",
    "benches/layout/nest.cl:nest",
    "benches/layout/switch.cu:operations",
];

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

/// The parts of a picture that a layout places.
#[derive(Default)]
struct Drawing {
    /// The corners of each block: top left and bottom right.
    blocks: Vec<[Point; 2]>,
    /// The lines of each edge.
    edges: Vec<Vec<Point>>,
}

/// The width of the border of a block, where lines may end.
const BORDER: f64 = 3.0;

/// The figures of a layout.
struct Figures {
    width: f64,
    height: f64,
    /// The area of the picture divided by the area of its blocks.
    area: f64,
    crossings: usize,
    /// The number of times that an edge passes over a block.
    over_blocks: usize,
    /// The total length of the edges.
    length: f64,
}

fn main() {
    let Some(dot) = tangle_referees::dot() else { return };
    let mut wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    if wanted.is_empty() {
        wanted = DRAWN.iter().map(|&it| it.to_owned()).collect();
    }
    let folder = std::env::var_os("TANGLE_PICTURES").map(PathBuf::from);
    println!(
        "{:<28} {:>6}  {:<9} {:>11} {:>5} {:>9} {:>6} {:>8}",
        "function", "blocks", "layout", "size", "area", "crossings", "over", "length"
    );
    for name in &wanted {
        let (file, function) = name.rsplit_once(':').expect("FILE:FUNCTION");
        let lower = |emit: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
            command.args(["lower", file, "--function", function, "--emit", emit]).stderr(Stdio::null());
            String::from_utf8(command.output().expect("the built command runs").stdout)
                .expect("a picture is text")
        };
        let ours = lower("svg");
        let theirs = graphviz(&dot, &lower("dot"));
        for (layout, text, of) in [
            ("tangle", &ours, tangle_drawing as fn(&Document) -> Drawing),
            ("graphviz", &theirs, graphviz_drawing),
        ] {
            if let Some(folder) = &folder {
                std::fs::write(folder.join(format!("{function}.{layout}.svg")), text)
                    .expect("the folder exists");
            }
            let document = Document::parse_with_options(
                text,
                roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
            );
            let Ok(document) = document else {
                println!("{function:<28} no picture");
                break;
            };
            let drawing = of(&document);
            let Figures { width, height, area, crossings, over_blocks, length } = Figures::of(&drawing);
            println!(
                "{function:<28} {:>6}  {layout:<9} {:>11} {area:>5.1} {crossings:>9} {over_blocks:>6} {length:>8.0}",
                drawing.blocks.len(),
                format!("{width:.0}×{height:.0}"),
            );
        }
    }
}

fn graphviz(dot: &str, text: &str) -> String {
    let mut command = Command::new(dot);
    command.arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("dot runs");
    let mut input = child.stdin.take().expect("the input is piped");
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("dot ends");
    writer.join().expect("the writer ends").expect("dot reads its input");
    String::from_utf8(output.stdout).expect("SVG is text")
}

fn has_class(node: &Node, class: &str) -> bool {
    node.attribute("class").is_some_and(|classes| classes.split(' ').any(|it| it == class))
}

/// The numbers in a path or a list of points, in pairs, and the letter before each pair.
fn points(path: &str) -> Vec<(char, Point)> {
    let (mut found, mut letter, mut numbers) = (Vec::new(), 'L', Vec::new());
    let spaced: String =
        path.chars().flat_map(|it| if it.is_alphabetic() { vec![' ', it, ' '] } else { vec![it] }).collect();
    for word in spaced.split([' ', ',']).filter(|word| !word.is_empty()) {
        match word.parse::<f64>() {
            Ok(number) => numbers.push(number),
            Err(_) => letter = word.chars().next().unwrap_or('L'),
        }
        if let [x, y] = numbers[..] {
            found.push((letter, Point { x, y }));
            numbers.clear();
        }
    }
    found
}

fn tangle_drawing(document: &Document) -> Drawing {
    let mut drawing = Drawing::default();
    let Some(first) = document.descendants().find(|node| has_class(node, "function")) else { return drawing };
    let number = |node: &Node, name: &str| -> f64 {
        node.attribute(name).and_then(|it| it.parse().ok()).unwrap_or(0.0)
    };
    for node in first.descendants() {
        if has_class(&node, "card") && !has_class(&node, "part") {
            let (x, y) = (number(&node, "x"), number(&node, "y"));
            let end = Point { x: x + number(&node, "width"), y: y + number(&node, "height") };
            drawing.blocks.push([Point { x, y }, end]);
        }
        // The edges of the key have no title.
        let titled = node.children().any(|child| child.has_tag_name("title"));
        if has_class(&node, "edge") && titled {
            let path = node.children().find_map(|child| child.attribute("d")).unwrap_or_default();
            // A rounded corner is drawn by `Q`, whose first point is the corner itself.
            let corners = points(path);
            let is_corner = |at: usize| {
                let after_corner = at > 0 && corners[at].0 == 'Q' && corners[at - 1].0 == 'Q';
                let before_corner =
                    corners.get(at + 1).is_some_and(|next| next.0 == 'Q') && corners[at].0 == 'L';
                !after_corner && !before_corner
            };
            drawing
                .edges
                .push((0..corners.len()).filter(|&at| is_corner(at)).map(|at| corners[at].1).collect());
        }
    }
    drawing
}

/// The text of Graphviz has 11 units, and that of `tangle` 12.
const SCALE: f64 = 12.0 / 11.0;

fn graphviz_drawing(document: &Document) -> Drawing {
    let mut drawing = Drawing::default();
    let scaled = |point: Point| Point { x: point.x * SCALE, y: point.y * SCALE };
    let is_first = |node: &Node| {
        let title = node.children().find(|child| child.has_tag_name("title"));
        title.and_then(|title| title.text()).is_some_and(|title| title.starts_with("f0b"))
    };
    for node in document.descendants().filter(is_first) {
        if has_class(&node, "node") {
            // The outline is the first shape of the block; table cells with a background follow.
            let outline = node.descendants().find_map(|it| it.attribute("points").or(it.attribute("d")));
            let outline: Vec<Point> =
                points(outline.unwrap_or_default()).into_iter().map(|it| scaled(it.1)).collect();
            drawing.blocks.extend(around(&outline));
        }
        if has_class(&node, "edge") {
            let path = node.descendants().find_map(|it| it.attribute("d")).unwrap_or_default();
            let corners: Vec<Point> = points(path).into_iter().map(|it| scaled(it.1)).collect();
            let mut line: Vec<Point> = corners.first().copied().into_iter().collect();
            for curve in corners.get(1..).unwrap_or_default().chunks_exact(3) {
                let from = line[line.len() - 1];
                line.extend((1..=12).map(|step| bezier(from, curve, f64::from(step) / 12.0)));
            }
            drawing.edges.push(line);
        }
    }
    drawing
}

fn bezier(from: Point, curve: &[Point], t: f64) -> Point {
    let u = 1.0 - t;
    let at = |a: f64, b: f64, c: f64, d: f64| {
        u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
    };
    Point {
        x: at(from.x, curve[0].x, curve[1].x, curve[2].x),
        y: at(from.y, curve[0].y, curve[1].y, curve[2].y),
    }
}

/// The smallest rectangle around points.
fn around(points: &[Point]) -> Option<[Point; 2]> {
    let first = *points.first()?;
    Some(points.iter().fold([first; 2], |[low, high], point| {
        [
            Point { x: low.x.min(point.x), y: low.y.min(point.y) },
            Point { x: high.x.max(point.x), y: high.y.max(point.y) },
        ]
    }))
}

impl Figures {
    fn of(drawing: &Drawing) -> Figures {
        let corners: Vec<Point> =
            drawing.blocks.iter().flatten().chain(drawing.edges.iter().flatten()).copied().collect();
        let [low, high] = around(&corners).unwrap_or([Point { x: 0.0, y: 0.0 }; 2]);
        let (width, height) = (high.x - low.x, high.y - low.y);
        let blocks: f64 = drawing.blocks.iter().map(|[low, high]| (high.x - low.x) * (high.y - low.y)).sum();
        let segments = |edge: &[Point]| edge.windows(2).map(|it| [it[0], it[1]]).collect::<Vec<_>>();
        let lines: Vec<Vec<[Point; 2]>> = drawing.edges.iter().map(|edge| segments(edge)).collect();
        let mut crossings: HashSet<(i64, i64)> = HashSet::new();
        for (at, line) in lines.iter().enumerate() {
            for other in &lines[..at] {
                for a in line {
                    crossings.extend(other.iter().filter_map(|b| crossing(*a, *b)));
                }
            }
        }
        let over = |line: &Vec<[Point; 2]>| {
            drawing.blocks.iter().filter(|block| line.iter().any(|segment| is_over(*segment, block))).count()
        };
        let length = |[a, b]: &[Point; 2]| (a.x - b.x).hypot(a.y - b.y);
        Figures {
            width,
            height,
            area: width * height / blocks,
            crossings: crossings.len(),
            over_blocks: lines.iter().map(over).sum(),
            length: lines.iter().flatten().map(length).sum(),
        }
    }
}

/// The point where two lines cross, in units of four pixels. Lines that only touch do not cross.
fn crossing([a, b]: [Point; 2], [c, d]: [Point; 2]) -> Option<(i64, i64)> {
    let side = |p: Point, q: Point, r: Point| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    let (c_side, d_side, a_side, b_side) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    let apart = |one: f64, other: f64| one.abs() > 0.5 && other.abs() > 0.5 && (one > 0.0) != (other > 0.0);
    if !apart(c_side, d_side) || !apart(a_side, b_side) {
        return None;
    }
    let part = a_side / (a_side - b_side);
    let unit = |number: f64| (number / 4.0).round() as i64;
    Some((unit(a.x + (b.x - a.x) * part), unit(a.y + (b.y - a.y) * part)))
}

/// Whether a line passes over the inside of a block. Lines end at the border of their blocks.
fn is_over([a, b]: [Point; 2], [low, high]: &[Point; 2]) -> bool {
    // The part of the line between the borders, in each direction.
    let inside = |from: f64, to: f64, low: f64, high: f64| {
        let (low, high) = (low + BORDER, high - BORDER);
        match to - from {
            0.0 if low < from && from < high => (0.0, 1.0),
            0.0 => (1.0, 0.0),
            way => {
                let (one, other) = ((low - from) / way, (high - from) / way);
                (one.min(other), one.max(other))
            }
        }
    };
    let (x, y) = (inside(a.x, b.x, low.x, high.x), inside(a.y, b.y, low.y, high.y));
    x.0.max(y.0).max(0.0) < x.1.min(y.1).min(1.0)
}
