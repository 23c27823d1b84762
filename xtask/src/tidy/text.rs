//! Rules about the text of one file.

use super::Finding;

/// The largest number of lines of a source file.
const MAX_LINES: usize = 1000;

/// The first components of absolute paths of one machine.
const MACHINE_ROOTS: [&str; 5] = ["home", "Users", "root", "work", "tmp"];

/// Marks of unfinished work; spelled in halves so that this file passes its own rule.
const UNFINISHED: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// Hosts of package registries, in halves for the same reason. A build that names one does not work
/// behind a mirror.
const REGISTRIES: [&str; 6] = [
    concat!("crates", ".io"),
    concat!("registry.", "npmjs.org"),
    concat!("pypi", ".org"),
    concat!("files.", "pythonhosted.org"),
    concat!("sparse", "+http"),
    concat!("registry", "+http"),
];

/// A Rust file begins with its documentation.
pub(super) fn missing_module_doc(text: &str) -> Option<Finding> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    (!first.starts_with("//!")).then(|| Finding::new(1, "has no `//!` doc as its first line"))
}

/// A Rust file has at most [`MAX_LINES`].
pub(super) fn too_long(text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    (lines > MAX_LINES).then(|| Finding::new(0, format!("{lines} lines, {MAX_LINES} at most")))
}

/// No absolute path of a machine.
pub(super) fn machine_paths(text: &str) -> Vec<Finding> {
    numbered(text)
        .filter(|(_, line)| has_machine_path(line))
        .map(|(number, _)| {
            Finding::new(
                number,
                "an absolute path of one machine; write it relative to the repository",
            )
        })
        .collect()
}

fn has_machine_path(line: &str) -> bool {
    let begins_a_path = |before: &str| {
        before.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && !"/._-~*})>".contains(c))
    };
    let unix = MACHINE_ROOTS.iter().any(|root| {
        let start = format!("/{root}/");
        line.match_indices(&start).any(|(at, _)| begins_a_path(&line[..at]))
    });
    // A drive letter, a colon, a backslash and the directory of the users.
    unix || line
        .match_indices(":\\Users\\")
        .any(|(at, _)| line[..at].chars().next_back().is_some_and(|c| c.is_ascii_uppercase()))
}

/// No name of a registry's host.
pub(super) fn registry_hosts(text: &str) -> Vec<Finding> {
    numbered(text)
        .filter_map(|(number, line)| {
            let host = REGISTRIES.iter().find(|host| line.contains(**host))?;
            Some(Finding::new(number, format!("names the registry host {host}; say \"registry\"")))
        })
        .collect()
}

/// No mark of unfinished work.
pub(super) fn unfinished_marks(text: &str) -> Vec<Finding> {
    numbered(text)
        .filter_map(|(number, line)| {
            let mark = UNFINISHED.iter().find(|mark| has_word(line, mark))?;
            Some(Finding::new(number, format!("contains {mark}; do it now or open an issue")))
        })
        .collect()
}

/// Whether `word` occurs with no letter, digit or `_` on either side.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_says_what_it_is_first() {
        assert_eq!(missing_module_doc("//! Angles.\nuse x;\n"), None, "documented");
        assert_eq!(missing_module_doc("\n\n//! Angles.\n"), None, "after empty lines");
        assert_eq!(missing_module_doc(""), None, "an empty file has nothing to explain");
        assert!(missing_module_doc("use x;\n//! Late.\n").is_some(), "not first");
        assert!(missing_module_doc("/// An item.\nfn f() {}\n").is_some(), "an item's doc");
    }

    #[test]
    fn a_file_may_have_a_thousand_lines() {
        assert_eq!(too_long(&"x\n".repeat(1000)), None, "the last length allowed");
        assert!(too_long(&"x\n".repeat(1001)).is_some(), "one more");
    }

    #[test]
    fn machine_paths_are_found_where_a_path_begins() {
        for root in MACHINE_ROOTS {
            for line in [format!("/{root}/a"), format!("see `/{root}/a`"), format!("x=/{root}/a")] {
                assert_eq!(machine_paths(&line).len(), 1, "{line}");
            }
            for line in [
                format!("https://example.org/{root}/a"),
                format!("../{root}/a"),
                format!("a {root}/b"),
            ] {
                assert_eq!(machine_paths(&line), [], "{line}");
            }
        }
        let windows = format!("C{}", ":\\Users\\x");
        assert_eq!(machine_paths(&windows)[0].line, 1, "a drive letter");
    }

    #[test]
    fn registry_hosts_are_found_anywhere_in_a_line() {
        for host in REGISTRIES {
            let text = format!("fine\nfrom https://{host}/x\n");
            assert_eq!(registry_hosts(&text)[0].line, 2, "{host}");
        }
        assert_eq!(registry_hosts("the Rust registry, docs.rs"), [], "a word and a manual");
    }

    #[test]
    fn unfinished_marks_are_whole_words() {
        for mark in UNFINISHED {
            assert_eq!(unfinished_marks(&format!("// {mark}: later")).len(), 1, "{mark}");
            assert_eq!(unfinished_marks(&format!("MAS{mark}N")), [], "inside a word");
        }
    }
}
