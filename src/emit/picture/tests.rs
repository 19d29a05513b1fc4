//! Tests of both kinds of picture, with graphs written by hand.

use expect_test::{Expect, expect};
use roxmltree::{Document, Node};

use super::testing::{JUMP_IN, LOOP, marked_picture, picture};
use super::text::MAX_TEXT;
use super::*;
use crate::{dot, json, svg};
use tangle_analysis::flow::{Function, Module};
use tangle_analysis::uniformity::Divergence;
use tangle_grammar::ast::Span;
use tangle_hir::body::StmtId;

fn dot_of(picture: &Picture) -> String {
    let mut out = Vec::new();
    dot::write(&mut out, picture).unwrap();
    String::from_utf8(out).unwrap()
}

fn svg_of(picture: &Picture) -> String {
    let mut out = Vec::new();
    svg::write(&mut out, picture).unwrap();
    String::from_utf8(out).unwrap()
}

/// The content of a picture without its look: edges, nesting and texts.
fn outline((source, graph): (&'static str, &str)) -> String {
    let picture = picture(source, graph);
    let [graph] = &picture.graphs[..] else { panic!("the picture has one function") };
    let mut text = format!("{}\n", graph.title);
    for token in &graph.tokens {
        text += &format!("{} {}: {}\n", token.kind.sign(), token.name, token.meaning);
    }
    for cycle in &graph.cycles {
        text += &format!("cycle in {:?}: {}\n", cycle.parent, cycle.caption);
    }
    for block in &graph.blocks {
        text += &format!("{} in {:?}\n", block.name, block.cycle);
        for line in block.parts.iter().flat_map(|part| &part.lines) {
            text += &format!("  {:>2} {}\n", line.number, line.text);
        }
        for operation in &block.operations {
            text += &format!("  [{:?}] {}\n", operation.token, operation.text);
        }
        block.end.iter().for_each(|end| text += &format!("  {end}\n"));
    }
    for edge in &graph.edges {
        let (from, to) = (&graph.blocks[edge.from].name, &graph.blocks[edge.to].name);
        text += &format!("{from} -> {to} {:?}{}\n", edge.kind, if edge.back { " back" } else { "" });
    }
    text
}

fn check_outline(what: (&'static str, &str), expected: Expect) {
    expected.assert_eq(&outline(what));
}

#[test]
fn loop_token_controls_operations_up_to_the_break() {
    check_outline(
        LOOP,
        expect![[r#"
            kernel k
            ▶ %0: work-items that enter the function together; controls barrier (line 11)
            ♥ %1: work-items of %0 in the same iteration; controls barrier (line 4), sub_group_barrier (line 6)
            cycle in None: cycle, entered at for.cond
            entry in None
               2 int id = get_global_id(0);
               3 for (int i = 0; i < n; i++) {
              [Some(0)] ▶ %0 = entry
            for.cond in Some(0)
               3 for (int i = 0; i < n; i++) {
              [Some(1)] ♥ %1 = loop with %0
              for (int i = 0; i < n; i++) { ?
            for.body in Some(0)
               4 barrier(CLK_LOCAL_MEM_FENCE);
               5 if (p[i] == id) {
              [Some(1)] barrier(CLK_LOCAL_MEM_FENCE); with %1
              if (p[i] == id) { ?
            if.then in None
               6 sub_group_barrier(0);
               7 break;
              [Some(1)] sub_group_barrier(0); with %1
            if.end, for.step in Some(0)
               9 p[i + 1] = id;
               3 for (int i = 0; i < n; i++) {
            for.end in None
              11   barrier(CLK_GLOBAL_MEM_FENCE);
              12 }
              [Some(0)] barrier(CLK_GLOBAL_MEM_FENCE); with %0
              return
            entry -> for.cond Jump
            for.cond -> for.body True
            for.cond -> for.end False
            for.body -> if.then True
            for.body -> if.end, for.step False
            if.then -> for.end Jump
            if.end, for.step -> for.cond Jump back
        "#]],
    );
}

#[test]
fn jump_into_loop_makes_irreducible_cycle() {
    check_outline(
        JUMP_IN,
        expect![[r#"
        kernel k
        ▶ %0: work-items that enter the function together; controls sub_group_barrier (line 9)
        ⚓ %1: an implementation-defined set of work-items that arrive together; controls barrier (line 7)
        cycle in None: irreducible cycle: entered at while.cond and inside
        entry in None
           2 if (n > 3)
          [Some(0)] ▶ %0 = entry
          if (n > 3) ?
        if.then in None
           3 goto inside;
        if.end in None
           4 while (p[0] < n) {
        while.cond in Some(0)
           4 while (p[0] < n) {
          while (p[0] < n) { ?
        while.body in Some(0)
           5     p[0]++;
           6 inside:
        inside in Some(0)
           7 barrier(CLK_LOCAL_MEM_FENCE);
          [Some(1)] ⚓ %1 = anchor
          [Some(1)] barrier(CLK_LOCAL_MEM_FENCE); with %1
        while.end in None
           9   sub_group_barrier(0);
          10 }
          [Some(0)] sub_group_barrier(0); with %0
          return
        entry -> if.then True
        entry -> if.end False
        if.then -> inside Jump
        if.end -> while.cond Jump
        while.cond -> while.body True
        while.cond -> while.end False
        while.body -> inside Jump
        inside -> while.cond Jump back
    "#]],
    );
}

#[test]
fn loop_is_printed_as_dot() {
    expect![[r##"
        digraph "k.cl" {
          bgcolor=white; labelloc=t; labeljust=l; nodesep=0.35; ranksep=0.45;
          fontname="monospace"; fontsize=11;
          node [shape=box, style="rounded,filled", fillcolor="#f7f9fb", color="#aab4c0", fontname="monospace", fontsize=11, margin="0.06,0.03"];
          edge [fontname="monospace", fontsize=10, penwidth=1.3, arrowsize=0.8];
          label=<<table border="0" cellspacing="2"><tr><td bgcolor="#15803d" width="12"></td><td align="left">condition true  </td><td bgcolor="#b4530a" width="12"></td><td align="left">condition false  </td><td bgcolor="#5b6573" width="12"></td><td align="left">unconditional  </td><td bgcolor="#0f6fa8" width="12"></td><td align="left">next iteration (dashed)  </td><td bgcolor="#1d5fd1" width="12"></td><td align="left">token, and the operations that it controls  </td><td></td></tr></table>>;
          subgraph cluster_f0 {
            label=<<table border="0" cellspacing="1"><tr><td colspan="2" align="left"><font point-size="14"><b>kernel k, convergent</b></font></td></tr><tr><td bgcolor="#1d5fd1" width="12"></td><td align="left">▶ %0: work-items that enter the function together; controls barrier (line 11)</td></tr><tr><td bgcolor="#b45309" width="12"></td><td align="left">♥ %1: work-items of %0 in the same iteration; controls barrier (line 4), sub_group_barrier (line 6)</td></tr></table>>; style=solid; color="#aab4c0"; margin=12;
            f0b0 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>entry</b></td></tr><tr><td align="left"><font color="#6b7686">2&#160;&#160;</font><font color="black">int id = get_global_id(0);</font></td></tr><tr><td align="left"><font color="#6b7686">3&#160;&#160;</font><font color="black">for (int i = 0; i &lt; n; i++) {</font></td></tr><tr><td align="left"><font color="#1d5fd1" point-size="10">▶ %0 = entry</font></td></tr></table>>, tooltip="entry\n2 int id = get_global_id(0);\n3 for (int i = 0; i < n; i++) {\n▶ %0 = entry", color="#1d5fd1", penwidth=2];
            f0b3 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>if.then</b></td></tr><tr><td align="left"><font color="#6b7686">6&#160;&#160;</font><font color="black">sub_group_barrier(0);</font></td></tr><tr><td align="left"><font color="#6b7686">7&#160;&#160;</font><font color="black">break;</font></td></tr><tr><td align="left" bgcolor="#b45309"><font color="white" point-size="10">sub_group_barrier(0); with %1</font></td></tr></table>>, tooltip="if.then\n6 sub_group_barrier(0);\n7 break;\nsub_group_barrier(0); with %1"];
            f0b5 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>for.end</b></td></tr><tr><td align="left"><font color="#6b7686">11&#160;&#160;</font>&#160;&#160;<font color="black">barrier(CLK_GLOBAL_MEM_FENCE);</font></td></tr><tr><td align="left"><font color="#6b7686">12&#160;&#160;</font><font color="black">}</font></td></tr><tr><td align="left" bgcolor="#1d5fd1"><font color="white" point-size="10">barrier(CLK_GLOBAL_MEM_FENCE); with %0</font></td></tr><tr><td align="left"><font color="#6b7686" point-size="10"><i>return</i></font></td></tr></table>>, tooltip="for.end\n11   barrier(CLK_GLOBAL_MEM_FENCE);\n12 }\nbarrier(CLK_GLOBAL_MEM_FENCE); with %0\nreturn"];
            subgraph cluster_f0c0 {
              graph [label="cycle, entered at for.cond", tooltip="cycle, entered at for.cond", style="rounded,filled", penwidth=1.3, color="#8fa1b8", fontcolor="#4a6285", fillcolor="#eef3f9"];
              f0b1 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>for.cond</b></td></tr><tr><td align="left"><font color="#6b7686">3&#160;&#160;</font><font color="black">for (int i = 0; i &lt; n; i++) {</font></td></tr><tr><td align="left"><font color="#b45309" point-size="10">♥ %1 = loop with %0</font></td></tr><tr><td align="left"><font color="#6b7686" point-size="10"><i>for (int i = 0; i &lt; n; i++) { ?</i></font></td></tr></table>>, tooltip="for.cond\n3 for (int i = 0; i < n; i++) {\n♥ %1 = loop with %0\nfor (int i = 0; i < n; i++) { ?", color="#b45309", penwidth=2];
              f0b2 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>for.body</b></td></tr><tr><td align="left"><font color="#6b7686">4&#160;&#160;</font><font color="black">barrier(CLK_LOCAL_MEM_FENCE);</font></td></tr><tr><td align="left"><font color="#6b7686">5&#160;&#160;</font><font color="black">if (p[i] == id) {</font></td></tr><tr><td align="left" bgcolor="#b45309"><font color="white" point-size="10">barrier(CLK_LOCAL_MEM_FENCE); with %1</font></td></tr><tr><td align="left"><font color="#6b7686" point-size="10"><i>if (p[i] == id) { ?</i></font></td></tr></table>>, tooltip="for.body\n4 barrier(CLK_LOCAL_MEM_FENCE);\n5 if (p[i] == id) {\nbarrier(CLK_LOCAL_MEM_FENCE); with %1\nif (p[i] == id) { ?"];
              f0b4 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>if.end, for.step</b></td></tr><tr><td align="left"><font color="#6b7686">9&#160;&#160;</font><font color="black">p[i + 1] = id;</font></td></tr><tr><td align="left"><font color="#6b7686">3&#160;&#160;</font><font color="black">for (int i = 0; i &lt; n; i++) {</font></td></tr></table>>, tooltip="if.end, for.step\n9 p[i + 1] = id;\n3 for (int i = 0; i < n; i++) {"];
            }
            f0b0 -> f0b1 [color="#5b6573", tooltip="entry → for.cond"];
            f0b1 -> f0b2 [label=" true ", fontcolor="#15803d", color="#15803d", tooltip="for.cond → for.body"];
            f0b1 -> f0b5 [label=" false ", fontcolor="#b4530a", color="#b4530a", tooltip="for.cond → for.end"];
            f0b2 -> f0b3 [label=" true ", fontcolor="#15803d", color="#15803d", tooltip="for.body → if.then"];
            f0b2 -> f0b4 [label=" false ", fontcolor="#b4530a", color="#b4530a", tooltip="for.body → if.end, for.step"];
            f0b3 -> f0b5 [color="#5b6573", tooltip="if.then → for.end"];
            f0b4 -> f0b1 [color="#0f6fa8", style=dashed, penwidth=2.2, tooltip="if.end, for.step → for.cond"];
          }
        }
    "##]].assert_eq(&dot_of(&picture(LOOP.0, LOOP.1)));
}

#[test]
fn jump_into_loop_is_printed_as_dot() {
    expect![[r##"
        digraph "k.cl" {
          bgcolor=white; labelloc=t; labeljust=l; nodesep=0.35; ranksep=0.45;
          fontname="monospace"; fontsize=11;
          node [shape=box, style="rounded,filled", fillcolor="#f7f9fb", color="#aab4c0", fontname="monospace", fontsize=11, margin="0.06,0.03"];
          edge [fontname="monospace", fontsize=10, penwidth=1.3, arrowsize=0.8];
          label=<<table border="0" cellspacing="2"><tr><td bgcolor="#15803d" width="12"></td><td align="left">condition true  </td><td bgcolor="#b4530a" width="12"></td><td align="left">condition false  </td><td bgcolor="#5b6573" width="12"></td><td align="left">unconditional  </td><td bgcolor="#0f6fa8" width="12"></td><td align="left">next iteration (dashed)  </td><td bgcolor="#c81e1e" width="12"></td><td align="left">cycle entered at several blocks (dashed frame)  </td><td bgcolor="#1d5fd1" width="12"></td><td align="left">token, and the operations that it controls  </td><td></td></tr></table>>;
          subgraph cluster_f0 {
            label=<<table border="0" cellspacing="1"><tr><td colspan="2" align="left"><font point-size="14"><b>kernel k, convergent</b></font></td></tr><tr><td bgcolor="#1d5fd1" width="12"></td><td align="left">▶ %0: work-items that enter the function together; controls sub_group_barrier (line 9)</td></tr><tr><td bgcolor="#b45309" width="12"></td><td align="left">⚓ %1: an implementation-defined set of work-items that arrive together; controls barrier (line 7)</td></tr></table>>; style=solid; color="#aab4c0"; margin=12;
            f0b0 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>entry</b></td></tr><tr><td align="left"><font color="#6b7686">2&#160;&#160;</font><font color="black">if (n &gt; 3)</font></td></tr><tr><td align="left"><font color="#1d5fd1" point-size="10">▶ %0 = entry</font></td></tr><tr><td align="left"><font color="#6b7686" point-size="10"><i>if (n &gt; 3) ?</i></font></td></tr></table>>, tooltip="entry\n2 if (n > 3)\n▶ %0 = entry\nif (n > 3) ?", color="#1d5fd1", penwidth=2];
            f0b1 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>if.then</b></td></tr><tr><td align="left"><font color="#6b7686">3&#160;&#160;</font><font color="black">goto inside;</font></td></tr></table>>, tooltip="if.then\n3 goto inside;"];
            f0b2 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>if.end</b></td></tr><tr><td align="left"><font color="#6b7686">4&#160;&#160;</font><font color="black">while (p[0] &lt; n) {</font></td></tr></table>>, tooltip="if.end\n4 while (p[0] < n) {"];
            f0b6 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>while.end</b></td></tr><tr><td align="left"><font color="#6b7686">&#160;9&#160;&#160;</font>&#160;&#160;<font color="black">sub_group_barrier(0);</font></td></tr><tr><td align="left"><font color="#6b7686">10&#160;&#160;</font><font color="black">}</font></td></tr><tr><td align="left" bgcolor="#1d5fd1"><font color="white" point-size="10">sub_group_barrier(0); with %0</font></td></tr><tr><td align="left"><font color="#6b7686" point-size="10"><i>return</i></font></td></tr></table>>, tooltip="while.end\n9   sub_group_barrier(0);\n10 }\nsub_group_barrier(0); with %0\nreturn"];
            subgraph cluster_f0c0 {
              graph [label="irreducible cycle: entered at while.cond and inside", tooltip="irreducible cycle: entered at while.cond and inside", style="rounded,filled,dashed", penwidth=3, color="#c81e1e", fontcolor="#c81e1e", fillcolor="#fdeeee"];
              f0b3 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>while.cond</b></td></tr><tr><td align="left"><font color="#6b7686">4&#160;&#160;</font><font color="black">while (p[0] &lt; n) {</font></td></tr><tr><td align="left"><font color="#6b7686" point-size="10"><i>while (p[0] &lt; n) { ?</i></font></td></tr></table>>, tooltip="while.cond\n4 while (p[0] < n) {\nwhile (p[0] < n) { ?"];
              f0b4 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>while.body</b></td></tr><tr><td align="left"><font color="#6b7686">5&#160;&#160;</font>&#160;&#160;&#160;&#160;<font color="black">p[0]++;</font></td></tr><tr><td align="left"><font color="#6b7686">6&#160;&#160;</font><font color="black">inside:</font></td></tr></table>>, tooltip="while.body\n5     p[0]++;\n6 inside:"];
              f0b5 [label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="1"><tr><td align="left"><b>inside</b></td></tr><tr><td align="left"><font color="#6b7686">7&#160;&#160;</font><font color="black">barrier(CLK_LOCAL_MEM_FENCE);</font></td></tr><tr><td align="left"><font color="#b45309" point-size="10">⚓ %1 = anchor</font></td></tr><tr><td align="left" bgcolor="#b45309"><font color="white" point-size="10">barrier(CLK_LOCAL_MEM_FENCE); with %1</font></td></tr></table>>, tooltip="inside\n7 barrier(CLK_LOCAL_MEM_FENCE);\n⚓ %1 = anchor\nbarrier(CLK_LOCAL_MEM_FENCE); with %1", color="#b45309", penwidth=2];
            }
            f0b0 -> f0b1 [label=" true ", fontcolor="#15803d", color="#15803d", tooltip="entry → if.then"];
            f0b0 -> f0b2 [label=" false ", fontcolor="#b4530a", color="#b4530a", tooltip="entry → if.end"];
            f0b1 -> f0b5 [color="#5b6573", tooltip="if.then → inside"];
            f0b2 -> f0b3 [color="#5b6573", tooltip="if.end → while.cond"];
            f0b3 -> f0b4 [label=" true ", fontcolor="#15803d", color="#15803d", tooltip="while.cond → while.body"];
            f0b3 -> f0b6 [label=" false ", fontcolor="#b4530a", color="#b4530a", tooltip="while.cond → while.end"];
            f0b4 -> f0b5 [color="#5b6573", tooltip="while.body → inside"];
            f0b5 -> f0b3 [color="#0f6fa8", style=dashed, penwidth=2.2, tooltip="inside → while.cond"];
          }
        }
    "##]].assert_eq(&dot_of(&picture(JUMP_IN.0, JUMP_IN.1)));
}

fn count(document: &Document, class: &str) -> usize {
    let has = |node: &Node| node.attribute("class").is_some_and(|classes| classes == class);
    document.descendants().filter(has).count()
}

#[test]
fn svg_is_xml_with_all_blocks_edges_and_cycles() {
    for (source, graph) in [LOOP, JUMP_IN] {
        let picture = picture(source, graph);
        let text = svg_of(&picture);
        let document = Document::parse(&text).unwrap();
        let graph = &picture.graphs[0];
        assert_eq!(count(&document, "block"), graph.blocks.len());
        let edges = document.descendants().filter(|node| {
            // The edges in the key have no title.
            let edge = node.attribute("class").is_some_and(|class| class.starts_with("edge "));
            edge && node.children().any(|child| child.tag_name().name() == "title")
        });
        assert_eq!(edges.count(), graph.edges.len());
        let irreducible = graph.cycles.iter().filter(|cycle| cycle.irreducible).count();
        assert_eq!(count(&document, "cycle"), graph.cycles.len() - irreducible);
        assert_eq!(count(&document, "cycle irreducible"), irreducible);
        assert_eq!(count(&document, "token-key"), graph.tokens.len());
        let used: Vec<&str> =
            document.descendants().filter_map(|node| node.attribute("marker-end")).collect();
        for marker in used {
            let id = marker.trim_start_matches("url(#").trim_end_matches(')');
            assert!(document.descendants().any(|node| node.attribute("id") == Some(id)), "{marker}");
        }
    }
}

#[test]
fn source_text_is_escaped_in_svg_and_dot() {
    const SOURCE: &str = "a <b> && \"c\" 'd' \\ ]]> \u{1} \u{ffff} µ 名\n\t</text>";
    let picture = picture(SOURCE, "entry: at 1; call <script> 2; return @1");
    let text = svg_of(&picture);
    let document = Document::parse(&text).unwrap();
    assert!(document.descendants().all(|node| node.tag_name().name() != "script"));
    let code = document.descendants().find(|node| node.attribute("class") == Some("code")).unwrap();
    assert_eq!(code.text(), Some("a <b> && \"c\" 'd' \\ ]]> \u{fffd} \u{fffd} µ 名"));
    // The labels of Graphviz are XML too.
    let dot = dot_of(&picture);
    for label in dot.lines().filter_map(|line| line.split_once("label=<")).map(|(_, rest)| rest) {
        let end = label.rfind("</table>>").unwrap();
        Document::parse(&label[..end + "</table>".len()]).unwrap();
    }
}

#[test]
fn long_source_lines_are_cut() {
    let source: &'static str = Box::leak("x".repeat(500).into_boxed_str());
    let picture = picture(source, "entry: at 1; return @1");
    let line = &picture.graphs[0].blocks[Function::ENTRY].parts[0].lines[0];
    assert_eq!(line.text.chars().count(), MAX_TEXT + 1);
}

#[test]
fn cases_with_same_target_share_an_edge() {
    let graph = "entry: switch 1:a 2:a 3:b 4:a 5:a 6:a 7:a *:b @1
        a: jump b @1
        b: return @1";
    let picture = picture("switch (n) {}", graph);
    let labels: Vec<&str> = picture.graphs[0].edges.iter().map(|edge| edge.label.as_str()).collect();
    assert_eq!(labels, ["case 1, 2, 4, 5 and 2 more", "case 3, default", ""]);
}

#[test]
fn json_reports_functions_without_a_graph() {
    let function = super::testing::function(JUMP_IN.1);
    let (key, span) = (function.key, function.span);
    let module = Module { file: "k.cl".into(), functions: vec![function], globals: Vec::new() };
    let lines = super::testing::Lines(JUMP_IN.0);
    let written = |errors: &[&tangle_analysis::flow::NotLowered]| {
        let text = serde_json::to_string(&json::document(&module, &[], errors, &shapes, &lines)).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    assert!(written(&[]).get("errors").is_none());
    let error =
        tangle_analysis::flow::NotLowered { function: Some(key), span, reason: "its graph is broken".into() };
    let of = &written(&[&error])["errors"][0];
    assert_eq!((&of["function"], &of["message"]), (&key.name.as_str().into(), &"its graph is broken".into()));
}

#[test]
fn jump_into_loop_is_printed_as_json() {
    let function = super::testing::function(JUMP_IN.1);
    let module = Module { file: "k.cl".into(), functions: vec![function], globals: Vec::new() };
    let lines = super::testing::Lines(JUMP_IN.0);
    let text = serde_json::to_string(&json::document(&module, &[0], &[], &shapes, &lines)).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let function = &document["functions"][0];
    expect![[r#"
        [{"value":"%0","kind":"entry","parent":null,"block":"entry"},{"value":"%1","kind":"anchor","parent":null,"block":"inside"}]
        [{"callee":"barrier","block":"inside","token":"%1","line":7,"column":5},{"callee":"sub_group_barrier","block":"while.end","token":"%0","line":9,"column":3}]
        [{"id":0,"parent":null,"reducible":false,"entries":["while.cond","inside"],"blocks":["while.cond","while.body","inside"]}]
        {"name":"while.cond","lines":[4],"cycle":0,"values":[{"name":null,"type":null,"text":"clear int %m","line":4,"column":3}],"terminator":{"kind":"branch","text":"branch %c, while.body, while.end","line":4,"column":3},"successors":[{"block":"while.body","label":"true","back":false},{"block":"while.end","label":"false","back":false}]}
    "#]].assert_eq(&format!(
        "{}\n{}\n{}\n{}\n",
        function["tokens"], function["convergent_operations"], function["cycles"], function["blocks"][3]
    ));
}

#[test]
fn graphviz_accepts_dot_output() {
    use std::process::{Command, Stdio};
    let Some(dot) = tangle_referees::dot() else { return };
    let hostile =
        ("a <b> && \"c\" 'd' \\ \u{1} µ 名\n  \\N {|} %s", "entry: at 1; call <script> 2; return @1");
    for (source, graph) in [LOOP, JUMP_IN, hostile] {
        let mut child = Command::new(&dot)
            .args(["-Tsvg", "-o/dev/null"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let text = dot_of(&picture(source, graph));
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let troubles = String::from_utf8_lossy(&output.stderr);
        // Warnings about fonts and sizes are ignored.
        assert!(output.status.success() && !troubles.contains("rror"), "{troubles}");
    }
}

fn at(line: u32) -> Span {
    Span::new(line, line + 1)
}

fn branch(line: u32, divergence: Divergence, verdict: &str) -> DivergentBranch {
    DivergentBranch {
        span: at(line),
        divergence,
        verdict: verdict.into(),
        causes: vec![(at(2), "id".into())],
    }
}

fn finding(severity: Severity, rule: &'static str, line: usize, headline: &str) -> Finding {
    Finding {
        severity,
        rule,
        headline: headline.into(),
        file: "k.cl".into(),
        start: (line, 5),
        end: (line, 12),
    }
}

/// The names of the blocks with a property.
fn named(graph: &Graph, is_meant: impl Fn(BlockId, &Block) -> bool) -> Vec<&str> {
    let blocks = graph.blocks.iter_enumerated().filter(|(id, block)| is_meant(*id, block));
    blocks.map(|(_, block)| block.name.as_str()).collect()
}

#[test]
fn region_of_divergent_branch_has_blocks_up_to_the_reconvergence() {
    // Threads that break are missing in all further iterations, and all threads reconverge in `for.end`.
    let branches = vec![branch(5, Divergence::Subgroup, "divergent: get_global_id(0)")];
    let picture = marked_picture(LOOP.0, LOOP.1, &Marks { branches, ..Marks::default() });
    let graph = &picture.graphs[0];
    let [region] = &graph.regions[..] else { panic!("one branch is divergent: {:?}", graph.regions) };
    assert_eq!(
        named(graph, |id, _| region.blocks.contains(&id)),
        ["for.cond", "if.then", "if.end, for.step"]
    );
    assert_eq!(named(graph, |_, block| block.regions == [0]), ["for.cond", "if.then", "if.end, for.step"]);
    assert_eq!(named(graph, |_, block| block.governs == Some(0)), ["for.body"]);
    assert_eq!(region.explanation, "divergent: get_global_id(0) ← id (line 2)");
    let svg = svg_of(&picture);
    let document = Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    assert!(texts.contains(&"◆1 divergent: get_global_id(0)"));
    assert!(
        texts.contains(&"region of a divergent branch ◆: not all work-items of a work-group run it together")
    );
    // One region in the picture, and one in the key.
    assert_eq!(count(&document, "region"), 2);
    assert!(dot_of(&picture).contains("◆1 divergent: get_global_id(0)"));
}

#[test]
fn region_of_a_branch_that_is_uniform_in_the_work_group_has_its_own_shade() {
    let verdict = "uniform in the work-group, divergent in the NDRange: get_group_id(0)";
    let branches = vec![branch(5, Divergence::Grid, verdict)];
    let picture = marked_picture(LOOP.0, LOOP.1, &Marks { branches, ..Marks::default() });
    let svg = svg_of(&picture);
    let document = Document::parse(&svg).unwrap();
    assert_eq!((count(&document, "region"), count(&document, "region groups")), (0, 2));
}

#[test]
fn finding_is_below_its_line_and_keeps_its_whole_text_in_the_tooltip() {
    let headline = "not all work-items reach this `barrier`: the trip count depends on `p[i]`, which other work-items write";
    let findings = vec![
        finding(Severity::Error, "divergent-barrier", 4, headline),
        finding(Severity::Note, "unused", 40, "outside of the function"),
    ];
    let picture = marked_picture(LOOP.0, LOOP.1, &Marks { findings, ..Marks::default() });
    let graph = &picture.graphs[0];
    assert_eq!(named(graph, |_, block| block.findings().count() > 0), ["for.body"]);
    let block = &graph.blocks[BlockId::new(2)];
    let rows: Vec<String> = block.parts[0].rows().iter().map(Row::text).collect();
    let expected = [
        "barrier(CLK_LOCAL_MEM_FENCE);",
        "✖ error[divergent-barrier]",
        "not all work-items reach this `barrier`: the trip count",
        "depends on `p[i]`, which other work-items write",
        "if (p[i] == id) {",
    ];
    assert_eq!(rows, expected);
    assert!(block.tooltip(&graph.regions).contains(&format!("\n✖ error[divergent-barrier]: {headline}\n")));
    let dot = dot_of(&picture);
    assert!(dot.contains("✖ error[divergent-barrier]"), "{dot}");
    let svg = svg_of(&picture);
    let rows = count(&Document::parse(&svg).unwrap(), "finding error");
    assert_eq!(rows, 2 * 3, "each of three rows has a background and a text");
}

#[test]
fn label_is_a_line_of_the_block_that_it_names() {
    let graph = JUMP_IN.1.replace("inside", "label.inside");
    let marks = Marks { labels: vec![(StmtId::new(0), at(6))], ..Marks::default() };
    let picture = marked_picture(JUMP_IN.0, &graph, &marks);
    let lines = |name: &str| -> Vec<&str> {
        let block = picture.graphs[0].blocks.iter().find(|block| block.name == name).unwrap();
        block.parts.iter().flat_map(|part| &part.lines).map(|line| line.text.trim()).collect()
    };
    assert_eq!(lines("label.inside"), ["inside:", "barrier(CLK_LOCAL_MEM_FENCE);"]);
    assert_eq!(lines("while.body"), ["p[0]++;"]);
}

#[test]
fn long_runs_of_lines_without_interest_are_folded() {
    let source = "a0\na1\na2\na3\nbarrier();\na5\na6\na7\na8\na9\nif (c)\n";
    let graph = "entry: t = entry; at 1; at 2; at 3; at 4; call barrier 5 t; at 6; at 7; at 8; at 9; at 10; branch then end @11
        then: jump end @11
        end: return @11";
    let picture = picture(source, graph);
    let block = &picture.graphs[0].blocks[Function::ENTRY];
    let rows: Vec<String> = block.parts[0].rows().iter().map(Row::text).collect();
    // Folding a run of four lines would save one row only.
    assert_eq!(rows, ["a0", "a1", "a2", "a3", "barrier();", "a5", "… 3 lines", "a9", "if (c)"]);
    assert!(block.tooltip(&[]).contains("\n7 a6\n8 a7\n9 a8\n"));
}

#[test]
fn empty_block_with_one_predecessor_is_drawn_as_a_part_of_the_next_block() {
    let graph = "entry: at 1; branch then else @1
        then: at 2; jump end @2
        else: jump end @2
        end: return @3";
    let picture = picture("if (c)\n  a;\n}", graph);
    let graph = &picture.graphs[0];
    assert_eq!(named(graph, |_, _| true), ["entry", "then", "end"]);
    let parts: Vec<&str> =
        graph.blocks[BlockId::new(2)].parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(parts, ["else", "end"]);
    let edges: Vec<(usize, usize, &str)> =
        graph.edges.iter().map(|edge| (edge.from.index(), edge.to.index(), &*edge.label)).collect();
    assert_eq!(edges, [(0, 1, "true"), (0, 2, "false"), (1, 2, "")]);
    let svg = svg_of(&picture);
    let document = Document::parse(&svg).unwrap();
    let numbers: Vec<&str> = document.descendants().filter_map(|node| node.attribute("data-block")).collect();
    assert_eq!(numbers, ["0", "1", "2", "3"]);
}
