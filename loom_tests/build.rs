//! Sets `cfg(loom)` for this package alone: here the kit's atomics are loom's, without `RUSTFLAGS`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(loom)");
    println!("cargo::rustc-cfg=loom");
}
