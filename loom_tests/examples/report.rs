//! Plants every bug in the kit, one at a time, and prints which model caught it and after how many executions; then explores
//! every model with the kit as it is.

fn main() {
    loom_tests::report();
}
