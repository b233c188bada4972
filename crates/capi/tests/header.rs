//! The header is the one that cbindgen makes, and unsafe code is where it should be.

use std::path::Path;
use std::{env, fs};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_header_is_current() {
    let mut config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    // Within the block for C++.
    config.trailer = None;
    let bindings = cbindgen::Builder::new().with_config(config).with_crate(root()).generate().unwrap();
    let mut header = Vec::new();
    bindings.write(&mut header);
    let header = String::from_utf8(header).unwrap();
    let end = header.rfind("\n#ifdef __cplusplus").expect("the end of the block for C++");
    let trailer = fs::read_to_string(root().join("trailer.h")).unwrap();
    let header = format!("{}\n\n{trailer}{}", header[..end].trim_end(), &header[end..]);
    let path = root().join("include/pivotgrid.h");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &header).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == header, "include/pivotgrid.h is not current: `UPDATE=1 cargo test --test header` makes it anew");
}

#[test]
fn unsafe_code_is_in_one_module() {
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let code = fs::read_to_string(&path).unwrap();
        let elsewhere =
            code.lines().filter(|line| !line.trim_start().starts_with("//") && !line.contains("#[unsafe(no_mangle)]"));
        let found: Vec<_> = elsewhere.filter(|line| line.contains("unsafe ")).collect();
        assert!(found.is_empty() || path.ends_with("memory.rs"), "{}: {found:?}", path.display());
    }
}

/// The names of the codes are in a list of their own, for programs that print them.
#[test]
fn every_status_has_its_name() {
    let code = fs::read_to_string(root().join("src/status.rs")).unwrap();
    let named = code
        .lines()
        .filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "))
        .filter(|(name, _)| name.starts_with("PG_"));
    let mut count = 0;
    for (name, number) in named {
        let pointer = pivotgrid::pg_status_name(number.parse().unwrap());
        // SAFETY: the library returns static strings.
        assert_eq!(unsafe { std::ffi::CStr::from_ptr(pointer) }.to_str().unwrap(), name);
        count += 1;
    }
    assert_eq!(count, 19);
}
