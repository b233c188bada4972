//! Sets `cfg(planting)` for this package alone: here bugs can be switched on by name.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(planting)");
    println!("cargo::rustc-cfg=planting");
    // The library's files ask for its features, none of which is switched on here.
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"serde\", \"profiling\"))");
}
