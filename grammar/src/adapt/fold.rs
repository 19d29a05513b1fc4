//! Reads attributes and inline assembly. Each becomes one token.

use super::kinds::is_name;
use super::scan::{AdapterToken, Tokens};
use crate::ast::{Assembly, AssemblyOperand, Attribute, Name};
use crate::symbol::Symbol;
use crate::token::TokenKind as K;

impl Tokens<'_> {
    fn name(self, at: usize) -> Name {
        self[at].name()
    }

    /// Returns the index after the attribute at `at`; `None` if there is no attribute.
    pub fn end_of_attribute(self, at: usize) -> Option<usize> {
        match self.kind(at) {
            K::AttributeWord | K::AttributeCall | K::Declspec | K::Alignas
                if self.kind(at + 1) == K::LeftParen =>
            {
                Some(self.partner(at + 1)? + 1)
            }
            K::LeftBracket if self.kind(at + 1) == K::LeftBracket => {
                let (outer, inner) = (self.partner(at)?, self.partner(at + 1)?);
                (inner + 1 == outer).then_some(outer + 1)
            }
            _ => None,
        }
    }

    /// Returns the index after the attributes at `at`.
    pub fn skip_attributes(self, mut at: usize) -> usize {
        loop {
            at = match self.end_of_attribute(at) {
                Some(end) => end,
                None if self.kind(at) == K::Attribute => at + 1,
                None => return at,
            };
        }
    }

    /// Returns the attributes between `at` and `end`.
    pub fn attributes(self, at: usize, end: usize) -> Vec<Attribute> {
        match self.kind(at) {
            K::Alignas | K::AttributeCall => vec![self.attribute_named(at, at + 2, end - 1)],
            K::Declspec => self.attribute_list(at + 2, end - 1),
            K::LeftBracket => self.attribute_list(at + 2, end - 2),
            _ if self.kind(at + 2) == K::LeftParen && self.partner(at + 2) == Some(end - 2) => {
                self.attribute_list(at + 3, end - 2)
            }
            _ => self.attribute_list(at + 2, end - 1),
        }
    }

    fn attribute_named(self, name: usize, from: usize, to: usize) -> Attribute {
        let arguments = self.all[from..to].iter().map(|item| item.token).collect();
        Attribute { name: self.name(name), arguments }
    }

    /// `name, name(arguments), scope::name`.
    fn attribute_list(self, mut at: usize, end: usize) -> Vec<Attribute> {
        let mut list = Vec::new();
        while at < end {
            if self.kind(at + 1) == K::ColonColon {
                at += 2;
                continue;
            }
            let is_name = self.text(at) != Symbol::EMPTY;
            match self.partner(at + 1) {
                Some(close) if is_name && self.kind(at + 1) == K::LeftParen && close < end => {
                    list.push(self.attribute_named(at, at + 2, close));
                    at = close + 1;
                }
                _ => {
                    if is_name {
                        list.push(self.attribute_named(at, at + 1, at + 1));
                    }
                    at += 1;
                }
            }
        }
        list
    }

    /// Returns the closing parenthesis and the contents of the assembly whose keyword is at `at`.
    pub fn assembly(self, at: usize) -> Option<(usize, Assembly)> {
        let mut open = at + 1;
        while matches!(self.kind(open), K::Volatile | K::Inline | K::Goto | K::Const) {
            open += 1;
        }
        let close = self.partner(open).filter(|_| self.kind(open) == K::LeftParen)?;
        let text = (open + 1..close).take_while(|&at| self.kind(at) == K::String);
        let text = text.map(|at| self.name(at)).collect();
        // Outputs follow the first colon, inputs the second, labels the fourth; `::` counts twice. Operands are in
        // parentheses after their constraints.
        let mut colons = 0;
        let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
        let (mut members, mut labels, mut operands) = (Vec::new(), Vec::new(), Vec::new());
        let mut inside = open + 1;
        while inside < close {
            if self.kind(inside) == K::LeftParen && matches!(colons, 1 | 2) {
                operands.push(self.operand(inside));
            }
            match self.kind(inside) {
                K::Colon => colons += 1,
                K::ColonColon => colons += 2,
                K::LeftParen if colons == 1 => self.names_within(inside, &mut outputs, &mut members),
                K::LeftParen if colons == 2 => self.names_within(inside, &mut inputs, &mut members),
                kind if colons >= 4 && is_name(kind) => labels.push(self.name(inside)),
                _ => {}
            }
            inside = self.behind(inside);
        }
        let assembly = Assembly {
            text,
            outputs: outputs.into(),
            inputs: inputs.into(),
            operands: operands.into(),
            members: members.into(),
            labels: labels.into(),
        };
        Some((close, assembly))
    }

    /// Returns the operand in a pair of parentheses.
    fn operand(self, open: usize) -> AssemblyOperand {
        match self.kind(open + 1) {
            _ if self.kind(open + 2) != K::RightParen => AssemblyOperand::Other,
            K::Number => AssemblyOperand::Number(self.name(open + 1)),
            kind if is_name(kind) => AssemblyOperand::Name(self.name(open + 1)),
            _ => AssemblyOperand::Other,
        }
    }

    /// Adds the names inside a pair of parentheses to `names`, or to `members` after `.` or `->`.
    fn names_within(self, open: usize, names: &mut Vec<Name>, members: &mut Vec<Name>) {
        let close = self.partner(open).unwrap_or(open);
        for at in (open + 1..close).filter(|&at| is_name(self.kind(at))) {
            match self.kind(at - 1) {
                K::Dot | K::Arrow => members.push(self.name(at)),
                _ => names.push(self.name(at)),
            }
        }
    }
}

/// The spelling of a token within a name that consists of several tokens.
pub(super) fn spelling(item: &AdapterToken) -> &'static str {
    match item.token.text {
        Symbol::EMPTY => item.token.kind.spelling().unwrap_or_default(),
        text => text.as_str(),
    }
}
