//! Outcomes and numbers in plain words.

use super::look::SolverLook;

/// The outcome of a solve, with the data for its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// The target was reached.
    Reached,
    /// The target is out of reach by this much, in the problem's unit.
    Unreachable {
        /// Distance that is missing.
        shortfall: f64,
    },
    /// These joints are at their limits, or have reached their largest change.
    Blocked {
        /// The joints that hold the pose back.
        joints: Vec<HeldJoint>,
    },
    /// No progress, and no proof that none is possible.
    Stalled,
    /// The iterations ran out.
    IterationLimit,
    /// Stopped from outside.
    Cancelled,
}

/// A joint that cannot move further.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeldJoint {
    /// Its name.
    pub(crate) name: String,
    /// The limit that it is at, or the largest change that it has reached.
    pub(crate) limit: HeldLimit,
}

/// The value of a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum HeldLimit {
    /// An angle \[rad\], shown in degrees.
    Angle(f64),
    /// A distance, in the problem's unit.
    Distance(f64),
    /// Not a single number (a cone with twist).
    Shape,
    /// Not a limit but the largest rotation from its start \[rad\].
    Turn(f64),
    /// The same for a slide, in the problem's unit.
    Slide(f64),
}

/// The effort of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Iterations as the library counts them: 0 when the start met the target, and at least 1 for a closed form.
    pub(crate) iterations: u32,
    /// True for a closed form, whose single step is not called an iteration.
    pub(crate) is_closed_form: bool,
}

impl Effort {
    /// The effort of a solver. The kernel of arms without a closed form, which looks as one does, iterates.
    pub(crate) const fn of(solver: SolverLook, iterations: u32) -> Self {
        Self { iterations, is_closed_form: solver.is_closed_form() && iterations <= 1 }
    }
}

impl Outcome {
    /// A one-character mark for terminals, with the same meaning as the text beside it.
    pub(crate) const fn mark(&self) -> &'static str {
        match self {
            Self::Reached => "✓",
            Self::Unreachable { .. } => "○",
            Self::Blocked { .. } => "■",
            Self::Stalled => "~",
            Self::IterationLimit => "…",
            Self::Cancelled => "×",
        }
    }

    /// True when the target was reached.
    pub(crate) const fn is_reached(&self) -> bool {
        matches!(self, Self::Reached)
    }
}

/// The outcome in words: "reached in 7 iterations", "reached in closed form", "out of reach by 12 cm", "held back by elbow (limit 150°)", followed
/// by "escaped from a lock-up at iteration 3 by direct" if it did.
///
/// - `effort`: 0 iterations mean that none was necessary
/// - `unit`: unit of lengths, as in [`length_words`]
/// - `escape`: the iteration at which the solver escaped from a lock-up, and the method that took over
pub(crate) fn status_words(
    outcome: &Outcome,
    effort: Effort,
    unit: &str,
    escape: Option<(usize, &str)>,
) -> String {
    let Effort { iterations, is_closed_form } = effort;
    let mut words = match outcome {
        Outcome::Reached if iterations == 0 => "reached without iterating".to_owned(),
        Outcome::Reached if is_closed_form => "reached in closed form".to_owned(),
        Outcome::Reached => format!("reached in {}", counted(iterations)),
        Outcome::Unreachable { shortfall } => {
            format!("out of reach by {}", length_words(*shortfall, unit))
        }
        Outcome::Blocked { joints } => held_words(joints, unit),
        Outcome::Stalled if is_closed_form => "not reached by the closed form".to_owned(),
        Outcome::Stalled => format!("no progress after {}", counted(iterations)),
        Outcome::IterationLimit => format!("stopped at the limit of {}", counted(iterations)),
        Outcome::Cancelled => format!("cancelled after {}", counted(iterations)),
    };
    if let Some((iteration, method)) = escape {
        words.push_str(&format!("; escaped from a lock-up at iteration {iteration} by {method}"));
    }
    words
}

/// A number of iterations, singular or plural.
fn counted(iterations: u32) -> String {
    if iterations == 1 { "1 iteration".to_owned() } else { format!("{iterations} iterations") }
}

/// At most this many joints are named in one line.
const NAMED_JOINTS: usize = 2;

/// "held back by elbow (limit 150°)", and how many more.
fn held_words(joints: &[HeldJoint], unit: &str) -> String {
    if joints.is_empty() {
        return "held back by limits".to_owned();
    }
    let one = |joint: &HeldJoint| match joint.limit {
        HeldLimit::Angle(angle) => {
            format!("{} (limit {}°)", joint.name, significant(angle.to_degrees(), 3))
        }
        HeldLimit::Distance(distance) => {
            format!("{} (limit {})", joint.name, length_words(distance, unit))
        }
        HeldLimit::Shape => joint.name.clone(),
        HeldLimit::Turn(angle) => {
            format!("{} (largest change {}°)", joint.name, significant(angle.to_degrees(), 3))
        }
        HeldLimit::Slide(distance) => {
            format!("{} (largest change {})", joint.name, length_words(distance, unit))
        }
    };
    let named: Vec<String> = joints.iter().take(NAMED_JOINTS).map(one).collect();
    match joints.len().saturating_sub(NAMED_JOINTS) {
        0 => format!("held back by {}", named.join(" and ")),
        more => format!("held back by {} and {more} more", named.join(", ")),
    }
}

/// Units for people: the least length in metres, the unit and how many of it make a metre.
const METRE_STEPS: [(f64, &str, f64); 6] = [
    (1e3, "km", 1e-3),
    (1.0, "m", 1.0),
    (1e-2, "cm", 1e2),
    (1e-3, "mm", 1e3),
    (1e-6, "µm", 1e6),
    (1e-9, "nm", 1e9),
];

/// A length with three digits in a suitable unit: `0.12` and `"m"` give "12 cm". Units other than the metre are kept.
pub(crate) fn length_words(value: f64, unit: &str) -> String {
    if !value.is_finite() {
        return "an unknown distance".to_owned();
    }
    if unit == "m" {
        // The rounded value decides, so that 0.99999 m reads "1 m" and not "100 cm".
        let rounded = significant(value, 3).parse::<f64>().unwrap_or(value);
        let step = METRE_STEPS.iter().find(|(from, ..)| rounded.abs() >= *from);
        if let Some((_, name, per_metre)) = step {
            return format!("{} {name}", significant(value * per_metre, 3));
        }
    }
    with_unit(&significant(value, 3), unit)
}

/// A number and its unit, if that is known.
fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

/// A number rounded to `digits` significant digits, without trailing zeros; very small and very large ones in powers of ten.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponential = format!("{value:.*e}", digits.saturating_sub(1));
    let Some((mantissa, exponent)) = exponential.split_once('e') else {
        return exponential;
    };
    let trim = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    match exponent.parse::<i32>() {
        Ok(power @ -4..6) => {
            let places = i32::try_from(digits).unwrap_or(0) - 1 - power;
            let rounded = exponential.parse::<f64>().unwrap_or(value);
            trim(&format!("{rounded:.*}", usize::try_from(places).unwrap_or(0)))
        }
        _ => format!("{}e{exponent}", trim(mantissa)),
    }
}

/// A number with two digits and a power of ten for columns in a terminal: `3.2e-9`; zero is `0`.
pub(crate) fn scientific(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

/// The same for pages: `3.2 × 10⁻⁹`.
pub(crate) fn scientific_page(value: f64) -> String {
    let text = scientific(value);
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa} × 10{}", superscript(exponent)),
        None => text,
    }
}

/// Digits and sign as superscripts.
pub(crate) fn superscript(digits: &str) -> String {
    let raised = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digits
        .chars()
        .map(|c| match c.to_digit(10).and_then(|digit| raised.get(usize::try_from(digit).ok()?)) {
            Some(&up) => up,
            None if c == '-' => '⁻',
            None => c,
        })
        .collect()
}

/// Microseconds for a column: three digits or the whole number.
pub(crate) fn microseconds(value: f64) -> String {
    match value {
        v if !v.is_finite() => "–".to_owned(),
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_choose_a_unit_for_people() {
        let cases = [
            (0.12, "12 cm"),
            (0.0042, "4.2 mm"),
            (1.5, "1.5 m"),
            (0.999_999, "1 m"),
            (3.2e-9, "3.2 nm"),
            (3.2e-12, "3.2e-12 m"),
            (1234.0, "1.23 km"),
            (0.0, "0 m"),
        ];
        for (value, words) in cases {
            assert_eq!(length_words(value, "m"), words, "{value}");
        }
        assert_eq!(length_words(0.12, ""), "0.12");
        assert_eq!(length_words(120.0, "px"), "120 px");
        assert_eq!(length_words(f64::NAN, "m"), "an unknown distance");
    }

    #[test]
    fn digits_are_significant_ones() {
        let cases = [
            (150.0, "150"),
            (149.96, "150"),
            (0.00123, "0.00123"),
            (1e-7, "1e-7"),
            (123_456.0, "123000"),
            (-2.5, "-2.5"),
            (100.0, "100"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value, 3), text, "{value}");
        }
        assert_eq!(scientific_page(3.24e-9), "3.2 × 10⁻⁹");
        assert_eq!(scientific(0.0), "0");
        assert_eq!(microseconds(0.4), "0.40");
        assert_eq!(microseconds(1240.4), "1240");
    }

    #[test]
    fn outcomes_read_as_sentences() {
        let elbow =
            HeldJoint { name: "elbow".to_owned(), limit: HeldLimit::Angle(150.0_f64.to_radians()) };
        let slide = HeldJoint { name: "slide".to_owned(), limit: HeldLimit::Distance(0.2) };
        let held = |joints: Vec<HeldJoint>| Outcome::Blocked { joints };
        let leashed = |name: &str, limit: HeldLimit| HeldJoint { name: name.to_owned(), limit };
        let cases = [
            (Outcome::Reached, 7, "reached in 7 iterations"),
            (Outcome::Reached, 1, "reached in 1 iteration"),
            (Outcome::Reached, 0, "reached without iterating"),
            (Outcome::Unreachable { shortfall: 0.12 }, 3, "out of reach by 12 cm"),
            (held(vec![elbow.clone()]), 9, "held back by elbow (limit 150°)"),
            (
                held(vec![elbow.clone(), slide.clone(), slide]),
                9,
                "held back by elbow (limit 150°), slide (limit 20 cm) and 1 more",
            ),
            (held(Vec::new()), 9, "held back by limits"),
            (
                held(vec![
                    leashed("hip", HeldLimit::Turn(0.1)),
                    leashed("x", HeldLimit::Slide(0.02)),
                ]),
                9,
                "held back by hip (largest change 5.73°) and x (largest change 2 cm)",
            ),
            (Outcome::IterationLimit, 200, "stopped at the limit of 200 iterations"),
        ];
        for (outcome, iterations, words) in cases {
            let effort = Effort::of(SolverLook::Ccd, iterations);
            assert_eq!(status_words(&outcome, effort, "m", None), words);
        }
        assert_eq!(
            status_words(
                &Outcome::Reached,
                Effort::of(SolverLook::Ccd, 7),
                "m",
                Some((3, "direct"))
            ),
            "reached in 7 iterations; escaped from a lock-up at iteration 3 by direct"
        );
    }

    #[test]
    fn closed_forms_do_not_speak_of_iterations() {
        for solver in [SolverLook::TwoBone, SolverLook::Direct] {
            let words = |outcome: Outcome, iterations| {
                status_words(&outcome, Effort::of(solver, iterations), "m", None)
            };
            assert_eq!(words(Outcome::Reached, 1), "reached in closed form");
            assert_eq!(words(Outcome::Reached, 0), "reached without iterating");
            assert_eq!(words(Outcome::Stalled, 1), "not reached by the closed form");
            assert_eq!(words(Outcome::Reached, 5), "reached in 5 iterations", "an arm's kernel");
            let far = Outcome::Unreachable { shortfall: 0.12 };
            assert_eq!(words(far, 1), "out of reach by 12 cm");
        }
    }
}
