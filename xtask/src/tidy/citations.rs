//! Citations in documentation comments must have an entry in `docs/references.md`.
//!
//! A citation is a key in brackets: a name and a year of two or four digits, `[aristidou11]`, or
//! any key with escaped brackets, `\[ozz\]`. Code in backticks and fenced blocks is not read.

use super::Finding;
use super::text::has_word;

/// Words in escaped brackets that are units, not keys: `\[rad\]`.
const UNITS: [&str; 11] = [
    "rad",
    "deg",
    "degrees",
    "microseconds",
    "bytes",
    "pixels",
    "seconds",
    "metres",
    "frames",
    "units",
    "bones",
];

/// The citations in `source` whose key is not a word of `references`.
pub(super) fn unknown(source: &str, references: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in source.lines().enumerate() {
        let trimmed = line.trim_start();
        let doc = trimmed.strip_prefix("///").or_else(|| trimmed.strip_prefix("//!"));
        let Some(doc) = doc else {
            fenced = false;
            continue;
        };
        if doc.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            for key in keys(doc) {
                if !has_word(references, key) {
                    let message = format!("cites [{key}], which is not in docs/references.md");
                    found.push(Finding::new(index + 1, message));
                }
            }
        }
    }
    found
}

/// The keys cited in one line of documentation.
fn keys(doc: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // Every second piece between backticks is code.
    for prose in doc.split('`').step_by(2) {
        for (at, _) in prose.match_indices('[') {
            let before = prose[..at].chars().next_back();
            let Some(end) = prose[at..].find(']') else { continue };
            let inside = &prose[at + 1..at + end];
            let escaped = before == Some('\\') && inside.ends_with('\\');
            let key = inside.trim_end_matches('\\');
            let indexes = before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ')');
            if (escaped && is_word(key)) || (!indexes && is_name_and_year(key)) {
                found.push(key);
            }
        }
    }
    found
}

fn is_word(key: &str) -> bool {
    key.len() > 2
        && !UNITS.contains(&key)
        && key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Letters, then a year of two or four digits, then at most one letter: `wampler86`, `lasenby2011b`.
fn is_name_and_year(key: &str) -> bool {
    let name = key.trim_end_matches(|c: char| c.is_ascii_lowercase());
    if key.len() - name.len() > 1 {
        return false;
    }
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.len() - letters.len();
    is_word(key) && letters.len() > 2 && (digits == 2 || digits == 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(doc: &str) -> Vec<String> {
        unknown(doc, "").into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn keys_with_a_year_and_escaped_keys_are_citations() {
        for line in [
            "/// Method of [wampler86].",
            "//! See [lasenby2011b](../docs/references.md).",
            "    /// Damping: \\[ozz\\], and more.",
        ] {
            assert_eq!(cited(line).len(), 1, "{line}");
        }
        assert_eq!(cited("/// [aristidou11], [wang91]").len(), 2, "two in a line");
    }

    #[test]
    fn links_indices_code_and_plain_comments_are_not() {
        for line in [
            "/// See [`Pose`] and [the book](x) and [Error::Length].",
            "/// The value x[abc12] and `[abc12]` and [0, 1] and [q1].",
            "/// The angle \\[rad\\], the distance \\[m\\].",
            "/// ```\n/// let a = [abc12];\n/// ```",
            "// A plain comment [abc12].",
            "let a = [abc12];",
        ] {
            assert_eq!(cited(line), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn a_key_in_the_references_is_known() {
        let references = "- **wampler86**: C. W. Wampler, 1986.\n";
        assert_eq!(unknown("/// [wampler86]", references), [], "listed");
        assert_eq!(unknown("\n/// [wampler8]\n/// [wampler87]", references)[0].line, 3, "missing");
    }
}
