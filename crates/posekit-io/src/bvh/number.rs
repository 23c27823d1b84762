//! Numbers from text and to text.

use std::io::Write as _;

use super::file::LARGEST;
use super::lexer::is_blank;

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
pub(super) fn read_number(bytes: &[u8], at: usize) -> Result<(f64, usize), Fault> {
    let rest = &bytes[at..];
    match fast_float2::parse_partial::<f64, _>(rest) {
        Ok((value, length))
            if is_number(rest) && rest.get(length).is_none_or(|&byte| is_blank(byte)) =>
        {
            if value.abs() <= LARGEST { Ok((value, at + length)) } else { Err(Fault::NotFinite) }
        }
        _ => Err(fault(rest.split(|&byte| is_blank(byte)).next().unwrap_or_default())),
    }
}

/// True where digits or a point follow the sign: parsers would also accept words such as `infinity`.
fn is_number(word: &[u8]) -> bool {
    let number = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"+")).unwrap_or(word);
    number.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.')
}

#[cold]
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

/// A number rounded to eight decimals: more would only make files longer, and with these, angles of a file that is read and written keep their bits.
///
/// Numbers so large that this would change their 15th digit are unchanged.
pub(super) fn rounded(value: f64) -> f64 {
    const DECIMALS: f64 = 1e8;
    /// Decimal fractions of at most 15 digits survive a conversion to f64 and back.
    const MOST: f64 = 1e15;
    let scaled = value * DECIMALS;
    if scaled.abs() < MOST { scaled.round_ties_even() / DECIMALS + 0.0 } else { value }
}

/// Appends a number in the shortest form without exponent, which some programs cannot read, that reads back to the same bits.
pub(crate) fn write_number(value: f64, out: &mut Vec<u8>) {
    let mut buffer = zmij::Buffer::new();
    match buffer.format(value) {
        text if text.contains('e') => _ = write!(out, "{value}"),
        text => out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes()),
    }
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
            (1e-7, "0.0000001"),
            (0.00000101, "0.00000101"),
            (-9999999.99999999, "-9999999.99999999"),
            (10000000.25, "10000000.25"),
            (1.2e-7, "0.00000012"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e9, "1000000000"),
            (2.5e20, "250000000000000000000"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(written(value), text);
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
