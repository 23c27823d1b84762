//! Makes bodies from the shapes of a robot.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_io::robot::{Geometry, RobotShape};
use posekit_io::{Limits, Place, Robot, Warnings, mesh};

use super::{Body, CollisionModel, CollisionOptions, check_margin, pairs};
use crate::convex::Convex;
use crate::error::{Error, Result};
use crate::solid::{LARGEST, Solid};

/// The largest number of bodies, which have two million pairs.
const MOST_BODIES: usize = 2048;

impl CollisionModel {
    /// A model of a robot's shapes.
    ///
    /// Some pairs of links are excluded: those that no joint moves relative to each other, those on both sides of one joint, those that the robot's files disable,
    /// and those that touch in the neutral pose: see [`left_out`](Self::left_out).
    ///
    /// A mesh that cannot be found or read, and a shape beyond 1e30 m, is omitted with a warning.
    ///
    /// # Errors
    /// [`Error::TooMany`] beyond 2048 links with shapes; [`Error::Margin`] for a touching distance that is not within 0 to 1e30 m.
    pub fn from_robot(
        robot: &Robot,
        options: &CollisionOptions,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        check_margin(options.touching)?;
        let mut meshes = Meshes { folder: options.folder.as_deref(), points: BTreeMap::new() };
        let mut solids: Vec<Vec<(Pose, Convex)>> = vec![Vec::new(); robot.links().len()];
        for shape in robot.shapes() {
            match meshes.solid(shape) {
                Ok(convex) => solids[shape.link].push((shape.link_from_shape, convex)),
                Err(message) => {
                    let link = &robot.links()[shape.link].name;
                    warnings.push(Place::named(format!("link `{link}`")), message);
                }
            }
        }
        let (mut bodies, mut links) = (Vec::new(), Vec::new());
        for (link, mut solids) in solids.into_iter().enumerate() {
            if !solids.is_empty() {
                let Frame { joint, joint_from_frame } = moving_frame(robot, link);
                solids.iter_mut().for_each(|(placed, _)| *placed = joint_from_frame * *placed);
                let joint = (robot.skeleton().kind(joint).n_dofs() > 0).then_some(joint);
                bodies.push(Arc::new(Body::new(robot.links()[link].name.clone(), joint, solids)));
                links.push(link);
            }
        }
        check_count(bodies.len())?;
        let mut model = Self {
            skeleton: robot.skeleton().clone(),
            n_links: bodies.len(),
            bodies,
            pairs: Vec::new(),
            left_out: Vec::new(),
        };
        pairs::list(&mut model, robot, &links);
        pairs::leave_out_touching(&mut model, options.touching, options.samples);
        Ok(model)
    }
}

/// The frame of a link on the joint that moves it, or in the world (with joint 0) if none does.
fn moving_frame(robot: &Robot, link: usize) -> Frame {
    let skeleton = robot.skeleton();
    let Frame { mut joint, mut joint_from_frame } = robot.link_frame(link);
    while skeleton.kind(joint).n_dofs() == 0 {
        joint_from_frame = skeleton.parent_from_joint(joint) * joint_from_frame;
        match skeleton.parent(joint) {
            Some(parent) => joint = parent,
            None => break,
        }
    }
    Frame::new(joint, joint_from_frame)
}

/// Refuses more bodies than the list of pairs allows.
pub(super) fn check_count(found: usize) -> Result<()> {
    if found > MOST_BODIES {
        return Err(Error::TooMany { found, limit: MOST_BODIES });
    }
    Ok(())
}

/// The meshes of a robot, each read once.
struct Meshes<'a> {
    folder: Option<&'a Path>,
    points: BTreeMap<PathBuf, Vec<DVec3>>,
}

impl Meshes<'_> {
    /// The solid of a shape, or why it is omitted.
    fn solid(&mut self, shape: &RobotShape) -> core::result::Result<Convex, String> {
        if shape.link_from_shape.translation.abs().max_element() > LARGEST {
            return Err(format!(
                "a shape is further than {LARGEST:e} m from its link; it is omitted"
            ));
        }
        let solid = match &shape.geometry {
            Geometry::Mesh { file, scale } => Solid::hull(&self.scaled(file, *scale)?),
            other => Solid::new(other),
        };
        solid.map(|solid| solid.convex).map_err(|error| format!("{error}; the shape is omitted"))
    }

    /// The points of a mesh in the frame of its shape.
    fn scaled(&mut self, file: &str, scale: DVec3) -> core::result::Result<Vec<DVec3>, String> {
        let Some(folder) = self.folder else {
            return Err(format!("the mesh is omitted, because no folder is given: {file}"));
        };
        let Some(path) = mesh::find(folder, file) else {
            return Err(format!("the mesh does not exist and is omitted: {file}"));
        };
        if !self.points.contains_key(&path) {
            let points = mesh::read_points_of_file(&path, &Limits::default())
                .map_err(|error| format!("the mesh is omitted: {error}: {file}"))?;
            self.points.insert(path.clone(), points);
        }
        Ok(self.points[&path].iter().map(|&point| point * scale).collect())
    }
}
