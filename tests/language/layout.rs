//! Sizes, alignments and offsets, compared with clang: random records with attributes and bit-fields.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use tangle_hir::layout::{layout, record_layout};
use tangle_hir::scope::{scoped_items, typed};
use tangle_hir::types::Ty;
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

/// Pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len() as u64) as usize]
    }
}

const INTEGERS: &[(&str, u64)] = &[
    ("char", 8),
    ("uchar", 8),
    ("short", 16),
    ("ushort", 16),
    ("int", 32),
    ("uint", 32),
    ("long", 64),
    ("ulong", 64),
    ("bool", 1),
    ("enum few", 32),
];

const OTHERS: &[&str] = &[
    "float",
    "double",
    "half",
    "char2",
    "uchar3",
    "short3",
    "int3",
    "float4",
    "double3",
    "ulong8",
    "float16",
    "half8",
    "size_t",
    "atomic_int",
    "enum many",
    "enum tiny",
    "quad",
    "global int *",
    "local float4 *",
    "private char *",
    "void *",
];

const RECORDS: usize = 400;

fn alignment(dice: &mut Dice) -> String {
    match dice.roll(24) {
        0 => format!(" __attribute__((aligned({})))", 1 << dice.roll(6)),
        1 => " __attribute__((packed))".into(),
        2 => " __attribute__((aligned))".into(),
        3 => " __attribute__((packed, aligned(2)))".into(),
        4 => " __attribute__((aligned(sizeof(int2) * 2)))".into(),
        _ => String::new(),
    }
}

/// Returns a random `#pragma pack`. Clang ignores some of them with a warning.
fn pack(dice: &mut Dice) -> String {
    let number = dice.pick(&["1", "2", "4", "8", "16", "0", "3", "FOUR"]);
    let label = dice.pick(&["a", "b", "c"]);
    let what = match dice.roll(10) {
        0 => String::new(),
        1..4 => number.into(),
        4 => "push".into(),
        5 => format!("push, {number}"),
        6 => format!("push, {label}, {number}"),
        7 => "pop".into(),
        8 => format!("pop, {label}"),
        _ => format!("pop, {number}"),
    };
    if dice.one_in(4) { format!("_Pragma(\"pack({what})\")") } else { format!("#pragma pack({what})") }
}

/// Writes the members of a record. A member may have the type of an earlier record.
fn members(dice: &mut Dice, before: &[String], depth: u32, packed: bool, text: &mut String) {
    for number in 0..dice.roll(7) + 1 {
        let name = format!("m{depth}_{number}");
        match dice.roll(12) {
            0..5 => {
                let (ty, bits) = INTEGERS[dice.roll(INTEGERS.len() as u64) as usize];
                let width = dice.roll(bits) + 1;
                match dice.roll(8) {
                    0 => writeln!(text, "{ty} : {width};"),
                    1 => writeln!(text, "{ty} : 0;"),
                    2 => {
                        let aligned = if dice.one_in(2) { 4 } else { 16 };
                        writeln!(text, "{ty} {name} : {width} __attribute__((aligned({aligned})));")
                    }
                    3 => writeln!(text, "{ty} {name} : {width} __attribute__((packed));"),
                    _ => writeln!(text, "{ty} {name} : {width};"),
                }
            }
            5..7 => {
                let (ty, _) = INTEGERS[dice.roll(INTEGERS.len() as u64) as usize];
                writeln!(text, "{ty} {name}{};", alignment(dice))
            }
            7..9 => writeln!(text, "{} {name}{};", dice.pick(OTHERS), alignment(dice)),
            9 => writeln!(text, "{} {name}[{}];", dice.pick(OTHERS), dice.roll(5)),
            10 if packed && dice.one_in(4) => writeln!(text, "{}", pack(dice)),
            10 if !before.is_empty() => {
                let record = &before[dice.roll(before.len() as u64) as usize];
                writeln!(text, "{record} {name}{};", if dice.one_in(3) { "[2]" } else { "" })
            }
            _ if depth < 2 => {
                let word = dice.pick(&["struct", "union"]);
                let attribute = if dice.one_in(5) { " __attribute__((packed))" } else { "" };
                writeln!(text, "{word}{attribute} {{").unwrap();
                members(dice, before, depth + 1 + number as u32 * 10, packed, text);
                let name = if dice.one_in(2) { name.as_str() } else { "" };
                writeln!(text, "}} {name};")
            }
            _ => writeln!(text, "int {name};"),
        }
        .unwrap();
    }
}

/// Returns records by tag, as source text. With `packed`, pragmas change their layout.
fn program(dice: &mut Dice, packed: bool) -> String {
    let mut text = String::from(
        "#define FOUR 4\nenum few { A, B };\nenum many { C = -1, D = 5000000000 };\n\
         enum __attribute__((packed)) tiny { E, F = 200 };\n\
         typedef float quad __attribute__((ext_vector_type(4)));\n",
    );
    let mut records: Vec<String> = Vec::new();
    for number in 0..RECORDS {
        let word = if dice.one_in(4) { "union" } else { "struct" };
        let attribute = match dice.roll(8) {
            0 | 1 => " __attribute__((packed))",
            2 => " __attribute__((aligned(16)))",
            3 => " __attribute__((packed, aligned(4)))",
            _ => "",
        };
        if packed && dice.one_in(2) {
            writeln!(text, "{}", pack(dice)).unwrap();
        }
        let before = dice.one_in(2);
        let (front, behind) = if before { (attribute, "") } else { ("", attribute) };
        writeln!(text, "{word}{front} r{number} {{").unwrap();
        members(dice, &records, 0, packed, &mut text);
        if word == "struct" && dice.one_in(10) {
            writeln!(text, "int first; short last[];").unwrap();
        } else {
            records.push(format!("{word} r{number}"));
        }
        writeln!(text, "}}{behind};\nglobal {word} r{number} v{number};").unwrap();
        // Clang dumps only the layout of used records.
        writeln!(text, "typedef char used{number}[sizeof(v{number})];").unwrap();
    }
    text
}

/// The layout of a record: size and alignment in bytes, and the offset and width of each field in bits.
type Facts = (u64, u64, Vec<(u64, Option<u64>)>);

/// Returns the records in clang's dump that have a tag.
fn of_clang(dump: &str) -> HashMap<String, Facts> {
    let mut found = HashMap::new();
    for block in dump.split("*** Dumping AST Record Layout").skip(1) {
        let mut lines = block.lines().filter(|line| line.contains(" | "));
        let Some((_, title)) = lines.next().and_then(|line| line.split_once(" | ")) else { continue };
        let Some(tag) = title
            .trim()
            .split(' ')
            .nth(1)
            .filter(|tag| tag.strip_prefix('r').is_some_and(|number| number.parse::<u32>().is_ok()))
        else {
            continue;
        };
        let mut facts: Facts = (0, 0, Vec::new());
        for line in lines {
            let (place, rest) = line.split_once(" | ").unwrap();
            let number = |text: &str| text.trim().parse::<u64>().unwrap();
            if let Some(sizes) = rest.trim().strip_prefix("[sizeof=") {
                let (size, align) = sizes.trim_end_matches(']').split_once(", align=").unwrap();
                (facts.0, facts.1) = (number(size), number(align));
            } else if rest.starts_with("  ") && !rest.starts_with("   ") {
                facts.2.push(match place.trim().split_once(':') {
                    None => (number(place) * 8, None),
                    Some((byte, "-")) => (number(byte) * 8, Some(0)),
                    Some((byte, bits)) => {
                        let (low, high) = bits.split_once('-').unwrap();
                        let (low, high) = (number(low), number(high));
                        (number(byte) * 8 + low, Some(high - low + 1))
                    }
                });
            }
        }
        found.insert(tag.to_owned(), facts);
    }
    found
}

fn of_us(ty: Ty) -> Option<Facts> {
    let all = record_layout(ty)?;
    let fields = &ty.as_record()?.definition.as_ref()?.fields;
    let places = fields
        .iter()
        .zip(&all.fields)
        .map(|(field, place)| (place.offset * 8 + u64::from(place.bit), field.bits.map(u64::from)));
    Some((all.layout.size, u64::from(all.layout.align), places.collect()))
}

/// Returns the types of the variables at file scope.
fn globals(text: &str) -> Vec<(String, Ty)> {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let mut found = Vec::new();
    for item in scoped_items(&db, file, settings) {
        let checked = typed(&db, item.scoped);
        assert!(checked.problems.is_empty(), "{:?} in {text}", checked.problems);
        found.extend(checked.globals.iter().map(|global| (global.name.text.to_string(), global.ty)));
    }
    found
}

#[test]
fn record_layouts_match_clang() {
    let Some(clang) = tangle_referees::clang() else { return };
    for seed in 1..8 {
        let text = program(&mut Dice(seed), seed > 3);
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("layout{seed}.cl"));
        let allowed = "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n";
        std::fs::write(&file, format!("{allowed}{text}")).unwrap();
        let mut command = Command::new(&clang);
        command.args(["-x", "cl", "-cl-std=CL3.0", "-target", "spir64-unknown-unknown", "-fsyntax-only"]);
        for option in ["-finclude-default-header", "-cl-ext=+__cl_clang_bitfields", "-fdump-record-layouts"] {
            command.args(["-Xclang", option]);
        }
        let output = command.arg("-w").arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let expected = of_clang(&String::from_utf8(output.stdout).unwrap());
        assert_eq!(expected.len(), RECORDS);
        for (name, ty) in globals(&text) {
            let tag = name.replace('v', "r");
            let found = of_us(ty);
            let start = text.find(&format!(" {tag} {{")).unwrap();
            let end = text[start..].find("global").unwrap();
            assert_eq!(found.as_ref(), expected.get(&tag), "seed {seed}: {}", &text[start..start + end]);
        }
    }
}

#[test]
fn bit_field_is_accessed_through_whole_bytes() {
    let text = "\
struct plain { char c; int a : 4, b : 10; long : 0; ulong d : 33; bool e : 1; };
struct __attribute__((packed)) packed { char c; int a : 7; int b : 30; char d; };
global struct plain v0;
global struct packed v1;
";
    let units: Vec<String> = globals(text)
        .iter()
        .flat_map(|(_, ty)| {
            let record = ty.as_record().unwrap();
            let fields = &record.definition.as_ref().unwrap().fields;
            let places = record_layout(*ty).unwrap();
            let named = fields.iter().zip(&places.fields).filter(|(field, _)| field.bits.is_some());
            named
                .map(|(field, place)| {
                    let unit = place.unit.map_or("none".into(), |unit| unit.to_string());
                    let name = field.name.map_or("-", |name| name.as_str());
                    format!("{name}: {unit} at {}, bit {}, aligned {}", place.offset, place.bit, place.align)
                })
                .collect::<Vec<_>>()
        })
        .collect();
    expect_test::expect![[r#"
        a: uchar at 1, bit 0, aligned 1
        b: ushort at 1, bit 4, aligned 1
        -: none at 8, bit 0, aligned 8
        d: ulong at 8, bit 0, aligned 8
        e: uchar at 12, bit 1, aligned 1
        a: uchar at 1, bit 0, aligned 1
        b: none at 1, bit 7, aligned 1"#]]
    .assert_eq(&units.join("\n"));
}

#[test]
fn type_larger_than_any_memory_has_no_layout() {
    let text = "\
typedef char huge[1l << 40];
struct many { huge a[1 << 20]; };
struct more { struct many a[4], b[4]; };
extern global struct more v0;
";
    assert_eq!(layout(globals(text)[0].1), None);
}
