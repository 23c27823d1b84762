//! The tests of the readers and writers, and of motions on real files, as one program: what they share is compiled once, and one program is linked.

#[path = "../support/clips.rs"]
mod clips;
#[path = "../common/mod.rs"]
mod common;
#[path = "../support/skate.rs"]
mod skate;

mod bvh_assets;
mod bvh_rig;
mod bvh_rows;
mod cases;
mod chain_problem;
mod contacts;
mod figure;
mod files_page;
mod gltf_animations;
mod gltf_edits;
mod gltf_pose;
mod gltf_skeletons;
mod issue_limb_placement;
mod meshes;
mod mjcf_faults;
mod mjcf_models;
mod motion_assets;
mod motion_bodies;
mod motion_channels;
mod motion_clean;
mod motion_frozen;
mod motion_keys;
mod motion_legs;
mod motion_nodes;
mod motion_plants;
mod motion_rows;
mod motion_shaken;
mod motion_sound;
mod robot_parts;
mod robots_closed;
mod robots_cold;
mod robots_loops;
mod robots_mimic;
mod robots_reach;
mod robots_tasks;
mod solution;
mod srdf;
mod urdf_faults;
mod urdf_masses;
mod urdf_robots;
mod urdf_shapes;
mod visuals;
