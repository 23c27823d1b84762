//! The names of output files, one for each motion.

use std::collections::BTreeSet;

/// The largest length of a name in characters; file systems allow 255 bytes, including an extension and a number.
const LONGEST: usize = 120;

/// Names that some systems reserve, with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Unique names for the files of motions, in their order, that every system allows.
///
/// Characters that some systems do not allow become `_`; a motion without a name is named after its file and its number; of motions with the same name, ignoring case,
/// the second gets a 2.
///
/// - `titles`: the names of the motions
/// - `stem`: the name of their file, without its extension
pub(super) fn file_names(titles: &[Option<&str>], stem: &str, extension: &str) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let name = |(index, title): (usize, &Option<&str>)| {
        let title = title.map(safe).filter(|title| !title.is_empty());
        let plain = title.unwrap_or_else(|| format!("{}-{}", safe(stem), index + 1));
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut all = core::iter::once(plain.clone()).chain(numbered);
        let name = all.find(|name| taken.insert(name.to_lowercase())).unwrap_or(plain);
        format!("{name}.{extension}")
    };
    titles.iter().enumerate().map(name).collect()
}

/// A name that every system allows.
fn safe(name: &str) -> String {
    let is_other = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let replaced: String = name.chars().map(|c| if is_other(c) { '_' } else { c }).collect();
    // A name that begins with a dot is hidden, and some systems drop a dot or a blank at the end.
    let is_edge = |c: char| c == '.' || c.is_whitespace();
    let trimmed = replaced.trim_matches(is_edge);
    let cut = (0..=LONGEST.min(trimmed.len())).rev().find(|&end| trimmed.is_char_boundary(end));
    let kept = trimmed[..cut.unwrap_or(0)].trim_end_matches(is_edge);
    if is_device(kept) { format!("_{kept}") } else { kept.to_owned() }
}

/// True for device names of Windows.
fn is_device(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let port = first.strip_prefix("com").or_else(|| first.strip_prefix("lpt"));
    let is_port = port.is_some_and(|number| number.len() == 1 && number != "0")
        && port.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    is_port || DEVICES.contains(&first.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_told_apart() {
        let titles = [
            Some("Armature|mixamo.com|Layer0"),
            Some("Walk"),
            Some("walk"),
            Some("Walk-2"),
            Some("../../etc/passwd"),
            Some(" .hidden. "),
            Some("nul.x"),
            Some("com7"),
            Some("com"),
            Some("a\nb\0"),
            Some(""),
            None,
            Some("..."),
        ];
        let names = file_names(&titles, "pack", "bvh");
        assert_eq!(
            names,
            [
                "Armature_mixamo.com_Layer0.bvh",
                "Walk.bvh",
                "walk-2.bvh",
                "Walk-2-2.bvh",
                "_.._etc_passwd.bvh",
                "hidden.bvh",
                "_nul.x.bvh",
                "_com7.bvh",
                "com.bvh",
                "a_b_.bvh",
                "pack-11.bvh",
                "pack-12.bvh",
                "pack-13.bvh",
            ]
        );
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        let names = file_names(&[Some(&"ä".repeat(400)), Some(&"ä".repeat(300))], "x", "glb");
        assert_eq!(names[0], format!("{}.glb", "ä".repeat(60)));
        assert_eq!(names[1], format!("{}-2.glb", "ä".repeat(60)));
    }
}
