//! Sets the configuration for this package alone: the kit's atomics are a model checker's (`loom`), and that is shuttle's.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["loom", "shuttle"] {
        println!("cargo::rustc-check-cfg=cfg({name})");
        println!("cargo::rustc-cfg={name}");
    }
}
