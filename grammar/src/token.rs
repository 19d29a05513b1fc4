//! The tokens of the C family, and their names in messages.
//!
//! One enumeration has the kinds of three stages:
//!
//! - The lexer makes preprocessing tokens. Keywords are still [`Identifier`](TokenKind::Identifier)s, and
//!   numbers are not yet checked.
//! - The preprocessor passes the same tokens on, with a kind for each keyword
//!   ([`Lexicon::kind`](crate::lexicon::Lexicon::kind)).
//! - The adapter (`adapt`) adds the kinds that only the grammar sees (from `TypeName` to `BrokenExpression`).
//!
//! Each keyword has a name here. The grammar and the data of a language refer to it by this name; each
//! language defines its own spellings.

use logos::Logos;

use crate::symbol::Symbol;

macro_rules! tokens {
    (
        punctuators { $($punct:ident $spelling:literal $(also $other:literal)*;)* }
        keywords { $($keyword:ident $word:literal;)* }
    ) => {
        /// The kind of a token. If the kind does not determine the spelling, a [`Symbol`] next to the kind
        /// has it.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum TokenKind {
            // Trivia: the lexer drops these tokens, or keeps a flag in the next token.
            #[regex(r"[ \t\x0B\x0C\r]+")]
            Space,
            #[token("\n")]
            Newline,
            /// A backslash at the end of a line: the next line continues this one.
            #[regex(r"\\[ \t]*\r?\n")]
            Splice,
            #[regex(r"//(?:[^\\\n]|\\\r\n|\\[^\r]|\\\r)*", allow_greedy = true)]
            LineComment,
            #[regex(r"/\*(?:[^*]|\*+[^*/])*\*+/")]
            BlockComment,
            /// `/*` without `*/`: the rest of the file is a comment.
            #[token("/*")]
            UnclosedComment,

            // Tokens whose spelling is stored.
            #[regex(r"[\p{XID_Start}_$][\p{XID_Continue}$]*")]
            Identifier,
            /// A preprocessing number. Its value is checked only where it is used.
            #[regex(r"\.?[0-9](?:[eEpP][+-]|[0-9a-zA-Z_.])*")]
            Number,
            #[regex(r#"'(?:[^'\\\n]|\\\r\n|\\(?s:.))*'"#)]
            #[regex(r#"(?:L|u|U|u8)'(?:[^'\\\n]|\\\r\n|\\(?s:.))*'"#)]
            Character,
            #[regex(r#""(?:[^"\\\n]|\\\r\n|\\(?s:.))*""#)]
            #[regex(r#"(?:L|u|U|u8)"(?:[^"\\\n]|\\\r\n|\\(?s:.))*""#)]
            String,
            /// `'` or `"` without a closing quote on its line.
            #[regex(r#"['"]"#)]
            UnclosedQuote,
            /// A character that cannot begin a token.
            Stray,
            /// `#pragma …` or `_Pragma(…)` as one token. Its symbol is the text after `#pragma`.
            Pragma,

            // Kinds that only the grammar sees.
            /// An identifier that names a type at this point.
            TypeName,
            /// `__attribute__((…))` or a variant, with the contents of its parentheses.
            Attribute,
            /// `asm …(…)`, with the contents of its parentheses.
            Asm,
            /// The `(` of the cast in an OpenCL vector literal, `(float4)(a, b, c, d)`.
            VectorParen,
            /// `_Atomic` before `(`: a type specifier, not a qualifier.
            AtomicType,
            /// An undefined macro that expands to further arguments of a call: `PARAM` in `f(a, b PARAM)`.
            Arguments,
            /// Zero-width marker: a declaration begins here, where a statement could also begin.
            Declares,
            /// Zero-width marker: a type begins here, where a value could also begin.
            TypeFollows,
            /// Zero-width marker: the type after `new` ends here.
            TypeEnds,
            /// A name that qualifies another name: `cub` and `BlockReduce` in
            /// `cub::BlockReduce<T>::TempStorage`, but not `TempStorage`.
            ScopeName,
            /// The name of a constructor, of a destructor (`~T`), or of a conversion (`operator bool`).
            SpecialName,
            /// The `<` of template arguments or parameters.
            TemplateOpen,
            /// The `>` of template arguments or parameters. It can be half of a `>>`.
            TemplateClose,
            /// The `<<<` of a launch.
            LaunchOpen,
            /// The `>>>` of a launch.
            LaunchClose,
            /// The `(` before the initialiser of a declared variable: `T x(y);`.
            InitParen,
            /// A `{` that begins a braced list of values.
            InitBrace,
            /// The `{` of class members or enumerators.
            MemberBrace,
            /// The `[` of `auto [a, b] = …`.
            BindingBracket,
            /// The `[` that begins a lambda.
            LambdaBracket,
            /// The `:` before the bases of a class, or before the member initialisers of a constructor.
            ClassColon,
            /// The `...` before the declared name of a pack.
            Pack,
            /// The `...` of a fold expression.
            FoldDots,
            /// Replaces the tokens of a statement, declaration or member with an unsupported construct. Its
            /// text names the construct.
            Opaque,
            /// Replaces the tokens of an expression with an unsupported construct. Its text names the
            /// construct.
            OpaqueExpression,
            /// Replaces the tokens of a statement, declaration, member or parameter with a syntax error.
            Broken,
            /// Replaces the tokens of an expression with a syntax error.
            BrokenExpression,

            $(#[token($spelling)] $(#[token($other)])* $punct,)*
            $($keyword,)*
        }

        impl TokenKind {
            /// The spelling of a punctuator (the first one, if it has several), or the name of a keyword.
            pub const fn spelling(self) -> Option<&'static str> {
                match self {
                    $(TokenKind::$punct => Some($spelling),)*
                    $(TokenKind::$keyword => Some($word),)*
                    _ => None,
                }
            }

            /// Every punctuator with its spelling. A language can define further spellings.
            const PUNCTUATORS: &'static [(&'static str, TokenKind)] = &[$(($spelling, TokenKind::$punct),)*];

            /// Every keyword of the grammars, with its name.
            pub const KEYWORDS: &'static [(&'static str, TokenKind)] = &[$(($word, TokenKind::$keyword),)*];
        }
    };
}

tokens! {
    punctuators {
        LeftParen "("; RightParen ")";
        LeftBracket "[" also "<:"; RightBracket "]" also ":>";
        LeftBrace "{" also "<%"; RightBrace "}" also "%>";
        Semicolon ";"; Comma ","; Colon ":"; ColonColon "::"; Question "?"; Dot "."; Arrow "->"; Ellipsis "...";
        Plus "+"; Minus "-"; Star "*"; Slash "/"; Percent "%";
        PlusPlus "++"; MinusMinus "--";
        Amp "&"; Pipe "|"; Caret "^"; Tilde "~"; Bang "!";
        AmpAmp "&&"; PipePipe "||";
        Less "<"; Greater ">"; LessEqual "<="; GreaterEqual ">="; EqualEqual "=="; BangEqual "!=";
        LessLess "<<"; GreaterGreater ">>";
        Equal "="; PlusEqual "+="; MinusEqual "-="; StarEqual "*="; SlashEqual "/="; PercentEqual "%=";
        AmpEqual "&="; PipeEqual "|="; CaretEqual "^="; LessLessEqual "<<="; GreaterGreaterEqual ">>=";
        Hash "#" also "%:"; HashHash "##" also "%:%:"; At "@";
    }
    keywords {
        If "if"; Else "else"; Switch "switch"; Case "case"; Default "default";
        While "while"; Do "do"; For "for"; Goto "goto"; Break "break"; Continue "continue"; Return "return";
        Typedef "typedef"; Extern "extern"; Static "static"; Auto "auto"; Register "register";
        Inline "inline"; Noreturn "_Noreturn";
        Const "const"; Volatile "volatile";
        Restrict "restrict"; Atomic "_Atomic";
        Void "void"; Char "char"; Short "short"; Int "int"; Long "long"; Float "float"; Double "double"; Half "half";
        Signed "signed"; Unsigned "unsigned"; Bool "bool"; Complex "_Complex";
        Struct "struct"; Union "union"; Enum "enum";
        Sizeof "sizeof"; Alignof "_Alignof"; Alignas "_Alignas";
        Typeof "typeof"; StaticAssert "_Static_assert"; Generic "_Generic";
        Extension "__extension__"; Offsetof "__builtin_offsetof"; VaArg "__builtin_va_arg"; Astype "__builtin_astype";
        AttributeWord "__attribute__"; AsmWord "asm"; Declspec "__declspec";
        Kernel "kernel";
        Global "global"; Local "local"; Constant "constant";
        Private "private"; GenericSpace "generic";
        ReadOnly "read_only"; WriteOnly "write_only"; ReadWrite "read_write";
        Pipe_ "pipe";
        // Keywords of C++ and of its dialects for devices. Keywords with the same effect in the grammar share
        // a kind.
        Class "class"; Namespace "namespace"; Template "template"; Typename "typename"; Using "using"; Friend "friend";
        Access "public"; Operator "operator"; This "this"; New "new"; Delete "delete"; Throw "throw"; Try "try"; Catch "catch";
        NamedCast "static_cast"; Typeid "typeid"; Noexcept "noexcept"; Requires "requires"; Concept "concept"; Constexpr "constexpr";
        Coroutine "co_await"; Modifier "mutable"; AttributeCall "__launch_bounds__";
        Host "__host__"; Device "__device__"; Shared "__shared__"; ConstantMemory "__constant__"; Managed "__managed__";
    }
}

impl TokenKind {
    /// Returns the keyword with this name, or the punctuator with this spelling. A language can define its
    /// own spellings for both.
    pub fn keyword(name: &str) -> Option<TokenKind> {
        let all = Self::KEYWORDS.iter().chain(Self::PUNCTUATORS);
        all.into_iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind)
    }

    /// Whether this kind is an operator, a bracket or another punctuator.
    pub fn is_punctuator(self) -> bool {
        Self::PUNCTUATORS.iter().any(|&(_, kind)| kind == self)
    }

    /// Whether the parser never receives tokens of this kind.
    pub const fn is_trivia(self) -> bool {
        matches!(
            self,
            TokenKind::Space
                | TokenKind::Newline
                | TokenKind::Splice
                | TokenKind::LineComment
                | TokenKind::BlockComment
                | TokenKind::UnclosedComment
        )
    }

    /// The text in messages for "some token of this kind": `` `;` ``, `a name`, `a string`.
    pub fn describe(self) -> String {
        match self {
            TokenKind::Identifier | TokenKind::Arguments => "a name".into(),
            TokenKind::TypeName => "a type".into(),
            TokenKind::Number => "a number".into(),
            TokenKind::Character => "a character literal".into(),
            TokenKind::String => "a string".into(),
            TokenKind::UnclosedQuote => "an unterminated literal".into(),
            TokenKind::Stray => "an invalid character".into(),
            TokenKind::Pragma => "a pragma".into(),
            TokenKind::Attribute => "an attribute".into(),
            TokenKind::Asm => "`asm`".into(),
            TokenKind::VectorParen | TokenKind::InitParen => "`(`".into(),
            TokenKind::InitBrace | TokenKind::MemberBrace => "`{`".into(),
            TokenKind::BindingBracket | TokenKind::LambdaBracket => "`[`".into(),
            TokenKind::ClassColon => "`:`".into(),
            TokenKind::TemplateOpen => "`<`".into(),
            TokenKind::TemplateClose => "`>`".into(),
            TokenKind::LaunchOpen => "`<<<`".into(),
            TokenKind::LaunchClose => "`>>>`".into(),
            TokenKind::Pack | TokenKind::FoldDots => "`...`".into(),
            TokenKind::ScopeName | TokenKind::SpecialName => "a name".into(),
            TokenKind::Declares => "a declaration".into(),
            TokenKind::TypeFollows => "a type".into(),
            TokenKind::Opaque | TokenKind::OpaqueExpression => "an unsupported construct".into(),
            TokenKind::AtomicType => "`_Atomic`".into(),
            TokenKind::Broken | TokenKind::BrokenExpression => "text with a syntax error".into(),
            kind => match kind.spelling() {
                Some(spelling) => format!("`{spelling}`"),
                None => "whitespace".into(),
            },
        }
    }
}

/// One token of a top-level item, without its source location.
///
/// `text` is the spelling of an identifier, keyword, number, literal or pragma, and [`Symbol::EMPTY`] for a
/// punctuator. An identifier that an earlier item declares as a type at file scope already has kind
/// [`TokenKind::TypeName`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    pub kind: TokenKind,
    pub text: Symbol,
}
