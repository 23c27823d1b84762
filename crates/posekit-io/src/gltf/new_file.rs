//! New files: lists of numbers with their accessors, and the container.

use crate::error::{Error, Place, Result};
use crate::json::text_value;

/// A GLB with coloured points, for any viewer.
///
/// - `points`: in metres, z up; the file rotates them so that y is up, as the format specifies
/// - `colours`: for each point red, green and blue from 0 to 1, linear
/// - `name`: the name of the mesh
///
/// # Errors
/// [`Error::Value`] for no points, another number of colours, numbers that are not finite, or more than a GLB can hold.
///
/// # Example
/// ```
/// use posekit_io::gltf::points_glb;
///
/// let file = points_glb(&[[0.0, 0.1, 0.2]], &[[1.0, 0.5, 0.0]], "map")?;
/// assert!(file.starts_with(b"glTF"));
/// # Ok::<(), posekit_io::Error>(())
/// ```
pub fn points_glb(points: &[[f32; 3]], colours: &[[f32; 3]], name: &str) -> Result<Vec<u8>> {
    if points.is_empty() || points.len() != colours.len() {
        let (n, m) = (points.len(), colours.len());
        return Err(invalid(format!("there are {n} points and {m} colours")));
    }
    if points.iter().chain(colours).flatten().any(|number| !number.is_finite()) {
        return Err(invalid("a number is not finite"));
    }
    let bound = |choose: fn(f32, f32) -> f32| {
        let bound = |axis: usize| points.iter().map(|point| point[axis]).reduce(choose);
        [0, 1, 2].map(|axis| format!("{:?}", bound(axis).unwrap_or_default())).join(",")
    };
    let mut lists = NewFile::default();
    let bounds = format!(",\"min\":[{}],\"max\":[{}]", bound(f32::min), bound(f32::max));
    let position = lists.add(points.as_flattened(), "VEC3", &bounds);
    let colour = lists.add(colours.as_flattened(), "VEC3", "");
    let name = text_value(name);
    let json = format!(
        "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"posekit\"}},\"extensionsUsed\":[\"KHR_materials_unlit\"],\
         \"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\
         \"nodes\":[{{\"name\":{name},\"mesh\":0,\"rotation\":[-0.70710678,0,0,0.70710678]}}],\
         \"meshes\":[{{\"name\":{name},\"primitives\":[{{\"mode\":0,\"material\":0,\
         \"attributes\":{{\"POSITION\":{position},\"COLOR_0\":{colour}}}}}]}}],\
         \"materials\":[{{\"extensions\":{{\"KHR_materials_unlit\":{{}}}}}}],{}}}",
        lists.lists()
    );
    container(json.into_bytes(), &lists.bytes)
}

fn invalid(message: impl Into<String>) -> Error {
    Error::Value { place: Place::named("points"), message: message.into() }
}

fn too_large() -> Error {
    let message = "it takes more than 4 GiB, the largest size of a GLB".to_owned();
    Error::Value { place: Place::named("the container"), message }
}

/// Consecutive lists of numbers, each with its accessor and its view.
#[derive(Debug, Default)]
pub(crate) struct NewFile {
    pub(crate) bytes: Vec<u8>,
    accessors: Vec<String>,
    views: Vec<String>,
}

impl NewFile {
    /// The accessor of a list; `more` are further fields of it.
    pub(crate) fn add(&mut self, numbers: &[f32], kind: &str, more: &str) -> usize {
        let width = match kind {
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => 1,
        };
        let (index, start) = (self.accessors.len(), self.bytes.len());
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let count = numbers.len() / width;
        self.accessors.push(format!(
            "{{\"bufferView\":{index},\"componentType\":5126,\"count\":{count},\"type\":\"{kind}\"{more}}}"
        ));
        let length = self.bytes.len() - start;
        self.views.push(format!("{{\"buffer\":0,\"byteOffset\":{start},\"byteLength\":{length}}}"));
        index
    }

    /// The fields of the file that describe the lists.
    pub(crate) fn lists(&self) -> String {
        format!(
            "\"accessors\":[{}],\"bufferViews\":[{}],\"buffers\":[{{\"byteLength\":{}}}]",
            self.accessors.join(","),
            self.views.join(","),
            self.bytes.len()
        )
    }
}

/// Header, JSON, data.
pub(crate) fn container(mut json: Vec<u8>, data: &[u8]) -> Result<Vec<u8>> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() + 8 + data.len();
    let size = |length: usize| u32::try_from(length).map_err(|_| too_large());
    let mut file = Vec::with_capacity(total);
    file.extend_from_slice(b"glTF");
    file.extend_from_slice(&2_u32.to_le_bytes());
    file.extend_from_slice(&size(total)?.to_le_bytes());
    for (kind, chunk) in [(b"JSON", json.as_slice()), (b"BIN\0", data)] {
        file.extend_from_slice(&size(chunk.len())?.to_le_bytes());
        file.extend_from_slice(kind);
        file.extend_from_slice(chunk);
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_whole_lists_with_bounds() {
        let points = [[0.0, -1.0, 2.0], [3.0, 0.5, -0.25]];
        let file = points_glb(&points, &[[1.0, 0.0, 0.5]; 2], "a \"cloud\"").unwrap();
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((number(4), number(8)), (2, file.len()));
        let json: serde_json::Value = serde_json::from_slice(&file[20..20 + number(12)]).unwrap();
        assert_eq!(json["meshes"][0]["name"], "a \"cloud\"");
        assert_eq!(json["accessors"][0]["min"], serde_json::json!([0.0, -1.0, -0.25]));
        assert_eq!(json["accessors"][0]["max"], serde_json::json!([3.0, 0.5, 2.0]));
        let data = 20 + number(12) + 8;
        let floats: Vec<f32> = file[data..]
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
            .collect();
        assert_eq!(floats[..6], *points.as_flattened());
        assert_eq!(floats[6..], [1.0, 0.0, 0.5, 1.0, 0.0, 0.5]);
    }

    #[test]
    fn what_is_no_cloud_is_refused() {
        assert!(points_glb(&[], &[], "a").is_err());
        assert!(points_glb(&[[0.0; 3]], &[], "a").is_err());
        assert!(points_glb(&[[0.0, f32::NAN, 0.0]], &[[0.0; 3]], "a").is_err());
        assert!(points_glb(&[[0.0; 3]], &[[f32::INFINITY, 0.0, 0.0]], "a").is_err());
    }
}
