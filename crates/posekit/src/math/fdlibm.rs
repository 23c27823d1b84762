//! Sine, cosine and arc tangent with few branches that a processor could guess wrongly.
//!
//! The values are those of `libm`, bit for bit. Its functions choose between many formulas by the size of the argument. Here
//! the formulas that agree in every rounding are one, what is left is selected by tables and masks, and only branches remain
//! that neighbouring calls tend to share. The rest (very large, next to a boundary between formulas, not finite) is handed
//! to `libm` itself.
//!
//! The algorithms and constants are those of fdlibm \[fdlibm93\]:
//!
//! ```text
//! ====================================================
//! Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//!
//! Developed at SunSoft and SunPro, Sun Microsystems, Inc. businesses.
//! Permission to use, copy, modify, and distribute this
//! software is freely granted, provided that this notice
//! is preserved.
//! ====================================================
//! ```

use core::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

/// From here on (2^20 pi/2) products with the first part of pi/2 are no longer exact \[rad\].
const LARGE_ANGLE: f64 = f64::from_bits(0x4139_21fb_0000_0000);
/// Below, no angle is reduced: the first number whose upper half differs from that of pi/4 \[rad\].
const SMALL_ANGLE: f64 = f64::from_bits(0x3fe9_21fc_0000_0000);
/// Below, `libm` takes one quarter turn away: the first number whose upper half differs from that of 3 pi/4 \[rad\].
const THREE_EIGHTHS: f64 = f64::from_bits(0x4002_d97d_0000_0000);
/// Added and taken away again, it rounds to an integer, whose last bits are then those of the sum.
const TO_INTEGER: f64 = 1.5 / f64::EPSILON;
/// The first 33 bits of pi/2: its product with an integer below 2^20 is exact.
const PI_2_HEAD: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
/// pi/2 less its first 33 bits.
const PI_2_TAIL: f64 = f64::from_bits(0x3dd0_b461_1a62_6331);
/// `libm` takes the quadrant up to 9 pi/4 from the upper half of the argument's bits alone, which may differ by this much
/// from rounding \[rad\].
const QUADRANT_MARGIN: f64 = 1e-5;
/// An angle this many times smaller after the reduction than before has lost digits that `libm` then restores.
const CANCELLED: f64 = 1.0 / 65536.0;

/// Sine and cosine of an angle \[rad\], the bits of `libm::sincos`.
#[inline]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() < SMALL_ANGLE {
        let z = x * x;
        return (sine(x, z), cosine(x, 0.0, z));
    }
    // Half the angle of a hinge is seldom beyond: one quarter turn is then known before the angle is.
    if x.abs() < THREE_EIGHTHS {
        let head = x.abs() - PI_2_HEAD;
        let y = head - PI_2_TAIL;
        if y.abs() >= CANCELLED * x.abs() {
            let rest = (head - y) - PI_2_TAIL;
            let z = y * y;
            return (cosine(y, rest, z).copysign(x), -sine_of_sum(y, rest, z));
        }
    }
    let shifted = x * FRAC_2_PI + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    let head = x - n * PI_2_HEAD;
    let tail = n * PI_2_TAIL;
    let y = head - tail;
    // Both are false for NaN and infinity.
    let is_ordinary = x.abs() < LARGE_ANGLE
        && (CANCELLED * x.abs()..FRAC_PI_4 - QUADRANT_MARGIN).contains(&y.abs());
    if !is_ordinary {
        return by_libm(x);
    }
    let rest = (head - y) - tail;
    let z = y * y;
    in_quadrant(shifted.to_bits(), sine_of_sum(y, rest, z), cosine(y, rest, z))
}

#[cold]
#[inline(never)]
fn by_libm(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// The coefficients of the sine's odd powers from the third on.
const S: [f64; 6] = [
    f64::from_bits(0xbfc5_5555_5555_5549),
    f64::from_bits(0x3f81_1111_1110_f8a6),
    f64::from_bits(0xbf2a_01a0_19c1_61d5),
    f64::from_bits(0x3ec7_1de3_57b1_fe7d),
    f64::from_bits(0xbe5a_e5e6_8a2b_9ceb),
    f64::from_bits(0x3de5_d93a_5acf_d57c),
];

/// Sine of a small angle, with `z = y²`. The sum would lose the sign of -0.
#[inline]
fn sine(y: f64, z: f64) -> f64 {
    (y + z * y * (S[0] + z * high_sines(z))).copysign(y)
}

/// Sine of a reduced angle `y + rest`, with `z = y²`.
#[inline]
fn sine_of_sum(y: f64, rest: f64, z: f64) -> f64 {
    let v = z * y;
    y - ((z * (0.5 * rest - v * high_sines(z)) - rest) - v * S[0])
}

/// The sine's series from the fifth power on, over that power.
#[inline]
fn high_sines(z: f64) -> f64 {
    S[1] + z * (S[2] + z * S[3]) + z * (z * z) * (S[4] + z * S[5])
}

/// Cosine of `y + rest`, with `z = y²`.
#[inline]
fn cosine(y: f64, rest: f64, z: f64) -> f64 {
    const C: [f64; 6] = [
        f64::from_bits(0x3fa5_5555_5555_554c),
        f64::from_bits(0xbf56_c16c_16c1_5177),
        f64::from_bits(0x3efa_01a0_19cb_1590),
        f64::from_bits(0xbe92_7e4f_809c_52ad),
        f64::from_bits(0x3e21_ee9e_bdb4_b1c4),
        f64::from_bits(0xbda8_fae9_be88_38d4),
    ];
    let w = z * z;
    let r = z * (C[0] + z * (C[1] + z * C[2])) + w * w * (C[3] + z * (C[4] + z * C[5]));
    let half = 0.5 * z;
    let w = 1.0 - half;
    w + (((1.0 - w) - half) + (z * r - y * rest))
}

/// Sine and cosine of an angle `n` quarter turns further, from its own.
#[inline]
fn in_quadrant(n: u64, sine: f64, cosine: f64) -> (f64, f64) {
    let (s, c) = (sine.to_bits(), cosine.to_bits());
    let exchange = (s ^ c) & 0_u64.wrapping_sub(n & 1);
    let sign = |quarters: u64| (quarters & 2) << 62;
    let s_out = s ^ exchange ^ sign(n);
    let c_out = c ^ exchange ^ sign(n.wrapping_add(1));
    (f64::from_bits(s_out), f64::from_bits(c_out))
}

/// A range of the arc tangent: `atan q = high + low + atan((a q + b) / (c q + d))`.
struct Range {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    high: f64,
    low: f64,
}

/// Where one range ends and the next begins.
const BOUNDS: [f64; 3] = [0.6875, 1.1875, 2.4375];

#[rustfmt::skip]
static RANGES: [Range; 4] = [
    Range { a: 2.0, b: -1.0, c: 1.0, d: 2.0, high: f64::from_bits(0x3fdd_ac67_0561_bb4f), low: f64::from_bits(0x3c7a_2b7f_222f_65e2) },
    Range { a: 1.0, b: -1.0, c: 1.0, d: 1.0, high: FRAC_PI_4, low: f64::from_bits(0x3c81_a626_3314_5c07) },
    Range { a: 1.0, b: -1.5, c: 1.5, d: 1.0, high: f64::from_bits(0x3fef_730b_d281_f69b), low: f64::from_bits(0x3c70_0788_7af0_cbbd) },
    Range { a: 0.0, b: -1.0, c: 1.0, d: 0.0, high: FRAC_PI_2, low: f64::from_bits(0x3c91_a626_3314_5c07) },
];

/// Angle of the point (x, y) in \[-pi, pi\] \[rad\], the bits of `libm::atan2`.
#[inline]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    /// pi less its nearest `f64`.
    const PI_LOW: f64 = f64::from_bits(0x3ca1_a626_3314_5c07);
    if !has_ordinary_quotient(y, x) {
        return atan2_by_libm(y, x);
    }
    let angle = atan((y / x).abs());
    if x < 0.0 { (PI - (angle - PI_LOW)).copysign(y) } else { angle.copysign(y) }
}

/// Whether both are finite, `x` is normal, and their quotient is below 2^64.
#[inline]
fn has_ordinary_quotient(y: f64, x: f64) -> bool {
    const INFINITE: u64 = 0x7ff0_0000;
    let high = |value: f64| (value.to_bits() >> 32) & 0x7fff_ffff;
    let (y, x) = (high(y), high(x));
    (0x0010_0000..INFINITE).contains(&x) && y < INFINITE && y <= x + (64 << 20)
}

#[cold]
#[inline(never)]
fn atan2_by_libm(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Arc tangent of a finite `q >= 0` \[rad\].
#[inline]
fn atan(q: f64) -> f64 {
    if q < 0.4375 {
        return q - q * sum(q * q);
    }
    let range = &RANGES[BOUNDS.iter().filter(|bound| q >= **bound).count()];
    let t = (range.a * q + range.b) / (range.c * q + range.d);
    range.high - (t * sum(t * t) - range.low - t)
}

/// `1 - atan(t) / t`, with `z = t²`.
#[inline]
fn sum(z: f64) -> f64 {
    const T: [f64; 11] = [
        f64::from_bits(0x3fd5_5555_5555_550d),
        f64::from_bits(0xbfc9_9999_9998_ebc4),
        f64::from_bits(0x3fc2_4924_9200_83ff),
        f64::from_bits(0xbfbc_71c6_fe23_1671),
        f64::from_bits(0x3fb7_45cd_c54c_206e),
        f64::from_bits(0xbfb3_b0f2_af74_9a6d),
        f64::from_bits(0x3fb1_0d66_a0d0_3d51),
        f64::from_bits(0xbfad_de2d_52de_fd9a),
        f64::from_bits(0x3fa9_7b4b_2476_0deb),
        f64::from_bits(0xbfa2_b444_2c6a_6c2f),
        f64::from_bits(0x3f90_ad3a_e322_da11),
    ];
    let w = z * z;
    let odd = z * (T[0] + w * (T[2] + w * (T[4] + w * (T[6] + w * (T[8] + w * T[10])))));
    let even = w * (T[1] + w * (T[3] + w * (T[5] + w * (T[7] + w * T[9]))));
    odd + even
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of the tests below; the environment asks for more.
    fn rounds() -> u64 {
        let asked = std::env::var("POSEKIT_TRIG_ROUNDS").ok();
        asked.map_or(200_000, |rounds| rounds.parse().unwrap())
    }

    /// Marsaglia's xorshift: 64 bits at a time.
    struct Random(u64);

    impl Random {
        fn bits(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
        }

        /// A number in [-1, 1).
        fn signed(&mut self) -> f64 {
            ((self.bits() >> 11) as f64) * (2.0 / (1_u64 << 53) as f64) - 1.0
        }

        /// A number of which every bit is chance, its power of two in a range about one.
        fn near_one(&mut self, powers: u64) -> f64 {
            let exponent = 1023 - powers + self.bits() % (2 * powers);
            f64::from_bits((self.bits() & 0x800f_ffff_ffff_ffff) | (exponent << 52))
        }

        /// `value`, or one of its neighbours, or somewhere within 2^-8 to 2^-52 of it.
        fn next_to(&mut self, value: f64) -> f64 {
            let spread = (1_u64 << (self.bits() % 45)) - 1;
            let steps = self.bits() & spread;
            let bits = value.to_bits();
            f64::from_bits(if self.bits() & 1 == 0 { bits + steps } else { bits - steps })
        }

        fn next_to_one_of(&mut self, values: &[f64]) -> f64 {
            let i = self.bits() % values.len() as u64;
            self.next_to(values[usize::try_from(i).unwrap()])
        }
    }

    const SPECIAL: [f64; 14] = [
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        2.2e-308,
        f64::MIN_POSITIVE,
        -f64::MIN_POSITIVE,
        1.0,
        -1.0,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }

    fn check_angle(x: f64) {
        for x in [x, -x] {
            let ((s, c), (sine, cosine)) = (sin_cos(x), libm::sincos(x));
            assert!(same(s, sine) && same(c, cosine), "at {x:e}, bits {:#x}", x.to_bits());
        }
    }

    fn check_point(y: f64, x: f64) {
        for (y, x) in [(y, x), (-y, x), (y, -x), (-y, -x)] {
            let (a, b) = (atan2(y, x), libm::atan2(y, x));
            assert!(same(a, b), "at y {y:e}, x {x:e}: {a:e} for {b:e}");
        }
    }

    #[test]
    fn special_arguments() {
        for a in SPECIAL {
            check_angle(a);
            for b in SPECIAL {
                check_point(a, b);
            }
        }
    }

    #[test]
    fn every_kind_of_angle() {
        let mut random = Random(1);
        for _ in 0..rounds() {
            check_angle(f64::from_bits(random.bits()));
            check_angle(random.near_one(32));
            check_angle(random.signed() * FRAC_PI_2);
            check_angle(random.signed() * 8.0);
            check_angle(random.signed() * 2e6);
        }
    }

    #[test]
    fn angles_next_to_where_formulas_change() {
        let mut random = Random(2);
        let switches = [SMALL_ANGLE, THREE_EIGHTHS, LARGE_ANGLE, 2_f64.sqrt() / (1 << 27) as f64];
        for round in 0..rounds() {
            let eighths = 1 + if round % 2 == 0 { random.bits() % 24 } else { random.bits() >> 42 };
            check_angle(random.next_to(eighths as f64 * FRAC_PI_4));
            check_angle(random.next_to_one_of(&switches));
            check_angle(eighths as f64 * FRAC_PI_4 + random.signed() * QUADRANT_MARGIN * 2.0);
            check_angle(eighths as f64 * FRAC_PI_4 * (1.0 + random.signed() * CANCELLED * 2.0));
        }
    }

    #[test]
    fn every_kind_of_point() {
        let mut random = Random(3);
        for _ in 0..rounds() {
            check_point(f64::from_bits(random.bits()), f64::from_bits(random.bits()));
            check_point(random.near_one(40), random.near_one(40));
            check_point(random.signed(), random.signed());
            let (s, c) = libm::sincos(random.signed() * PI);
            check_point(s, c);
            check_point(random.near_one(1000), 1.0);
        }
    }

    #[test]
    fn points_next_to_where_formulas_change() {
        let mut random = Random(4);
        let powers = [64, 66, -27, -64, -66].map(|power| libm::ldexp(1.0, power));
        let bounds = [0.4375, BOUNDS[0], BOUNDS[1], BOUNDS[2]];
        for _ in 0..rounds() {
            let x = random.near_one(900);
            check_point(x * random.next_to_one_of(&bounds), x);
            check_point(x * random.next_to_one_of(&powers), x);
            let tiny = f64::from_bits(random.bits() >> (random.bits() % 13 + 10));
            check_point(tiny, f64::from_bits(random.bits() >> (random.bits() % 13 + 10)));
            check_point(random.near_one(1000), tiny);
            check_point(tiny, random.near_one(1000));
        }
    }
}
