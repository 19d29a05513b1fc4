//! The flow graph as text: easy to read, the same in every run, what tests compare, and what reads back.
//!
//! A value is `%name` of its variable, or `%0`, `%1`, … in the order of the blocks; a second `x` is `%x.1`. Constants stand where they are
//! used: with their type (`int 1`) as the first operand of an operation or an argument, bare where the operand before them says the
//! type. Slots are listed before the entry. What operations and operands tell of types is left out; a result or a callee whose
//! type is another says it. Lines before the function say what else a reader needs: what is in records, and the types of
//! addresses that the program knows.
//!
//! ```text
//! use @table: constant int *
//!
//! function k(%p: global int *) kernel {
//!   slot %buffer: int[4]
//! entry:
//!   %x = load int %p
//!   %0 = ne %x, 0
//!   branch %0, if.then, if.end
//! if.then:
//!   %1 = element int %buffer, int 2
//!   store %x, %1
//!   call @other(%x, @table) as void (int, constant int *restrict)
//!   call barrier(uint 1)
//!   jump if.end
//! if.end:
//!   return
//! }
//! ```
//!
//! The text is exact but for places in the source (spans, statements, numbers of calls) and for the numbers of values: [`read`] gets
//! back the [normal form](normal) of what was printed. `docs/ir.md` has the grammar.
//!
//! ```
//! use tangle_ir::text;
//!
//! let written = "function f(%x: int) -> int {\nentry:\n  %0 = add %x, 1\n  return %0\n}\n";
//! let function = text::read(written).unwrap();
//! assert_eq!(text::print(&function), written);
//!
//! let error = text::read("function f() {\nentry:\n  return %x\n}\n").unwrap_err();
//! assert_eq!(error.to_string(), "3:10: unknown value `%x`");
//! ```
//!
//! | room | what it holds |
//! |---|---|
//! | `names` | what functions, values and blocks are called |
//! | `words` | what operators are called |
//! | `spelling` | how types are written |
//! | `print` | functions and modules as text |
//! | `normal` | what the text says of a function |
//! | `read` | the reader |

mod names;
mod normal;
mod print;
mod read;
mod spelling;
mod words;

pub use names::Names;
pub use normal::normal;
pub use print::{operation, print, print_functions, print_module, terminator};
pub use read::{Error, read, read_module};
