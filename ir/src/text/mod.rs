//! The text form of flow graphs: readable, the same in every run, compared by tests, and accepted by a reader.
//!
//! A value is written as `%name` of its variable, or as `%0`, `%1`, … in the order of the blocks; a second `x` is
//! `%x.1`. Constants are written where they are used: with their type (`int 1`) as the first operand of an operation or
//! as an argument, and without it where the operand before them determines the type. Slots are listed before the entry
//! block. Types that follow from operations and operands are omitted; a result or a callee with another type states it.
//! Lines before the function declare what else a reader needs: the contents of records, and the types of the addresses
//! of variables and functions of the program.
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
//! The text is exact except for source locations and debug data (spans, statements, loops, numbers of calls), numbers
//! of values, and references of C++, which are written as pointers. [`read`] returns the [normal form](normal) of the
//! printed function. `docs/ir.md` has the grammar.
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
//! | module | contents |
//! |---|---|
//! | `names` | names of functions, values and blocks |
//! | `operators` | names of operators |
//! | `spelling` | names of types |
//! | `print` | the printer of functions and modules |
//! | `normal` | the properties of a function that its text expresses |
//! | `read` | the reader |

mod names;
mod normal;
mod operators;
mod print;
mod read;
mod spelling;

pub use names::Names;
pub use normal::normal;
pub use print::{operation, print, print_functions, print_module, terminator};
pub use read::{Error, read, read_module};
