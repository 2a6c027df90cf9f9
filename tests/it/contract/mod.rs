//! The contract and the engine say the same.

#[test]
fn dump() {
    println!("{}", serde_json::to_string_pretty(&estimation::http::contract::schemas()).unwrap());
}
