//! The folders of correct kernels, and the build of each.

use std::path::{Path, PathBuf};

use tangle::{Build, MacroOption};
use tangle_project::language::Language;
use tangle_referees::{Corpus, files_with, kernels};

/// The macros that hashcat defines for its kernels, one per line, except the vector size.
const DEFINES: &str = include_str!("../../../tests/hashcat.defines");

/// A file of a corpus.
pub struct Original {
    /// The name in the tables: the corpus, and the path in it.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
    pub build: Build,
    /// The number of the file in the corpus.
    pub number: usize,
}

/// A folder of kernels.
pub struct Folder {
    pub name: String,
    pub files: Vec<Original>,
}

pub const QUIET: &str = "samples/quiet";
pub const HASHCAT: &str = "hashcat";

/// The kernels of SDKs of vendors in `samples/quiet`.
pub fn quiet() -> Folder {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/quiet");
    Folder::new(QUIET, &folder, &kernels(&folder), Build::default())
}

/// The corpora that are installed on this machine.
pub fn installed() -> Vec<Folder> {
    let hashcat = Corpus::Hashcat.folder().map(|folder| {
        let mut files = kernels(&folder);
        files.retain(|path| path.to_string_lossy().starts_with("OpenCL/m"));
        let defines = DEFINES.lines().chain(["VECT_SIZE=1"]);
        let macros = defines.map(|define| MacroOption::Define(define.to_owned())).collect();
        let build = Build { include_dirs: vec![folder.join("OpenCL")], macros, ..Build::default() };
        Folder::new(HASHCAT, &folder, &files, build)
    });
    let plain = |corpus: Corpus, name: &str| Some(of_folder(name, &corpus.folder()?));
    [hashcat, plain(Corpus::Darktable, "darktable"), plain(Corpus::Pyopencl, "pyopencl")]
        .into_iter()
        .flatten()
        .collect()
}

/// Any folder of kernels in OpenCL C or CUDA. Headers are searched from the folder itself.
pub fn of_folder(name: &str, folder: &Path) -> Folder {
    let build = |language| Build { include_dirs: vec![folder.to_owned()], language, ..Build::default() };
    let mut all = Folder::new(name, folder, &files_with(folder, &["cl"]), build(Language::Opencl));
    let cuda = Folder::new(name, folder, &files_with(folder, &["cu"]), build(Language::Cuda));
    all.files.extend(cuda.files);
    assert!(!all.files.is_empty(), "no kernels in {}", folder.display());
    all
}

impl Folder {
    fn new(name: &str, folder: &Path, files: &[PathBuf], build: Build) -> Folder {
        let read = |(number, file): (usize, &PathBuf)| {
            let path = folder.join(file);
            let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Original {
                name: format!("{name}/{}", file.display()),
                path,
                text: String::from_utf8_lossy(&bytes).into_owned(),
                build: build.clone(),
                number,
            }
        };
        Folder { name: name.to_owned(), files: files.iter().enumerate().map(read).collect() }
    }
}
