//! The properties of a language that lexing and parsing need.
//!
//! There are two grammars, one for languages like C and one for languages like C++. A language chooses a
//! grammar and defines its keywords, its title in messages and its vector types. The parser needs the vector
//! types because `(float4)(a, b)` is a vector literal and `(real)(a, b)` is a cast.

use rustc_hash::{FxHashMap, FxHashSet};

use tangle_base::pattern::{self, Pattern};

use crate::symbol::Symbol;
use crate::token::TokenKind;

/// The grammar of a language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Grammar {
    /// C, with the extensions of OpenCL C.
    #[default]
    C,
    /// C++, as device code uses it.
    Cpp,
}

/// The meaning of an undefined macro, as its name implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Macro {
    /// The keyword of kernels, with or without `void`: `LIBRARY_KERNEL void f()`.
    Kernel,
    /// A function that runs on the device: `HOST_DEVICE int f()`.
    Device,
}

/// A convention for the names of undefined macros.
#[derive(Clone, Debug)]
pub struct Convention {
    /// The names that it covers.
    pub names: Vec<Pattern>,
    /// Words that exclude a name from this convention.
    pub unless: Vec<String>,
    /// The meaning of the macro.
    pub implies: Macro,
}

/// The lexical properties of one language.
#[derive(Debug, Default)]
pub struct Lexicon {
    macros: Vec<Convention>,
    title: String,
    grammar: Grammar,
    keywords: FxHashMap<Symbol, TokenKind>,
    vectors: FxHashSet<Symbol>,
}

impl Lexicon {
    /// Creates a language with the name `title` in messages. `keywords` maps each spelling to its kind (one of
    /// [`TokenKind::KEYWORDS`]). A keyword can have several spellings; it has no spelling if the language lacks it.
    /// `vectors` are the names of the vector types.
    ///
    /// ```
    /// # use tangle_grammar::{symbol::Symbol, token::TokenKind, lexicon::Lexicon};
    /// let toy = Lexicon::new("Toy", [(Symbol::intern("entry_point"), TokenKind::Kernel)], []);
    /// assert_eq!(toy.kind(Symbol::intern("entry_point")), TokenKind::Kernel);
    /// assert_eq!(toy.kind(Symbol::intern("kernel")), TokenKind::Identifier);
    /// ```
    pub fn new(
        title: impl Into<String>,
        keywords: impl IntoIterator<Item = (Symbol, TokenKind)>,
        vectors: impl IntoIterator<Item = Symbol>,
    ) -> Lexicon {
        Lexicon {
            macros: Vec::new(),
            title: title.into(),
            grammar: Grammar::C,
            keywords: keywords.into_iter().collect(),
            vectors: vectors.into_iter().collect(),
        }
    }

    /// The same language with another grammar.
    pub fn with_grammar(self, grammar: Grammar) -> Lexicon {
        Lexicon { grammar, ..self }
    }

    /// Adds the conventions for undefined macros.
    pub fn with_macros(self, macros: Vec<Convention>) -> Lexicon {
        Lexicon { macros, ..self }
    }

    /// Whether the name of an undefined macro has this meaning by a convention.
    pub fn implies(&self, name: Symbol, what: Macro) -> bool {
        let mut rows = self.macros.iter().filter(|row| row.implies == what).peekable();
        if rows.peek().is_none() {
            return false;
        }
        let words: Vec<String> = pattern::words(name.as_str()).collect();
        rows.any(|row| pattern::any_matches(row.names.iter(), &row.unless, &words))
    }

    /// The grammar of the language.
    pub fn grammar(&self) -> Grammar {
        self.grammar
    }

    /// The name of the language in messages.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The kind of a name after preprocessing: the kind of a keyword, or [`TokenKind::Identifier`].
    pub fn kind(&self, name: Symbol) -> TokenKind {
        self.keywords.get(&name).copied().unwrap_or(TokenKind::Identifier)
    }

    /// The spellings of all keywords, in no particular order.
    pub fn keywords(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.keywords.keys().copied()
    }

    /// Whether a name is the name of a vector type, such as `float4`.
    pub fn is_vector(&self, name: Symbol) -> bool {
        self.vectors.contains(&name)
    }
}
