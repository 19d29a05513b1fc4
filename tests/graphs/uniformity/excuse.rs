//! Why LLVM calls a branch divergent that is uniform by our analysis.
//!
//! **Root** of a divergent value: an operation that LLVM calls divergent although all its operands are uniform.
//! To find the roots, `excuse` follows the divergent operands from the condition of a branch, in the output
//! of `print<uniformity>`. A difference is excused if our analysis knows more about each root. Each kind of knowledge
//! has a name:
//!
//! ```text
//! br %c        <-  %c = icmp %x, %y  <-  %x = call @_Z14get_local_sizej   for LLVM every call is divergent,
//!                                                                          its row says "uniform"
//! ```

use std::collections::{BTreeMap, BTreeSet};

use tangle_analysis::flow::cycles::CycleId;
use tangle_analysis::flow::{BlockId, Callee, Function, Op};
use tangle_analysis::uniformity::Divergence;
use tangle_analysis::uniformity::analysis::{Analysis, Environment};
use tangle_analysis::uniformity::graph::{Labels, is_branch};
use tangle_ir::key::FunctionKey;
use tangle_ir::types::Ty;
use tangle_syntax::dialect::Scope;

/// A block in LLVM's output.
#[derive(Debug, Default)]
pub struct Block {
    pub label: String,
    /// The operations that define values.
    definitions: Vec<Line>,
    pub terminator: Line,
}

/// An operation with LLVM's verdict.
#[derive(Debug, Default)]
pub struct Line {
    text: String,
    pub divergent: bool,
}

/// Reads the blocks of each function from the output of `print<uniformity>`.
pub fn read(printed: &str) -> BTreeMap<String, Vec<Block>> {
    let mut functions: BTreeMap<String, Vec<Block>> = BTreeMap::new();
    let mut blocks: &mut Vec<Block> = &mut Vec::new();
    let mut at_end = false;
    for line in printed.lines() {
        if let Some(function) = line.strip_prefix("UniformityInfo for function '") {
            let name = function.trim_end_matches(':').trim_end_matches('\'');
            blocks = functions.entry(name.to_owned()).or_default();
        } else if let Some(label) = line.strip_prefix("BLOCK ") {
            blocks.push(Block { label: label.to_owned(), ..Block::default() });
        } else if let Some(block) = blocks.last_mut() {
            match line {
                "DEFINITIONS" => at_end = false,
                "TERMINATORS" => at_end = true,
                "END BLOCK" => {}
                // A `switch` has several lines.
                _ if at_end && !block.terminator.text.is_empty() => {
                    block.terminator.text += line;
                }
                _ => {
                    let (divergent, text) = match line.strip_prefix("  DIVERGENT:") {
                        Some(text) => (true, text),
                        None => (false, line),
                    };
                    let line = Line { text: text.trim().to_owned(), divergent };
                    match at_end {
                        true => block.terminator = line,
                        false => block.definitions.push(line),
                    }
                }
            }
        }
    }
    functions
}

impl Line {
    /// Returns the local names in an operation, including labels, without the defined name.
    fn operands(&self) -> impl Iterator<Item = &str> {
        let body = self.text.split_once(" = ").map_or(&*self.text, |(_, body)| body);
        let is_name = |c: char| c.is_alphanumeric() || "-$._".contains(c);
        body.split('%').skip(1).map(move |rest| rest.split(|c| !is_name(c)).next().unwrap_or_default())
    }
}

/// One function with the facts of both analyses.
pub struct Comparison<'a> {
    pub analysis: &'a Analysis<'a>,
    pub environment: &'a Environment<'a>,
    pub theirs: &'a [&'a Block],
    /// The symbol of a function.
    pub symbol: &'a dyn Fn(FunctionKey, Ty) -> String,
}

impl Comparison<'_> {
    fn function(&self) -> &Function {
        self.analysis.function
    }

    /// Returns whether threads diverge at a branch by our analysis. As in LLVM, a parameter counts as divergent.
    pub fn parts(&self, block: BlockId) -> bool {
        let fact = self.analysis.state.branches[block];
        fact.divergence.within(Scope::Subgroup) || fact.depends_on_caller()
    }

    /// Returns the branches that only LLVM calls divergent.
    fn parts_to_llvm_alone(&self) -> impl Iterator<Item = BlockId> {
        let blocks = self.function().blocks.indices().zip(self.theirs);
        let parted = blocks.filter(|(_, theirs)| theirs.terminator.divergent).map(|(block, _)| block);
        parted.filter(|&block| is_branch(self.function(), block) && !self.parts(block))
    }

    /// Returns the names of our knowledge about the roots of a branch. The error is a root without such knowledge.
    pub fn excuse(&self, branch: BlockId) -> Result<BTreeSet<&'static str>, String> {
        let definitions: Definitions = self
            .function()
            .blocks
            .indices()
            .zip(self.theirs)
            .flat_map(|(block, theirs)| theirs.definitions.iter().map(move |line| (block, line)))
            .filter_map(|(block, line)| {
                let (name, _) = line.text.split_once(" = ")?;
                Some((name.trim_start_matches('%'), (block, line)))
            })
            .collect();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut known = BTreeSet::new();
        let mut todo = vec![(branch, &self.theirs[branch.index()].terminator)];
        while let Some((block, line)) = todo.pop() {
            if let Some(why) = self.source(line)? {
                known.insert(why);
                continue;
            }
            let operands: Vec<(&str, BlockId, &Line)> = line
                .operands()
                .filter_map(|name| definitions.get(name).map(|&(block, line)| (name, block, line)))
                .collect();
            let divergent: Vec<_> = operands.iter().filter(|(.., line)| line.divergent).collect();
            if divergent.is_empty() {
                if joins_the_same(&definitions, line) {
                    known.insert("a value that all paths compute in the same way");
                    continue;
                }
                let homes: Vec<BlockId> = operands.iter().map(|&(_, home, _)| home).collect();
                known.insert(self.of_control(block, line, &homes)?);
            }
            for &&(name, block, line) in &divergent {
                if seen.insert(name) {
                    todo.push((block, line));
                }
            }
        }
        Ok(known)
    }

    /// Returns our knowledge about an operation that LLVM calls divergent by itself. `None`: only its operands matter.
    fn source(&self, line: &Line) -> Result<Option<&'static str>, String> {
        let text = &*line.text;
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.contains(&"call")
            && let Some((_, call)) = text.split_once(" call ")
        {
            let Some((_, name)) = call.split_once('@') else {
                return Err(format!("a call by pointer: {text}"));
            };
            let name = name.split('(').next().unwrap_or_default();
            return match name.strip_prefix("llvm.") {
                Some(intrinsic) => Ok(of_intrinsic(intrinsic)),
                None => self.call(name, text).map(Some),
            };
        }
        if words.contains(&"load") {
            // For LLVM, private memory is divergent, since the same address is other memory in each thread.
            // The last address space is that of the address; a loaded pointer has one, too.
            return Ok(match text.rsplit_once("addrspace(") {
                Some((_, space)) if !space.starts_with("5)") => None,
                Some(_) => Some("private memory where every thread stored the same value"),
                None => Some("memory whose address space LLVM does not know"),
            });
        }
        match words.iter().find(|word| ["atomicrmw", "cmpxchg", "asm"].contains(word)) {
            Some(word) => Err(format!("{word}: {text}")),
            None => Ok(None),
        }
    }

    /// For LLVM, a call is a source of divergence. For us it is not, if no callee with this name in LLVM is one.
    fn call(&self, name: &str, text: &str) -> Result<&'static str, String> {
        let own = unmangled(name).unwrap_or(name);
        let is_own = |callee: &Callee| match callee {
            Callee::Function { key, ty } => (self.symbol)(*key, *ty) == name,
            _ => callee.name().is_some_and(|callee| callee.as_str() == own),
        };
        let calls = self.function().values.iter().filter_map(|value| match &value.op {
            Op::Call(call) if is_own(&call.callee) => Some(&call.callee),
            _ => None,
        });
        let mut known = None;
        for callee in calls {
            let (result, why) = if let Some(summary) = (self.environment.summary)(callee) {
                (summary.result.divergence, "a function with a uniform result for uniform arguments")
            } else if let Some(effect) = (self.environment.builtin)(callee) {
                // The executions of random kernels test whether arithmetic cancels ids.
                if effect.index.is_some() && effect.result.within(Scope::Subgroup) {
                    known = Some("an id that arithmetic cancels");
                    continue;
                }
                let why = match effect.result {
                    Divergence::None => "a builtin that depends only on its arguments, by its row",
                    _ => "a builtin with one result for the whole group, by its row",
                };
                (effect.result, why)
            } else if let Callee::Builtin { .. } | Callee::CompilerBuiltin { .. } = callee {
                (Divergence::None, "a builtin without a row, which depends only on its arguments")
            } else {
                return Err(format!("an unknown function: {text}"));
            };
            if result.within(Scope::Subgroup) {
                return Err(format!("a call whose result is divergent in our analysis as well: {text}"));
            }
            known = Some(why);
        }
        known.ok_or_else(|| format!("a call that our module does not have: {text}"))
    }

    /// Returns why LLVM calls a value divergent without a divergent operand: because of a branch that only LLVM calls
    /// divergent.
    fn of_control(&self, block: BlockId, line: &Line, homes: &[BlockId]) -> Result<&'static str, String> {
        let graph = &self.analysis.model.graph;
        let joins = |branch: BlockId| {
            let joins = graph.joins(self.function(), branch, &mut Labels::new(self.function()));
            joins.is_none_or(|joins| joins.blocks.contains(&block))
        };
        if line.text.contains(" = phi ") && self.parts_to_llvm_alone().any(joins) {
            return Ok("a join of a branch that only LLVM calls divergent");
        }
        let left = |cycle: &CycleId| !graph.cycles.contains(*cycle, block);
        let mut cycles = homes.iter().flat_map(|&home| graph.cycles.around(home)).filter(left);
        let alone: BTreeSet<BlockId> = self.parts_to_llvm_alone().collect();
        if cycles.any(|cycle| graph.exit_branches[cycle].iter().any(|exit| alone.contains(exit))) {
            return Ok("used outside a cycle with an exit that only LLVM calls divergent");
        }
        Err(format!("no known reason: {}", line.text))
    }
}

/// The definitions of a function by name.
type Definitions<'a> = BTreeMap<&'a str, (BlockId, &'a Line)>;

/// Whether a line is a phi whose operands are computed by the same operations.
fn joins_the_same(definitions: &Definitions, line: &Line) -> bool {
    if !line.text.contains(" = phi ") {
        return false;
    }
    // The operands are in brackets, each with the label of its block.
    let mut operands = line.text.split('[').skip(1).map(|pair| {
        let operand = pair.split(',').next().unwrap_or_default().trim();
        expression(definitions, operand, 8)
    });
    let first = operands.next();
    operands.all(|operand| Some(&operand) == first.as_ref())
}

/// Returns an operand as an expression of values that are not computed by arithmetic.
fn expression(definitions: &Definitions, operand: &str, depth: usize) -> String {
    let name = operand.trim_start_matches('%');
    let body = definitions.get(name).and_then(|(_, line)| Some(line.text.split_once(" = ")?.1));
    let Some(body) = body.filter(|_| depth > 0) else { return operand.to_owned() };
    if ["phi", "load", "call", "atomicrmw"].iter().any(|word| body.split_whitespace().any(|it| it == *word)) {
        return operand.to_owned();
    }
    let words = body.split_whitespace().map(|word| match word.starts_with('%') {
        true => expression(definitions, word.trim_end_matches(','), depth - 1),
        false => word.to_owned(),
    });
    format!("({})", words.collect::<Vec<_>>().join(" "))
}

/// Returns our knowledge about the result of an intrinsic, by its name without `llvm.`. `None`: only its operands matter.
/// For `nvptx64`, LLVM takes the result of every call for divergent that is not a vote.
fn of_intrinsic(name: &str) -> Option<&'static str> {
    let holds = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if holds(&["sreg.ctaid", "sreg.nctaid", "sreg.ntid", "sreg.warpsize", "workgroup.id", "implicitarg"]) {
        return Some("an index of the block, or a size");
    }
    if holds(&["sreg.tid", "sreg.laneid", "workitem.id", "mbcnt"]) {
        return Some("an id that arithmetic cancels");
    }
    if holds(&["nvvm.vote", "nvvm.barrier0", "nvvm.redux", "amdgcn.ballot", "readfirstlane"]) {
        return Some("a builtin with one result for the whole group, by its row");
    }
    holds(&["nvvm.shfl", "ds.bpermute"]).then_some("a shuffle from one lane, or of a uniform value")
}

/// Returns `get_local_size` for `_Z14get_local_sizej`, and `width` for `_ZN6Limits5widthEv`.
fn unmangled(name: &str) -> Option<&str> {
    let mut rest = name.strip_prefix("_Z")?;
    let nested = rest.strip_prefix('N');
    rest = nested.unwrap_or(rest);
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let length: usize = rest[..digits].parse().ok()?;
        let (own, after) = rest[digits..].split_at_checked(length)?;
        match nested {
            Some(_) if !after.starts_with('E') => rest = after,
            _ => return Some(own),
        }
    }
}

#[test]
fn llvm_uniformity_output_is_parsed() {
    let functions = read(
        "UniformityInfo for function 'k':\nBLOCK entry\nDEFINITIONS\n  DIVERGENT:   %a.1 = call i64 @_Z12get_local_idj(i32 0)\n\
         \x20              %b = add i64 %a.1, 1\nTERMINATORS\n  DIVERGENT:   switch i64 %b, label %x [\n    i64 0, label %y\n  ]\nEND BLOCK\n\n",
    );
    let [block] = &functions["k"][..] else { panic!("{functions:?}") };
    assert_eq!(block.label, "entry");
    let divergent: Vec<bool> = block.definitions.iter().map(|line| line.divergent).collect();
    assert_eq!(divergent, [true, false]);
    assert!(block.terminator.divergent);
    assert_eq!(block.definitions[1].operands().collect::<Vec<_>>(), ["a.1"]);
    assert_eq!(block.terminator.operands().collect::<Vec<_>>(), ["b", "x", "y"]);
    assert_eq!(unmangled("_Z14get_local_sizej"), Some("get_local_size"));
    assert_eq!(unmangled("_ZN2ns6Limits5widthEPi"), Some("width"));
}
