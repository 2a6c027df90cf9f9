//! Rebuilds when a migration comes or goes: the trees are embedded in the binary.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
