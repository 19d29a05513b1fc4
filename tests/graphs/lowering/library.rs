//! Lowering without the command: the files of a folder share their expanded headers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tangle_analysis::flow::module::{self, Irreducible, Options};
use tangle_analysis::flow::{Callee, Function, Module, Op};
use tangle_emit::language::DialectLanguage;
use tangle_emit::llvm::{self, NoLocations, Target};
use tangle_referees::Corpus;
use tangle_syntax::db::{Database, Db};
use tangle_syntax::dialect::opencl;
use tangle_syntax::source::{Content, Loader, Macro, Settings};

use super::llvm::hashcat_language;
use super::parts;
use super::tools::{lower, run};

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Content {
        std::fs::read_to_string(path).map_or(Content::Missing, |text| Content::Text(text.into()))
    }
}

/// Files of a folder with the same settings.
pub struct Library {
    folder: PathBuf,
    db: Database,
    settings: Settings,
}

impl Library {
    /// `language` are options of the command: `-I FOLDER` and `-D NAME`.
    pub fn new(folder: &Path, language: &[String]) -> Library {
        let (mut folders, mut macros) = (Vec::new(), Vec::new());
        for option in language.chunks(2) {
            match option {
                [option, include] if option == "-I" => {
                    folders
                        .push(folder.join(include).into_os_string().into_string().expect("a path of text"));
                }
                [option, define] if option == "-D" => macros.push(Macro::Define(define)),
                _ => panic!("{option:?} is not an expected option"),
            }
        }
        let mut db = Database::new(Arc::new(Disk));
        let settings = db.settings(&folders, &macros, &[], Vec::new());
        Library { folder: folder.to_owned(), db, settings }
    }

    /// Returns the functions of a file that have tokens, and all functions that they call.
    pub fn with_tokens(&self, name: &str, irreducible: Irreducible) -> Result<Module, String> {
        let path = self.folder.join(name);
        let file = self.db.file(path.to_str().expect("a path of text"));
        let options = Options { irreducible, ..Options::default() };
        let lowered = module::lower(&self.db, file, self.settings, &options);
        let unknown = lowered.errors.iter().cloned().chain(lowered.unknown()).next();
        match unknown {
            Some(error) => Err(format!("{name}: {error:?}")),
            None => Ok(called_with_tokens(lowered.module)),
        }
    }
}

/// Returns the text of a module in LLVM IR.
pub fn emit(module: &Module, target: Target) -> String {
    let options = llvm::Options { target, language: &DialectLanguage(opencl()), debug: false };
    llvm::emit(module, &options, &NoLocations).expect("the module has no unknown operations")
}

/// Removes the functions without tokens, except those called by functions with tokens.
fn called_with_tokens(mut module: Module) -> Module {
    let by_key: HashMap<_, usize> =
        module.functions.iter().enumerate().map(|(number, function)| (function.key, number)).collect();
    let has_tokens =
        |function: &Function| function.values.iter().any(|value| matches!(value.op, Op::Token(_)));
    let mut wanted: Vec<bool> = module.functions.iter().map(has_tokens).collect();
    let mut left: Vec<usize> = (0..wanted.len()).filter(|&number| wanted[number]).collect();
    while let Some(number) = left.pop() {
        for value in &module.functions[number].values {
            let key = match &value.op {
                Op::Function(key) => key,
                Op::Call(call) => match &call.callee {
                    Callee::Function { key, .. } => key,
                    _ => continue,
                },
                _ => continue,
            };
            if let Some(&called) = by_key.get(key)
                && !std::mem::replace(&mut wanted[called], true)
            {
                left.push(called);
            }
        }
    }
    let mut wanted = wanted.into_iter();
    module.functions.retain(|_| wanted.next() == Some(true));
    module
}

#[test]
fn library_and_command_lower_to_the_same_module() {
    let Some(folder) = Corpus::Hashcat.folder() else { return };
    let (file, language) = ("OpenCL/m13900_a3-optimized.cl", hashcat_language());
    let library = Library::new(&folder, &language);
    let ours = library.with_tokens(file, Irreducible::Anchor).unwrap();
    for (target, name) in [(Target::Amdgcn, "amdgcn"), (Target::Nvptx64, "nvptx64")] {
        let text = run(lower(&folder, &["--target", name]).args(&language).arg(file)).unwrap();
        let (theirs, ours) = (String::from_utf8(text).unwrap(), emit(&ours, target));
        // Types are printed in the order of their uses, and the command's module has more functions.
        let sorted = |text: &str| {
            let sorted = |(name, part): (&str, String)| {
                let mut lines: Vec<String> = part.lines().map(str::to_owned).collect();
                lines.sort_unstable();
                (name.to_owned(), lines)
            };
            parts::Module::read(text).parts().into_iter().map(sorted).collect::<Vec<_>>()
        };
        let (ours, theirs) = (sorted(&ours), sorted(&theirs));
        assert_eq!(ours.len(), 6);
        assert!(ours == theirs, "{name}");
    }
}
