//! Parts of a module of `tangle lower`: a function with tokens, and everything that it needs of the module.
//!
//! A pass sees one function at a time, and the functions that it inlines. So a part defines the called functions with
//! tokens, and those without tokens that LLVM may inline. All other called functions are only declared. This omits most
//! functions of headers.

use std::collections::{BTreeSet, HashMap};

use super::tools::Llvm;

/// The maximum size in bytes of a called function without tokens. LLVM's limit is 45 instructions, for a GPU eleven
/// times as many. An instruction has about 50 bytes of text.
const INLINED: usize = 25_000;

/// The maximum size of such a function without branches, and thus without loops. Larger ones are rounds of ciphers:
/// they take most of the time, and cannot affect tokens.
const INLINED_WITHOUT_BRANCHES: usize = 4_000;

/// Returns whether a text contains tokens.
pub fn has_tokens(text: &str) -> bool {
    text.contains("@llvm.experimental.convergence.") || text.contains("\"convergencectrl\"")
}

/// An entity with a name: a type, variable, function, attribute group or metadata node.
struct Item<'a> {
    name: &'a str,
    text: &'a str,
    tokens: bool,
}

impl<'a> Item<'a> {
    fn is_defined(&self) -> bool {
        self.text.starts_with("define ")
    }

    /// Returns whether parts that call this function contain its body.
    fn goes_along(&self) -> bool {
        let most = if self.text.contains(" br i1 ") { INLINED } else { INLINED_WITHOUT_BRANCHES };
        self.tokens || self.text.len() <= most
    }

    /// Returns the declaration of a function: its head without linkage, metadata and body.
    fn declaration(&self) -> String {
        let head = self.text.lines().next().expect("a function has a line");
        let head = head.split_once(" !").map_or(head, |(head, _)| head);
        let head = head.strip_suffix(" {").unwrap_or(head);
        format!("{}\n", head.replacen("define", "declare", 1).replacen(" internal", "", 1))
    }
}

/// The text of a module, split into its entities.
pub struct Module<'a> {
    /// The lines that describe the target, and lists of metadata.
    rest: Vec<&'a str>,
    items: Vec<Item<'a>>,
    by_name: HashMap<&'a str, usize>,
}

impl<'a> Module<'a> {
    pub fn read(mut text: &'a str) -> Module<'a> {
        let mut module = Module { rest: Vec::new(), items: Vec::new(), by_name: HashMap::new() };
        while !text.is_empty() {
            let end = if text.starts_with("define ") { "\n}\n" } else { "\n" };
            let (one, others) = text.split_at(text.find(end).map_or(text.len(), |at| at + end.len()));
            text = others;
            let is_function = one.starts_with("define ") || one.starts_with("declare ");
            let is_list =
                one.starts_with('!') && !one[1..].starts_with(|letter: char| letter.is_ascii_digit());
            let name =
                if is_function { names(one).find(|name| name.starts_with('@')) } else { names(one).next() };
            match name {
                _ if one.trim().is_empty() || one.starts_with("source_filename") => {}
                Some(name) if !is_list && !one.starts_with("target ") => {
                    module.by_name.insert(name, module.items.len());
                    module.items.push(Item { name, text: one, tokens: is_function && has_tokens(one) });
                }
                _ => module.rest.push(one),
            }
        }
        module
    }

    /// Returns the parts of all functions with tokens, each with the name of its function.
    pub fn parts(&self) -> Vec<(&'a str, String)> {
        let whole = self.items.iter().enumerate().filter(|(_, item)| item.is_defined() && item.tokens);
        whole.map(|(own, item)| (item.name, self.part(own))).collect()
    }

    /// Returns the part of a function. Functions that differ only in names and numbers have the same part.
    fn part(&self, own: usize) -> String {
        let mut needed = BTreeSet::from([own]);
        let mut left = vec![own];
        while let Some(item) = left.pop() {
            for name in names(&self.text(item, own)) {
                if let Some(&other) = self.by_name.get(name)
                    && needed.insert(other)
                {
                    left.push(other);
                }
            }
        }
        // Types come before their uses. The function itself comes next, so that the numbering starts with it.
        let is_type = |item: &usize| self.items[*item].name.starts_with('%');
        let types = needed.iter().copied().filter(is_type);
        let others = needed.iter().copied().filter(|item| !is_type(item) && *item != own);
        let mut part: String = self.rest.iter().filter(|line| line.starts_with("target ")).copied().collect();
        part.extend(types.chain([own]).chain(others).map(|item| self.text(item, own)));
        for line in self.rest.iter().filter(|line| !line.starts_with("target ")) {
            part.push_str(&self.list(line, &needed));
        }
        self.renamed(&part)
    }

    /// Returns the text of an item in a part.
    fn text(&self, item: usize, own: usize) -> String {
        let found = &self.items[item];
        match found.is_defined() {
            // The function has no caller in the part, and must not be removed.
            true if item == own => found.text.replacen("define internal ", "define ", 1),
            true if !found.goes_along() => found.declaration(),
            _ => found.text.to_owned(),
        }
    }

    /// Returns a metadata list, reduced to nodes that name only functions and variables in `needed`, with these nodes.
    fn list(&self, line: &str, needed: &BTreeSet<usize>) -> String {
        let (head, nodes) = line.split_once('{').expect("a list has braces");
        let stays = |node: &&str| {
            let of_node =
                names(self.items[self.by_name[node]].text).filter_map(|name| self.by_name.get(name));
            of_node.filter(|&&item| self.items[item].name.starts_with('@')).all(|item| needed.contains(item))
        };
        let nodes: Vec<&str> = names(nodes).filter(stays).collect();
        let mut text = format!("{head}{{{}}}\n", nodes.join(", "));
        for item in nodes.iter().map(|node| self.by_name[node]).filter(|item| !needed.contains(item)) {
            text.push_str(self.items[item].text);
        }
        text
    }

    /// Returns the text with the module's names replaced by numbers, in the order of the text.
    fn renamed(&self, text: &str) -> String {
        let mut given: HashMap<&str, String> = HashMap::new();
        let mut renamed = String::with_capacity(text.len());
        let mut at = 0;
        for name in names(text) {
            let Some(&item) = self.by_name.get(name) else { continue };
            // Types keep their names, because local variables also begin with `%`. So do the declared functions.
            if name.starts_with('%') || self.items[item].text.starts_with("declare ") {
                continue;
            }
            let (sigil, next) = (&name[..1], given.len());
            let new = given.entry(name).or_insert_with(|| match sigil {
                "@" => format!("@g{next}"),
                sigil => format!("{sigil}{next}"),
            });
            let begin = name.as_ptr() as usize - text.as_ptr() as usize;
            renamed.push_str(&text[at..begin]);
            renamed.push_str(new);
            at = begin + name.len();
        }
        renamed.push_str(&text[at..]);
        renamed
    }
}

/// Returns the names in a text with their sigils: `@f`, `%struct.s`, `%x`, `#1`, `!2`. Quoted text is skipped.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-$._".contains(byte);
    let quoted = |at: usize| text[at + 1..].find('"').map_or(text.len(), |end| at + end + 2);
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = at + text.as_bytes()[at..].iter().position(|byte| b"@%#!\"".contains(byte))?;
            if text.as_bytes()[begin] == b'"' {
                at = quoted(begin);
                continue;
            }
            at = match text.as_bytes().get(begin + 1) {
                Some(b'"') if text.as_bytes()[begin] != b'!' => quoted(begin + 1),
                _ => begin + 1 + text.as_bytes()[begin + 1..].iter().take_while(|byte| plain(byte)).count(),
            };
            if at > begin + 1 {
                return Some(&text[begin..at]);
            }
        }
    })
}

/// Returns two kernels that differ in names. Each has a helper with tokens, a function to inline, and a call of a
/// function that is too large to inline.
fn two_kernels() -> String {
    let mut text = String::from(
        "source_filename = \"k.cl\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n\n\
         %struct.unused = type { i8 }\n%struct.pair = type { i32, i32 }\n@unused = global [2 x i8] c\"@b\"\n\
         @first.tile = internal addrspace(3) global i32 undef\n@second.tile = internal addrspace(3) global i32 undef\n\n",
    );
    let rounds = "  store volatile i32 0, ptr %p\n".repeat(1000);
    text.push_str(&format!("define hidden void @large(ptr %p) #0 {{\nentry:\n{rounds}  ret void\n}}\n\n"));
    for name in ["first", "second"] {
        text.push_str(&format!(
            "define hidden void @{name}_small(ptr %p) #0 {{\nentry:\n  call void @large(ptr %p)\n  ret void\n}}\n\n\
             define internal void @{name}_waits() #1 {{\nentry:\n\
             \x20 %t = call token @llvm.experimental.convergence.entry()\n\
             \x20 call void @barrier() #1 [ \"convergencectrl\"(token %t) ]\n  ret void\n}}\n\n\
             define protected ptx_kernel void @{name}(ptr %p) #1 !kernel_arg_name !{} {{\nentry:\n\
             \x20 %t = call token @llvm.experimental.convergence.entry()\n\
             \x20 %field = getelementptr %struct.pair, ptr %p, i32 0, i32 1\n\
             \x20 store i32 1, ptr addrspace(3) @{name}.tile\n  call void @{name}_small(ptr %field)\n\
             \x20 call void @{name}_waits() #1 [ \"convergencectrl\"(token %t) ]\n  ret void\n}}\n\n",
            if name == "first" { 1 } else { 3 },
        ));
    }
    text.push_str(
        "declare token @llvm.experimental.convergence.entry()\ndeclare void @barrier() #1\n\n\
         attributes #0 = { nounwind }\nattributes #1 = { convergent }\n\n\
         !nvvm.annotations = !{!0, !2}\n\n!0 = !{ptr @first, !\"kernel\", i32 1}\n!1 = !{!\"p of @second\"}\n\
         !2 = !{ptr @second, !\"kernel\", i32 1}\n!3 = !{!\"p of @second\"}\n",
    );
    text
}

#[test]
fn part_contains_all_dependencies_of_its_function() {
    let text = two_kernels();
    let parts = Module::read(&text).parts();
    let names: Vec<&str> = parts.iter().map(|part| part.0).collect();
    assert_eq!(names, ["@first_waits", "@first", "@second_waits", "@second"]);
    expect_test::expect![[r#"
        target triple = "nvptx64-nvidia-cuda"
        %struct.pair = type { i32, i32 }
        define protected ptx_kernel void @g0(ptr %p) #1 !kernel_arg_name !2 {
        entry:
          %t = call token @llvm.experimental.convergence.entry()
          %field = getelementptr %struct.pair, ptr %p, i32 0, i32 1
          store i32 1, ptr addrspace(3) @g3
          call void @g4(ptr %field)
          call void @g5() #1 [ "convergencectrl"(token %t) ]
          ret void
        }
        @g3 = internal addrspace(3) global i32 undef
        declare hidden void @g6(ptr %p) #7
        define hidden void @g4(ptr %p) #7 {
        entry:
          call void @g6(ptr %p)
          ret void
        }
        define internal void @g5() #1 {
        entry:
          %t = call token @llvm.experimental.convergence.entry()
          call void @barrier() #1 [ "convergencectrl"(token %t) ]
          ret void
        }
        declare token @llvm.experimental.convergence.entry()
        declare void @barrier() #1
        attributes #7 = { nounwind }
        attributes #1 = { convergent }
        !2 = !{!"p of @second"}
        !nvvm.annotations = !{!8}
        !8 = !{ptr @g0, !"kernel", i32 1}
    "#]]
    .assert_eq(&parts[1].1);
    // Parts that differ only in names are equal.
    assert_eq!(parts[1].1, parts[3].1);
    assert_eq!(parts[0].1, parts[2].1);
    assert!(parts[0].1.contains("define void @g0() #1 {"), "{}", parts[0].1);
    let Some(llvm) = Llvm::find() else { return };
    for part in [&text, &parts[0].1, &parts[1].1] {
        llvm.opt(&["-passes=verify"], part.as_bytes()).unwrap();
    }
}
