//! Finds the operations in the text of inline assembly.
//!
//! **Instruction**: the text between `;` and line ends, without labels, predicates and comments. Its name is its
//! mnemonic with a letter for each operand: `bar.sync a` waits for the whole block, and `bar.sync a, b` for a number
//! of threads. **Register**: an operand that is a special register, with its own name: `%laneid`. The tables of
//! builtins have rows for both kinds of names (`gpu/ptx.toml`, `gpu/gcn.toml`). Instructions without a row are
//! ignored.
//!
//! ```c
//! asm volatile("{ .reg .pred p;\n\t"
//!              "@!p bar.sync 1, %1;"       // `bar.sync a, b`: the predicate is assumed to be true
//!              "mov.u32 %0, %%laneid; }"   // `%laneid`
//!              : "=r"(lane) : "r"(count));
//! ```
//!
//! Adjacent literals are one text. An operation belongs to the literal where its instruction begins.

use tangle_grammar::symbol::Symbol;

use super::builtins::Builtins;

/// An instruction or register with a row in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The number of its literal.
    pub literal: usize,
    /// The name of its row.
    pub name: Symbol,
    /// The operands of an instruction; empty for a register.
    pub operands: Box<[Operand]>,
}

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `%2`: the operand of the assembly with this number.
    Numbered(usize),
    /// A number, as the instruction spells it.
    Number(Symbol),
    Other,
}

/// The source of the output of inline assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssemblyOutput {
    /// The result of the only operation: `mov.u32 %0, %%laneid;`
    Copy,
    /// Computed by the only instruction, which has the only operation: `add.u32 %0, %%laneid, %1;`
    Computed,
    /// Computed by several instructions, or by one without an operation.
    Unknown,
}

/// Returns the operations in the literals of one text, in order, and the source of the output.
pub(super) fn operations(literals: &[&str], builtins: &Builtins) -> (Vec<Operation>, AssemblyOutput) {
    let mut found = Vec::new();
    let mut instructions = 0;
    let mut copies = false;
    for (literal, text) in instructions_of(literals) {
        let Some((mnemonic, operands)) = parts(&text) else { continue };
        // A declaration: `.reg .pred p`.
        if mnemonic.starts_with('.') {
            continue;
        }
        instructions += 1;
        let letters: Vec<String> =
            ('a'..='z').take(operands.len()).map(|letter| letter.to_string()).collect();
        let name = match letters.is_empty() {
            true => mnemonic.to_owned(),
            false => format!("{mnemonic} {}", letters.join(", ")),
        };
        let row = |name: String| Some(Symbol::intern(&name)).filter(|&name| builtins.get(name).is_some());
        if let Some(name) = row(name) {
            found.push(Operation {
                literal,
                name,
                operands: operands.iter().map(|it| operand(it)).collect(),
            });
        }
        copies = matches!(*operands, [to, from] if mnemonic.starts_with("mov.")
            && operand(to) == Operand::Numbered(0)
            && register(from).is_some());
        let registers = operands.into_iter().filter_map(register).filter_map(row);
        found.extend(registers.map(|name| Operation { literal, name, operands: Box::default() }));
    }
    let output = match (instructions, found.len()) {
        (1, 1) if copies => AssemblyOutput::Copy,
        (1, 1) => AssemblyOutput::Computed,
        _ => AssemblyOutput::Unknown,
    };
    (found, output)
}

/// Reads an operand: `%2`, `0xff`, `-1`.
fn operand(text: &str) -> Operand {
    if let Some(number) = text.strip_prefix('%').and_then(|number| number.parse().ok()) {
        return Operand::Numbered(number);
    }
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let is_number = match digits {
        Some(digits) => !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_hexdigit()),
        None => !text.is_empty() && text.chars().all(|digit| digit.is_ascii_digit()),
    };
    match is_number {
        true => Operand::Number(Symbol::intern(text)),
        false => Operand::Other,
    }
}

/// The texts between `;` and line ends, without comments, each with the number of the literal where it begins.
fn instructions_of(literals: &[&str]) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    let (mut text, mut begins) = (String::new(), 0);
    for (number, literal) in literals.iter().enumerate() {
        let mut characters = inside(literal).chars().peekable();
        while let Some(character) = characters.next() {
            let character = match character {
                '\\' => match characters.next() {
                    Some('n' | 'r') => '\n',
                    Some('t') | None => ' ',
                    Some(other) => other,
                },
                other => other,
            };
            match character {
                ';' | '\n' => all.push((begins, std::mem::take(&mut text))),
                _ => {
                    if text.trim_start().is_empty() {
                        begins = number;
                    }
                    text.push(character);
                }
            }
        }
    }
    all.push((begins, text));
    all
}

/// A literal without its quotes. For a raw literal, also without its delimiters.
fn inside(literal: &str) -> &str {
    let text = literal.trim_start_matches(|character: char| character != '"');
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.strip_suffix('"').unwrap_or(text);
    match literal.starts_with('R') {
        true => {
            text.split_once('(').and_then(|(_, text)| text.rsplit_once(')')).map_or(text, |(text, _)| text)
        }
        false => text,
    }
}

/// Splits an instruction into its mnemonic and its operands.
fn parts(text: &str) -> Option<(&str, Vec<&str>)> {
    let mut text = text.trim_start_matches(|character: char| character.is_whitespace() || character == '{');
    // Comments of PTX. Comments of GCN begin with `;`, so they count as instructions without a row.
    text = text.split("//").next()?;
    loop {
        let word = text.split_whitespace().next()?;
        let is_label = word.ends_with(':');
        if !is_label && !word.starts_with('@') {
            break;
        }
        text = text.trim_start()[word.len()..].trim_start();
    }
    let text = text.trim().trim_end_matches('}').trim_end();
    let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut operands = Vec::new();
    let (mut depth, mut begin) = (0_usize, 0);
    for (at, character) in rest.char_indices() {
        match character {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                operands.push(rest[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    operands.push(rest[begin..].trim());
    operands.retain(|operand| !operand.is_empty());
    (!mnemonic.is_empty()).then_some((mnemonic, operands))
}

/// The name of a special register: `%%laneid`, or `%laneid` if the assembly has no operands of its own.
fn register(operand: &str) -> Option<String> {
    let name = operand.trim_start_matches('%');
    let is_register =
        name.len() < operand.len() && name.starts_with(|first: char| first.is_ascii_alphabetic());
    is_register.then(|| format!("%{name}"))
}

#[cfg(test)]
mod tests {
    use tangle_grammar::symbol::Symbol;

    use super::{AssemblyOutput, Operand};
    use crate::dialect::{Dialect, cuda, opencl};

    fn names(dialect: Dialect, literals: &[&str]) -> Vec<(usize, &'static str)> {
        let (found, _) = dialect.assembly(literals);
        found.iter().map(|operation| (operation.literal, operation.name.as_str())).collect()
    }

    #[test]
    fn instruction_name_has_mnemonic_and_operand_count() {
        assert_eq!(names(cuda(), &[r#""bar.sync 0;""#]), [(0, "bar.sync a")]);
        assert_eq!(names(cuda(), &[r#""bar.sync %0, %1;""#]), [(0, "bar.sync a, b")]);
        assert_eq!(
            names(cuda(), &[r#""barrier.cta.sync.aligned 1;\n""#]),
            [(0, "barrier.cta.sync.aligned a")]
        );
        assert_eq!(names(opencl(), &[r#""s_barrier""#]), [(0, "s_barrier")]);
    }

    #[test]
    fn labels_predicates_blocks_and_comments_are_skipped() {
        let text = [r#""{ .reg .pred p;\n\t""#, r#""again: @!p bar.warp.sync 0xff; // all\n""#, r#""}""#];
        assert_eq!(names(cuda(), &text), [(1, "bar.warp.sync a")]);
        assert_eq!(names(cuda(), &[r#""// bar.sync 0;""#]), []);
    }

    #[test]
    fn instruction_may_span_several_literals() {
        let text =
            [r#""mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ""#, r#""{%0,%1}, {%2}, {%3}, {%0,%1};""#];
        assert_eq!(
            names(cuda(), &text),
            [(0, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 a, b, c, d")]
        );
    }

    #[test]
    fn special_register_reads_are_operations() {
        assert_eq!(names(cuda(), &[r#""mov.u32 %0, %%ctaid.x;""#]), [(0, "%ctaid.x")]);
        assert_eq!(names(cuda(), &[r#""mov.u32 %0, %%r1;""#]), []);
    }

    #[test]
    fn operands_are_numbers_or_operands_of_the_assembly() {
        let text = [r#""shfl.sync.bfly.b32 %0|p, %1, 1, 0x1f, %2;""#];
        let (found, output) = cuda().assembly(&text);
        let number = |text| Operand::Number(Symbol::intern(text));
        let operands =
            [Operand::Other, Operand::Numbered(1), number("1"), number("0x1f"), Operand::Numbered(2)];
        assert_eq!(*found[0].operands, operands);
        assert_eq!(output, AssemblyOutput::Computed);
    }

    #[test]
    fn output_can_be_a_copy_of_a_register() {
        let output = |text| cuda().assembly(&[text]).1;
        assert_eq!(output(r#""mov.u32 %0, %%laneid;""#), AssemblyOutput::Copy);
        assert_eq!(output(r#""add.u32 %0, %%laneid, %1;""#), AssemblyOutput::Computed);
        assert_eq!(output(r#""mov.u32 %1, %%laneid;""#), AssemblyOutput::Computed);
        assert_eq!(output(r#""mov.u32 %0, %%laneid; shl.b32 %0, %0, 1;""#), AssemblyOutput::Unknown);
    }

    #[test]
    fn instructions_in_raw_literals_are_parsed() {
        assert_eq!(names(cuda(), &["R\"asm(\n  bar.sync 0;\n)asm\""]), [(0, "bar.sync a")]);
    }
}
