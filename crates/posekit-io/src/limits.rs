//! Bounds on the input of readers.

/// Largest size of a number that describes a chain or a robot: the bound of posekit's skeletons, checked where the number can still be located
/// in the file. Squares of such numbers, and products of a few of these, stay finite.
pub(crate) const LARGEST: f64 = 1e100;

/// Bounds that keep a reader's time and memory in proportion, whatever the file declares.
///
/// The defaults are far beyond every real file; an error about a bound names the field to raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Size of a file or text \[bytes\]. Default 64 MiB: 65 536 joints with every optional field written out.
    pub file_bytes: usize,
    /// Size of a motion file \[bytes\]. Default 1 GiB: most of an hour of 100 joints at 120 frames per second.
    pub motion_bytes: usize,
    /// Joints of a skeleton, bones of a chain, and elements of any other list in a problem file. Default 65 536.
    pub joints: usize,
    /// Depth of nested XML elements. Default 256; a URDF file needs 6. JSON has a fixed depth of 127.
    pub xml_depth: usize,
    /// Nodes of an XML document: elements, texts and comments. Default 4 194 304, which is 64 per joint.
    pub xml_nodes: u32,
    /// Number of files that are read with a file: included and attached models. Default 1024.
    pub files: usize,
    /// Length of a name or another string \[bytes\]. Default 64 KiB.
    pub text_bytes: usize,
    /// Numbers of all animations of a file together, times and values. Default 33 554 432, which takes 256 MiB of memory; a figure of 100 joints
    /// whose rotations are sampled 60 times a second has 30 000 of them per second.
    pub animation_values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 20,
            motion_bytes: 1 << 30,
            joints: 65_536,
            xml_depth: 256,
            xml_nodes: 1 << 22,
            files: 1024,
            text_bytes: 64 << 10,
            animation_values: 1 << 25,
        }
    }
}

impl Limits {
    /// The defaults with another file size \[bytes\].
    #[must_use]
    pub const fn with_file_bytes(mut self, file_bytes: usize) -> Self {
        self.file_bytes = file_bytes;
        self
    }

    /// The defaults with another size of a motion file \[bytes\].
    #[must_use]
    pub const fn with_motion_bytes(mut self, motion_bytes: usize) -> Self {
        self.motion_bytes = motion_bytes;
        self
    }

    /// The defaults with another number of joints.
    #[must_use]
    pub const fn with_joints(mut self, joints: usize) -> Self {
        self.joints = joints;
        self
    }

    /// The defaults with another depth of nested XML elements.
    #[must_use]
    pub const fn with_xml_depth(mut self, xml_depth: usize) -> Self {
        self.xml_depth = xml_depth;
        self
    }

    /// The defaults with another number of XML nodes.
    #[must_use]
    pub const fn with_xml_nodes(mut self, xml_nodes: u32) -> Self {
        self.xml_nodes = xml_nodes;
        self
    }

    /// The defaults with another number of files that a file names.
    #[must_use]
    pub const fn with_files(mut self, files: usize) -> Self {
        self.files = files;
        self
    }

    /// The defaults with another number of values of animations.
    #[must_use]
    pub const fn with_animation_values(mut self, animation_values: usize) -> Self {
        self.animation_values = animation_values;
        self
    }
}
