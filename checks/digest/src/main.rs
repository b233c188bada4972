//! Prints the digest of each set of instructions that this machine has; fails if one is not as expected.

use std::process::ExitCode;

use digest::{EXPECTED, SETS, digest};

fn main() -> ExitCode {
    let mut are_right = true;
    for set in SETS {
        match digest(set, false) {
            Ok(found) => {
                are_right &= found == EXPECTED;
                println!("{:<8} {found:#018x} {}", format!("{set:?}"), if found == EXPECTED { "as expected" } else { "DIFFERS" });
            }
            Err(_) => println!("{:<8} not on this machine", format!("{set:?}")),
        }
    }
    if are_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
