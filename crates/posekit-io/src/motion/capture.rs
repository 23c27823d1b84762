//! A BVH as a clip, and back.

use std::io::Read;

use posekit::glam::DVec3;
use posekit::motion::Clip;

use super::{MotionOptions, Written};
use crate::bvh::{self, Convention, File, Loss, Options, Rig, Survey, Upward, survey};
use crate::error::Result;
use crate::limits::Limits;
use crate::warnings::Warnings;

/// A BVH, what it seems to mean, and its clip.
#[derive(Debug)]
pub(super) struct Capture {
    file: File,
    rig: Rig,
    survey: Survey,
    clip: Clip,
}

impl Capture {
    pub(super) fn read(
        input: &mut dyn Read,
        options: &MotionOptions,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        let how = Options {
            is_lenient: options.is_lenient,
            fills_gaps: options.fills_gaps,
            frame_time: options.fps.map(|fps| 1.0 / fps),
        };
        let file = bvh::read_from(input, &how, limits, warnings)?;
        let survey = survey(&file);
        let positions = options.positions.or(survey.positions).unwrap_or_default();
        let convention = Convention::default().with_positions(positions);
        let rig = Rig::try_new(&file, &convention, warnings)?;
        let up = options.up.unwrap_or_else(|| survey.up.map_or(DVec3::Y, direction));
        let unit = options.metres_per_unit.or(survey.metres_per_unit);
        let values = rig.configurations(&file);
        let clip = Clip::try_new(rig.skeleton().clone(), file.frame_time(), values)?;
        let clip = clip.with_up(up)?.with_metres_per_unit(unit);
        Ok(Self { file, rig, survey, clip })
    }

    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    pub(super) const fn survey(&self) -> Survey {
        self.survey
    }

    pub(super) const fn clip(&self) -> &Clip {
        &self.clip
    }

    /// The file with an edited clip of the same skeleton.
    pub(super) fn write(&self, edited: &Clip) -> Result<Written> {
        let is_aligned = edited.n_frames() == self.clip.n_frames();
        let joints: Vec<usize> = (0..self.rig.skeleton().n_joints())
            .filter(|&joint| !is_aligned || is_changed(&self.clip, edited, joint))
            .collect();
        let (rows, loss) = if joints.is_empty() {
            (self.file.values().to_vec(), Loss::default())
        } else {
            self.rows(edited, &joints, is_aligned)
        };
        let nodes = self.file.nodes().to_vec();
        let file = File::try_new(nodes, edited.frame_time(), rows)?.to_bytes();
        Ok(Written { file, beside: Vec::new(), joints: joints.len(), loss })
    }

    /// The rows of an edited clip in which these joints differ.
    fn rows(&self, edited: &Clip, joints: &[usize], is_aligned: bool) -> (Vec<f64>, Loss) {
        let n = self.file.n_channels();
        let mut rows =
            if is_aligned { self.file.values().to_vec() } else { vec![0.0; n * edited.n_frames()] };
        // What the first frame is near to: the first of the file, or the pose at rest.
        let first =
            if self.file.n_frames() > 0 { self.file.frame(0).to_vec() } else { vec![0.0; n] };
        let mut loss = Loss::default();
        for frame in 0..edited.n_frames() {
            let (done, rest) = rows.split_at_mut(frame * n);
            let near = if frame == 0 { &first } else { &done[(frame - 1) * n..] };
            let (q, row) = (edited.frame(frame), &mut rest[..n]);
            for &joint in joints {
                let range = self.rig.skeleton().value_range(joint);
                let read = |frame: usize| &self.clip.frame(frame)[range.clone()];
                let is_near = is_aligned && self.rig.goes_on(joint, near, row);
                let now = &q[range.clone()];
                loss = loss.or_more(match now.len() {
                    _ if is_near && is_same(now, read(frame)) => Loss::default(),
                    7 if is_near && is_same(&now[3..], &read(frame)[3..]) => {
                        self.rig.joint_places(joint, q, row)
                    }
                    _ => self.rig.joint_row(joint, q, near, row),
                });
            }
        }
        (rows, loss)
    }
}

/// True where a joint's values differ in any frame, by any bit; the clips have the same skeleton and as many frames.
pub(super) fn is_changed(read: &Clip, edited: &Clip, joint: usize) -> bool {
    let range = read.skeleton().value_range(joint);
    (0..read.n_frames()).any(|frame| {
        !is_same(&read.frame(frame)[range.clone()], &edited.frame(frame)[range.clone()])
    })
}

/// True for the same bits.
pub(super) fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// A direction along an axis as a vector.
fn direction(up: Upward) -> DVec3 {
    if up.is_negative { -up.axis.unit() } else { up.axis.unit() }
}
