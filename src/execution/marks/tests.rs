use std::fmt::Write;
use std::sync::Arc;

use expect_test::{Expect, expect};
use tangle_analysis::flow::module::{Options, lower};
use tangle_analysis::tangle::Model;
use tangle_emit::picture::{Graph, shapes};
use tangle_rules::check;
use tangle_syntax::dialect::{cuda, opencl};
use tangle_syntax::source::NoHeaders;

use super::*;
use crate::lowered::FunctionLocations;

/// Checks the marked parts of the graphs of a file: branches, and blocks with their regions, lines and findings.
fn check_marks(name: &str, text: &str, expected: Expect) {
    let mut db = Database::new(Arc::new(NoHeaders));
    let dialect = if name.ends_with(".cu") { cuda() } else { opencl() };
    let settings = db.settings_in(dialect, &[], &[], &[], dialect.builtins().with(Vec::new()));
    let file = db.set_text(name, text);
    let findings = check(&db, file, settings, Model::Tangles);
    let marker = Marker::of(&db, file, settings, &findings);
    let places = FunctionLocations::of(&db, file, settings);
    let mut found = String::new();
    for function in &lower(&db, file, settings, &Options::default()).module.functions {
        let graph = Graph::of(function, &shapes(function), &places, &marker.marks(function));
        writeln!(found, "{}", graph.title).unwrap();
        for block in &graph.blocks {
            writeln!(found, "{}", format!("{} {}", block.name, block.region_names()).trim_end()).unwrap();
            for line in block.parts.iter().flat_map(|part| &part.lines) {
                writeln!(found, "  {} {}", line.number, line.text.trim()).unwrap();
                for finding in &line.findings {
                    writeln!(found, "    {}: {}", finding.rule, finding.headline).unwrap();
                }
            }
            if let Some(region) = block.governs {
                writeln!(found, "  ◆{} {}", region + 1, graph.regions[region].explanation).unwrap();
            }
        }
    }
    expected.assert_eq(&found);
}

#[test]
fn branches_have_their_source_of_divergence_and_blocks_their_findings() {
    // Line 4: every thread of the work-group takes the same path. Line 6: `get_local_id` differs between work-items,
    // and a barrier in the region is an error.
    check_marks(
        "k.cl",
        "\
kernel void k(global int *p, local int *t, int n) {
  int lid = get_local_id(0);
  int odd = lid & 1;
  if (get_group_id(0) < n)
    p[0] = 1;
  if (odd) {
    t[lid] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  p[lid] = t[0];
}
",
        expect![[r#"
            kernel k
            entry
              2 int lid = get_local_id(0);
              3 int odd = lid & 1;
              4 if (get_group_id(0) < n)
              ◆1 uniform in the work-group, divergent in the NDRange: get_group_id(0) ← get_group_id (line 4)
            if.then ◆1
              5 p[0] = 1;
            if.end
              6 if (odd) {
              ◆2 divergent: get_local_id(0) ← odd (line 3) ← lid (line 2) ← get_local_id (line 2)
            if.then.1 ◆2
              7 t[lid] = 2;
              8 barrier(CLK_LOCAL_MEM_FENCE);
                divergent-barrier: not all work-items reach this `barrier`: the condition depends on `odd` (from `get_local_id(0)`)
            if.end.1
              10 p[lid] = t[0];
              11 }
        "#]],
    );
}

#[test]
fn labels_are_lines_of_their_blocks() {
    // `case 1: case 2:` name one block. Line 8 falls through to line 9.
    check_marks(
        "k.cu",
        "\
__global__ void k(int *p, int n) {
  switch (n) {
  case 1:
  case 2:
    p[0] = 1;
    break;
  case 3:
    p[0] = 3;
  default:
    p[1] = 4;
  }
  if (p[threadIdx.x] > n)
    goto out;
  p[2] = 5;
out:
  p[3] = 6;
}
",
        expect![[r#"
            kernel k
            entry
              2 switch (n) {
            switch.case
              3 case 1:
              4 case 2:
              5 p[0] = 1;
              6 break;
            switch.case.1
              7 case 3:
              8 p[0] = 3;
            switch.default
              9 default:
              10 p[1] = 4;
            switch.end
              12 if (p[threadIdx.x] > n)
              ◆1 divergent: threadIdx.x ← threadIdx.x (line 12)
            if.then ◆1
              13 goto out;
            if.end ◆1
              14 p[2] = 5;
            label.out
              15 out:
              16 p[3] = 6;
              17 }
        "#]],
    );
}

#[test]
fn instances_of_a_template_have_graphs_of_their_own() {
    // Each launch makes an instance, whose title has the argument. Line 2: `threadIdx.x` differs between threads.
    check_marks(
        "t.cu",
        "\
template <int N> __global__ void k(int *p) {
  if (threadIdx.x < N)
    p[0] = N;
}
void h(int *p) {
  k<16><<<1, 32>>>(p);
  k<8><<<1, 32>>>(p);
}
",
        expect![[r#"
            kernel k<16>
            entry
              2 if (threadIdx.x < N)
              ◆1 divergent: threadIdx.x ← threadIdx.x (line 2)
            if.then ◆1
              3 p[0] = N;
            if.end
              4 }
            kernel k<8>
            entry
              2 if (threadIdx.x < N)
              ◆1 divergent: threadIdx.x ← threadIdx.x (line 2)
            if.then ◆1
              3 p[0] = N;
            if.end
              4 }
        "#]],
    );
}
