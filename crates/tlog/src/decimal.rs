//! Decimal numbers as the formats write them.

/// Parses ASCII digits without a sign and without leading zeros.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    if digits && !leading_zero { text.parse().ok() } else { None }
}
