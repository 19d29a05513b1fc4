//! `lint`, hovers, inlay hints and `show` agree: on the samples, they give the same verdicts for the same causes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tangle_cli::analysis::Analysis;
use tangle_cli::human::Terminal;
use tangle_cli::requests::{ShowFormat, ShowRequest, What};
use tangle_cli::session::Session;
use tangle_diagnostic::{Diagnostic, SourceText, SourceTexts};
use tangle_project::walk::Input;
use tangle_project::{Build, Builds, Language};

use crate::client::Client;

/// A line and a column, both from 1.
type At = (u64, u64);

/// A sample and the results of all four for it.
struct Told {
    name: String,
    uri: String,
    lint: Vec<(At, Diagnostic)>,
    /// The positions of the causes, in the order of [`Diagnostic::related`].
    related: Vec<Vec<At>>,
    tangles: Value,
    uniformity: Value,
    /// The lines of the inlay hints, with their labels.
    hints: Vec<(u64, String)>,
}

/// How many comparisons of each kind were made. The test requires a minimum, so that no comparison passes vacuously.
#[derive(Debug, Default)]
struct Compared {
    in_doubt: usize,
    settled: usize,
    branches: usize,
    blamed: usize,
}

fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let folders = ["uniform-jumps", "spec-patterns", "functions", "idioms", "quiet", "rules", "rules/*"];
    let mut files = Vec::new();
    for folder in folders {
        let folders: Vec<PathBuf> = match folder.strip_suffix("/*") {
            Some(folder) => fs::read_dir(root.join(folder)).unwrap().map(|it| it.unwrap().path()).collect(),
            None => vec![root.join(folder)],
        };
        for folder in folders.iter().filter(|it| it.is_dir()) {
            files
                .extend(fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).filter(|it| it.is_file()));
        }
    }
    files.sort();
    files
}

/// Whether reported positions are positions of the source text itself: the sample has no macros, headers or options,
/// and each column is one character.
fn is_plain(text: &str) -> bool {
    text.is_ascii() && !text.contains('#') && !text.starts_with("// args") && !text.starts_with("// model")
}

fn told(client: &mut Client, path: &Path, text: &str) -> Told {
    let mut builds = Builds::default();
    let language = Language::of_file(path, text);
    let build = builds.add(Build { language, ..Build::default() });
    let mut session = Session::start(&builds);
    let file = Input::named(path);
    let source = Arc::new(SourceText::new(text));
    let findings = session.lint(&file, &build.into(), source.clone());
    let mut show = |what: What| -> Value {
        let request =
            ShowRequest { what, function: None, format: ShowFormat::Json, terminal: Terminal::default() };
        let mut shown = Vec::new();
        session.show(&file, build, source.clone(), &request, &mut shown).unwrap();
        serde_json::from_slice(&shown).unwrap()
    };
    let (tangles, uniformity) = (show(What::Tangles), show(What::Uniformity));
    let at = |place: &tangle_diagnostic::Place| {
        let at = session.text(&place.file).unwrap().position(place.range.start);
        (at.line as u64, at.column as u64)
    };
    let related = findings.iter().map(|it| it.related.iter().map(|it| at(&it.place)).collect()).collect();
    let lint = findings.into_iter().map(|finding| (at(&finding.place), finding)).collect();

    // Samples of different folders can have one name.
    let parts: Vec<&str> = path.iter().rev().take(2).map(|part| part.to_str().unwrap()).collect();
    let name = format!("{}/{}", parts[1], parts[0]);
    let uri = format!("file:///nowhere/{name}");
    client.open(&uri, text);
    let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
    let ask = json!({ "textDocument": { "uri": uri }, "range": all });
    let hints = client.request("textDocument/inlayHint", ask);
    let hints = hints.as_array().unwrap().iter().map(|hint| {
        (hint["position"]["line"].as_u64().unwrap() + 1, hint["label"].as_str().unwrap().to_owned())
    });
    let hints = hints.collect();
    Told { name, uri, lint, related, tangles, uniformity, hints }
}

impl Told {
    fn hover(&self, client: &mut Client, (line, column): At) -> String {
        let place = json!({
            "textDocument": { "uri": self.uri }, "position": { "line": line - 1, "character": column - 1 },
        });
        let hover = client.request("textDocument/hover", place);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// For each operation that `show` calls implementation-defined, checks that a hover does so if, and only if, `lint`
    /// reports it. Both exclude operations that only uniform jumps affect; `show` does not.
    fn doubts(&self, client: &mut Client, compared: &mut Compared) {
        for statement in each(&self.tangles["functions"], "statements") {
            for call in array(&statement["convergent_calls"]) {
                if call["implementation_defined"] != true || statement["reachable"] != true {
                    continue;
                }
                let at = place(call);
                let is_main = |(found, it): &&(At, Diagnostic)| {
                    *found == at && it.rule == "implementation-defined-convergence"
                };
                let found = self.lint.iter().any(|it| is_main(&it));
                let hover = self.hover(client, at);
                let mut parts = hover.split("\n\n---\n\n");
                // The documentation of a function, after its declaration, can have the same words.
                let operation = parts.find(|it| {
                    let is_declaration = it.starts_with("```");
                    !is_declaration
                        && (it.contains("is a convergent ") || it.contains("pointer is convergent"))
                });
                let operation = operation.unwrap_or_else(|| panic!("{} {at:?}: {hover}", self.name));
                let is_reported = operation.contains("implementation-defined");
                assert_eq!(is_reported, found, "{} {at:?}: {operation}", self.name);
                *(if found { &mut compared.in_doubt } else { &mut compared.settled }) += 1;
            }
        }
    }

    /// Checks that each divergent branch has the same verdict and causes in `show` and in hovers, and that statements
    /// have a hint exactly if they diverge in the work-group.
    fn branches(&self, client: &mut Client, compared: &mut Compared) {
        let branches: Vec<&Value> = each(&self.uniformity["functions"], "branches").collect();
        let divergent = |branch: &&&Value| branch["workgroup"] == "divergent";
        for branch in branches.iter().filter(divergent) {
            let at = place(branch);
            let hover = self.hover(client, at);
            let is_reported =
                branches.iter().filter(|it| place(it) == at).any(|branch| names_source(&hover, branch));
            assert!(is_reported, "{} {at:?}: no source of {branch} in {hover}", self.name);
            compared.branches += 1;
            let is_statement =
                ["if", "switch", "while", "for", "do"].contains(&branch["kind"].as_str().unwrap());
            let hint = (at.0, "divergent".to_owned());
            assert!(!is_statement || self.hints.contains(&hint), "{} {at:?}: no hint", self.name);
        }
        for (line, _) in self.hints.iter().filter(|(_, says)| says == "divergent") {
            let here = branches.iter().filter(divergent).any(|it| place(it).0 == *line);
            assert!(here, "{} line {line}: a hint, and `show` knows no branch", self.name);
        }
    }

    /// Checks that the causes in `lint` and `show` end with the same source of divergence, where `lint` reports a
    /// divergence within the function alone.
    fn blame(&self, compared: &mut Compared) {
        let branches: Vec<&Value> = each(&self.uniformity["functions"], "branches").collect();
        for ((at, finding), places) in self.lint.iter().zip(&self.related) {
            let is_call = |message: &str| message.contains("` calls ") && message.ends_with(" here");
            if finding.related.iter().any(|it| is_call(&it.message)) {
                continue;
            }
            let parts = finding.related.iter().zip(places);
            let mut parts = parts.filter(|(it, _)| it.message.ends_with("diverge here")).map(|(_, &at)| at);
            // The outermost cause comes last.
            let Some(part) = parts.next_back() else { continue };
            let here: Vec<&&Value> = branches.iter().filter(|it| place(it) == part).collect();
            assert!(!here.is_empty(), "{} {part:?}: no branch", self.name);
            let is_named = here.iter().filter_map(|it| array(&it["cause"]).last()).any(|step| {
                let what = step["what"].as_str().unwrap();
                // The causes of a finding may continue in callees; the call is then one of the related positions.
                // A finding does not repeat the causes of a flag that `unprotected-exit-flag` reports.
                let is_flag =
                    |(at, it): &(At, Diagnostic)| *at == place(step) && it.rule == "unprotected-exit-flag";
                if places.contains(&place(step)) || self.lint.iter().any(is_flag) {
                    return true;
                }
                let mut quoted = finding.message.split('`').skip(1).step_by(2);
                let words = |text: &str| {
                    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == what)
                };
                quoted.any(words)
            });
            assert!(is_named, "{} {at:?}: {} names none of {here:#?}", self.name, finding.message);
            compared.blamed += 1;
        }
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn each<'a>(functions: &'a Value, of: &'a str) -> impl Iterator<Item = &'a Value> {
    array(functions).iter().flat_map(move |function| array(&function[of]))
}

fn place(of: &Value) -> At {
    (of["line"].as_u64().unwrap(), of["column"].as_u64().unwrap())
}

/// Whether a hover names the source of divergence of a branch and its line: the last cause in `show`.
fn names_source(hover: &str, branch: &Value) -> bool {
    let Some(source) = array(&branch["cause"]).last() else { return true };
    let name = match source["what"].as_str().unwrap() {
        "memory" => "memory".to_owned(),
        "irreducible-cycle" => "a cycle of `goto`s".to_owned(),
        name => format!("`{name}"),
    };
    hover.contains("Cause: ")
        && hover.contains(&name)
        && hover.contains(&format!("[line {}]", source["line"]))
}

#[test]
fn lint_hovers_hints_and_show_agree_on_samples() {
    let mut client = Client::with(json!({ "capabilities": { "textDocument": {
        "hover": { "contentFormat": ["markdown"] },
    } } }));
    let mut compared = Compared::default();
    for path in samples() {
        let text = fs::read_to_string(&path).unwrap();
        if !is_plain(&text) {
            continue;
        }
        let told = told(&mut client, &path, &text);
        told.doubts(&mut client, &mut compared);
        told.branches(&mut client, &mut compared);
        told.blame(&mut compared);
    }
    let Compared { in_doubt, settled, branches, blamed } = compared;
    assert!(in_doubt >= 20 && settled >= 5 && branches >= 100 && blamed >= 30, "{compared:?}");
}
