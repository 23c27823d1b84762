//! What happens between two times that are held: the change dies away, or goes over into the next.

use core::ops::Range;

use posekit::glam::DVec3;

/// Frames of a track at which its value is given, and how long before and after the others may differ from zero \[frames\].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub(super) frames: Range<usize>,
    /// How long before the first of them, and after the last, it begins and ends, below one frame: what is held between two frames begins at the same time at
    /// any rate.
    pub(super) lead: [f64; 2],
    pub(super) ease_in: f64,
    pub(super) ease_out: f64,
}

/// How long before its end the slope of a change is taken \[s\]: long enough that one noisy frame does not make it, short against a step.
const SLOPE_TIME: f64 = 0.045;

/// How far a change may swing over where it begins to die away, in its own unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overshoot(pub(super) f64);

/// Spans that touch are one; they come sorted by their first frame.
pub(super) fn merge(spans: &[Span]) -> Vec<Span> {
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.frames.start <= last.frames.end => {
                if span.frames.end > last.frames.end {
                    last.frames.end = span.frames.end;
                    (last.lead[1], last.ease_out) = (span.lead[1], span.ease_out);
                }
            }
            _ => merged.push(span.clone()),
        }
    }
    merged
}

/// Fills the frames between the spans of a track.
///
/// From each end of a span its change dies away as the polynomial of degree five that begins with the value and the slope there and ends at rest at zero. In a gap
/// shorter than both times together the two overlap and are added: in the shortest gaps that is the polynomial from one
/// span right to the next, and it changes with the length of the gap without a jump.
///
/// - `frame_time`: \[s\]
pub(super) fn fill(track: &mut [DVec3], spans: &[Span], frame_time: f64, limit: Overshoot) {
    let n = track.len();
    for (k, span) in spans.iter().enumerate().filter(|(_, span)| !span.frames.is_empty()) {
        let before = if k == 0 { None } else { spans.get(k - 1) };
        let after = spans.get(k + 1);
        let (first, last) = (span.frames.start, span.frames.end - 1);
        let [end, start] = [true, false].map(|at_end| Edge {
            value: track[if at_end { last } else { first }],
            slope: slope(track, &span.frames, frame_time, at_end),
            frame: if at_end { last } else { first },
            lead: span.lead[usize::from(at_end)],
        });
        let gap = last + 1..after.map_or(n, |after| after.frames.start);
        let room = after.map_or(f64::INFINITY, |after| {
            (after.frames.start - last) as f64 - after.lead[0] - span.lead[1]
        });
        end.fade(track, gap, if span.ease_out < room { span.ease_out } else { room }, limit);
        let gap = before.map_or(0, |before| before.frames.end)..first;
        let room = before.map_or(f64::INFINITY, |before| {
            (first + 1 - before.frames.end) as f64 - before.lead[1] - span.lead[0]
        });
        start.fade(track, gap, if span.ease_in < room { span.ease_in } else { room }, limit);
    }
}

/// Where a change begins to die away.
struct Edge {
    value: DVec3,
    /// Per frame, away from the span.
    slope: DVec3,
    frame: usize,
    lead: f64,
}

impl Edge {
    /// Adds the change, dying away over `time` frames, to the frames of a gap.
    fn fade(&self, track: &mut [DVec3], gap: Range<usize>, time: f64, limit: Overshoot) {
        let value = self.value + self.slope * self.lead;
        // The slope's polynomial rises to about a sixth of the slope times the time.
        let rise = self.slope.length() * time / 6.0;
        let slope = if rise > limit.0 { self.slope * (limit.0 / rise) } else { self.slope };
        for frame in gap {
            let away = self.frame.abs_diff(frame) as f64 - self.lead;
            let t = away / time;
            if t > 0.0 && t < 1.0 {
                let (t2, t3) = (t * t, t * t * t);
                let of_value = 1.0 - t3 * (10.0 - 15.0 * t + 6.0 * t2);
                let of_slope = (t - t3 * (6.0 - 8.0 * t + 3.0 * t2)) * time;
                track[frame] += value * of_value + slope * of_slope;
            }
        }
    }
}

/// The frames of a span that [`fill`] reads: those around it depend on no others.
pub(super) fn read_of(span: &Span, frame_time: f64) -> impl Iterator<Item = usize> {
    [true, false].into_iter().flat_map(move |at_end| outermost(&span.frames, frame_time, at_end))
}

/// The last frames of a span, or its first, that the slope there is taken from.
fn outermost(span: &Range<usize>, frame_time: f64, at_end: bool) -> Range<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let wanted = (SLOPE_TIME / frame_time).clamp(1.0, 1e4) as usize;
    let n = span.len().min(wanted + 1);
    if at_end { span.end - n..span.end } else { span.start..span.start + n }
}

/// The slope of a track at the end of a span, or at its start, away from it \[per frame\]: of the line through the outermost frames.
fn slope(track: &[DVec3], span: &Range<usize>, frame_time: f64, at_end: bool) -> DVec3 {
    let frames = outermost(span, frame_time, at_end);
    if frames.len() < 2 {
        return DVec3::ZERO;
    }
    let middle = 0.5 * (frames.len() - 1) as f64;
    let (mut sum, mut squares) = (DVec3::ZERO, 0.0);
    for (k, value) in track[frames].iter().enumerate() {
        let x = k as f64 - middle;
        sum += *value * x;
        squares += x * x;
    }
    sum / if at_end { squares } else { -squares }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_dies_away_and_leaves_the_rest_alone() {
        let mut track = vec![DVec3::ZERO; 40];
        track[10..20].fill(DVec3::X);
        let spans = [Span { frames: 10..20, lead: [0.0; 2], ease_in: 5.0, ease_out: 8.0 }];
        fill(&mut track, &spans, 0.01, Overshoot(1.0));
        assert!(track[..5].iter().chain(&track[28..]).all(|value| *value == DVec3::ZERO));
        assert!(track[19..28].windows(2).all(|pair| pair[0].x >= pair[1].x && pair[1].x >= 0.0));
        assert!((track[23].x - 0.5).abs() < 1e-12, "half way is half: {}", track[23].x);
    }

    #[test]
    fn a_short_gap_goes_from_one_to_the_next() {
        let mut track = vec![DVec3::X; 30];
        track[15..18].fill(DVec3::ZERO);
        let span = |frames| Span { frames, lead: [0.0; 2], ease_in: 9.0, ease_out: 9.0 };
        fill(&mut track, &[span(0..15), span(18..30)], 0.01, Overshoot(1.0));
        assert!(track.iter().all(|value| (*value - DVec3::X).length() < 1e-12), "{track:?}");
    }

    #[test]
    fn spans_that_touch_are_one() {
        let span = |frames| Span { frames, lead: [0.0; 2], ease_in: 0.0, ease_out: 0.0 };
        let spans = [span(0..9), span(9..21), span(30..40)];
        let frames: Vec<Range<usize>> = merge(&spans).into_iter().map(|span| span.frames).collect();
        assert_eq!(frames, [0..21, 30..40]);
    }
}
