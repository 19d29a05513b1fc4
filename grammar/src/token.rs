//! The tokens of the C family, and the words users see for them.
//!
//! One enumeration serves three readers. The lexer makes preprocessing tokens (keywords are still
//! [`Identifier`](TokenKind::Identifier)s, numbers are not yet checked); the preprocessor hands on the same
//! tokens, keywords told apart ([`Words::kind`](crate::words::Words::kind)); the adapter (`adapt`) adds the kinds
//! that only the grammar sees (from `TypeName` to `BrokenExpression`).
//!
//! A keyword has a name here, by which the grammar and the data of a language refer to it. How it is spelled is the language's business.

use logos::Logos;

use crate::symbol::Symbol;

macro_rules! tokens {
    (
        punctuators { $($punct:ident $spelling:literal $(also $other:literal)*;)* }
        keywords { $($keyword:ident $word:literal;)* }
    ) => {
        /// What a token is. Its spelling, where the kind does not fix it, is a [`Symbol`] beside it.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum TokenKind {
            // Trivia: what the lexer drops, or keeps as a flag of the next token.
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
            /// `/*` without `*/`: the rest of the file is comment.
            #[token("/*")]
            UnclosedComment,

            // Tokens with a spelling of their own.
            #[regex(r"[\p{XID_Start}_$][\p{XID_Continue}$]*")]
            Identifier,
            /// A preprocessing number: what it denotes, if anything, is checked when it is used.
            #[regex(r"\.?[0-9](?:[eEpP][+-]|[0-9a-zA-Z_.])*")]
            Number,
            #[regex(r#"'(?:[^'\\\n]|\\\r\n|\\(?s:.))*'"#)]
            #[regex(r#"(?:L|u|U|u8)'(?:[^'\\\n]|\\\r\n|\\(?s:.))*'"#)]
            Character,
            #[regex(r#""(?:[^"\\\n]|\\\r\n|\\(?s:.))*""#)]
            #[regex(r#"(?:L|u|U|u8)"(?:[^"\\\n]|\\\r\n|\\(?s:.))*""#)]
            String,
            /// `'` or `"` that is not closed on its line.
            #[regex(r#"['"]"#)]
            UnclosedQuote,
            /// A character that no token begins with.
            Stray,
            /// `#pragma …` or `_Pragma(…)`: one token, its symbol the text behind `#pragma`.
            Pragma,

            // Kinds that only the grammar sees.
            /// An identifier that names a type here.
            TypeName,
            /// `__attribute__((…))` and its like, with all that is in the parentheses.
            Attribute,
            /// `asm …(…)`, with all that is in the parentheses.
            Asm,
            /// The `(` of the cast in an OpenCL vector literal, `(float4)(a, b, c, d)`.
            VectorParen,
            /// `_Atomic` before `(`: a type of its own, not a qualifier.
            AtomicType,
            /// A macro that stands for further arguments of a call: `PARAM` in `f(a, b PARAM)`.
            Arguments,
            /// Of no width: a declaration begins, where a statement could.
            Declares,
            /// Of no width: a type begins, where a value could.
            TypeFollows,
            /// Of no width: the type behind `new` ends.
            TypeEnds,
            /// A name that qualifies another: both in `cub::BlockReduce<T>::TempStorage`, but not the last.
            ScopeName,
            /// The name of a constructor, of a destructor (`~T`), or of a conversion (`operator bool`).
            SpecialName,
            /// The `<` of template arguments or parameters.
            TemplateOpen,
            /// The `>` of template arguments or parameters; also half of a `>>`.
            TemplateClose,
            /// `<<<` of a launch.
            LaunchOpen,
            /// `>>>` of a launch.
            LaunchClose,
            /// The `(` of what a declared variable begins with: `T x(y);`.
            InitParen,
            /// A `{` that begins a list of values.
            InitBrace,
            /// The `{` of members or enumerators.
            MemberBrace,
            /// The `[` of `auto [a, b] = …`.
            BindingBracket,
            /// The `[` that begins a lambda.
            LambdaBracket,
            /// The `:` before the bases of a class, or before what a constructor initialises.
            ClassColon,
            /// The `...` before the declared name of a pack.
            Pack,
            /// The `...` of a fold.
            FoldDots,
            /// Stands for the tokens of a statement, declaration or member of a construct that is not understood: its text says which.
            Opaque,
            /// The same of an expression.
            OpaqueExpression,
            /// Stands for the tokens of a statement, declaration, member or parameter that could not be understood.
            Broken,
            /// Stands for the tokens of an expression that could not be understood.
            BrokenExpression,

            $(#[token($spelling)] $(#[token($other)])* $punct,)*
            $($keyword,)*
        }

        impl TokenKind {
            /// The spelling of a punctuator (the first, where there are several); the name of a keyword.
            pub const fn spelling(self) -> Option<&'static str> {
                match self {
                    $(TokenKind::$punct => Some($spelling),)*
                    $(TokenKind::$keyword => Some($word),)*
                    _ => None,
                }
            }

            /// Every punctuator, with its spelling: a language may have words for some.
            const PUNCTUATORS: &'static [(&'static str, TokenKind)] = &[$(($spelling, TokenKind::$punct),)*];

            /// Every keyword that the grammar knows, each with its name.
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
        // Of C++ and its languages for devices. Words that mean the same here share a kind.
        Class "class"; Namespace "namespace"; Template "template"; Typename "typename"; Using "using"; Friend "friend";
        Access "public"; Operator "operator"; This "this"; New "new"; Delete "delete"; Throw "throw"; Try "try"; Catch "catch";
        NamedCast "static_cast"; Typeid "typeid"; Noexcept "noexcept"; Requires "requires"; Concept "concept"; Constexpr "constexpr";
        Coroutine "co_await"; Modifier "mutable"; AttributeCall "__launch_bounds__";
        Host "__host__"; Device "__device__"; Shared "__shared__"; ConstantMemory "__constant__"; Managed "__managed__";
    }
}

impl TokenKind {
    /// The keyword of this name, or the punctuator of this spelling, for which a language may have a word.
    pub fn keyword(name: &str) -> Option<TokenKind> {
        let all = Self::KEYWORDS.iter().chain(Self::PUNCTUATORS);
        all.into_iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind)
    }

    /// Whether it is an operator, a bracket or the like.
    pub fn is_punctuator(self) -> bool {
        Self::PUNCTUATORS.iter().any(|&(_, kind)| kind == self)
    }

    /// Whether the parser never sees it.
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

    /// The words a message uses for "some token of this kind": `` `;` ``, `a name`, `a string`.
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

/// One token of a top-level item: what remains of the source when its place is taken away.
///
/// `text` is the spelling of an identifier, keyword, number, literal or pragma, and [`Symbol::EMPTY`] for a punctuator. An
/// identifier that names a type at file scope *before this item* has kind [`TokenKind::TypeName`] already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    pub kind: TokenKind,
    pub text: Symbol,
}
