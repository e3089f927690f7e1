//! IBM System/360 floating point: a sign, an exponent of 16 with excess 64, a fraction of 24 bits
//! below 1 (IBM, *System/360 Principles of Operation*, 1964: floating-point arithmetic; SEG-Y
//! revision 1, appendix E).

/// 2^k, for exponents of a normal double.
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((1023 + i64::from(k)) as u64) << 52)
}

/// The value of an IBM number, exactly. Without a branch, so that a loop decodes several at once.
pub(crate) fn decode(word: u32) -> f64 {
    // Signed: 24 bits fit, and processors convert it in fewer instructions.
    let fraction = f64::from((word & 0x00ff_ffff) as i32);
    let exponent = (word >> 24 & 0x7f) as i32 - 64;
    let magnitude = fraction * power_of_two(4 * exponent - 24);
    f64::from_bits(magnitude.to_bits() | u64::from(word >> 31) << 63)
}

/// The nearest IBM number, ties to even; `None` if the value is not finite or too large.
pub(crate) fn encode(value: f64) -> Option<u32> {
    if !value.is_finite() {
        return None;
    }
    let sign = u32::from(value.is_sign_negative()) << 31;
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return Some(sign);
    }
    // The smallest exponent of 16 with magnitude < 16^exponent; subnormal doubles become zero.
    let two = (magnitude.to_bits() >> 52) as i32 - 1022;
    let mut exponent = two.div_euclid(4) + i32::from(two.rem_euclid(4) != 0);
    exponent = exponent.max(-64);
    if exponent > 63 {
        return None;
    }
    let mut fraction = (magnitude * power_of_two(24 - 4 * exponent)).round_ties_even() as u32;
    if fraction == 1 << 24 {
        fraction = 1 << 20;
        exponent += 1;
    }
    if exponent > 63 {
        return None;
    }
    Some(sign | ((exponent + 64) as u32) << 24 | fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_are_right() {
        for (word, value) in [
            (0x0000_0000, 0.0),
            (0x4110_0000, 1.0),
            (0xc276_a000, -118.625),
            (0x4019_999a, 0.100_000_023_841_857_91),
            (0x4164_87ee, 6.283_185_958_862_305),
            (0x7fff_ffff, 7.237_005_145_973_115_5e75),
            (0x0010_0000, 5.397_605_346_934_028e-79),
        ] {
            assert_eq!(decode(word), value, "{word:08x}");
            assert_eq!(encode(value), Some(word), "{value:e}");
        }
        assert_eq!(encode(0.1), Some(0x4019_999a));
        assert_eq!(encode(16.0 - 1e-9), Some(0x4210_0000), "the fraction is carried");
        assert_eq!(encode(1e-90), Some(0));
        for none in [f64::NAN, f64::INFINITY, -1e80, 7.3e75] {
            assert_eq!(encode(none), None, "{none}");
        }
    }

    #[test]
    fn every_normal_number_comes_back_and_any_f32_within_its_rounding() {
        let mut word = 12_345u32;
        for _ in 0..200_000 {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // The first hexadecimal digit of a normal fraction is not 0.
            let normal = word | 0x0010_0000;
            assert_eq!(encode(decode(normal)), Some(normal), "{normal:08x}");
            let value = f64::from(f32::from_bits(word));
            if value.is_finite() {
                let back = decode(encode(value).expect("any f32 fits"));
                assert!(
                    (back - value).abs() <= value.abs() * f64::powi(2.0, -21),
                    "{value:e} {back:e}"
                );
            }
        }
    }
}
