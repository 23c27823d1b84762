//! ARCHITECTURE.md must name every crate and every module directory.

use super::Finding;

/// The largest number of lines of the file: it must stay readable.
const MAX_LINES: usize = 300;

/// The crates and module directories among `paths` that `architecture` does not name, and whether
/// it is missing or too long. A directory is named by its last part and a slash: `skeleton/`.
pub(super) fn missing_rooms(architecture: &str, paths: &[&str]) -> Vec<Finding> {
    if architecture.is_empty() {
        return vec![Finding::new(0, "is missing: it describes the crates and modules")];
    }
    let mut found = Vec::new();
    let lines = architecture.lines().count();
    if lines > MAX_LINES {
        found.push(Finding::new(0, format!("{lines} lines, {MAX_LINES} at most")));
    }
    for directory in rooms(paths) {
        let name = directory.rsplit('/').next().unwrap_or(directory);
        if !names_directory(architecture, name) {
            found.push(Finding::new(0, format!("does not name {name}/ ({directory})")));
        }
    }
    found
}

/// Directories with a manifest (crates, workspaces) or a `mod.rs`, except the root.
fn rooms<'a>(paths: &[&'a str]) -> Vec<&'a str> {
    let is_test = |directory: &str| directory.split('/').any(|part| part == "tests");
    paths
        .iter()
        .filter_map(|path| {
            path.strip_suffix("/Cargo.toml").or_else(|| path.strip_suffix("/mod.rs"))
        })
        .filter(|directory| !is_test(directory))
        .collect()
}

fn names_directory(text: &str, name: &str) -> bool {
    let start = format!("{name}/");
    text.match_indices(&start).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || "_-".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 6] = [
        "Cargo.toml",
        "crates/posekit/Cargo.toml",
        "crates/posekit/src/math/mod.rs",
        "crates/posekit/src/math/pose.rs",
        "crates/posekit/tests/common/mod.rs",
        "bench/Cargo.toml",
    ];

    #[test]
    fn crates_and_rooms_must_be_on_the_map() {
        assert_eq!(
            missing_rooms("posekit/, bench/ and `math/`", &PATHS),
            [],
            "tests and the root need no place"
        );
        let found = missing_rooms("posekit/ and aftermath/ and workbench/", &PATHS);
        let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            ["does not name math/ (crates/posekit/src/math)", "does not name bench/ (bench)"],
            "a longer name does not count"
        );
    }

    #[test]
    fn a_map_exists_and_is_short() {
        assert_eq!(missing_rooms("", &[]).len(), 1, "no map");
        assert_eq!(missing_rooms(&"x\n".repeat(301), &[]).len(), 1, "too long a map");
    }
}
