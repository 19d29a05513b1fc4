//! The launch sizes of a kernel that comments state.
//!
//! ```c
//! // tangle: launch(local_size = [16, 4], sub_group_size = 32, global_multiple_of = 64): what the host passes
//! __attribute__((vec_type_hint(float4)))
//! kernel void k(global float *p) { }
//! ```
//!
//! A comment on lines of its own applies to the kernel that follows. Only comments, attributes and directives may come
//! between them. These directives must not end or change the conditional group of the comment: code after it can be
//! active while the comment is inactive. A comment on a line with code applies to the kernel whose name is on that
//! line. The facts contain a kernel but no location: moving a comment changes no fact.

use std::cell::LazyCell;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_grammar::lex::{LexToken, Lexed, Spans};
use tangle_grammar::token::TokenKind;
use tangle_ir::key::FunctionKey;
use tangle_ir::uniformity::Launch;

use super::bodies;
use super::scope::{ScopedItem, scoped_items, typed};
use tangle_syntax::db::Db;
use tangle_syntax::items::{ControlComment, Request, remarks, spans, tokens, unit};
use tangle_syntax::source::{Settings, SourceFile};

/// A property of a launch that comments can state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchKey {
    LocalSize,
    SubGroupSize,
    GlobalMultipleOf,
}

impl LaunchKey {
    pub const ALL: [LaunchKey; 3] =
        [LaunchKey::LocalSize, LaunchKey::SubGroupSize, LaunchKey::GlobalMultipleOf];

    /// Returns the spelling in comments.
    pub fn name(self) -> &'static str {
        match self {
            LaunchKey::LocalSize => "local_size",
            LaunchKey::SubGroupSize => "sub_group_size",
            LaunchKey::GlobalMultipleOf => "global_multiple_of",
        }
    }
}

/// The reason why a comment, or a part of it, has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The parentheses are missing or empty.
    NoFact,
    /// The text in the position of a key.
    UnknownKey(String),
    /// The value of a key is not a valid size.
    NoSize(LaunchKey),
    /// The comment repeats the key, or an earlier comment about the same kernel has another value for it.
    Again(LaunchKey),
    /// The comment belongs to no kernel definition.
    NoKernel,
    /// An attribute of the kernel has another value.
    Overruled(LaunchKey),
}

type Place = (SourceFile, Range<usize>);

/// The launch sizes from comments, and the mistakes in them with their locations.
#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct Comments {
    launches: FxHashMap<FunctionKey, Launch>,
    mistakes: Vec<(Mistake, Place)>,
}

/// Returns the launch sizes from comments for the kernels of a file and its headers.
#[salsa::tracked]
pub fn launch_comments(db: &dyn Db, file: SourceFile, settings: Settings) -> FxHashMap<FunctionKey, Launch> {
    comments(db, file, settings).launches.clone()
}

/// Returns the mistakes in `launch` comments of a file and its headers.
pub fn mistakes(db: &dyn Db, file: SourceFile, settings: Settings) -> &[(Mistake, Place)] {
    &comments(db, file, settings).mistakes
}

// Not part of `launch_comments`: locations change with every line that is added above them.
#[salsa::tracked]
fn comments(db: &dyn Db, file: SourceFile, settings: Settings) -> Comments {
    let mut comments = Comments::default();
    let files = &unit(db, file, settings).0.files;
    let scoped = LazyCell::new(|| scoped_items(db, file, settings));
    for &id in files {
        let file = db.source(id);
        let remarks = remarks(db, file);
        if remarks.is_empty() {
            continue;
        }
        let text = file.text(db);
        let mut code = None;
        for remark in remarks {
            let Request { word: "launch", word_at, arguments, .. } = remark.request(&text) else { continue };
            let code = code.get_or_insert_with(|| {
                Code::of(db, file, scoped.iter().filter(|item| item.chunk.file == id))
            });
            let place = |range| (file, range);
            match read(arguments.unwrap_or_default()) {
                Err((mistake, at)) => comments.mistakes.push((mistake, place(at.unwrap_or(word_at)))),
                Ok(said) => match code.followers(remark) {
                    CommentScope::Kernels(kernels) if kernels.is_empty() => {
                        comments.mistakes.push((Mistake::NoKernel, place(word_at)));
                    }
                    CommentScope::Kernels(kernels) => {
                        for kernel in kernels {
                            let mistakes = comments.add(kernel, &said);
                            comments.mistakes.extend(mistakes.into_iter().map(|(it, at)| (it, place(at))));
                        }
                    }
                    CommentScope::LeftOut => {}
                },
            }
        }
    }
    comments
}

/// One entry of a comment: its key, its location, and a launch with only this property.
struct LaunchEntry {
    key: LaunchKey,
    at: Range<usize>,
    launch: Launch,
}

/// Reads the arguments of `launch`. One mistake invalidates the comment. It has a location unless it concerns all
/// arguments.
fn read(arguments: Vec<(&str, Range<usize>)>) -> Result<Vec<LaunchEntry>, (Mistake, Option<Range<usize>>)> {
    let mut said: Vec<LaunchEntry> = Vec::new();
    for (argument, at) in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        let (name, value) = (name.trim(), value.trim());
        let spelled = name.replace('-', "_");
        let Some(key) = LaunchKey::ALL.into_iter().find(|key| key.name() == spelled) else {
            return Err((Mistake::UnknownKey(name.to_owned()), Some(at)));
        };
        if said.iter().any(|said| said.key == key) {
            return Err((Mistake::Again(key), Some(at)));
        }
        let Some(launch) = launch_of(key, value) else { return Err((Mistake::NoSize(key), Some(at))) };
        said.push(LaunchEntry { key, at, launch });
    }
    if said.is_empty() { Err((Mistake::NoFact, None)) } else { Ok(said) }
}

/// Returns a launch with the property of one key. None: the value is not a valid size.
fn launch_of(key: LaunchKey, value: &str) -> Option<Launch> {
    let number = |text: &str| text.trim().parse().ok().filter(|&number: &u32| number > 0);
    let unknown = Launch::default();
    Some(match key {
        LaunchKey::LocalSize => {
            let list = value.strip_prefix('[').map(|list| list.strip_suffix(']'));
            let sizes: Vec<u32> = match list {
                Some(list) => list?.split(',').map(number).collect::<Option<_>>()?,
                None => vec![number(value)?],
            };
            Launch { local_size: Launch::sizes(&sizes)?, ..unknown }
        }
        LaunchKey::SubGroupSize => Launch { sub_group_size: Some(number(value)?), ..unknown },
        LaunchKey::GlobalMultipleOf => Launch { global_multiple_of: Some(number(value)?), ..unknown },
    })
}

impl Comments {
    /// Adds the entries of a comment to a kernel. Earlier comments win. Returns the contradictions.
    fn add(&mut self, kernel: &Kernel, said: &[LaunchEntry]) -> Vec<(Mistake, Range<usize>)> {
        let known = self.launches.entry(kernel.function).or_default();
        let before = *known;
        let mut mistakes = Vec::new();
        for LaunchEntry { key, at, launch } in said {
            *known = known.over(*launch);
            if launch.over(kernel.attributes) != kernel.attributes.over(*launch) {
                mistakes.push((Mistake::Overruled(*key), at.clone()));
            } else if launch.over(before) != before.over(*launch) {
                mistakes.push((Mistake::Again(*key), at.clone()));
            }
        }
        mistakes
    }
}

/// A kernel of a file: its first token, the token of its name, and the launch sizes from its attributes.
struct Kernel {
    function: FunctionKey,
    first: u32,
    name: u32,
    attributes: Launch,
}

/// The active code of a file in a unit.
struct Code {
    tokens: Arc<Lexed>,
    spans: Arc<Spans>,
    kernels: Vec<Kernel>,
    /// The tokens of the file that belong to its items, in order.
    taken: Vec<u32>,
}

/// The code to which a remark applies.
enum CommentScope<'a> {
    /// Several kernels if one use of a macro defines them.
    Kernels(Vec<&'a Kernel>),
    /// The code after the remark is in an inactive conditional group.
    LeftOut,
}

impl Code {
    /// `items` are the items of the unit that begin in the file.
    fn of<'a, 'db: 'a>(
        db: &'db dyn Db,
        file: SourceFile,
        items: impl Iterator<Item = &'a ScopedItem<'db>>,
    ) -> Code {
        let (mut kernels, mut taken) = (Vec::new(), Vec::new());
        for ScopedItem { chunk, scoped, first } in items {
            let item = scoped.item(db);
            let token = |number: u32| {
                let used = chunk.place_of_use(*chunk.origins.get((first + number) as usize)?);
                (used.file == chunk.file).then_some(used.token)
            };
            let length = item.tokens(db).0.tokens().len() as u32;
            taken.extend((0..length).filter_map(token));
            for (body, &function) in bodies(db, item).0.iter().zip(&typed(db, *scoped).keys) {
                if let (true, Some(first), Some(name)) = (body.kernel, token(0), token(body.name.span.start))
                {
                    kernels.push(Kernel { function, first, name, attributes: body.launch });
                }
            }
        }
        taken.sort_unstable();
        Code { tokens: tokens(db, file), spans: spans(db, file), kernels, taken }
    }

    fn followers(&self, remark: &ControlComment) -> CommentScope<'_> {
        let is_meant: &dyn Fn(&Kernel) -> bool = match remark.followed_by {
            None => &|kernel| remark.about.contains(&self.spans.get(kernel.name).start),
            Some(next) => match self.first_taken(next) {
                Ok(Some(next)) => &move |kernel| (kernel.first..=kernel.name).contains(&next),
                Ok(None) => &|_| false,
                Err(InactiveCode) => return CommentScope::LeftOut,
            },
        };
        CommentScope::Kernels(self.kernels.iter().filter(|kernel| is_meant(kernel)).collect())
    }

    /// Returns the first token from `next` on that is part of an item. None: the file or the conditional group of
    /// `next` ends before that.
    fn first_taken(&self, next: u32) -> Result<Option<u32>, InactiveCode> {
        let tokens = self.tokens.tokens.get(next as usize..).unwrap_or_default();
        let mut rest = (next..).zip(tokens).peekable();
        // The number of open conditional groups that began after `next`.
        let mut depth = 0_u32;
        let mut left_out = false;
        while let Some((number, token)) = rest.next() {
            if token.kind == TokenKind::Hash && token.flags.line_start() {
                let mut line = std::iter::from_fn(|| rest.next_if(|(_, token)| !token.flags.line_start()));
                let word = line.next().map_or("", |(_, token)| token.spelling());
                line.for_each(drop);
                match word {
                    "if" | "ifdef" | "ifndef" => depth += 1,
                    "else" | "elif" | "elifdef" | "elifndef" | "endif" if depth == 0 => {
                        return if left_out { Err(InactiveCode) } else { Ok(None) };
                    }
                    "endif" => depth -= 1,
                    _ => {}
                }
            } else if self.taken.binary_search(&number).is_ok() {
                return Ok(Some(number));
            } else if token.spelling() == "__attribute__" {
                skip_parentheses(&mut rest);
            } else if depth > 0 {
                return Err(InactiveCode);
            } else {
                // A macro with an empty expansion; or the whole conditional group around it is inactive.
                left_out = true;
            }
        }
        Ok(None)
    }
}

/// The code is in an inactive conditional group.
struct InactiveCode;

/// Skips a group in parentheses, if one follows.
fn skip_parentheses<'a>(rest: &mut Peekable<impl Iterator<Item = (u32, &'a LexToken)>>) {
    let mut depth = 0_u32;
    while let Some((_, token)) = rest.next_if(|(_, token)| depth > 0 || token.kind == TokenKind::LeftParen) {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tangle_syntax::db::Database;
    use tangle_syntax::source::NoHeaders;

    /// Checks the launch sizes in the comments of a text, and the mistakes in them.
    fn check(text: &str, expected: &[&str]) {
        let mut db = Database::new(Arc::new(NoHeaders));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let file = db.set_text("a.cl", text);
        let comments = comments(&db, file, settings);
        let size = |size: Option<u32>| size.map_or("-".to_owned(), |size| size.to_string());
        let mut found: Vec<String> = (comments.launches.iter())
            .map(|(kernel, launch)| {
                let [x, y, z] = launch.local_size.map(size);
                let (of, multiple) = (size(launch.sub_group_size), size(launch.global_multiple_of));
                format!("{kernel} {x} {y} {z} {of} {multiple}")
            })
            .collect();
        found.sort();
        let mistake = |(mistake, (_, at)): &(Mistake, Place)| format!("{mistake:?} {}", &text[at.clone()]);
        found.extend(comments.mistakes.iter().map(mistake));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comment_applies_to_its_kernel() {
        check("// tangle: launch(local_size = 64)\nkernel void k() {} kernel void l() {}", &["k 64 1 1 - -"]);
        check(
            "int x;\n/* tangle: launch(local-size=[8,4], sub_group_size=32,\n global_multiple_of = 16): why */\n\n// more\n
            __attribute__((unused)) kernel void k() {}",
            &["k 8 4 1 32 16"],
        );
        check(
            "__attribute__((unused))\n// tangle: launch(sub_group_size = 8)\nkernel void k() {}",
            &["k - - - 8 -"],
        );
        check("int x; kernel void k() { // tangle: launch(sub_group_size = 8)\n}", &["k - - - 8 -"]);
        check(
            "// tangle: launch(local_size = 64)\n// tangle: launch(sub_group_size = 8)\nkernel void k() {}",
            &["k 64 1 1 8 -"],
        );
    }

    #[test]
    fn macros_and_directives_may_separate_comment_and_kernel() {
        let comment = "// tangle: launch(local_size = 64)\n";
        let given = |behind: &str, expected: &[&str]| check(&format!("{comment}{behind}"), expected);
        given(
            "#define K(n) kernel void n(void) {} kernel void n##2(void) {}\nK(k)\n",
            &["k 64 1 1 - -", "k2 64 1 1 - -"],
        );
        given("#define NOTHING(n)\nNOTHING(1) kernel void k() {}", &["k 64 1 1 - -"]);
        given("#ifdef A\n__attribute__((unused))\n#endif\nkernel void k() {}", &["k 64 1 1 - -"]);
        given("#ifndef A\nkernel void k() {}\n#endif", &["k 64 1 1 - -"]);
    }

    #[test]
    fn comment_for_inactive_kernel_applies_to_no_other_kernel() {
        let comment = "// tangle: launch(local_size = 64)\n";
        let kernels = "kernel void k() {}\n#else\nkernel void l() {}\n#endif\n";
        check(&format!("#ifdef A\n{comment}{kernels}"), &[]);
        check(&format!("{comment}#ifdef A\n{kernels}"), &[]);
        check(&format!("{comment}#ifdef A\nkernel void k() {{}}\n#endif\nkernel void l() {{}}"), &[]);
        check(&format!("#ifdef A\n{comment}#endif\nkernel void k() {{}}"), &["NoKernel launch"]);
        check(&format!("#ifdef A\n{comment}#else\nkernel void k() {{}}\n#endif"), &["NoKernel launch"]);
    }

    #[test]
    fn comment_without_kernel_is_reported() {
        let comment = "// tangle: launch(local_size = 64)\n";
        for behind in
            ["", "int x; kernel void k() {}", "void f() {}", "kernel void k(void);", "#if 1\n#endif"]
        {
            check(&format!("{comment}{behind}"), &["NoKernel launch"]);
        }
        check(&format!("kernel void k() {{\n{comment}int x; }}"), &["NoKernel launch"]);
        check(&format!("kernel void k() {{}}\n{comment}"), &["NoKernel launch"]);
    }

    #[test]
    fn invalid_comment_is_reported_and_ignored() {
        let given = |said: &str, mistake: &str| {
            check(&format!("// tangle: launch{said}\nkernel void k() {{}}"), &[mistake])
        };
        given("", "NoFact launch");
        given("()", "NoFact launch");
        given("(64)", "UnknownKey(\"64\") 64");
        given("(local_size = 64, size = 2)", "UnknownKey(\"size\") size = 2");
        for wrong in ["0", "", "n", "-1", "[]", "[1, 2, 3, 4]", "[64, 0]", "[64", "4294967296"] {
            let at = format!("local_size = {wrong}");
            given(&format!("(sub_group_size = 1, {at})"), &format!("NoSize(LocalSize) {}", at.trim()));
        }
        given("(sub_group_size = 0)", "NoSize(SubGroupSize) sub_group_size = 0");
        given("(global_multiple_of = [4])", "NoSize(GlobalMultipleOf) global_multiple_of = [4]");
        given("(sub_group_size = 4, sub_group_size = 4)", "Again(SubGroupSize) sub_group_size = 4");
    }

    #[test]
    fn conflict_with_attribute_or_other_comment_is_reported() {
        let required = "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k() {}";
        check(&format!("// tangle: launch(local_size = 64)\n{required}"), &["k 64 1 1 - -"]);
        check(
            &format!("// tangle: launch(local_size = 32, sub_group_size = 8)\n{required}"),
            &["k 32 1 1 8 -", "Overruled(LocalSize) local_size = 32"],
        );
        check(
            "// tangle: launch(sub_group_size = 4)\n// tangle: launch(sub_group_size = 8)\nkernel void k() {}",
            &["k - - - 4 -", "Again(SubGroupSize) sub_group_size = 8"],
        );
    }
}
