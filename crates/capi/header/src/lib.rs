//! Makes `pivotgrid.h` from the sources of the C interface.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the C interface is.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The header.
pub fn header() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    let bindings = cbindgen::Builder::new().with_config(config).with_crate(root()).generate().expect("the sources");
    let mut header = Vec::new();
    bindings.write(&mut header);
    let header = plain_pointers(&String::from_utf8(header).expect("the header is text"));
    let end = header.rfind("\n#ifdef __cplusplus").expect("the end of the block for C++");
    let trailer = fs::read_to_string(root().join("trailer.h")).expect("trailer.h");
    format!("{}\n\n{trailer}{}", header[..end].trim_end(), &header[end..])
}

/// Pointers have types of their own in Rust, where only the module that follows them can make them, and none in C: writes `T *name`
/// for `Out_T name`.
fn plain_pointers(header: &str) -> String {
    let mut paragraphs: Vec<String> = header.split("\n\n").map(str::to_owned).collect();
    let mut pointers = Vec::new();
    paragraphs.retain(|paragraph| {
        let Some((pointee, name)) = paragraph
            .lines()
            .last()
            .and_then(|line| line.strip_prefix("typedef "))
            .and_then(|line| line.strip_suffix(';'))
            .and_then(|line| line.rsplit_once('*'))
        else {
            return true;
        };
        let is_pointer = name == "User" || name.starts_with("In_") || name.starts_with("Out_");
        if is_pointer {
            pointers.push((format!("{name} "), format!("{pointee}*")));
        }
        !is_pointer
    });
    let mut header = paragraphs.join("\n\n");
    for (name, pointer) in pointers {
        for before in ["(", " "] {
            header = header.replace(&format!("{before}{name}"), &format!("{before}{pointer}"));
        }
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_current() {
        let (header, path) = (header(), root().join("include/pivotgrid.h"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &header).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == header, "include/pivotgrid.h is not current: `UPDATE=1 cargo test -p pivotgrid-header` makes it anew");
        assert!(!header.contains("In_") && !header.contains("Out_") && !header.contains("User"), "pointers are plain");
    }

    #[test]
    fn unsafe_code_is_in_one_module() {
        for entry in fs::read_dir(root().join("src")).unwrap() {
            let path = entry.unwrap().path();
            let code = fs::read_to_string(&path).unwrap();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//") && !line.contains("#[unsafe(no_mangle)]"));
            let found: Vec<_> = code.filter(|line| line.contains("unsafe ")).collect();
            assert!(found.is_empty() || path.ends_with("memory.rs"), "{}: {found:?}", path.display());
        }
    }

    #[test]
    fn every_exported_function_is_in_the_header_and_passes_the_border() {
        let header = header();
        let mut count = 0;
        for entry in fs::read_dir(root().join("src")).unwrap() {
            let code = fs::read_to_string(entry.unwrap().path()).unwrap();
            for function in code.split("#[unsafe(no_mangle)]").skip(1) {
                let name = function.split_once("fn ").unwrap().1.split('(').next().unwrap();
                assert!(header.contains(&format!("{name}(")), "{name}");
                let body = &function[..function.find("\n}").unwrap()];
                let is_safe = ["border(", "border_of(", "catch_unwind("].iter().any(|border| body.contains(border));
                let is_trivial = ["pg_version", "pg_status_name", "pg_last_error"].contains(&name);
                assert!(is_safe || is_trivial, "{name} lets a panic out");
                count += 1;
            }
        }
        assert!(count > 40, "{count} functions");
    }

    #[test]
    fn every_function_of_a_handle_is_tried_with_bad_arguments() {
        let tried = ["calls.h", "every.c"].map(|file| fs::read_to_string(root().join("c").join(file)).unwrap()).concat();
        for entry in fs::read_dir(root().join("src")).unwrap() {
            let code = fs::read_to_string(entry.unwrap().path()).unwrap();
            for function in code.split("#[unsafe(no_mangle)]").skip(1) {
                let name = function.split_once("fn ").unwrap().1.split('(').next().unwrap();
                // Those that are about no handle are tried in errors.c.
                let is_free = ["pg_version", "pg_status_name", "pg_last_error", "pg_error_of"].contains(&name);
                let is_tried = tried.contains(&format!("{name}(")) || name.ends_with("_destroy") || name.contains("_create");
                assert!(is_free || is_tried, "{name} is neither in c/calls.h nor in c/every.c");
                let in_table = tried.contains(&format!(", {}, ", name.trim_start_matches("pg_")));
                let is_row = !["_destroy", "_create", "_init"].iter().any(|end| name.contains(end));
                assert!(is_free || !is_row || in_table, "{name} is not in the table of c/calls.h");
            }
        }
    }

    #[test]
    fn every_status_has_its_name() {
        let read = |file| fs::read_to_string(root().join("src").join(file)).unwrap();
        let (codes, names) = (read("status.rs"), read("border.rs"));
        let codes = codes.lines().filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "));
        let codes: Vec<_> = codes.filter(|(name, _)| name.starts_with("PG_")).collect();
        assert!(codes.len() > 10);
        for (name, number) in codes {
            assert!(names.contains(&format!("{number} => c\"{name}\"")), "{name}");
        }
    }
}
