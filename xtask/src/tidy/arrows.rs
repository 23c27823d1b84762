//! Checks the dependencies between modules of the library.

use super::Finding;

/// A module and the modules that it may use besides itself. A module that is not listed here may use all.
const ARROWS: [(&str, &[&str]); 7] = [
    ("math", &[]),
    ("skeleton", &["math"]),
    ("chain", &["math"]),
    ("limb", &["math"]),
    ("task", &["math", "skeleton"]),
    ("solve", &["math", "skeleton", "chain", "limb", "task"]),
    ("batch", &["math", "skeleton", "chain", "limb", "task", "solve"]),
];

/// A file that may use one more module than its own module may.
const EXCEPTIONS: [(&str, &str); 1] = [("limb/apply.rs", "skeleton")];

const LIBRARY: &str = "crates/posekit/src/";

/// The uses of other modules in a file of the library that are not allowed. Comments and the tests
/// at the end of a file may use all.
pub(super) fn forbidden(path: &str, source: &str) -> Vec<Finding> {
    let Some(path) = path.strip_prefix(LIBRARY) else { return Vec::new() };
    let Some((room, _)) = path.split_once('/') else { return Vec::new() };
    let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == room) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let code = code_of(source);
    for (at, _) in code.match_indices("crate::") {
        for used in first_names(&code[at + "crate::".len()..]) {
            let is_room = ARROWS.iter().any(|(name, _)| *name == used);
            let is_allowed = allowed.contains(&used) || EXCEPTIONS.contains(&(path, used));
            if is_room && used != room && !is_allowed {
                let line = code[..at].matches('\n').count() + 1;
                found.push(Finding::new(line, format!("{room} must not use {used}")));
            }
        }
    }
    found
}

/// The source without comment lines and without everything from the first `#[cfg(test)]` on; line
/// numbers are unchanged.
fn code_of(source: &str) -> String {
    let end = source.find("\n#[cfg(test)]").unwrap_or(source.len());
    let mut code = String::with_capacity(end);
    for line in source[..end].lines() {
        if !line.trim_start().starts_with("//") {
            code.push_str(line);
        }
        code.push('\n');
    }
    code
}

/// The names that follow `crate::`: one, or the first of each entry of a brace group.
fn first_names(rest: &str) -> Vec<&str> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![leading_name(rest)];
    };
    let mut names = vec![leading_name(group)];
    let mut depth = 0;
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(leading_name(&group[at + 1..])),
            _ => {}
        }
    }
    names
}

fn leading_name(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(room: &str, source: &str) -> Vec<String> {
        let path = format!("{LIBRARY}{room}/file.rs");
        forbidden(&path, source).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn an_arrow_against_the_order_is_found() {
        assert_eq!(
            messages("skeleton", "use crate::solve::Status;"),
            ["skeleton must not use solve"],
            "a plain use"
        );
        assert_eq!(
            messages("math", "use crate::{\n    error::Error, skeleton::{Joint, Limit}, limb};"),
            ["math must not use skeleton", "math must not use limb"],
            "a group"
        );
        assert_eq!(
            forbidden("crates/posekit/src/chain/a.rs", "fn f() {}\nfn g(x: crate::task::Task) {}")
                [0]
            .line,
            2,
            "a path in code"
        );
    }

    #[test]
    fn allowed_arrows_comments_tests_and_other_crates_pass() {
        let none = Vec::<String>::new();
        assert_eq!(messages("solve", "use crate::{chain, math::Pose, Error};"), none, "down");
        assert_eq!(messages("math", "/// See [`crate::solve`]."), none, "a link");
        assert_eq!(messages("math", "\n#[cfg(test)]\nuse crate::solve::S;"), none, "a test");
        assert_eq!(forbidden("crates/posekit/src/lib.rs", "use crate::solve;"), [], "the root");
        assert_eq!(forbidden("xtask/src/tidy/a.rs", "use crate::solve;"), [], "another crate");
    }
}
