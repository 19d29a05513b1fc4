//! The tokens of the C family, and the words users see for them.
//!
//! One enumeration serves three readers. The lexer makes preprocessing tokens (keywords are still
//! [`Identifier`](TokenKind::Identifier)s, numbers are not yet checked); the preprocessor hands on the same
//! tokens, keywords told apart ([`Words::kind`](crate::words::Words::kind)); the adapter in `names` adds the kinds
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
    }
}

impl TokenKind {
    /// The keyword of this name.
    pub fn keyword(name: &str) -> Option<TokenKind> {
        Self::KEYWORDS.iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind)
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
            TokenKind::UnclosedQuote => "an unclosed quote".into(),
            TokenKind::Stray => "a stray character".into(),
            TokenKind::Pragma => "a pragma".into(),
            TokenKind::Attribute => "an attribute".into(),
            TokenKind::Asm => "`asm`".into(),
            TokenKind::VectorParen => "`(`".into(),
            TokenKind::AtomicType => "`_Atomic`".into(),
            TokenKind::Broken | TokenKind::BrokenExpression => "what could not be understood".into(),
            kind => match kind.spelling() {
                Some(spelling) => format!("`{spelling}`"),
                None => "white space".into(),
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
