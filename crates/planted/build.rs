//! Sets `cfg(planting)` for this package alone: here bugs can be switched on by name.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(planting)");
    println!("cargo::rustc-cfg=planting");
}
