//! Numbers from text and to text.

use super::file::LARGEST;
use super::lexer::is_blank;

/// Powers of ten that are exact in f64.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Integers up to here are exact in f64.
const EXACT: u64 = 1 << 53;

/// Eight zeros as text.
const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// The number of digits that always fit into 64 bits.
const DIGITS: usize = 19;

/// The fault of a word that should be a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is not finite, or too large for `f32`.
    NotFinite,
    /// A decimal comma.
    Comma,
    /// It is not a number.
    NoNumber,
}

/// The number that begins at an offset, up to a blank or the end, and the offset after it.
///
/// A sign, digits with at most one point among or around them, and an exponent. Correctly rounded.
#[inline(always)]
pub(super) fn read_number(bytes: &[u8], at: usize) -> Result<(f64, usize), Fault> {
    let is_negative = bytes.get(at) == Some(&b'-');
    let unsigned = at + usize::from(is_negative);
    let near = bytes.get(unsigned..).and_then(<[u8]>::first_chunk);
    let Some((size, length)) = near.and_then(usual_decimal) else {
        return read_longer(bytes, at);
    };
    Ok((if is_negative { -size } else { size }, unsigned + length))
}

/// The number at the beginning of some bytes, and its length, if it has one to three digits, a point, four or six digits, and a blank.
///
/// In most files almost all numbers have this form.
#[inline(always)]
fn usual_decimal(bytes: &[u8; 11]) -> Option<(f64, usize)> {
    // A number seldom changes its length between frames, so the processor predicts these branches and can begin the next number early.
    if bytes[1] == b'.' {
        decimal_of::<1>(bytes)
    } else if bytes[2] == b'.' {
        decimal_of::<2>(bytes)
    } else if bytes[3] == b'.' {
        decimal_of::<3>(bytes)
    } else {
        None
    }
}

/// [`usual_decimal`] with this number of digits before the point.
#[inline(always)]
fn decimal_of<const WHOLE: usize>(bytes: &[u8; 11]) -> Option<(f64, usize)> {
    // The first digit is in the lowest byte. The digits before the point are shifted up to it, and the four after it become the upper half.
    let first = u64::from_le_bytes(*bytes.first_chunk()?);
    let before = first << (8 * (8 - WHOLE)) >> 32;
    let behind = first >> (8 * (WHOLE + 1)) << 32;
    let zeros = ZEROS >> (8 * (4 - WHOLE)) << (8 * (4 - WHOLE));
    let mantissa = eight_digits((before | behind) ^ zeros)?;
    let next = |k: usize| bytes[WHOLE + 4 + k];
    if ends_number(next(1)) {
        return Some((whole(mantissa) / 1e4, WHOLE + 5));
    }
    let mantissa = 100 * mantissa + 10 * one_digit(next(1))? + one_digit(next(2))?;
    ends_number(next(3)).then(|| (whole(mantissa) / 1e6, WHOLE + 7))
}

/// A whole number as f64. The usual conversion instruction depends on the previous content of its register, and would wait for the previous quotient.
#[inline]
fn whole(number: u32) -> f64 {
    f64::from_bits(WHOLES.to_bits() | u64::from(number)) - WHOLES
}

/// True for the usual blanks between numbers; rare ones are handled elsewhere.
const fn ends_number(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The value of eight digits, the first in the lowest byte; `None` if one is not a digit.
#[inline(always)]
const fn eight_digits(digits: u64) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Other characters set the top bit of their byte, and may set that of the byte above.
    if (digits.wrapping_add(ONES * 0x76) | digits) & (ONES * 0x80) != 0 {
        return None;
    }
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    let value = (fours * 10_000 + (fours >> 32)) as u32;
    Some(value)
}

#[inline]
fn one_digit(byte: u8) -> Option<u32> {
    let digit = byte.wrapping_sub(b'0');
    (digit < 10).then_some(u32::from(digit))
}

/// [`read_number`] for numbers of every form.
#[inline(never)]
fn read_longer(bytes: &[u8], at: usize) -> Result<(f64, usize), Fault> {
    let mut place = at;
    let is_negative = bytes.get(place) == Some(&b'-');
    if is_negative || bytes.get(place) == Some(&b'+') {
        place += 1;
    }
    let mut mantissa = 0;
    let mut n_digits = digits(bytes, &mut place, &mut mantissa);
    let mut n_decimals = 0;
    if bytes.get(place) == Some(&b'.') {
        place += 1;
        n_decimals = decimals(bytes, &mut place, &mut mantissa);
        n_digits += n_decimals;
    }
    let ends = bytes.get(place).is_none_or(|&byte| is_blank(byte));
    let size = if ends && n_digits > 0 && n_digits <= DIGITS && mantissa <= EXACT {
        // Both are exact, so the quotient is rounded once.
        mantissa as f64 / POWERS[n_decimals]
    } else {
        return read_slowly(bytes, at);
    };
    Ok((if is_negative { -size } else { size }, place))
}

/// Appends digits to a mantissa, which wraps if there are too many; returns their number.
#[inline]
fn digits(bytes: &[u8], place: &mut usize, mantissa: &mut u64) -> usize {
    let start = *place;
    while let Some(digit) = bytes.get(*place).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
    {
        *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        *place += 1;
    }
    *place - start
}

/// [`digits`], four at a time: files have four to six after a point.
#[inline]
fn decimals(bytes: &[u8], place: &mut usize, mantissa: &mut u64) -> usize {
    let start = *place;
    while let Some(four) = bytes.get(*place..).and_then(|rest| rest.first_chunk())
        && let Some(value) = four_digits(*four)
    {
        *mantissa = mantissa.wrapping_mul(10_000).wrapping_add(u64::from(value));
        *place += 4;
    }
    digits(bytes, place, mantissa);
    *place - start
}

/// The value of four digits; `None` if one is not a digit.
#[inline]
const fn four_digits(bytes: [u8; 4]) -> Option<u32> {
    const ONES: u32 = 0x0101_0101;
    // Digits become 0 to 9. Other characters set the top bit of their byte, and may set that of the byte above.
    let off = u32::from_le_bytes(bytes) ^ (ONES * b'0' as u32);
    if (off.wrapping_add(ONES * 0x76) | off) & (ONES * 0x80) != 0 {
        return None;
    }
    // The first digit is in the lowest byte.
    let pairs = (off * 10 + (off >> 8)) & 0x00FF_00FF;
    Some((pairs * 100 + (pairs >> 16)) & 0xFFFF)
}

/// [`read_number`] for exponents, many digits, and faults.
#[cold]
#[inline(never)]
fn read_slowly(bytes: &[u8], at: usize) -> Result<(f64, usize), Fault> {
    let rest = &bytes[at..];
    let word = &rest[..rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len())];
    let value = core::str::from_utf8(word).ok().filter(|_| is_number(word));
    let value = value.and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value.abs() <= LARGEST => Ok((value, at + word.len())),
        Some(_) => Err(Fault::NotFinite),
        None => Err(fault(word)),
    }
}

/// True for a sign, digits with at most one point, and an exponent: the standard library would also accept words such as `infinity`.
fn is_number(word: &[u8]) -> bool {
    let number = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"+")).unwrap_or(word);
    number.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.')
}

fn fault(word: &[u8]) -> Fault {
    let lower = word.to_ascii_lowercase();
    let plain = lower.strip_prefix(b"-").or_else(|| lower.strip_prefix(b"+")).unwrap_or(&lower);
    // C libraries print `nan(ind)`, `1.#QNAN` and others.
    if [&b"nan"[..], b"inf", b"1.#"].iter().any(|start| plain.starts_with(start)) {
        return Fault::NotFinite;
    }
    let with_point: Vec<u8> =
        plain.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
    let text = core::str::from_utf8(&with_point).unwrap_or_default();
    if plain.contains(&b',') && is_number(&with_point) && text.parse::<f64>().is_ok() {
        return Fault::Comma;
    }
    Fault::NoNumber
}

/// Decimals of [rounded] numbers as a factor; numbers in files rarely have more.
const DECIMALS: f64 = 1e8;

/// Decimal fractions of at most 15 digits survive a conversion to f64 and back.
const MOST: f64 = 1e15;

/// From here to twice this, the f64 numbers are the integers.
const WHOLES: f64 = (1_u64 << 52) as f64;

/// A number rounded to eight decimals: more would only make files longer, and with these, angles of a file that is read and written keep their bits.
///
/// Numbers so large that this would change their 15th digit are unchanged.
#[inline]
pub(super) fn rounded(value: f64) -> f64 {
    /// Adding this to a much smaller number of either sign rounds it.
    const BETWEEN: f64 = 1.5 * WHOLES;
    let scaled = value * DECIMALS;
    // Zero keeps its sign.
    if scaled.abs() < MOST { ((scaled + BETWEEN) - BETWEEN) / DECIMALS + 0.0 } else { value }
}

/// Appends a number in the shortest form that reads back to the same bits.
///
/// Numbers with up to eight decimals, as in nearly all files, are written as decimals; others with the fewest digits, with an exponent if that is shorter.
pub(crate) fn write_number(value: f64, out: &mut Vec<u8>) {
    /// Below a millionth an exponent is shorter.
    const LEAST: u64 = 100;
    let size = value.abs();
    let scaled = size * DECIMALS;
    if scaled < MOST {
        let nearest = scaled + WHOLES;
        let parts = nearest.to_bits() ^ WHOLES.to_bits();
        if (nearest - WHOLES) / DECIMALS == size && (parts >= LEAST || parts == 0) {
            write_decimal(parts, value.is_sign_negative(), out);
            return;
        }
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(value);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

/// Appends a multiple of 1e-8, given as an integer below 1e15, as a decimal fraction without trailing zeros.
fn write_decimal(parts: u64, is_negative: bool, out: &mut Vec<u8>) {
    const ONE: u64 = 100_000_000;
    // A sign, 8 digits, a point, 8 digits.
    let mut text = [b'-'; 18];
    let mut end = usize::from(is_negative);
    let mut put = |digits: u64, end: usize| {
        text[end..end + 8].copy_from_slice(&(digits | ZEROS).to_le_bytes());
    };
    let digits = digits_of(parts / ONE);
    // Zero has one digit, too.
    let skipped = (digits.trailing_zeros() / 8).min(7);
    put(digits >> (8 * skipped), end);
    end += 8 - skipped as usize;
    let digits = digits_of(parts % ONE);
    if digits != 0 {
        put(digits, end + 1);
        text[end] = b'.';
        end += 9 - digits.leading_zeros() as usize / 8;
    }
    // All digits are appended at once, and the excess is truncated.
    let before = out.len();
    out.extend_from_slice(&text);
    out.truncate(before + end);
}

/// The eight digits of a number below 1e8, each in a byte, the first in the lowest.
const fn digits_of(number: u64) -> u64 {
    // Two groups of four digits, then four of two, then eight of one; division is multiplication by the inverse, exact for so few digits.
    let fours = number / 10_000 + ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds + ((fours - hundreds * 100) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    tens + ((pairs - tens * 10) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<f64, Fault> {
        let (value, at) = read_number(text.as_bytes(), 0)?;
        assert_eq!(at, text.len(), "{text}: read to its end");
        Ok(value)
    }

    fn written(value: f64) -> String {
        let mut out = Vec::new();
        write_number(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_of_every_form() {
        for (text, value) in [
            ("0", 0.0),
            ("+1", 1.0),
            (".0083333", 0.0083333),
            ("5.", 5.0),
            ("-.5", -0.5),
            ("-9.23872e-007", -9.23872e-7),
            ("1E+02", 100.0),
            ("00012.5000", 12.5),
            ("0.016666666666666666", 0.016666666666666666),
            ("123456789012345678901234567890", 123456789012345678901234567890.0),
            ("9007199254740993", 9007199254740993.0),
            ("0.00000000000000000000000000001", 1e-29),
        ] {
            assert_eq!(read(text).map(f64::to_bits), Ok(f64::to_bits(value)), "{text}");
        }
        assert_eq!(read("-0.000000").map(f64::to_bits), Ok(f64::to_bits(-0.0)), "its sign");
    }

    #[test]
    fn faults_have_their_names() {
        for word in ["nan", "-NaN", "nan(ind)", "inf", "-Infinity", "-1.#IND", "1.#QNAN", "1e39"] {
            assert_eq!(read(word), Err(Fault::NotFinite), "{word}");
        }
        for word in ["1,5", "-0,000001", "3,2e-5", "1,"] {
            assert_eq!(read(word), Err(Fault::Comma), "{word}");
        }
        for word in
            ["", "-", ".", "1.2.3", "1-2", "e5", "1e", "1,2,3", "Hips", "0x10", "1_0", "\u{FF11}"]
        {
            assert_eq!(read(word), Err(Fault::NoNumber), "{word}");
        }
    }

    #[test]
    fn numbers_are_written_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-17.25, "-17.25"),
            (0.000001, "0.000001"),
            (-0.1, "-0.1"),
            (123456.789, "123456.789"),
            (999999999.0, "999999999"),
            (1e-7, "1e-7"),
            (0.00000101, "0.00000101"),
            (-9999999.99999999, "-9999999.99999999"),
            (10000000.25, "10000000.25"),
            (1.2e-7, "1.2e-7"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e9, "1000000000"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(written(value), text);
        }
    }

    #[test]
    fn digits_are_those_of_the_number() {
        let by_hand = |number: u64| {
            let text = format!("{number:08}");
            text.bytes().rev().fold(0, |all, digit| all << 8 | u64::from(digit - b'0'))
        };
        for number in (0..10_000).chain((0..100_000_000).step_by(9_973)).chain([99_999_999]) {
            assert_eq!(digits_of(number), by_hand(number), "{number}");
            let below = number * 10_000 % 100_000_000;
            assert_eq!(digits_of(below), by_hand(below), "{below}");
        }
    }

    #[test]
    fn made_numbers_are_short() {
        for (value, text) in [
            (4.523459999999999, "4.52346"),
            (-0.30000000000000004, "-0.3"),
            (1.0 / 3.0, "0.33333333"),
            (-2e-9, "0"),
            (123456789.123456, "123456789.123456"),
        ] {
            assert_eq!(written(rounded(value)), text, "{value}");
        }
    }

    proptest! {
        #[test]
        fn every_number_comes_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.abs() <= LARGEST);
            prop_assert_eq!(read(&written(value)).map(f64::to_bits), Ok(bits));
        }

        #[test]
        fn decimals_are_read_as_the_standard_library_reads_them(
            whole in -4_000_000_i64..4_000_000, part in 0_u64..10_000_000_000, n in 0_usize..11
        ) {
            let text = format!("{whole}.{:.n$}", part);
            prop_assert_eq!(read(&text).unwrap().to_bits(), text.parse::<f64>().unwrap().to_bits());
        }

        #[test]
        fn what_stands_behind_a_number_makes_no_difference(
            whole in -9_999_i64..9_999, part in 0_u64..10_000_000_000, n in 0_usize..11,
            blank in "[ \\t]", behind in "[-+.0-9a-z ]{0,20}"
        ) {
            let text = format!("{whole}.{part:.n$}");
            let text = &text[..text.len().min(text.find('.').unwrap_or(0) + 1 + n)];
            let row = format!("{text}{blank}{behind}");
            let found = read_number(row.as_bytes(), 0).map(|(value, at)| (value.to_bits(), at));
            prop_assert_eq!(found, Ok((text.parse::<f64>().unwrap().to_bits(), text.len())));
        }

        #[test]
        fn decimals_of_a_file_are_written_as_they_were(millionths in -999_999_999_999_i64..999_999_999_999) {
            let text = format!("{}{}.{:06}", if millionths < 0 { "-" } else { "" },
                millionths.abs() / 1_000_000, millionths.abs() % 1_000_000);
            let short = text.trim_end_matches('0').trim_end_matches('.');
            let value = read(&text).unwrap();
            prop_assert_eq!(written(value), short);
        }
    }
}
