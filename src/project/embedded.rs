//! OpenCL C in the string literals of another language, extracted as separate texts that keep the offsets of the file.
//!
//! ```text
//! static const char *source =                 |
//!   "kernel void k(global int *p) {\n"        |    kernel void k(global int *p) { ⏎
//!   "  barrier(CLK_LOCAL_MEM_FENCE);\n"       |      barrier(CLK_LOCAL_MEM_FENCE); ⏎
//!   "}\n";                                    |    } ⏎
//! ```
//!
//! The *host* is the file that contains the literals. Each character of a literal keeps its distance from the first
//! piece; everything outside the literals is blank. An escape sequence becomes its character, preceded by blanks. So
//! each offset in the extracted text corresponds to an offset in the host.
//!
//! **Piece** (`pieces`): a raw string, a plain literal, or the argument of a macro that stringizes it. **Group**
//! (`gap`): pieces that are concatenated. Two pieces are concatenated in three cases: (1) only white space, comments,
//! directives, `+ value +` or `<< value <<` separate them; (2) consecutive statements write to the same target, as `s
//! += "…";` and `s.append("…");` do; (3) a brace of the group is open, the text between them is short, and no host
//! function that writes the head of a function begins there. A value is unknown: underscores replace it.
//!
//! **Program** (`text`): a group that defines a kernel. If a host has such a group, groups of complete functions with
//! OpenCL identifiers are programs too (`names`). A group that calls a function of another group forms one program with
//! it, unless both define the same function. The groups of different programs can alternate in the host, so the texts
//! together can be longer than the host. If they exceed a few times its length, groups stay separate. If control flow
//! of the host selects one of several pieces (`control`), each alternative becomes a program, together with the text
//! that is always written.
//!
//! An OpenCL file that C++ can include is one program. If it begins with a piece, the program consists of all its
//! pieces. Otherwise it is the text without the wrappers around its parts.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::language::has_extension;
use control::{Alternatives, BranchId, HostBranches};
use gap::{Gap, GapItem};
use names::{Names, defines_kernel};
use pieces::{Form, Piece, is_word};

mod control;
mod gap;
mod names;
mod pieces;
mod text;
mod tokens;

/// Extensions of files that can contain OpenCL in literals.
const HOSTS: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inl", "m", "mm"];
/// The maximum total length of the programs of a host, as a multiple of the length of the host.
const MAX_TOTAL_LENGTH: usize = 4;
/// The maximum number of alternatives of one program.
const MAX_ALTERNATIVES: usize = 8;
/// The maximum length of the head of a wrapper, in bytes.
const MAX_WRAPPER_HEAD: usize = 200;

/// An OpenCL text in a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The offset in the host at which the text begins.
    pub start: usize,
    /// The text, up to the end of its last piece.
    pub text: String,
    /// A part of the program is unknown, so its text differs from the compiled text.
    pub is_incomplete: bool,
    /// All pieces are raw strings, so an edit needs no escapes.
    pub is_raw: bool,
}

/// The OpenCL code in a host.
#[derive(Debug, Default)]
pub struct Embedded {
    /// In the order of the host.
    pub programs: Vec<Program>,
    /// Names in literals outside of all programs that look like calls of convergent OpenCL functions.
    pub unread: Vec<UnreadCall>,
}

/// A name in a literal that belongs to no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadCall {
    pub name: String,
    pub range: Range<usize>,
}

/// Returns whether a file can contain OpenCL in literals, by its extension.
pub fn is_host(path: &Path) -> bool {
    has_extension(path, HOSTS)
}

/// Returns the OpenCL code in a text in another language.
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

/// Returns possible calls of convergent functions in pieces that belong to no program. A host without any other OpenCL
/// in its literals has none: its literals are about something else.
fn unread(host: &str, contents: &[Range<usize>], programs: &[Program]) -> Vec<UnreadCall> {
    let called = |content: &Range<usize>| {
        let called = names::may_be_convergent(&host[content.clone()]).into_iter();
        let start = content.start;
        called.map(move |called| UnreadCall {
            name: host[start..][called.clone()].into(),
            range: called.start + start..called.end + start,
        })
    };
    let mut unread: Vec<UnreadCall> = contents.iter().flat_map(called).collect();
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

/// Returns the OpenCL programs that the pieces of a host form.
fn programs(host: &str, pieces: Vec<Piece>) -> Vec<Program> {
    if !pieces.iter().any(|piece| host[piece.content.clone()].contains("kernel")) {
        return Vec::new();
    }
    let control = HostBranches::of(host, &pieces);
    let groups = groups(host, &control, pieces);
    let apart: Vec<Vec<Program>> =
        groups.iter().map(|group| alternatives(host, &control, &[group], MAX_ALTERNATIVES)).collect();
    let is_kernel: Vec<bool> =
        apart.iter().map(|ways| ways.iter().any(|program| defines_kernel(&program.text))).collect();
    if !is_kernel.contains(&true) {
        return Vec::new();
    }
    let names: Vec<Names> =
        apart.iter().map(|ways| Names::of_all(ways.iter().map(|way| &*way.text))).collect();
    let counts = |group: usize| is_kernel[group] || names[group].is_opencl();
    let counting: Vec<usize> = (0..groups.len()).filter(|group| counts(*group)).collect();
    let mut room = host.len() * MAX_TOTAL_LENGTH;
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
            let ways = alternatives(host, &control, groups, (room / length).clamp(1, MAX_ALTERNATIVES));
            room = room.saturating_sub(length * ways.len());
            // Without a kernel, the program is only a part of a text that the host builds.
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

/// Returns the program of joined groups, once for each alternative that the host can write, but at most `most` times.
fn alternatives(host: &str, control: &HostBranches, groups: &[&Group], most: usize) -> Vec<Program> {
    let pieces = groups.iter().flat_map(|group| &group.pieces).map(|piece| piece.range.start);
    let items = groups.iter().flat_map(|group| &group.gaps).flat_map(|gap| &gap.items).map(GapItem::start);
    let ways: Alternatives = control.ways(pieces.chain(items));
    let program = |way| {
        let program = text::program(host, groups, ways.writes(way));
        Program { is_incomplete: program.is_incomplete || ways.count > 1, ..program }
    };
    (0..ways.count.min(most)).map(program).collect()
}

/// Returns the OpenCL code of an OpenCL file. If the file begins with a literal, this is the content of its literals.
/// Otherwise it is the text without wrappers of the form `const char *source = STRINGIFY(` … `);`.
pub fn opencl(text: &str) -> Cow<'_, str> {
    if pieces::begins_with_piece(text) {
        let group = Group::of_all(pieces::pieces(text));
        let program = text::program(text, &[&group], |_| true);
        // The whole text: blank before the first piece and after the last.
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

/// Removes the wrappers around the OpenCL code in a text. Offsets do not change.
fn unwrapped(text: &str) -> Cow<'_, str> {
    let mut bytes: Option<Vec<u8>> = None;
    for piece in pieces::pieces(text).iter().filter(|piece| piece.form == Form::Argument) {
        let content = &text[piece.content.clone()];
        let Some(head) = head(text, piece.range.start) else { continue };
        let is_opencl = defines_kernel(content) || Names::of(content).is_opencl();
        if !is_opencl {
            continue;
        }
        let bytes = bytes.get_or_insert_with(|| text.as_bytes().to_vec());
        let rest = &text[piece.range.end..];
        let semicolon = rest.trim_start().strip_prefix(';').map_or(0, |after| rest.len() - after.len());
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

/// Returns the start of a wrapper head `const char *name =` that ends at an offset.
fn head(text: &str, end: usize) -> Option<usize> {
    let from = (end.saturating_sub(MAX_WRAPPER_HEAD)..end).find(|at| text.is_char_boundary(*at))?;
    let head = &text[from..end];
    let may_stand = |byte: &u8| is_word(*byte) || byte.is_ascii_whitespace() || b"*=[]".contains(byte);
    let begin = match head.bytes().rposition(|byte| !may_stand(&byte)) {
        None if from > 0 => return None,
        None => 0,
        Some(at) if matches!(head.as_bytes()[at], b';' | b'}') || head[..=at].ends_with("*/") => at + 1,
        // A directive or a comment ends with its line.
        Some(at) => at + memchr::memchr(b'\n', &head.as_bytes()[at..])?,
    };
    let head = &head[begin..];
    let is_text = head.trim_end().ends_with('=')
        && head.split(|byte: char| !byte.is_alphanumeric()).any(|word| word == "char");
    is_text.then_some(from + begin)
}

/// Pieces of a host that are concatenated.
#[derive(Debug, Default)]
struct Group {
    pieces: Vec<Piece>,
    /// The gap before each piece.
    gaps: Vec<Gap>,
}

impl Group {
    /// Makes a group of pieces without gaps.
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
        let is_value = |item: &GapItem| matches!(item, GapItem::Value(_));
        self.gaps.iter().any(|gap| gap.is_conditional || gap.items.iter().any(is_value))
    }
}

/// Splits the pieces of a host into groups of concatenated pieces.
fn groups(host: &str, control: &HostBranches, pieces: Vec<Piece>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut depth = 0;
    // The bracket depth of the group at the start of each branch of the host.
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
                groups.last_mut().expect("the line above pushes a group")
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

/// Returns the number of opening braces and parentheses in a text, minus the number of closing ones.
fn brackets(text: &str) -> i64 {
    text.bytes().fold(0, |depth, byte| match byte {
        b'{' | b'(' => depth + 1,
        b'}' | b')' => depth - 1,
        _ => depth,
    })
}

/// Groups that form one program.
struct JoinedGroups {
    /// In the order of the host.
    groups: Vec<usize>,
    /// One of the groups calls a function that a later group of the host defines. The host may write them in the other
    /// order.
    is_unordered: bool,
}

/// Joins each counted group that calls a function with the group that defines the function.
fn join(counting: &[usize], names: Vec<Names>) -> Vec<JoinedGroups> {
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
            let after = definers.partition_point(|definer| *definer < caller);
            let definer = definers[after.saturating_sub(1)];
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
    let mut joined: IndexMap<usize, JoinedGroups> = IndexMap::default();
    for &group in counting {
        let joined = joined.entry(root(&mut roots, group));
        joined.or_insert_with(|| JoinedGroups { groups: Vec::new(), is_unordered: false }).groups.push(group);
    }
    for group in unordered {
        if let Some(joined) = joined.get_mut(&root(&mut roots, group)) {
            joined.is_unordered = true;
        }
    }
    joined.into_values().collect()
}

/// Returns the representative of the set of joined groups that contains a group.
fn root(roots: &mut [usize], mut group: usize) -> usize {
    while roots[group] != group {
        roots[group] = roots[roots[group]];
        group = roots[group];
    }
    group
}

#[cfg(test)]
mod tests;
