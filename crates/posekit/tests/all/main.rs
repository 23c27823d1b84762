//! The tests of the library, as one program: what they share is compiled once, and one program is linked. What needs features or counts allocations is beside it.

#[path = "../limb_support/mod.rs"]
mod limb_support;
#[path = "../support/mod.rs"]
mod support;

mod arm_closed;
mod arm_map;
mod arm_method;
mod arm_solve;
mod arm_track;
mod budgets;
mod chain_direct;
mod chain_steps;
mod classic_ccd;
mod classic_fabrik;
mod classic_relaxation;
mod compromise;
mod custom_tasks;
mod extremes;
mod far_from_the_origin;
mod half_steps;
mod issue_task_input;
mod largest_change;
mod least_squares_bits;
mod least_squares_ends;
mod least_squares_levels;
mod least_squares_loops;
mod least_squares_named;
mod least_squares_nearest;
mod least_squares_rows;
mod least_squares_sweeps;
mod limb_aim;
mod limb_apply;
mod limb_l23;
mod limb_plane;
mod limb_random;
mod limb_rows;
mod limb_soft;
mod limb_two_bone;
mod lockups;
mod mixed_units;
mod pole;
mod properties;
mod random_limited;
mod random_reachable;
mod retarget;
mod rows_input;
mod rows_run;
mod rows_shape;
mod screws_and_gears;
mod skeleton_build;
mod skeleton_kinematics;
mod skeleton_limits;
mod stretched;
mod two_bone_method;
mod two_bones_and_a_look;
