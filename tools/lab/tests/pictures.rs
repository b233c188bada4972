//! The pictures that `lab run` writes.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tiny_skia::Pixmap;

use common::{file, lab_in, out_in as out};

/// An empty folder of its own for every test: they run at the same time.
fn folder(name: &str) -> PathBuf {
    let path = file(name);
    fs::remove_dir_all(&path).ok();
    fs::create_dir_all(&path).expect("a folder for tests");
    path
}

/// Not blank, and in more than one colour.
#[track_caller]
fn assert_painted(file: &Path) {
    let image = Pixmap::decode_png(&fs::read(file).unwrap()).expect("a PNG image");
    let mut colours: Vec<_> = image.pixels().iter().map(|pixel| (pixel.red(), pixel.green(), pixel.blue())).collect();
    let paper = colours.iter().filter(|colour| **colour == (255, 255, 255)).count();
    assert!(paper < colours.len() * 99 / 100, "{} is blank", file.display());
    colours.sort_unstable();
    colours.dedup();
    assert!(colours.len() > 50, "{} has {} colours", file.display(), colours.len());
}

/// Every element is closed in its order, attributes are quoted and no number is missing: enough to catch what our writer could get
/// wrong. Returns the texts.
#[track_caller]
fn well_formed(svg: &str) -> Vec<&str> {
    let (mut open, mut texts, mut rest) = (Vec::new(), Vec::new(), svg);
    while let Some(begin) = rest.find('<') {
        let text = rest[..begin].trim();
        assert!(!text.contains('>') && text.split('&').skip(1).all(|entity| entity.contains(';')), "bare signs in {text:?}");
        texts.extend((!text.is_empty()).then_some(text));
        let (tag, behind) = rest[begin + 1..].split_once('>').expect("tags end");
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed in order");
            continue;
        }
        assert_eq!(tag.matches('"').count(), 2 * tag.matches("=\"").count(), "quoted attributes in {tag:?}");
        assert!(!tag.contains("NaN") && !tag.contains("inf"), "no number in {tag:?}");
        if !tag.ends_with('/') {
            open.push(tag.split([' ', '\n']).next().unwrap());
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} are not closed");
    texts
}

#[test]
fn a_run_draws_its_last_step() {
    for (scene, dim, scalar) in [("power", "3", "f32"), ("koch", "2", "f64"), ("huge", "3", "f64"), ("clustered", "2", "f32")] {
        let here = folder(&format!("run-{scene}"));
        let text = out(&here, &["--scene", scene, "--dim", dim, "--scalar", scalar, "--n", "4k", "--steps", "1", "--no-compare"]);
        let files = ["png", "svg"].map(|ending| format!("target/lab/{scene}-{dim}d-4000.{ending}"));
        for file in &files {
            assert!(text.contains(file.as_str()), "no {file} in\n{text}");
        }
        assert_painted(&here.join(&files[0]));
        let svg = fs::read_to_string(here.join(&files[1])).unwrap();
        let texts = well_formed(&svg);
        for words in [format!("{scene} in {dim}D, {scalar}"), "Shown here".to_owned(), "a pair of overlapping boxes".to_owned()] {
            assert!(texts.contains(&words.as_str()), "no {words:?} among {texts:?}");
        }
        assert!(texts.iter().any(|text| text.starts_with("4 000 objects, ")), "{texts:?}");
        assert!(texts.iter().any(|text| text.starts_with("level 0: cells of ")), "{texts:?}");
    }
}

#[test]
fn the_directory_can_be_chosen_or_refused() {
    let here = folder("chosen");
    let scene = ["run", "--n", "500", "--steps", "1", "--no-compare", "--json", "--picture"];
    let report: Value = serde_json::from_str(&out(&here, &[&scene[..], &["a/b"]].concat())).unwrap();
    assert_eq!(report["pictures"][0].as_str().map(Path::new), Some(Path::new("a/b/power-3d-500.png")));
    assert!(here.join("a/b/power-3d-500.svg").is_file() && !here.join("target").exists());
    fs::remove_dir_all(here.join("a")).unwrap();
    let report: Value = serde_json::from_str(&out(&here, &[&scene[..], &["none"]].concat())).unwrap();
    assert_eq!(report["pictures"].as_array().map(Vec::len), Some(0));
    assert_eq!(fs::read_dir(&here).unwrap().count(), 0, "nothing is written");

    fs::write(here.join("file"), "").unwrap();
    let output = lab_in(&here, &[&scene[..], &["file/below"]].concat());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && message.contains("cannot write file/below"), "{message}");
}

#[test]
fn tiny_scenes_have_pictures() {
    for n in ["1", "2", "70"] {
        let here = folder(&format!("tiny-{n}"));
        out(&here, &["--n", n, "--steps", "1"]);
        well_formed(&fs::read_to_string(here.join(format!("target/lab/power-3d-{n}.svg"))).unwrap());
    }
}
