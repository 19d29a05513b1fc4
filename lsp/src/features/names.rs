//! Descriptions of names: a builtin, a function, a variable, a macro.

use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;
use tangle_hir::def::names::{LookupKey, Meaning};
use tangle_hir::resolve::{Entity, Reference, ReferenceKind};
use tangle_hir::scope::{Scoped, meaning_at_end};
use tangle_hir::typed::{Capture, ExprKind, Storage};
use tangle_hir::types::Ty;
use tangle_syntax::dialect::{Builtin, Group, ResultUniformity, Scope, Vocabulary};
use tangle_syntax::items::{spans, tokens, unit};
use tangle_syntax::preprocess::FileId;
use tangle_syntax::source::SourceFile;
use tower_lsp::lsp_types::Position;

use super::callable::Callable;
use super::position::{TokenAt, convergent};
use super::spelling::{declarator, in_language};
use crate::snapshot::View;

/// The maximum number of listed overloads.
const LISTED: usize = 4;

/// Describes the meaning of the name at a place.
pub fn describe(at: &TokenAt) -> Option<String> {
    let reference = at.reference()?;
    match reference.target {
        Entity::Local(declared) => local(at, reference, declared.start),
        Entity::File(name) => {
            // A declaration here takes precedence over an overload or a builtin with the same name.
            let own = declared_here(at, reference).or_else(|| called(at));
            let meaning = || at.item.scoped().and_then(|scoped| meaning(at, scoped, name));
            own.or_else(meaning).or_else(|| builtin(at.view, name))
        }
        Entity::Tag(tag) => {
            let scoped = at.item.scoped()?;
            let ty = scoped.names(at.view.db).names.visible_tag(tag)?;
            Some(record(ty))
        }
        Entity::Label(..) => None,
        Entity::Member(_) => called(at).or_else(|| member(at)),
    }
}

/// Describes the function that the call here means.
fn called(at: &TokenAt) -> Option<String> {
    let body = at.body()?;
    let (name, callable) = Callable::called(at, body)?;
    let mut text = functions(&at.view, name, std::slice::from_ref(&callable));
    let all = Callable::named(&at.view, name).len();
    if all > 1 {
        let others = if all == 2 { "overload" } else { "overloads" };
        text.truncate(text.len() - FENCE.len());
        text += &format!("\n// {} other {others}{FENCE}", all - 1);
    }
    Some(text + &properties(at, name, &callable))
}

/// Returns the paragraphs about a called function: its documentation, and whether it is convergent.
fn properties(at: &TokenAt, name: Symbol, callable: &Callable) -> String {
    let mut text = documented(callable);
    let settings = at.view.analysis.settings;
    match callable.key {
        Some(key) => text += &note(at, convergent(at.view).function(key)),
        None => {
            if let Some(row) = settings.builtins(at.view.db).get(name) {
                text += "\n\n";
                text += &meaning_of_row(at.item.vocabulary(), row);
            }
        }
    }
    text
}

/// Returns the user's documentation as a paragraph.
fn documented(callable: &Callable) -> String {
    callable.documentation.as_ref().map_or_else(String::new, |text| format!("\n\n{text}"))
}

/// Returns the declarations of functions, as code.
fn functions(view: &View, name: Symbol, all: &[Callable]) -> String {
    let mut lines: Vec<String> =
        all.iter().take(LISTED).map(|callable| callable.declaration(view, name).0 + ";").collect();
    if let Some(more @ 1..) = all.len().checked_sub(LISTED) {
        lines.push(format!("// and {more} more"));
    }
    code(&lines.join("\n"))
}

/// The end of a text of code.
const FENCE: &str = "\n```";

fn code(text: &str) -> String {
    format!("```c\n{text}{FENCE}")
}

fn local(at: &TokenAt, reference: Reference, declared: u32) -> Option<String> {
    let body = at.body()?;
    let typed = at.item.typed(body)?;
    let found = typed.vars.iter().find(|var| var.name.is_some_and(|name| name.span.start == declared))?;
    let what = match found.storage {
        Storage::Parameter => "parameter".to_owned(),
        Storage::Captured(Capture::Copy) => "captured by the literal".to_owned(),
        Storage::Captured(Capture::Reference) => "captured by the lambda, which can change it".to_owned(),
        Storage::Local => format!("one for each {}", at.item.vocabulary().workgroup),
        Storage::Static(_) => "one for the whole program".to_owned(),
        Storage::Automatic | Storage::Extern(_) => String::new(),
    };
    let space = match found.space {
        AddressSpace::Private | AddressSpace::Generic => String::new(),
        space => keyword(at, space),
    };
    let constant = if found.constant { "const " } else { "" };
    let comment = if what.is_empty() { String::new() } else { format!(" // {what}") };
    let declaration = declarator(in_language(at.view, found.ty), reference.name.text);
    Some(code(&format!("{space}{constant}{declaration};{comment}")))
}

/// Returns the keyword of an address space, with a space after it.
fn keyword(at: &TokenAt, space: AddressSpace) -> String {
    at.item.vocabulary().keyword(space).map_or_else(String::new, |keyword| format!("{keyword} "))
}

/// Returns a paragraph about whether a function is convergent.
fn note(at: &TokenAt, is_convergent: bool) -> String {
    let vocabulary = at.item.vocabulary();
    match is_convergent {
        true => format!(
            "\n\nA convergent function: its behaviour depends on the {} that call it together.",
            vocabulary.threads()
        ),
        false => format!("\n\nNot convergent: each {} can call it independently.", vocabulary.thread),
    }
}

fn meaning(at: &TokenAt, scoped: Scoped, name: Symbol) -> Option<String> {
    in_words(at, &scoped.names(at.view.db).names.visible(LookupKey::Ordinary(name))?, name)
}

fn in_words(at: &TokenAt, meaning: &Meaning, name: Symbol) -> Option<String> {
    let text = match meaning {
        Meaning::Type(q) => format!("typedef {};", declarator(q.ty, name)),
        Meaning::Functions(known) => {
            let all = Callable::named(&at.view, name);
            let convergent = convergent(at.view);
            let is_convergent = known.iter().any(|function| convergent.function(function.key));
            let documented: String = all.iter().take(1).map(documented).collect();
            return Some(functions(&at.view, name, &all) + &documented + &note(at, is_convergent));
        }
        Meaning::Global { ty, space, constant, .. } => {
            let constant = if *constant && *space != AddressSpace::Constant { "const " } else { "" };
            format!("{}{constant}{};", keyword(at, *space), declarator(*ty, name))
        }
        Meaning::Enumerator { value, ty } => format!("{name} = {value} // {ty}"),
        Meaning::Variable(_)
        | Meaning::TemplateValue { .. }
        | Meaning::Specialisations(_)
        | Meaning::Classes(_) => return None,
    };
    Some(code(&text))
}

/// Describes a name that this item declares at file scope.
fn declared_here(at: &TokenAt, reference: Reference) -> Option<String> {
    if !matches!(reference.role, ReferenceKind::Definition | ReferenceKind::Declaration) {
        return None;
    }
    let body =
        at.item.bodies().find(|found| !found.body.block && found.body.name.span == reference.name.span);
    let Some(body) = body else {
        // The scope of an item begins before its own declarations, so look at the end of the unit.
        let unit = unit(at.view.db, at.view.root, at.view.analysis.settings);
        let known = meaning_at_end(at.view.db, unit, reference.name.text)?;
        return in_words(at, &known, reference.name.text);
    };
    let typed = at.item.typed(body)?;
    let kernel = match body.body.kernel {
        true => format!("{} ", at.item.vocabulary().kernel_keyword),
        false => String::new(),
    };
    let key = at.item.key(body)?;
    let callable = Callable::of_key(&at.view, key, typed.ty);
    let (declaration, _) = callable.declaration(&at.view, reference.name.text);
    let note = note(at, convergent(at.view).function(key));
    Some(code(&format!("{kernel}{declaration};")) + &documented(&callable) + &note)
}

/// Describes a function of the dialect, or of the user's table.
pub fn builtin(view: View, name: Symbol) -> Option<String> {
    let row = view.analysis.settings.builtins(view.db).get(name);
    let dialect = view.analysis.settings.dialect(view.db);
    if row.is_none() && !dialect.signatures().has(name) {
        return None;
    }
    let all = Callable::of_builtin(dialect, name);
    let mut text = if all.is_empty() { format!("`{name}`") } else { functions(&view, name, &all) };
    if let Some(row) = row {
        text += "\n\n";
        text += &meaning_of_row(dialect.vocabulary(), row);
    }
    Some(text)
}

/// Describes a row of a table of builtins.
pub fn meaning_of_row(vocabulary: &Vocabulary, row: &Builtin) -> String {
    let mut sentences: Vec<String> = row.doc.iter().cloned().collect();
    let group = |scope| vocabulary.group(scope);
    if row.convergent {
        let kind = row.kind.map_or_else(String::new, |kind| format!(" ({})", kind.as_str()));
        let scope = match row.group {
            Group::Tile => "tile",
            wider => vocabulary.group(wider.scope()),
        };
        sentences.push(format!("Convergent{kind}, scope *{scope}*."));
    }
    let uniform = |group: &str| format!("The result is uniform in the {group}.");
    sentences.extend(match row.result {
        Some(ResultUniformity::UniformInCluster) => Some(uniform(group(Scope::Cluster))),
        Some(ResultUniformity::DivergentInCluster) => Some(format!(
            "The result is uniform in the {0}, and differs between the {0}s of a {1}.",
            group(Scope::Workgroup),
            group(Scope::Cluster)
        )),
        Some(ResultUniformity::UniformInTile) => Some(uniform("tile")),
        Some(ResultUniformity::UniformInWorkgroup) => Some(uniform(group(Scope::Workgroup))),
        Some(ResultUniformity::UniformInSubgroup) => Some(uniform(group(Scope::Subgroup))),
        Some(ResultUniformity::Divergent) => {
            Some(format!("The result can differ between {}.", vocabulary.threads()))
        }
        Some(ResultUniformity::Operands) | None => None,
    });
    sentences.extend(row.deprecated.iter().map(|since| format!("Deprecated: {since}.")));
    sentences.extend(row.extension.iter().map(|extension| format!("Part of {extension}.")));
    sentences.join(" ")
}

fn member(at: &TokenAt) -> Option<String> {
    let body = at.body()?;
    let typed = at.item.typed(body)?;
    // The name is the last token of the expression.
    let here = typed.exprs.iter().find(|expr| {
        expr.span.end == at.token + 1 && matches!(expr.kind, ExprKind::Field { .. } | ExprKind::Lanes { .. })
    })?;
    let tokens = at.item.placed.item.tokens(at.view.db).0.tokens();
    Some(code(&declarator(here.ty, tokens[at.token as usize].text)))
}

fn record(ty: Ty) -> String {
    let Some(definition) = ty.as_record().and_then(|record| record.definition.as_ref()) else {
        return code(&format!("{ty};"));
    };
    let mut text = format!("{ty} {{\n");
    for field in definition.fields.iter().take(30) {
        let name = field.name.map_or_else(|| field.ty.to_string(), |name| declarator(field.ty, name));
        text += &format!("  {name};\n");
    }
    if definition.fields.len() > 30 {
        text += "  …\n";
    }
    code(&(text + "};"))
}

/// Returns the `#define` of a macro. `token` is the name in the directive.
pub fn macro_definition(view: View, (file, token): (FileId, u32)) -> Option<String> {
    let file: SourceFile = tangle_syntax::db::Db::source(view.db, file);
    let text = file.text(view.db);
    let start = spans(view.db, file).get(token).start;
    let line = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let mut end = start;
    // Find the end of the directive: a line that ends with a backslash continues on the next one.
    loop {
        end += text[end..].find('\n').unwrap_or(text.len() - end);
        if end == text.len() || !text[..end].trim_end_matches('\r').ends_with('\\') {
            break;
        }
        end += 1;
    }
    let define = text[line..end].trim();
    // A predefined macro has no definition in the source.
    (!define.is_empty()).then(|| code(&super::position::shortened_lines(define)))
}

/// Returns the `#define` of the macro whose name is in a directive at a position.
pub fn macro_definition_at(view: &View, position: Position) -> Option<String> {
    let token = tangle_syntax::items::find::token_at(view.db, view.file, view.offset(position))?;
    let lexed = tokens(view.db, view.file);
    // A token outside all items and directives is host code, if the language has any.
    if view.has_host_code() && lexed.outside_directives().any(|(index, _)| index == token) {
        return None;
    }
    let name = lexed.tokens.get(token as usize)?.text;
    let place = super::definition::define_of(*view, name)?;
    macro_definition(*view, place)
}
