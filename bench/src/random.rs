//! A small seeded generator, so that the problems are the same on every machine for ever.

use posekit::glam::DVec3;

/// `SplitMix64`: one addition and a bijective mix per number; passes the usual test batteries and
/// needs no warm-up.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator whose numbers depend on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `low..high`, from 53 random bits.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// A unit vector, uniform on the sphere: a point of the ball, by rejection, made unit.
    pub fn direction(&mut self) -> DVec3 {
        self.unit_vector(true)
    }

    /// A unit vector, uniform on the circle in the plane z = 0.
    pub fn direction_in_plane(&mut self) -> DVec3 {
        self.unit_vector(false)
    }

    fn unit_vector(&mut self, in_space: bool) -> DVec3 {
        loop {
            let z = if in_space { self.between(-1.0, 1.0) } else { 0.0 };
            let v = DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), z);
            let length_squared = v.length_squared();
            if length_squared > 1e-4 && length_squared <= 1.0 {
                return v / length_squared.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn directions_are_unit_and_balanced() {
        let mut random = Random::new(1);
        let mut sum = DVec3::ZERO;
        for _ in 0..10_000 {
            let direction = random.direction();
            assert!((direction.length() - 1.0).abs() < 1e-12);
            sum += direction;
        }
        assert!(sum.length() < 300.0, "{sum} is far from balanced");
    }
}
