//! Formats Markdown for a terminal: wrapped to its width, with styles for headings and colours for code.
//!
//! The pages of the rules have headings, paragraphs, lists and fenced code. Other elements are printed as plain text.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::human::Terminal;

/// The maximum length of a line of text, in columns.
const WIDEST: usize = 100;

const BOLD: &str = "\u{1b}[1m";
const CODE: &str = "\u{1b}[36m";
const EMPHASIS: &str = "\u{1b}[3m";
const PLAIN: &str = "\u{1b}[0m";

/// Formats a page for a terminal. A page without a terminal width, as for a pipe, stays Markdown.
pub fn rendered(page: &str, terminal: Terminal) -> String {
    let Some(width) = terminal.width else { return page.to_owned() };
    let mut page_out = Page { color: terminal.color, width: width.min(WIDEST), ..Page::default() };
    Parser::new(page).for_each(|event| page_out.add(event));
    page_out.out.trim_end().to_owned() + "\n"
}

#[derive(Default)]
struct Page {
    color: bool,
    width: usize,
    out: String,
    /// The text of the current paragraph, heading, item or code block.
    text: String,
    /// The enclosing lists: the next number of each, or `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The bullet or number of an item whose text is not yet printed.
    mark: Option<String>,
    code: bool,
}

impl Page {
    fn add(&mut self, event: Event) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.style(BOLD),
            Event::Start(Tag::Emphasis) => self.style(EMPHASIS),
            Event::Start(Tag::Strong) => self.style(BOLD),
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => self.style(PLAIN),
            Event::Start(Tag::CodeBlock(kind)) => {
                debug_assert!(matches!(kind, CodeBlockKind::Fenced(_) | CodeBlockKind::Indented));
                self.code = true;
            }
            Event::End(TagEnd::CodeBlock) => {
                self.code = false;
                self.block();
            }
            Event::Start(Tag::List(first)) => {
                self.end_text();
                self.lists.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
            }
            Event::Start(Tag::Item) => {
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
                self.mark = Some(mark);
            }
            Event::End(TagEnd::Item) => self.end_text(),
            Event::End(TagEnd::Heading(_)) => {
                self.style(PLAIN);
                self.end_text();
                self.out.push('\n');
            }
            Event::End(TagEnd::Paragraph) => {
                self.end_text();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text += &text,
            Event::Code(text) if self.color => {
                self.style(CODE);
                self.text += &text;
                self.style(PLAIN);
            }
            Event::Code(text) => self.text += &format!("`{text}`"),
            Event::SoftBreak => self.text.push(' '),
            Event::HardBreak => self.text.push('\n'),
            _ => {}
        }
    }

    fn style(&mut self, style: &str) {
        if self.color {
            self.text += style;
        }
    }

    /// Prints the collected text, wrapped. The text of an item is indented.
    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        let indent = " ".repeat(2 * self.lists.len());
        let mark = self.mark.take();
        let outer = " ".repeat(2 * self.lists.len().saturating_sub(1));
        let first = mark.map_or(indent.clone(), |mark| outer + &mark);
        let options = textwrap::Options::new(self.width)
            .initial_indent(&first)
            .subsequent_indent(&indent)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        self.out += &textwrap::fill(&text, options);
        self.out.push('\n');
    }

    /// Prints a block of code, indented and not wrapped.
    fn block(&mut self) {
        let text = std::mem::take(&mut self.text);
        let (start, end) = if self.color { (CODE, PLAIN) } else { ("", "") };
        for line in text.lines() {
            match line.is_empty() {
                true => self.out.push('\n'),
                false => self.out += &format!("    {start}{line}{end}\n"),
            }
        }
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    const PAGE: &str = "# rule\n\nA *long* paragraph with `code` that is wrapped\nat a width.\n\n## Bad\n\n```opencl\nint  x;\n\nint y;\n```\n\n- one item that is long enough to wrap\n- two\n";

    #[test]
    fn text_is_wrapped_and_code_is_not() {
        let plain = rendered(PAGE, Terminal { color: false, width: Some(24) });
        expect![[r#"
            rule

            A long paragraph with
            `code` that is wrapped
            at a width.

            Bad

                int  x;

                int y;

            - one item that is long
              enough to wrap
            - two
        "#]]
        .assert_eq(&plain);
    }

    #[test]
    fn colours_mark_headings_and_code_without_taking_width() {
        let colored = rendered(PAGE, Terminal { color: true, width: Some(24) });
        assert!(colored.starts_with("\u{1b}[1mrule\u{1b}[0m\n"), "{colored:?}");
        assert!(colored.contains("\u{1b}[36mcode\u{1b}[0m that is wrapped at\n"), "{colored:?}");
        assert!(!colored.contains('#') && !colored.contains('`'), "{colored:?}");
    }

    #[test]
    fn markdown_is_printed_unchanged_to_a_pipe() {
        assert_eq!(rendered(PAGE, Terminal { color: false, width: None }), PAGE);
    }
}
