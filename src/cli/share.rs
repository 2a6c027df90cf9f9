//! Shares, as flags name them.

/// Reads a share of something: 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a number from 0 to 1".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_between_nothing_and_all() {
        assert_eq!(share("0.25"), Ok(0.25));
        assert!(share("1.5").is_err() && share("NaN").is_err() && share("often").is_err());
    }
}
