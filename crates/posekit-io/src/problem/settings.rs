//! Settings as JSON: any fields of [`Settings`]; the others are unchanged.

use posekit::chain::relaxation::Reading;
use posekit::skeleton::Skeleton;
use posekit::solve::{Detail, JointOptions, Settings};

use crate::error::{Error, Place, Result};
use crate::figure::RootMode;
use crate::json::{Cursor, Document};
use crate::limits::Limits;

const FIELDS: [&str; 10] = [
    "tolerance",
    "orientation_tolerance",
    "iterations",
    "classic",
    "trace",
    "ccd",
    "relaxation",
    "least_squares",
    "locked",
    "root",
];

const DETAILS: [(&str, Detail); 3] =
    [("off", Detail::Off), ("iterations", Detail::Iterations), ("half-steps", Detail::HalfSteps)];

const READINGS: [(&str, Reading); 3] = [
    ("angles", Reading::Angles),
    ("remeasured", Reading::Remeasured),
    ("stretched", Reading::Stretched),
];

/// Overrides settings with those in a JSON object.
///
/// The names are those of [`Settings`]; `ccd`, `relaxation` and `least_squares` are objects. The tolerances may be null. `trace` is `off`, `iterations`
/// or `half-steps`; `reading` is `angles`, `remeasured` or `stretched`; `root` is `free`, `pinned` or `pre-pulled`.
///
/// The options of joints are in the object of the method that uses them: `weights` in `ccd` are their shares, `weights` in `relaxation` their weights,
/// `stiffness` and `largest_change` are in `least_squares`. Each is a list of numbers from the first joint on, or an object by joint; other joints have
/// the default (1, and no bound for `largest_change`). `locked` is a list of joints by name or index, in place of those that were locked; the
/// [roots](Skeleton::is_root) stay locked until `root` frees them.
///
/// - `skeleton`: the joints; `None` for bare points, which have none to name
///
/// # Errors
/// Every fault of the text, with its place: unknown fields, joints that are not there, numbers that are none. Ranges are checked by
/// [`Workspace::begin`](posekit::solve::Workspace::begin).
///
/// # Example
/// ```
/// use posekit::solve::Settings;
/// use posekit_io::problem::read_settings;
///
/// let mut settings = Settings::default();
/// read_settings(r#"{ "iterations": 12, "relaxation": { "passes": 4 } }"#, None, &mut settings)?;
/// assert_eq!((settings.iterations, settings.relaxation.passes), (12, 4));
/// # Ok::<(), posekit_io::Error>(())
/// ```
pub fn read_settings(
    text: &str,
    skeleton: Option<&Skeleton>,
    settings: &mut Settings,
) -> Result<()> {
    let document = Document::parse(text, &Limits::default())?;
    let file = document.root().object(&FIELDS)?;
    // Before the locked joints, which may include a root.
    if let Some(root) = file.optional("root") {
        let mode = RootMode::read(&root)?;
        let Some(skeleton) = skeleton else {
            return Err(root.invalid("a chain of bare points has no joints"));
        };
        mode.apply(skeleton, settings);
    }
    for (name, value) in file.fields() {
        match name {
            "tolerance" if value.is_null() => settings.tolerance = None,
            "tolerance" => settings.tolerance = Some(value.non_negative("a tolerance")?),
            "orientation_tolerance" if value.is_null() => settings.orientation_tolerance = None,
            "orientation_tolerance" => {
                settings.orientation_tolerance = Some(value.non_negative("a tolerance")?);
            }
            "iterations" => settings.iterations = value.count()?,
            "classic" => settings.classic = value.flag()?,
            "trace" => settings.trace = word(&value, "detail", &DETAILS)?,
            "ccd" => read_ccd(&value, skeleton, settings)?,
            "relaxation" => read_relaxation(&value, skeleton, settings)?,
            "least_squares" => read_least_squares(&value, skeleton, settings)?,
            "locked" => {
                for (joint, options) in settings.joints.iter_mut().enumerate() {
                    options.locked &= skeleton.is_some_and(|skeleton| skeleton.is_root(joint));
                }
                for joint in value.list()? {
                    settings.joint(joint_index(&joint, skeleton)?).locked = true;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn read_ccd(
    value: &Cursor<'_>,
    skeleton: Option<&Skeleton>,
    settings: &mut Settings,
) -> Result<()> {
    if let Some(weights) = value.object(&["weights"])?.optional("weights") {
        read_joints(&weights, skeleton, settings, |joint| &mut joint.share)?;
    }
    Ok(())
}

fn read_relaxation(
    value: &Cursor<'_>,
    skeleton: Option<&Skeleton>,
    settings: &mut Settings,
) -> Result<()> {
    for (name, value) in value.object(&["weights", "passes", "reading"])?.fields() {
        match name {
            "weights" => read_joints(&value, skeleton, settings, |joint| &mut joint.weight)?,
            "passes" => settings.relaxation.passes = value.count()?,
            _ => settings.relaxation.reading = word(&value, "reading", &READINGS)?,
        }
    }
    Ok(())
}

fn read_least_squares(
    value: &Cursor<'_>,
    skeleton: Option<&Skeleton>,
    settings: &mut Settings,
) -> Result<()> {
    let known = ["stiffness", "largest_change", "regularisation", "least_change", "restarts"];
    for (name, value) in value.object(&known)?.fields() {
        let least = &mut settings.least_squares;
        match name {
            "stiffness" => read_joints(&value, skeleton, settings, |joint| &mut joint.stiffness)?,
            "largest_change" => {
                read_joints(&value, skeleton, settings, |joint| &mut joint.largest_change)?;
            }
            "regularisation" => least.regularisation = value.non_negative("a regularisation")?,
            "least_change" => least.least_change = value.flag()?,
            _ => least.restarts = value.count()?,
        }
    }
    Ok(())
}

/// The value of a word.
fn word<T: Copy>(value: &Cursor<'_>, what: &str, words: &[(&str, T)]) -> Result<T> {
    let text = value.text()?;
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        value.invalid(format!("unknown {what} `{text}`, expected one of {}", known.join(", ")))
    })
}

/// A joint by name or by index.
fn joint_index(value: &Cursor<'_>, skeleton: Option<&Skeleton>) -> Result<usize> {
    let Some(skeleton) = skeleton else {
        return Err(value.invalid("a chain of bare points has no joints"));
    };
    if value.is_text() {
        let name = value.text()?;
        return skeleton.find(name).ok_or_else(|| no_such_joint(value.place(), name));
    }
    let index = usize::try_from(value.count()?).unwrap_or(usize::MAX);
    if index < skeleton.n_joints() {
        return Ok(index);
    }
    Err(value.invalid(format!("there are {} joints, counted from 0", skeleton.n_joints())))
}

/// One option of the joints: a list of numbers, or an object that names joints; the others have the default.
fn read_joints(
    value: &Cursor<'_>,
    skeleton: Option<&Skeleton>,
    settings: &mut Settings,
    option: fn(&mut JointOptions) -> &mut f64,
) -> Result<()> {
    let usual = *option(&mut JointOptions::default());
    settings.joints.iter_mut().for_each(|joint| *option(joint) = usual);
    if value.is_list() {
        for (joint, number) in value.numbers()?.into_iter().enumerate() {
            *option(settings.joint(joint)) = number;
        }
        return Ok(());
    }
    let fields = value.any_object()?;
    let Some(skeleton) = skeleton else {
        return Err(value.invalid("a chain of bare points has no joints to name"));
    };
    for (name, number) in fields.fields() {
        let joint = skeleton.find(name).ok_or_else(|| no_such_joint(number.place(), name))?;
        *option(settings.joint(joint)) = number.number()?;
    }
    Ok(())
}

fn no_such_joint(place: Place, name: &str) -> Error {
    Error::NoSuchName { place, kind: "joint", name: name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::glam::DVec3;
    use posekit::skeleton::Joint;

    fn skeleton() -> Skeleton {
        let mut builder = Skeleton::builder();
        let hip = builder.add(Joint::ball("hip"));
        builder.add(Joint::revolute("knee", DVec3::Z).child_of(hip));
        builder.build().unwrap()
    }

    fn read(text: &str) -> Result<Settings> {
        let mut settings = Settings::default();
        read_settings(text, Some(&skeleton()), &mut settings).map(|()| settings)
    }

    #[test]
    fn what_is_not_named_stays() {
        assert_eq!(read("{}").unwrap(), Settings::default());
        let settings = read(
            r#"{ "tolerance": 0.5, "classic": true, "trace": "half-steps", "locked": ["knee", 0], "root": "pinned",
                 "ccd": { "weights": { "knee": 0.5 } }, "least_squares": { "largest_change": { "hip": 0.1 }, "restarts": 0 } }"#,
        )
        .unwrap();
        assert_eq!((settings.tolerance, settings.classic), (Some(0.5), true));
        assert_eq!(settings.trace, Detail::HalfSteps);
        let locked = JointOptions::default().with_locked(true);
        assert_eq!(settings.joints, [locked.with_largest_change(0.1), locked.with_share(0.5)]);
        assert_eq!(settings.least_squares.restarts, 0);
        assert_eq!(settings.iterations, Settings::default().iterations);
    }

    #[test]
    fn roots_are_locked_until_they_are_freed() {
        let mut settings = Settings::default();
        let mut locked = |text: &str| {
            read_settings(text, Some(&skeleton()), &mut settings).unwrap();
            [0, 1].map(|joint| settings.joint_options(joint).locked)
        };
        assert_eq!(locked(r#"{ "locked": ["knee"], "root": "pinned" }"#), [true, true]);
        assert_eq!(locked(r#"{ "locked": [] }"#), [true, false]);
        assert_eq!(locked(r#"{ "root": "pre-pulled" }"#), [false, false]);
        assert_eq!(locked(r#"{ "locked": ["hip"], "root": "free" }"#), [true, false]);
        assert!(!settings.joint_options(0).pre_pulled);
    }

    #[test]
    fn faults_have_a_place() {
        for (text, message) in [
            (r#"{ "iteration": 1 }"#, "unknown field `iteration`"),
            (r#"{ "iterations": -1 }"#, "expected a whole number"),
            (r#"{ "trace": "all" }"#, "unknown detail `all`, expected one of off, iterations"),
            (r#"{ "locked": ["toe"] }"#, "there is no joint `toe`"),
            (r#"{ "locked": [2] }"#, "there are 2 joints"),
            (r#"{ "ccd": { "weights": { "toe": 1 } } }"#, "there is no joint `toe`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message) && error.contains("line 1"), "{error}");
        }
    }
}
