//! Shrinks a program while it keeps a property.
//!
//! Each step makes one change: it removes a statement, replaces it by its contents, or simplifies a condition. A change
//! is kept if the program keeps the property. The process ends when no change does.

use super::source::{Source, Stmt};

/// Returns the lists of statements after one change, large changes first.
fn fewer(stmts: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut found = Vec::new();
    let with = |at: usize, instead: Vec<Stmt>| {
        let mut changed = stmts.to_vec();
        changed.splice(at..=at, instead);
        changed
    };
    for at in 0..stmts.len() {
        found.push(with(at, Vec::new()));
    }
    for (at, stmt) in stmts.iter().enumerate() {
        match stmt {
            Stmt::Line(line) => {
                // Keep the label of a removed statement.
                if let Some((label, rest)) = line.split_once(": ").filter(|(label, _)| label.starts_with('L'))
                    && rest != ";"
                {
                    found.push(with(at, vec![Stmt::Line(format!("{label}: ;"))]));
                }
                if let Some((target, value)) = line.trim_end_matches(';').split_once(" = ") {
                    for simple in simpler(value) {
                        found.push(with(at, vec![Stmt::Line(format!("{target} = {simple};"))]));
                    }
                }
            }
            Stmt::If(condition, then, otherwise) => {
                found.push(with(at, then.clone()));
                found.push(with(at, otherwise.clone()));
                if !otherwise.is_empty() {
                    found.push(with(at, vec![Stmt::If(condition.clone(), then.clone(), Vec::new())]));
                }
                for inner in fewer(then) {
                    found.push(with(at, vec![Stmt::If(condition.clone(), inner, otherwise.clone())]));
                }
                for inner in fewer(otherwise) {
                    found.push(with(at, vec![Stmt::If(condition.clone(), then.clone(), inner)]));
                }
                for simple in simpler(condition) {
                    found.push(with(at, vec![Stmt::If(simple, then.clone(), otherwise.clone())]));
                }
            }
            Stmt::Loop(before, body, after) => {
                found.push(with(at, body.clone()));
                for inner in fewer(body) {
                    found.push(with(at, vec![Stmt::Loop(before.clone(), inner, after.clone())]));
                }
            }
            Stmt::Switch(value, cases) => {
                found.push(with(at, cases.iter().flat_map(|case| case.1.clone()).collect()));
                for number in 0..cases.len() {
                    let mut rest = cases.clone();
                    rest.remove(number);
                    found.push(with(at, vec![Stmt::Switch(value.clone(), rest)]));
                    for inner in fewer(&cases[number].1) {
                        let mut changed = cases.clone();
                        changed[number].1 = inner;
                        found.push(with(at, vec![Stmt::Switch(value.clone(), changed)]));
                    }
                }
            }
        }
    }
    found
}

/// Returns simple replacements of an expression. They are shorter than it, so that the process ends.
fn simpler(expr: &str) -> impl Iterator<Item = String> {
    let length = expr.len();
    ["0", "1", "x", "l", "n", "l & 1"].into_iter().filter(move |it| it.len() < length).map(str::to_owned)
}

/// Returns the sources after one change.
pub fn smaller(source: &Source) -> Vec<Source> {
    let mut found = Vec::new();
    for number in 0..source.functions.len() {
        let with = |change: &dyn Fn(&mut Source)| {
            let mut changed = source.clone();
            change(&mut changed);
            changed
        };
        // The last function is the kernel.
        if number + 1 < source.functions.len() {
            found.push(with(&|it| _ = it.functions.remove(number)));
        }
        for body in fewer(&source.functions[number].body) {
            found.push(with(&|it| it.functions[number].body.clone_from(&body)));
        }
        for last in [";", "return 0;", "p[0] = x;"] {
            if source.functions[number].last.len() > last.len() {
                found.push(with(&|it| it.functions[number].last = last.into()));
            }
        }
    }
    found
}

/// Applies changes that keep the property, until none does, and returns the result.
pub fn least<T>(start: T, smaller: impl Fn(&T) -> Vec<T>, is_interesting: impl Fn(&T) -> bool) -> T {
    let mut best = start;
    while let Some(better) = smaller(&best).into_iter().find(&is_interesting) {
        best = better;
    }
    best
}
