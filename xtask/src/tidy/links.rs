//! Links of Markdown pages, pictures among them, lead to files of the repository.

use std::path::Path;

use super::Finding;

/// The links of a page to files that are not there.
///
/// - `path`: of the page
/// - `exists`: whether there is a file or folder at a path
pub(super) fn broken(path: &str, text: &str, exists: impl Fn(&Path) -> bool) -> Vec<Finding> {
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let mut findings = Vec::new();
    for (line, words) in (1..).zip(text.lines()) {
        for link in words.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if !link.is_empty() && !link.contains(':') && !exists(&folder.join(link)) {
                findings.push(Finding::new(line, format!("there is no file {link}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files() {
        let exists = |path: &Path| path == Path::new("docs/arms.md");
        let text = "[a](arms.md#motion), [b](#here), [c](https://docs.rs)\n![d](images/none.svg)";
        let findings = broken("docs/library.md", text, exists);
        assert_eq!(findings, [Finding::new(2, "there is no file images/none.svg")]);
    }
}
