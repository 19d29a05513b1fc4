//! Code actions. Each test applies an action and lints the new text: the finding is gone, no other finding appears, and
//! the text is as expected.

use serde_json::{Value, json};

use crate::client::{Client, edited, position};

const URI: &str = "file:///nowhere/k.cl";
const HEAD: &str = "kernel void k(global int *p, int n, int a, int b) {\n";
const SAME: &str = "(keeps the meaning of the program)";

struct Editor {
    client: Client,
    version: i32,
}

impl Editor {
    fn new() -> Editor {
        let mut client = Client::with(json!({ "capabilities": { "textDocument": { "diagnostic": {} } } }));
        client.open(URI, "");
        Editor { client, version: 1 }
    }

    /// The diagnostics that the server reports in a text.
    fn findings(&mut self, text: &str) -> Vec<Value> {
        self.version += 1;
        self.client.change(URI, self.version, text);
        let report =
            self.client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
        report["items"].as_array().unwrap_or(&Vec::new()).clone()
    }

    fn rules(&mut self, text: &str) -> Vec<String> {
        self.findings(text).iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect()
    }

    /// The code actions at the text `needle` that have edits: the title of each, and the text after its edits.
    fn offered(&mut self, text: &str, needle: &str, diagnostics: &[Value]) -> Vec<(String, String)> {
        let at = position(text, needle, 0, 0);
        let ask = json!({
            "textDocument": { "uri": URI }, "range": { "start": at, "end": at }, "context": { "diagnostics": diagnostics },
        });
        let actions = self.client.request("textDocument/codeAction", ask);
        let with_edit = actions.as_array().unwrap().iter().filter(|action| action.get("edit").is_some());
        let applied = |action: &Value| {
            let title = action["title"].as_str().unwrap().to_owned();
            (title, edited(text, &action["edit"]["changes"][URI]))
        };
        with_edit.map(applied).collect()
    }

    /// Asserts that exactly one action is offered at `needle`, that its title contains `title`, and that it produces
    /// `expected` without new findings.
    fn becomes(&mut self, body: &str, needle: &str, title: &str, expected: &str) {
        let text = format!("{HEAD}{body}}}\n");
        let before = self.rules(&text);
        let offered = self.offered(&text, needle, &[]);
        let [(found, after)] = &offered[..] else { panic!("{offered:#?} at {needle} of {text}") };
        assert!(found.contains(title), "{found}");
        assert_eq!(*after, format!("{HEAD}{expected}}}\n"), "{text}");
        let left = self.rules(after);
        assert!(left.iter().all(|rule| before.contains(rule)), "{left:?} in {after}");
        assert!(!left.iter().any(|rule| rule == "implementation-defined-convergence"), "{left:?} in {after}");
    }

    fn nothing(&mut self, text: &str, needle: &str) {
        self.rules(text);
        assert_eq!(self.offered(text, needle, &[]), [], "{text}");
    }
}

#[test]
fn jump_out_of_nested_ifs_is_replaced_by_ifs() {
    let mut editor = Editor::new();
    for (body, expected) in [
        (
            "  if (a) {\n    if (p[0]) goto out;\n    p[1] = 2;\n  }\n  p[2] = 3;\nout:\n  barrier(1);\n",
            "  bool skip_out = false;\n  if (a) {\n    if (p[0]) skip_out = true;\n    if (!skip_out) {\n      p[1] = 2;\n    }\n  }\n  if (!skip_out) {\n    p[2] = 3;\n  }\n  barrier(1);\n",
        ),
        // No statement outside the inner `if` is skipped: no variable is needed.
        (
            "  if (p[0]) {\n    p[3] = 1;\n    if (p[1]) { goto out; }\n    p[1] = 2;\n  }\nout:\n  barrier(1);\n",
            "  if (p[0]) {\n    p[3] = 1;\n    if (!(p[1])) {\n      p[1] = 2;\n    }\n  }\n  barrier(1);\n",
        ),
        (
            "  if (p[0]) {\n    p[1] = 1;\n  } else {\n    if (p[2]) { p[3] = 4; goto out; }\n    p[9] = 9;\n  }\n  p[2] = 3;\nout:\n  barrier(1);\n",
            "  bool skip_out = false;\n  if (p[0]) {\n    p[1] = 1;\n  } else {\n    if (p[2]) { p[3] = 4; skip_out = true; }\n    if (!skip_out) {\n      p[9] = 9;\n    }\n  }\n  if (!skip_out) {\n    p[2] = 3;\n  }\n  barrier(1);\n",
        ),
        (
            "  if (a) if (p[1]) goto out;\n  p[1] = 2;\nout:\n  barrier(1);\n",
            "  bool skip_out = false;\n  if (a) if (p[1]) skip_out = true;\n  if (!skip_out) {\n    p[1] = 2;\n  }\n  barrier(1);\n",
        ),
        // A used name is not used again.
        (
            "  int skip_out = 1;\n  if (a) if (p[1]) goto out;\n  p[1] = 2;\nout:\n  barrier(skip_out);\n",
            "  int skip_out = 1;\n  bool skip_out_2 = false;\n  if (a) if (p[1]) skip_out_2 = true;\n  if (!skip_out_2) {\n    p[1] = 2;\n  }\n  barrier(skip_out);\n",
        ),
    ] {
        editor.becomes(body, "goto out", SAME, expected);
    }
}

#[test]
fn forward_jump_is_replaced_by_an_inverted_condition() {
    let mut editor = Editor::new();
    for (body, expected) in [
        (
            "  if (p[0]) goto out;\n  p[1] = 2;\n  if (p[3]) {\n    p[5] = 1;\n    goto out;\n  }\n  p[2] = 3;\nout: barrier(1);\n",
            "  if (!(p[0])) {\n    p[1] = 2;\n    if (p[3]) {\n      p[5] = 1;\n    } else {\n      p[2] = 3;\n    }\n  }\n  barrier(1);\n",
        ),
        // Comments are kept.
        (
            "  if (p[0]) { /* bail */ goto out; } // why\n  p[1] = 2;\nout: // here\n  barrier(1);\n",
            "  if (!(p[0])) { /* bail */ // why\n    p[1] = 2;\n  }\n  // here\n  barrier(1);\n",
        ),
        ("  if (p[0]) goto out; p[1] = 1; out: barrier(1);\n", "  if (!(p[0])) { p[1] = 1; } barrier(1);\n"),
        (
            "\tif (p[0]) goto out;\r\n\tp[1] = 1;\r\nout:\r\n\tbarrier(1);\r\n",
            "\tif (!(p[0])) {\r\n\t\tp[1] = 1;\r\n\t}\r\n\tbarrier(1);\r\n",
        ),
        (
            "  if (p[0] < n)\n    goto out;\n\n#pragma unroll\n  for (int i = 0; i < 3; i++)\n    /* a\n       b */ p[i] = 2;\n\nout:\n  barrier(1);\n",
            "  if (p[0] >= n) {\n#pragma unroll\n    for (int i = 0; i < 3; i++)\n      /* a\n         b */ p[i] = 2;\n  }\n\n  barrier(1);\n",
        ),
        (
            "  if (p[0] != 1) {\n    // bail\n    goto out;\n  }\n  p[1] = 2;\nout:\n  barrier(1);\n",
            "  if (p[0] == 1) {\n    // bail\n    p[1] = 2;\n  }\n  barrier(1);\n",
        ),
        // A comparison with NaN is false, and so is the opposite comparison.
        (
            "  float f = p[3];\n  if (f < 1.0f) goto out;\n  p[1] = 2;\nout:\n  barrier(1);\n",
            "  float f = p[3];\n  if (!(f < 1.0f)) {\n    p[1] = 2;\n  }\n  barrier(1);\n",
        ),
        (
            "  /* 𝛍µ */ if (/* 𝛍 */ p[0]) goto out; /* 𝛍 */ p[1] = 1;\n /* 𝛍 */ out: /* 𝛍 */ barrier(1);\n",
            "  /* 𝛍µ */ if (/* 𝛍 */ !(p[0])) { /* 𝛍 */ p[1] = 1;\n /* 𝛍 */ } /* 𝛍 */ barrier(1);\n",
        ),
        (
            "  if (p[0]) goto out;\n  int z = 3;\n  switch (n) { case 1: p[z] = 1; break; default: p[2] = 2; }\nout:\n  barrier(1);\n",
            "  if (!(p[0])) {\n    int z = 3;\n    switch (n) { case 1: p[z] = 1; break; default: p[2] = 2; }\n  }\n  barrier(1);\n",
        ),
    ] {
        editor.becomes(body, "goto out", SAME, expected);
    }
}

#[test]
fn jump_is_not_replaced_if_the_meaning_could_change() {
    let mut editor = Editor::new();
    for body in [
        // A declared name is used after the label, or the declaration is valid only in the outermost block.
        "  if (p[0]) goto out;\n  int z = 3;\nout:\n  barrier(1);\n  p[1] = z;\n",
        "  if (p[0]) goto out;\n  local int z[4];\n  z[0] = 1;\nout:\n  barrier(1);\n",
        "  if (p[0]) goto out;\n  enum { one = 1 };\nout:\n  barrier(1);\n  p[1] = one;\n",
        // Another jump leads into the statements that the `if` would skip.
        "  if (p[1]) goto in;\n  if (p[0]) goto out;\n  p[1] = 1;\nin:\n  p[2] = 2;\nout:\n  barrier(1);\n",
        "  switch (n) {\n  case 0:\n    if (p[0]) goto out;\n    p[1] = 1;\n  case 1:\n    p[2] = 1;\n  out:\n    barrier(1);\n  }\n",
        // Jumps into a block, out of a loop, and backwards.
        "  if (p[0]) goto out;\n  { p[2] = 2;\nout:\n  barrier(1); }\n",
        "  while (p[0]) { if (p[1]) goto out; }\n  p[2] = 2;\nout:\n  barrier(1);\n",
        "  p[2] = 2;\nout:\n  barrier(1);\n  if (p[0]) goto out;\n",
        // Conditional directives: other configurations of the text have other jumps or labels.
        "  if (p[0]) goto out;\n#ifdef X\n  goto out;\n#endif\n  p[1] = 1;\nout:\n  barrier(1);\n",
        "#ifdef X\n  if (p[5]) goto out;\n#endif\n  if (p[0]) goto out;\n  p[1] = 1;\nout:\n  barrier(1);\n",
        "#ifndef X\n  if (p[0]) goto out;\n#endif\n  p[1] = 1;\nout:\n  barrier(1);\n",
    ] {
        editor.nothing(&format!("{HEAD}{body}}}\n"), "goto out");
    }
    let bail = "#define BAIL(x) if (x) goto out\n";
    editor.nothing(&format!("{bail}{HEAD}  BAIL(p[0]);\n  p[1] = 1;\nout:\n  barrier(1);\n}}\n"), "BAIL(p");
    let out = "#define OUT out: p[7] = 7;\n";
    editor.nothing(
        &format!("{out}{HEAD}  if (p[0]) goto out;\n  p[1] = 1;\nOUT\n  barrier(1);\n}}\n"),
        "goto out",
    );
}

#[test]
fn barrier_is_moved_out_of_uniform_branch_or_both_branches() {
    let mut editor = Editor::new();
    let also = "(changes the program: the barrier also runs if `n > 3` is false)";
    for (body, title, expected) in [
        (
            "  if (n > 3) {\n    p[1] = 2;\n    barrier(1);\n  }\n  p[2] = 3;\n",
            also,
            "  if (n > 3) {\n    p[1] = 2;\n  }\n  barrier(1);\n  p[2] = 3;\n",
        ),
        ("  if (n > 3) barrier(1); // µ\n", also, "  if (n > 3) {}\n  barrier(1); // µ\n"),
        (
            "  if (n > 3) {\n    p[1] = 2;\n    barrier(1); // all\n  }\n",
            also,
            "  if (n > 3) {\n    p[1] = 2;\n    // all\n  }\n  barrier(1);\n",
        ),
        (
            "\tif (n > 3) {\r\n\t\tp[1] = 2;\r\n\t\tbarrier(1);\r\n\t}\r\n",
            also,
            "\tif (n > 3) {\r\n\t\tp[1] = 2;\r\n\t}\r\n\tbarrier(1);\r\n",
        ),
        (
            "  if (n > 3) p[1] = 1; else { p[4] = 1; barrier(1); }\n",
            "(changes the program: the barrier also runs if `n > 3` is true)",
            "  if (n > 3) p[1] = 1; else { p[4] = 1; }\n  barrier(1);\n",
        ),
        (
            "  if (n > 3) { p[1] = 2; barrier(1); } else { p[3] = 4; barrier(1); }\n",
            "out of both branches (keeps the meaning of the program)",
            "  if (n > 3) { p[1] = 2; } else { p[3] = 4; }\n  barrier(1);\n",
        ),
        ("  if (n > 3) barrier(1); else barrier(1);\n", SAME, "  if (n > 3) {} else {}\n  barrier(1);\n"),
        (
            "  if (get_local_id(0)) { p[1] = 2; barrier(1); } else { p[3] = 4; barrier(1); }\n",
            "(changes the program: all work-items wait at the same barrier)",
            "  if (get_local_id(0)) { p[1] = 2; } else { p[3] = 4; }\n  barrier(1);\n",
        ),
    ] {
        editor.becomes(body, "barrier", title, expected);
    }
    for body in [
        "  if (get_local_id(0)) { p[1] = 2; barrier(1); }\n",
        // All work-items that reach the branch take the same side, but not all work-items reach it.
        "  if (get_local_id(0)) return;\n  if (n > 3) { p[1] = 2; barrier(1); }\n",
        "  if (get_local_id(0)) { if (n > 3) { p[1] = 2; barrier(1); } p[2] = 1; }\n",
        // The barrier is not the last statement of its branch, uses a variable of the branch, or the `if` is not
        // directly in a block.
        "  if (n > 3) { barrier(1); p[1] = 2; }\n",
        "  if (n > 3) { int flags = 1; barrier(flags); }\n",
        "  if (n) p[1] = 2; else if (n > 3) { p[1] = 2; barrier(1); }\n",
    ] {
        editor.nothing(&format!("{HEAD}{body}}}\n"), "barrier");
    }
    let both = "#define SYNC p[3] = 1; barrier(1)\n";
    editor.nothing(&format!("{both}{HEAD}  if (n > 3) {{ p[1] = 2; SYNC; }}\n}}\n"), "SYNC; }");
}

#[test]
fn break_is_added_only_where_it_leaves_the_switch() {
    let mut editor = Editor::new();
    for (body, expected) in [
        (
            "  switch (n) {\n    case 1:\n      a = 2;\n      // on\n    case 2:\n      barrier(1);\n  }\n",
            "  switch (n) {\n    case 1:\n      a = 2;\n      // on\n      break;\n    case 2:\n      barrier(1);\n  }\n",
        ),
        (
            "\tswitch (n) {\r\n\tcase 1:\r\n\t\ta = 2;\r\n\tcase 2:\r\n\t\tbarrier(1);\r\n\t}\r\n",
            "\tswitch (n) {\r\n\tcase 1:\r\n\t\ta = 2;\r\n\t\tbreak;\r\n\tcase 2:\r\n\t\tbarrier(1);\r\n\t}\r\n",
        ),
        (
            "  switch (n) { case 1: a = 2; case 2: barrier(1); }\n",
            "  switch (n) { case 1: a = 2; break; case 2: barrier(1); }\n",
        ),
    ] {
        let body = body.replace("switch (n)", "switch (get_local_id(0))");
        let expected = expected.replace("switch (n)", "switch (get_local_id(0))");
        editor.becomes(&body, "barrier", "Add `break;` before `case 2` (changes the program:", &expected);
    }
    let device = "  switch (get_local_id(0)) {\n    case 1: do { a = 2;\n    case 2: barrier(1);\n    } while (--n > 0);\n  }\n";
    editor.nothing(&format!("{HEAD}{device}}}\n"), "barrier");
    let case = "#define TWO a = 7; case 2:\n";
    let text = format!(
        "{case}{HEAD}  switch (get_local_id(0)) {{\n    case 1: a = 2;\n    TWO barrier(1);\n  }}\n}}\n"
    );
    editor.nothing(&text, "barrier(1)");
}

#[test]
fn suppression_is_inserted_where_it_takes_effect() {
    let mut editor = Editor::new();
    let allow = "// tangle: allow(implementation-defined-convergence): TODO say why";
    let block = "/* tangle: allow(implementation-defined-convergence): TODO say why */";
    let body = |line: &str| format!("{HEAD}  if (p[0]) goto out;\n  p[1] = 2;\nout:\n{line}}}\n");
    let doubts = |editor: &mut Editor, text: &str| -> Vec<Value> {
        let found = editor.findings(text).into_iter();
        found.filter(|it| it["code"] == "implementation-defined-convergence").collect()
    };
    for (line, expected) in [
        ("  barrier(1);\n", format!("  barrier(1); {allow}\n")),
        ("  barrier(1);  \r\n", format!("  barrier(1); {allow}\r\n")),
        ("\tbarrier(1); // all\r\n", format!("\t{allow}\r\n\tbarrier(1); // all\r\n")),
        ("  p[0] = \"//\"[0]; barrier(1);\n", format!("  p[0] = \"//\"[0]; barrier(1); {allow}\n")),
        (
            "  /* one\n   two */ barrier(1); /* three */\n",
            format!("  {allow}\n  /* one\n   two */ barrier(1); /* three */\n"),
        ),
        ("  barrier( /* one\n   two */ 1);\n", format!("  {allow}\n  barrier( /* one\n   two */ 1);\n")),
        ("  p[0] = 1; barrier(1); // all\n", format!("  p[0] = 1; barrier(1); {} // all\n", block)),
    ] {
        let text = body(line);
        let doubts = doubts(&mut editor, &text);
        let offered = editor.offered(&text, "kernel", &doubts);
        let at = offered.iter().position(|(title, _)| title.starts_with("Suppress"));
        // The action that fixes the finding comes first.
        let mends = offered.iter().position(|(title, _)| title.starts_with("Replace the jumps to `out`"));
        assert!(mends < at, "{offered:#?}");
        let Some((_, after)) = at.map(|at| &offered[at]) else { panic!("{offered:#?}") };
        assert_eq!(*after, body(&expected));
        assert_eq!(editor.rules(after), [] as [String; 0], "{after}");
    }
    // A comment in a line that a backslash continues has no effect.
    let text = body("  p[0] = 1; \\\n  barrier(1); \\\n  p[2] = 4;\n");
    let doubts = doubts(&mut editor, &text);
    let offered = editor.offered(&text, "kernel", &doubts);
    assert!(offered.iter().all(|(title, _)| !title.starts_with("Suppress")), "{offered:#?}");
}

#[test]
fn fix_is_offered_before_suppression() {
    let mut editor = Editor::new();
    let text = format!("{HEAD}  if (p[0] + get_local_id(0) > 2) return;\n  barrier(1);\n  p[n] = 2;\n}}\n");
    let found = editor.findings(&text);
    let offered = editor.offered(&text, "kernel", &found);
    let titles: Vec<&str> = offered.iter().map(|(title, _)| &**title).collect();
    assert!(titles[0].starts_with("Guard the work with `is_active`"), "{titles:?}");
    assert!(titles[1].starts_with("Suppress"), "{titles:?}");
    assert_eq!(editor.rules(&offered[0].1), [] as [String; 0], "{}", offered[0].1);
}

#[test]
fn unused_suppression_is_removed() {
    let mut editor = Editor::new();
    let rules = "divergent-barrier, type-error";
    for (line, expected) in [
        ("  p[0] = 1; // tangle: allow(divergent-barrier): once\n", "  p[0] = 1;\n"),
        ("  // tangle: allow(divergent-barrier): once\r\n  p[0] = 1;\r\n", "  p[0] = 1;\r\n"),
        ("  /* tangle: allow(divergent-barrier): µ */ p[0] = 1;\n", "   p[0] = 1;\n"),
        ("  p[0] = 1; // tangle: allow(RULES): once\n", "  p[0] = 1; // tangle: allow(type-error): once\n"),
    ] {
        let text = format!("{HEAD}{}}}\n", line.replace("RULES", rules));
        let found = editor.findings(&text);
        let offered = editor.offered(&text, "kernel", &found[..1]);
        let [(title, after)] = &offered[..] else { panic!("{offered:#?}") };
        assert_eq!(title, "Remove the suppression of `divergent-barrier`");
        assert_eq!(*after, format!("{HEAD}{expected}}}\n"));
    }
    let text = format!("{HEAD}  p[0] = 1; // tangle: allow({rules}): once\n}}\n");
    let found = editor.findings(&text);
    let offered = editor.offered(&text, "kernel", &found[1..]);
    assert!(offered[0].1.contains("// tangle: allow(divergent-barrier): once\n"), "{offered:?}");
}

#[test]
fn only_requested_action_kinds_are_offered() {
    let mut editor = Editor::new();
    let text = format!("{HEAD}  if (p[0]) goto out;\n  p[1] = 2;\nout:\n  barrier(1);\n}}\n");
    editor.rules(&text);
    let at = position(&text, "goto", 0, 0);
    for (only, count) in
        [("refactor", 1), ("refactor.rewrite", 1), ("refactor.re", 0), ("quickfix", 0), ("", 1)]
    {
        let ask = json!({
            "textDocument": { "uri": URI }, "range": { "start": at, "end": at },
            "context": { "diagnostics": [], "only": [only] },
        });
        let found = editor.client.request("textDocument/codeAction", ask);
        assert_eq!(found.as_array().unwrap().len(), count, "{only}");
    }
}
