//! OpenCL in the string literals of another language, as a text of its own in which everything stands where it stood.
//!
//! ```text
//! static const char *source =                 |
//!   "kernel void k(global int *p) {\n"        |    kernel void k(global int *p) { ⏎
//!   "  barrier(CLK_LOCAL_MEM_FENCE);\n"       |      barrier(CLK_LOCAL_MEM_FENCE); ⏎
//!   "}\n";                                    |    } ⏎
//! ```
//!
//! Each character of a literal keeps its distance from the first piece; what is outside of the literals is blank. An escape
//! becomes the character that it stands for, behind blanks. So a place in the text is a place in the host.
//!
//! **Piece** (`pieces`): a raw string, a plain literal, or the argument of a macro that makes a string of it. **Group** (`gap`): pieces that are glued. They are
//! glued if nothing but white space, comments and directives stands between them, or `+ value +` or `<< value <<`; if one statement after the other
//! writes to the same, as `s += "…";` and `s.append("…");` do; or if a brace of the group is open, what stands between is short, and no function
//! of the host begins there that writes the head of one. A value is not known: a name stands in its place.
//!
//! **Program** (`text`): a group that defines a kernel; in a host that has one, also a group of whole functions with words of OpenCL (`names`). A group that
//! calls what another group of the host defines is one program with it, unless both define the same. Groups of different programs may lie
//! among each other, so their texts may be longer than the host; if they come to more than a few times its length, groups stay apart.
//! Where the host writes one of several pieces (`control`), each is in a program of its own, with all that is written in either case.
//!
//! A file in OpenCL that C++ can include is one program: of all its pieces if its first word is one, or its text without the wrappers
//! around parts of it.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::language::has_extension;
use control::{BranchId, Control, Ways};
use gap::{Gap, Item};
use names::{Names, defines_kernel};
use pieces::{Form, Piece, is_word};

mod control;
mod gap;
mod names;
mod pieces;
mod text;
mod tokens;

/// Files that may hold OpenCL in literals.
const HOSTS: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inl", "m", "mm"];
/// How many times as long as their host the texts of its programs may be together.
const LONGEST: usize = 4;
/// How many programs may be made of one that a host writes in different ways.
const WAYS: usize = 8;
/// How long the head of a wrapper may be.
const HEAD: usize = 200;

/// A text in OpenCL that a host holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Where its text begins in the host.
    pub start: usize,
    /// Up to the end of its last piece.
    pub text: String,
    /// Something in it is not known: its text is not what will be compiled.
    pub is_incomplete: bool,
    /// It stands there as it is: an edit needs no escapes.
    pub is_raw: bool,
}

/// What a host holds of OpenCL.
#[derive(Debug, Default)]
pub struct Embedded {
    /// In the order of the host.
    pub programs: Vec<Program>,
    /// Names in literals that belong to none of these, where what they name may be called and may be convergent in OpenCL.
    pub unread: Vec<Unread>,
}

/// A name in a literal that belongs to no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    pub name: String,
    pub range: Range<usize>,
}

/// Whether a file may hold OpenCL in literals, by its name.
pub fn is_host(path: &Path) -> bool {
    has_extension(path, HOSTS)
}

/// What a text in another language holds of OpenCL.
pub fn read(host: &str) -> Embedded {
    let may_hold = |word: &&str| memchr::memmem::find(host.as_bytes(), word.as_bytes()).is_some();
    if !["kernel"].iter().chain(names::CONVERGENT).any(may_hold) {
        return Embedded::default();
    }
    let pieces = pieces::pieces(host);
    let contents: Vec<Range<usize>> = pieces.iter().map(|piece| piece.content.clone()).collect();
    let programs = programs(host, pieces);
    let unread = unread(host, &contents, &programs);
    Embedded { programs, unread }
}

/// What may be called, and be convergent, in pieces of a host that belong to no program. A host that has nothing else of OpenCL in its literals
/// writes of something else.
fn unread(host: &str, contents: &[Range<usize>], programs: &[Program]) -> Vec<Unread> {
    let called = |content: &Range<usize>| {
        let called = names::may_be_convergent(&host[content.clone()]).into_iter();
        let start = content.start;
        called.map(move |called| Unread {
            name: host[start..][called.clone()].into(),
            range: called.start + start..called.end + start,
        })
    };
    let mut unread: Vec<Unread> = contents.iter().flat_map(called).collect();
    if !unread.is_empty() {
        let mut is_read = vec![false; host.len()];
        for program in programs {
            let texts = program.text.bytes().zip(&mut is_read[program.start..]);
            texts.for_each(|(byte, is_read)| *is_read |= !byte.is_ascii_whitespace());
        }
        unread.retain(|unread| !is_read[unread.range.start]);
    }
    let is_opencl = |content: &Range<usize>| names::has_opencl_words(&host[content.clone()]);
    if unread.is_empty() || !contents.iter().any(is_opencl) {
        return Vec::new();
    }
    unread
}

/// The programs in OpenCL that the pieces of a host make.
fn programs(host: &str, pieces: Vec<Piece>) -> Vec<Program> {
    if !pieces.iter().any(|piece| host[piece.content.clone()].contains("kernel")) {
        return Vec::new();
    }
    let control = Control::of(host, &pieces);
    let groups = groups(host, &control, pieces);
    let apart: Vec<Vec<Program>> =
        groups.iter().map(|group| in_all_ways(host, &control, &[group], WAYS)).collect();
    let is_kernel: Vec<bool> =
        apart.iter().map(|ways| ways.iter().any(|program| defines_kernel(&program.text))).collect();
    if !is_kernel.contains(&true) {
        return Vec::new();
    }
    let names: Vec<Names> =
        apart.iter().map(|ways| Names::of_all(ways.iter().map(|way| &*way.text))).collect();
    let counts = |group: usize| is_kernel[group] || names[group].are_of_opencl();
    let counting: Vec<usize> = (0..groups.len()).filter(|group| counts(*group)).collect();
    let mut room = host.len() * LONGEST;
    let mut programs = Vec::new();
    for joined in join(&counting, names) {
        let has_kernel = joined.groups.iter().any(|group| is_kernel[*group]);
        let together: Vec<&Group> = joined.groups.iter().map(|group| &groups[*group]).collect();
        let length = |groups: &[&Group]| match (groups.first(), groups.last()) {
            (Some(first), Some(last)) => last.end() - first.start(),
            _ => 0,
        };
        let is_short = together.len() == 1 || length(&together) <= room;
        let chunk = if is_short { together.len() } else { 1 };
        for groups in together.chunks(chunk) {
            let length = length(groups).max(1);
            let ways = in_all_ways(host, &control, groups, (room / length).clamp(1, WAYS));
            room = room.saturating_sub(length * ways.len());
            // Without a kernel it is a part of what the host puts together.
            let is_part = !has_kernel || joined.is_unordered || !is_short;
            programs.extend(
                ways.into_iter()
                    .map(|program| Program { is_incomplete: program.is_incomplete || is_part, ..program }),
            );
        }
    }
    programs.sort_by_key(|program| program.start);
    programs
}

/// The programs of groups that are one, in each of the ways in which a host may write it, but no more than `most`.
fn in_all_ways(host: &str, control: &Control, groups: &[&Group], most: usize) -> Vec<Program> {
    let pieces = groups.iter().flat_map(|group| &group.pieces).map(|piece| piece.range.start);
    let items = groups.iter().flat_map(|group| &group.gaps).flat_map(|gap| &gap.items).map(Item::start);
    let ways: Ways = control.ways(pieces.chain(items));
    let program = |way| {
        let program = text::program(host, groups, ways.writes(way));
        Program { is_incomplete: program.is_incomplete || ways.count > 1, ..program }
    };
    (0..ways.count.min(most)).map(program).collect()
}

/// The OpenCL of a file in OpenCL: its text; if that begins as a literal, what the literals hold; or what is left without the wrappers
/// `const char *source = STRINGIFY(` … `);`.
pub fn opencl(text: &str) -> Cow<'_, str> {
    if pieces::begins_with_piece(text) {
        let group = Group::of_all(pieces::pieces(text));
        let program = text::program(text, &[&group], |_| true);
        // The whole text: blank before the first piece and behind the last.
        let mut whole: Vec<u8> =
            text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect();
        whole[program.start..program.start + program.text.len()].copy_from_slice(program.text.as_bytes());
        return Cow::Owned(String::from_utf8_lossy(&whole).into_owned());
    }
    match memchr::memmem::find(text.as_bytes(), b"STRING") {
        Some(_) => unwrapped(text),
        None => Cow::Borrowed(text),
    }
}

/// A text without the wrappers around what it has of OpenCL; its places stay.
fn unwrapped(text: &str) -> Cow<'_, str> {
    let mut bytes: Option<Vec<u8>> = None;
    for piece in pieces::pieces(text).iter().filter(|piece| piece.form == Form::Argument) {
        let content = &text[piece.content.clone()];
        let Some(head) = head(text, piece.range.start) else { continue };
        let is_opencl = defines_kernel(content) || Names::of(content).are_of_opencl();
        if !is_opencl {
            continue;
        }
        let bytes = bytes.get_or_insert_with(|| text.as_bytes().to_vec());
        let rest = &text[piece.range.end..];
        let semicolon = rest.trim_start().strip_prefix(';').map_or(0, |behind| rest.len() - behind.len());
        for byte in
            [head..piece.content.start, piece.content.end..piece.range.end + semicolon].into_iter().flatten()
        {
            if !matches!(bytes[byte], b'\n' | b'\r') {
                bytes[byte] = b' ';
            }
        }
        text::unescape_piece(piece.form, &mut bytes[piece.content.clone()]);
    }
    match bytes {
        None => Cow::Borrowed(text),
        Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Where `const char *name =` begins that ends at an offset.
fn head(text: &str, end: usize) -> Option<usize> {
    let from = (end.saturating_sub(HEAD)..end).find(|at| text.is_char_boundary(*at))?;
    let head = &text[from..end];
    let may_stand = |byte: &u8| is_word(*byte) || byte.is_ascii_whitespace() || b"*=[]".contains(byte);
    let begin = match head.bytes().rposition(|byte| !may_stand(&byte)) {
        None if from > 0 => return None,
        None => 0,
        Some(at) if matches!(head.as_bytes()[at], b';' | b'}') || head[..=at].ends_with("*/") => at + 1,
        // A directive, or a comment, up to the end of its line.
        Some(at) => at + memchr::memchr(b'\n', &head.as_bytes()[at..])?,
    };
    let head = &head[begin..];
    let is_text = head.trim_end().ends_with('=')
        && head.split(|byte: char| !byte.is_alphanumeric()).any(|word| word == "char");
    is_text.then_some(from + begin)
}

/// Pieces of a host that are glued.
#[derive(Debug, Default)]
struct Group {
    pieces: Vec<Piece>,
    /// What stands before each of them.
    gaps: Vec<Gap>,
}

impl Group {
    /// Pieces with nothing between.
    fn of_all(pieces: Vec<Piece>) -> Group {
        let gaps = pieces.iter().map(|_| Gap::default()).collect();
        Group { pieces, gaps }
    }

    fn start(&self) -> usize {
        self.pieces.first().map_or(0, |piece| piece.range.start)
    }

    fn end(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.range.end)
    }

    fn is_incomplete(&self) -> bool {
        let is_value = |item: &Item| matches!(item, Item::Value(_));
        self.gaps.iter().any(|gap| gap.is_unsure || gap.items.iter().any(is_value))
    }
}

/// The pieces of a host, those together that are glued.
fn groups(host: &str, control: &Control, pieces: Vec<Piece>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut depth = 0;
    // How deep it was where each branch of the host begins.
    let mut begins: FxHashMap<BranchId, i64> = FxHashMap::default();
    for piece in pieces {
        let before = groups.last().and_then(|group| group.pieces.last());
        let other = before.and_then(|before| control.parts(before.range.start, piece.range.start));
        let around = other.map_or(depth, |branch| begins.get(&branch).copied().unwrap_or_default());
        let glued = groups.last().and_then(|group| {
            let open = depth > 0 || around > 0;
            gap::between(host, [group.pieces.last()?, &piece], group.gaps.last()?, open)
        });
        depth = around;
        let group = match (glued, groups.last_mut()) {
            (Some(gap), Some(last)) => {
                last.gaps.push(gap);
                last
            }
            _ => {
                depth = 0;
                begins.clear();
                groups.push(Group { gaps: vec![gap::before_first(host, &piece)], ..Group::default() });
                groups.last_mut().expect("it is there since the line before")
            }
        };
        for branch in control.branches_around(piece.range.start) {
            begins.entry(branch).or_insert(depth);
        }
        depth += brackets(&host[piece.content.clone()]);
        group.pieces.push(piece);
    }
    groups
}

/// How many braces and parentheses a text opens more than it closes.
fn brackets(text: &str) -> i64 {
    text.bytes().fold(0, |depth, byte| match byte {
        b'{' | b'(' => depth + 1,
        b'}' | b')' => depth - 1,
        _ => depth,
    })
}

/// Groups that are one program.
struct Joined {
    /// In the order of the host.
    groups: Vec<usize>,
    /// One of them calls what is defined behind it in the host, which may write it before.
    is_unordered: bool,
}

/// Joins those of the groups that count which call what others define.
fn join(counting: &[usize], names: Vec<Names>) -> Vec<Joined> {
    let mut definers: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for group in counting {
        names[*group].defined.iter().for_each(|name| definers.entry(*name).or_default().push(*group));
    }
    let calls: Vec<_> = names.iter().map(|names| (names.called.clone(), names.defined.clone())).collect();
    let mut defined: Vec<_> = names.into_iter().map(|names| names.defined).collect();
    let mut roots: Vec<usize> = (0..defined.len()).collect();
    let mut conflicts: FxHashSet<(usize, usize)> = FxHashSet::default();
    let mut unordered = Vec::new();
    for &caller in counting {
        let (called, own) = &calls[caller];
        for name in called.iter().filter(|name| !own.contains(*name)) {
            let Some(definers) = definers.get(name) else { continue };
            let behind = definers.partition_point(|definer| *definer < caller);
            let definer = definers[behind.saturating_sub(1)];
            let (mut into, mut from) = (root(&mut roots, caller), root(&mut roots, definer));
            if into != from {
                if defined[into].len() < defined[from].len() {
                    (into, from) = (from, into);
                }
                if conflicts.contains(&(into, from)) || !defined[into].is_disjoint(&defined[from]) {
                    conflicts.insert((into, from));
                    continue;
                }
                let moved = std::mem::take(&mut defined[from]);
                defined[into].extend(moved);
                roots[from] = into;
            }
            if definer > caller {
                unordered.push(caller);
            }
        }
    }
    let mut joined: IndexMap<usize, Joined> = IndexMap::default();
    for &group in counting {
        let joined = joined.entry(root(&mut roots, group));
        joined.or_insert_with(|| Joined { groups: Vec::new(), is_unordered: false }).groups.push(group);
    }
    for group in unordered {
        if let Some(joined) = joined.get_mut(&root(&mut roots, group)) {
            joined.is_unordered = true;
        }
    }
    joined.into_values().collect()
}

/// The group that stands for all that a group is joined with.
fn root(roots: &mut [usize], mut group: usize) -> usize {
    while roots[group] != group {
        roots[group] = roots[roots[group]];
        group = roots[group];
    }
    group
}

#[cfg(test)]
mod tests;
