//! Metadata: properties of kernel arguments for the runtime, and source locations of instructions.

use std::fmt::Write;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use tangle_base::{Access, AddressSpace, Span};

use super::names::escaped;
use super::target::Target;
use super::{Language, LocationMap, Options, Version};
use crate::flow::{Function, Module, Passing};
use crate::types::{Opaque, Ty, TyKind};

pub(super) struct Metadata<'a> {
    /// The nodes, by number.
    nodes: IndexSet<String>,
    /// The nodes that mark functions as kernels, for targets that need them.
    kernels: Vec<usize>,
    target: Target,
    /// The source language.
    language: &'a dyn Language,
    debug: Option<Debug<'a>>,
}

struct Debug<'a> {
    places: &'a dyn LocationMap,
    unit: usize,
    /// The type of every function. It has no information.
    ty: usize,
    file: Arc<str>,
    files: FxHashMap<Arc<str>, usize>,
}

/// The source locations of the instructions of one function.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    function: usize,
    subprogram: usize,
    file: usize,
    locations: FxHashMap<Span, String>,
}

impl<'a> Metadata<'a> {
    pub fn new(options: &Options<'a>, module: &Module, places: &'a dyn LocationMap) -> Metadata<'a> {
        let mut metadata = Metadata {
            nodes: IndexSet::new(),
            kernels: Vec::new(),
            target: options.target,
            language: options.language,
            debug: None,
        };
        if options.debug {
            let path: Arc<str> = module.file.as_str().into();
            let file = metadata.node(file_node(&path));
            let language = metadata.language.debug_name();
            let unit = metadata.node(format!(
                "distinct !DICompileUnit(language: {language}, file: !{file}, producer: \"tangle\", \
                 isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)"
            ));
            let types = metadata.node("!{null}".to_owned());
            let ty = metadata.node(format!("!DISubroutineType(types: !{types})"));
            let files = [(path.clone(), file)].into_iter().collect();
            metadata.debug = Some(Debug { places, unit, ty, file: path, files });
        }
        metadata
    }

    fn node(&mut self, text: String) -> usize {
        self.nodes.insert_full(text).0
    }

    /// Adds the node of one more loop that must not be unrolled, and returns its number. See `token_workarounds`.
    pub fn kept_loop(&mut self) -> usize {
        let disable = self.node("!{!\"llvm.loop.unroll.disable\"}".to_owned());
        let itself = self.nodes.len();
        self.node(format!("distinct !{{!{itself}, !{disable}}}"))
    }

    fn file(&mut self, path: &Arc<str>) -> usize {
        if let Some(&number) = self.debug.as_ref().and_then(|debug| debug.files.get(path)) {
            return number;
        }
        let number = self.node(file_node(path));
        if let Some(debug) = &mut self.debug {
            debug.files.insert(path.clone(), number);
        }
        number
    }

    /// Adds the subprogram of a function. Returns `None` without debug locations.
    pub fn subprogram(
        &mut self,
        number: usize,
        function: &Function,
        symbol: &str,
        local: bool,
    ) -> Option<Scope> {
        let debug = self.debug.as_ref()?;
        let (unit, ty) = (debug.unit, debug.ty);
        let (path, line) = match debug.places.place(number, function.span) {
            Some(place) => (place.file, place.line),
            None => (debug.file.clone(), 0),
        };
        let file = self.file(&path);
        let name = escaped(function.key.label().as_bytes());
        let symbol = symbol.trim_start_matches('@').trim_matches('"');
        let linkage = if symbol == name { String::new() } else { format!("linkageName: \"{symbol}\", ") };
        let local = if local { "DISPFlagLocalToUnit | " } else { "" };
        let subprogram = self.node(format!(
            "distinct !DISubprogram(name: \"{name}\", {linkage}scope: !{file}, file: !{file}, line: {line}, \
             type: !{ty}, scopeLine: {line}, spFlags: {local}DISPFlagDefinition, unit: !{unit})"
        ));
        Some(Scope { function: number, subprogram, file, locations: FxHashMap::default() })
    }

    /// Returns the end of an instruction: `, !dbg !7`. An unknown location is line 0 of the function.
    pub fn location(&mut self, scope: &mut Scope, span: Span) -> String {
        if let Some(text) = scope.locations.get(&span) {
            return text.clone();
        }
        let place = self.debug.as_ref().and_then(|debug| debug.places.place(scope.function, span));
        let (line, column, at) = match place {
            None => (0, 0, scope.subprogram),
            Some(place) => {
                let file = self.file(&place.file);
                let at = if file == scope.file {
                    scope.subprogram
                } else {
                    self.node(format!(
                        "!DILexicalBlockFile(scope: !{}, file: !{file}, discriminator: 0)",
                        scope.subprogram
                    ))
                };
                (place.line, place.column, at)
            }
        };
        // LLVM stores 16 bits of a column.
        let column = if column > u32::from(u16::MAX) { 0 } else { column };
        let number = self.node(format!("!DILocation(line: {line}, column: {column}, scope: !{at})"));
        let text = format!(", !dbg !{number}");
        scope.locations.insert(span, text.clone());
        text
    }

    /// Returns the metadata at the end of the header of a function.
    pub fn of_function(
        &mut self,
        function: &Function,
        symbol: &str,
        kernel: bool,
        scope: Option<&Scope>,
    ) -> String {
        let mut text = String::new();
        if let Some(scope) = scope {
            let _ = write!(text, " !dbg !{}", scope.subprogram);
        }
        if !kernel {
            return text;
        }
        if self.target == Target::Nvptx64 {
            let kernel = self.node(format!("!{{ptr {symbol}, !\"kernel\", i32 1}}"));
            self.kernels.push(kernel);
        }
        let parameters =
            || function.parameters.iter().filter(|parameter| parameter.passing != Passing::Result);
        let list = |of: &dyn Fn(Ty) -> String| {
            let items = parameters().map(|parameter| of(parameter.ty)).collect::<Vec<_>>();
            format!("!{{{}}}", items.join(", "))
        };
        let string = |text: &str| format!("!\"{}\"", escaped(text.as_bytes()));
        let names = parameters()
            .map(|parameter| string(parameter.name.map_or("", |name| name.as_str())))
            .collect::<Vec<_>>();
        for (kind, node) in [
            ("addr_space", list(&|ty| format!("i32 {}", argument_space(ty)))),
            ("access_qual", list(&|ty| string(access_qualifier(ty)))),
            ("type", list(&|ty| string(&type_name(ty, false)))),
            ("base_type", list(&|ty| string(&type_name(ty, true)))),
            ("type_qual", list(&|ty| string(&type_qualifiers(ty)))),
            ("name", format!("!{{{}}}", names.join(", "))),
        ] {
            let number = self.node(node);
            let _ = write!(text, " !kernel_arg_{kind} !{number}");
        }
        if let Some([x, y, z]) = function.work_group_size {
            let number = self.node(format!("!{{i32 {x}, i32 {y}, i32 {z}}}"));
            let _ = write!(text, " !reqd_work_group_size !{number}");
        }
        if let Some(size) = function.sub_group_size {
            let number = self.node(format!("!{{i32 {size}}}"));
            let _ = write!(text, " !intel_reqd_sub_group_size !{number}");
        }
        text
    }

    /// Returns the named nodes, and then all nodes by number.
    pub fn finish(mut self) -> String {
        let mut text = String::new();
        if let Some(unit) = self.debug.as_ref().map(|debug| debug.unit) {
            let version = self.node("!{i32 2, !\"Debug Info Version\", i32 3}".to_owned());
            let dwarf = self.node("!{i32 7, !\"Dwarf Version\", i32 4}".to_owned());
            let _ =
                writeln!(text, "!llvm.dbg.cu = !{{!{unit}}}\n!llvm.module.flags = !{{!{dwarf}, !{version}}}");
        }
        if let Some(Version { metadata, of: [major, minor] }) = self.language.version() {
            let version = self.node(format!("!{{i32 {major}, i32 {minor}}}"));
            let _ = writeln!(text, "!{metadata} = !{{!{version}}}");
        }
        if !self.kernels.is_empty() {
            let kernels = self.kernels.iter().map(|kernel| format!("!{kernel}")).collect::<Vec<_>>();
            let _ = writeln!(text, "!nvvm.annotations = !{{{}}}", kernels.join(", "));
        }
        text.push('\n');
        for (number, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(text, "!{number} = {node}");
        }
        text
    }
}

fn file_node(path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (directory, name) = (escaped(directory.as_bytes()), escaped(name.as_bytes()));
    format!("!DIFile(filename: \"{name}\", directory: \"{directory}\")")
}

/// Returns the address space of an argument, by the numbers of SPIR for every target.
fn argument_space(ty: Ty) -> u8 {
    match ty.kind() {
        TyKind::Pointer(pointer) => Target::None.space(pointer.space),
        TyKind::Opaque(Opaque::Image { .. } | Opaque::Pipe { .. }) => {
            Target::None.space(AddressSpace::Global)
        }
        _ => 0,
    }
}

fn access_qualifier(ty: Ty) -> &'static str {
    match ty.kind() {
        TyKind::Opaque(Opaque::Image { access, .. } | Opaque::Pipe { access, .. }) => match access {
            Access::ReadOnly => "read_only",
            Access::WriteOnly => "write_only",
            Access::ReadWrite => "read_write",
        },
        _ => "none",
    }
}

fn type_qualifiers(ty: Ty) -> String {
    match ty.kind() {
        TyKind::Pointer(pointer) => {
            let words = [
                (pointer.restrict, "restrict"),
                (pointer.constant || pointer.space == AddressSpace::Constant, "const"),
                (pointer.volatile, "volatile"),
            ];
            words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
        }
        TyKind::Opaque(Opaque::Pipe { .. }) => "pipe".to_owned(),
        _ => String::new(),
    }
}

/// Returns the name of a type in C, without qualifiers. `base`: vectors are spelled with the attribute of the compiler.
fn type_name(ty: Ty, base: bool) -> String {
    match ty.kind() {
        TyKind::Void => "void".to_owned(),
        TyKind::Bool => "bool".to_owned(),
        TyKind::Integer(integer) => integer.name().to_owned(),
        TyKind::Float(float) => float.name().to_owned(),
        TyKind::Vector { element, lanes, .. } if base => {
            format!("{} __attribute__((ext_vector_type({lanes})))", type_name(*element, base))
        }
        TyKind::Vector { element, lanes, .. } => format!("{}{lanes}", type_name(*element, base)),
        TyKind::Pointer(_) | TyKind::Array { .. } | TyKind::Atomic(_) => {
            // Typedefs can build chains of any length.
            let (mut inner, mut prefix, mut suffix) = (ty, String::new(), Vec::new());
            loop {
                match inner.kind() {
                    TyKind::Pointer(pointer) => {
                        suffix.push("*".to_owned());
                        inner = pointer.pointee;
                    }
                    TyKind::Array { element, length } => {
                        suffix
                            .push(format!("[{}]", length.map_or(String::new(), |length| length.to_string())));
                        inner = *element;
                    }
                    TyKind::Atomic(atomic) => {
                        prefix.push_str("_Atomic(");
                        suffix.push(")".to_owned());
                        inner = *atomic;
                    }
                    _ => break,
                }
            }
            suffix.reverse();
            format!("{prefix}{}{}", type_name(inner, base), suffix.concat())
        }
        TyKind::Record(record) => {
            let kind = if record.union { "union" } else { "struct" };
            record.tag.map_or(kind.to_owned(), |tag| format!("{kind} {tag}"))
        }
        TyKind::Opaque(opaque) => match opaque {
            Opaque::Image { name, .. } => name.as_str().to_owned(),
            Opaque::Pipe { packet, .. } => type_name(*packet, base),
            Opaque::Sampler => "sampler_t".to_owned(),
            Opaque::Event => "event_t".to_owned(),
            Opaque::ClkEvent => "clk_event_t".to_owned(),
            Opaque::Queue => "queue_t".to_owned(),
            Opaque::ReserveId => "reserve_id_t".to_owned(),
            Opaque::NdRange => "ndrange_t".to_owned(),
            Opaque::VaList => "va_list".to_owned(),
        },
        TyKind::Function(_)
        | TyKind::BlockPointer(_)
        | TyKind::Unknown
        | TyKind::Parameter(_)
        | TyKind::Token => "void".to_owned(),
    }
}
