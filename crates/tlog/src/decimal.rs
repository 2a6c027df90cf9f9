//! Decimal numbers as the formats write them.

/// Parses ASCII digits without a sign and without leading zeros.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    if digits && !leading_zero { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_form_of_a_number_is_accepted() {
        assert_eq!(decimal("0"), Some(0));
        assert_eq!(decimal("18446744073709551615"), Some(u64::MAX));
        for text in ["", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "٣", "18446744073709551616"] {
            assert_eq!(decimal(text), None, "{text:?}");
        }
    }
}
