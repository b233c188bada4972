//! `lab scenes`.

use std::fmt::Write;

use scenes::Scene;

pub(crate) fn scenes() -> String {
    let mut text = String::new();
    for scene in Scene::ALL {
        writeln!(text, "{scene:10} {}", scene.describe()).expect("strings can be written to");
    }
    text
}
