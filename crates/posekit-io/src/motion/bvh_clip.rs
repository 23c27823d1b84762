//! A BVH as a clip, and edited clips written back into its text.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit_motion::Clip;

use super::{MotionOptions, Written};
use crate::bvh::{
    self, Convention, File, Input, LARGEST, Layout, Loss, Options, Rig, Survey, Upward, is_blank,
    survey, write_number,
};
use crate::error::{Error, Place, Result};
use crate::limits::Limits;
use crate::warnings::Warnings;

/// A BVH, the guesses about it, and its clip.
#[derive(Debug)]
pub(super) struct BvhClip {
    file: File,
    rig: Rig,
    survey: Survey,
    clip: Clip,
    /// The text, and the places of its numbers; `None` if it differs from what was read.
    text: Option<(Vec<u8>, Layout)>,
}

/// The largest number of bytes in a number.
const TIME_DIGITS: usize = 32;

/// Receives the changes of a frame: its number, its row, and the indices in it.
type Put<'p> = &'p mut dyn FnMut(usize, &[f64], Range<usize>);

impl BvhClip {
    pub(super) fn read(
        text: Vec<u8>,
        options: &MotionOptions,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        let how = Options {
            is_lenient: options.is_lenient,
            fills_gaps: options.fills_gaps,
            frame_time: options.fps.map(|fps| 1.0 / fps),
        };
        let (file, layout) = bvh::read_with_layout(Input::Text(&text), &how, limits, warnings)?;
        let survey = survey(&file);
        let positions = options.positions.or(survey.positions).unwrap_or_default();
        let convention = Convention::default().with_positions(positions);
        let rig = Rig::try_new(&file, &convention, warnings)?;
        let up = options.up.unwrap_or_else(|| survey.up.map_or(DVec3::Y, direction));
        let unit = options.metres_per_unit.or(survey.metres_per_unit);
        let values = rig.configurations(&file);
        let clip = Clip::try_new(rig.skeleton().clone(), file.frame_time(), values)?;
        let clip = clip.with_up(up)?.with_metres_per_unit(unit);
        let text = layout.map(|layout| (text, layout));
        Ok(Self { file, rig, survey, clip, text })
    }

    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    /// Whether the file must be written even without edits, because the caller overrides the frame time.
    pub(super) fn is_other_than_text(&self) -> bool {
        self.text.as_ref().is_none_or(|(_, layout)| !self.is_time_told(layout))
    }

    pub(super) const fn survey(&self) -> Survey {
        self.survey
    }

    pub(super) const fn clip(&self) -> &Clip {
        &self.clip
    }

    /// The file with an edited clip of the same skeleton.
    ///
    /// The text is unchanged except for the numbers of joints and frames that changed. With other frames, another frame time, or if the text was not
    /// valid, it is rewritten.
    pub(super) fn write(&self, edited: &Clip) -> Result<Written> {
        let is_aligned = edited.n_frames() == self.clip.n_frames();
        let is_same_time = edited.frame_time().to_bits() == self.file.frame_time().to_bits();
        let (file, loss, n_joints) = match self.text.as_ref().filter(|_| is_aligned && is_same_time)
        {
            Some((text, layout)) => self.splice(edited, text, layout)?,
            None => {
                let n = self.file.n_channels();
                let mut rows = if is_aligned {
                    self.file.values().to_vec()
                } else {
                    vec![0.0; n * edited.n_frames()]
                };
                let mut put = |frame: usize, row: &[f64], places: Range<usize>| {
                    rows[frame * n..][places.clone()].copy_from_slice(&row[places]);
                };
                let (loss, n_joints) = self.rows(edited, is_aligned, &mut put);
                let nodes = self.file.nodes().to_vec();
                (File::try_new(nodes, edited.frame_time(), rows)?.to_bytes(), loss, n_joints)
            }
        };
        Ok(Written { file, beside: Vec::new(), joints: vec![n_joints], loss })
    }

    /// Whether its channels can represent every configuration of the clip's joints.
    pub(super) fn is_lossless(&self) -> bool {
        self.rig.is_lossless()
    }

    /// For each joint the axes of its rotation channels, if these are fewer than its kind has.
    pub(super) fn axes(&self) -> Vec<Option<Vec<DVec3>>> {
        self.rig.few_axes()
    }

    /// For each joint, along which axes it has a position channel.
    pub(super) fn moves(&self) -> Vec<[bool; 3]> {
        self.rig.moves()
    }

    /// An edited clip as the file can represent it; `None` if its channels lose nothing, or the clip has other frames.
    pub(super) fn kept(&self, edited: &Clip) -> Option<Clip> {
        if edited.n_frames() != self.clip.n_frames() {
            return None;
        }
        let n = self.file.n_channels();
        let mut rows = self.file.values().to_vec();
        let mut put = |frame: usize, row: &[f64], places: Range<usize>| {
            rows[frame * n..][places.clone()].copy_from_slice(&row[places]);
        };
        let (loss, _) = self.rows(edited, true, &mut put);
        if loss == Loss::default() {
            return None;
        }
        let file = self.file.with_values(rows).ok()?;
        edited.with_values(self.rig.configurations(&file)).ok()
    }

    /// Whether the text has the frame time of the frames, which the caller may have overridden.
    fn is_time_told(&self, layout: &Layout) -> bool {
        layout.time_told.map(f64::to_bits) == Some(self.file.frame_time().to_bits())
    }

    /// The text with the changed numbers, and the number of changed joints.
    fn splice(
        &self,
        edited: &Clip,
        text: &[u8],
        layout: &Layout,
    ) -> Result<(Vec<u8>, Loss, usize)> {
        let mut out = Vec::new();
        let n = self.file.n_channels();
        let (mut copied, mut is_good) = (0, true);
        if !self.is_time_told(layout) {
            out.reserve(text.len() + TIME_DIGITS);
            out.extend_from_slice(&text[..layout.time_word.start]);
            write_number(self.file.frame_time(), &mut out);
            copied = layout.time_word.end;
        }
        let mut put = |frame: usize, row: &[f64], places: Range<usize>| {
            if out.is_empty() {
                // Changed numbers have all digits, three times as many as most numbers in a file.
                out.reserve(text.len() + text.len() / 2);
            }
            let read = self.file.frame(frame);
            let differs = |place: &usize| row[*place].to_bits() != read[*place].to_bits();
            for place in places.filter(differs) {
                let start = layout.lines[frame] + layout.words[frame * n + place] as usize;
                match &text[copied..start] {
                    // Usually there is only a blank between two changed numbers.
                    [blank] => out.push(*blank),
                    kept => out.extend_from_slice(kept),
                }
                is_good &= row[place].abs() <= LARGEST;
                write_number(row[place], &mut out);
                copied = match layout.words.get(frame * n + place + 1).filter(|_| place + 1 < n) {
                    Some(&next) => behind_word(text, layout.lines[frame] + next as usize),
                    None => start + text[start..].iter().take_while(|&&byte| !is_end(byte)).count(),
                };
            }
        };
        let (loss, n_joints) = self.rows(edited, true, &mut put);
        out.extend_from_slice(&text[copied..]);
        if !is_good {
            let message = "a number is too large for a BVH".into();
            return Err(Error::Value { place: Place::named("clip"), message });
        }
        Ok((out, loss, n_joints))
    }

    /// Computes the rows of an edited clip where they differ, and passes the changes to `put` in the order of the text. Returns the number of changed joints.
    ///
    /// Only the changes of two rows are kept: those of the current row, and of the previous one, from which it continues.
    fn rows(&self, edited: &Clip, is_aligned: bool, put: Put<'_>) -> (Loss, usize) {
        let n = self.file.n_channels();
        // The reference of the first frame: the first frame of the file, or the rest pose.
        let mut near =
            if self.file.n_frames() > 0 { self.file.frame(0).to_vec() } else { vec![0.0; n] };
        let mut row = vec![0.0; n];
        let skeleton = self.rig.skeleton();
        let joint = |joint: usize| Channels {
            joint,
            values: skeleton.value_range(joint),
            channels: self.file.channel_range(self.rig.node(joint)),
            is_kept: is_aligned,
            is_any: !is_aligned,
        };
        let all = || (0..skeleton.n_joints()).collect();
        let differing = if is_aligned { changed(&self.clip, edited) } else { all() };
        let mut joints: Vec<_> = differing.into_iter().map(joint).collect();
        let mut loss = Loss::default();
        for frame in 0..edited.n_frames() {
            let q = edited.frame(frame);
            for Channels { joint, values, channels, is_kept, is_any } in &mut joints {
                let now = &q[values.clone()];
                let read = || &self.clip.frame(frame)[values.clone()];
                if *is_kept && is_same(now, read()) {
                    continue;
                }
                let near = if *is_kept { self.file.frame(frame.saturating_sub(1)) } else { &near };
                let file = || self.file.frame(frame);
                let is_near = is_aligned && (*is_kept || self.rig.goes_on(*joint, near, file()));
                if is_near && is_same(now, read()) {
                    *is_kept = true;
                    continue;
                }
                *is_any = true;
                *is_kept = is_near && now.len() == 7 && is_same(&now[3..], &read()[3..]);
                let lost = if *is_kept {
                    row[channels.clone()].copy_from_slice(&file()[channels.clone()]);
                    self.rig.joint_places(*joint, q, &mut row)
                } else {
                    self.rig.joint_row(*joint, q, near, &mut row)
                };
                loss = loss.or_more(lost);
                put(frame, &row, channels.clone());
            }
            core::mem::swap(&mut near, &mut row);
        }
        (loss, joints.iter().filter(|joint| joint.is_any).count())
    }
}

/// The state of a joint while rows are written.
struct Channels {
    joint: usize,
    values: Range<usize>,
    channels: Range<usize>,
    /// Its angles in the previous frame are those of the file: then a jump in the file is kept.
    is_kept: bool,
    /// It was changed in some frame.
    is_any: bool,
}

/// The end of the word before another one in a line.
fn behind_word(text: &[u8], mut next: usize) -> usize {
    while next > 0 && is_blank(text[next - 1]) {
        next -= 1;
    }
    next
}

/// True for a byte after a number.
const fn is_end(byte: u8) -> bool {
    byte <= b' ' && (is_blank(byte) || matches!(byte, b'\n' | b'\r'))
}

/// The joints whose values differ in any frame, by any bit; the clips have the same skeleton and number of frames.
pub(super) fn changed(read: &Clip, edited: &Clip) -> Vec<usize> {
    let skeleton = read.skeleton();
    // For each value the bits that differ in any frame, without branches, so that the compiler can compare several at once.
    let mut differing = vec![0; skeleton.n_values()];
    for frame in 0..read.n_frames() {
        let values = read.frame(frame).iter().zip(edited.frame(frame));
        for (differing, (old, new)) in differing.iter_mut().zip(values) {
            *differing |= old.to_bits() ^ new.to_bits();
        }
    }
    let differs =
        |joint: &usize| differing[skeleton.value_range(*joint)].iter().any(|bits| *bits != 0);
    (0..skeleton.n_joints()).filter(differs).collect()
}

/// True for the same bits.
pub(super) fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// A direction along an axis as a vector.
fn direction(up: Upward) -> DVec3 {
    if up.is_negative { -up.axis.unit() } else { up.axis.unit() }
}
