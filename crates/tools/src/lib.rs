//! Tools to run beside the server: the load driver and the arena.

pub mod arena;
mod connection;
mod dice;
pub mod drive;
pub mod http;
pub mod latency;

use estimation_engine::ruleset::options::OptionValue;

/// Parses an option of a ruleset: `NAME=VALUE`.
fn option(text: &str) -> Result<(String, OptionValue), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("{text} is not NAME=VALUE"))?;
    let value = match (value.parse::<bool>(), value.parse::<i64>()) {
        (Ok(flag), _) => OptionValue::Flag(flag),
        (_, Ok(number)) => OptionValue::Number(number),
        _ => OptionValue::Name(value.to_owned()),
    };
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_values_are_flags_numbers_or_names() {
        assert_eq!(option("cut=false"), Ok(("cut".to_owned(), OptionValue::Flag(false))));
        assert_eq!(option("jokers=2"), Ok(("jokers".to_owned(), OptionValue::Number(2))));
        let order = OptionValue::Name("10-1-10".to_owned());
        assert_eq!(option("order=10-1-10"), Ok(("order".to_owned(), order)));
        assert!(option("order").is_err());
    }
}
