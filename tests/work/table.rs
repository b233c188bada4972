//! The table of `docs/hostile-scenes.md`.

use rayon::prelude::*;
use scenes::Hostile;

use crate::bound::{LARGE_SIZE, SIZE};
use crate::measure::{Engine, Figures, measure};

/// `cargo test --release --test work -- --ignored --nocapture table`
#[test]
#[ignore = "prints the table of docs/hostile-scenes.md, and asserts nothing but pairs"]
fn table() {
    let columns = [(2, Engine::Fresh), (2, Engine::Kept), (3, Engine::Fresh), (3, Engine::Kept)];
    let lines: Vec<(f64, String)> = Hostile::ALL
        .par_iter()
        .map(|&scene| {
            let mut worst = Figures::default();
            let mut cells = String::new();
            for (dimensions, engine) in columns {
                let figures = match dimensions {
                    _ if !scene.dimensions().contains(&dimensions) => {
                        cells += " – |";
                        continue;
                    }
                    2 => measure::<f32, 2>(scene, SIZE, engine),
                    _ => measure::<f32, 3>(scene, SIZE, engine),
                };
                cells += &format!(" {} |", per_object(figures.work));
                if figures.excess() > worst.excess() {
                    worst = figures;
                }
            }
            let Figures { pairs, chunks, listed, repeats, .. } = worst;
            let pairs = pairs as f64 / SIZE as f64;
            let excess = worst.excess();
            (excess, format!("| `{scene}` |{cells} {pairs:.1} | {chunks} | {listed} | {repeats} | {excess:.2} |"))
        })
        .collect();
    println!("| scene | 2D fresh | 2D kept | 3D fresh | 3D kept | pairs | chunks | listed | repeats | of the bound |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    lines.iter().for_each(|(_, line)| println!("{line}"));
}

fn per_object(work: u64) -> String {
    let ratio = work as f64 / SIZE as f64;
    if ratio < 100.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

/// `cargo test --release --test work -- --ignored --nocapture large`
#[test]
#[ignore = "prints the second table of docs/hostile-scenes.md; minutes"]
fn large() {
    let scenes: Vec<(Hostile, usize)> =
        Hostile::ALL.iter().flat_map(|&scene| scene.dimensions().iter().map(move |&dimensions| (scene, dimensions))).collect();
    let lines: Vec<String> = scenes
        .into_par_iter()
        .map(|(scene, dimensions)| {
            let figures = match dimensions {
                2 => measure::<f32, 2>(scene, LARGE_SIZE, Engine::Fresh),
                _ => measure::<f32, 3>(scene, LARGE_SIZE, Engine::Fresh),
            };
            let (pairs, work) = (figures.pairs as f64 / LARGE_SIZE as f64, figures.work as f64 / LARGE_SIZE as f64);
            format!("| `{scene}` | {dimensions} | {work:.1} | {pairs:.1} | {} | {:.2} |", figures.chunks, figures.excess())
        })
        .collect();
    println!("| scene | dimensions | work | pairs | chunks | of the bound |\n|---|---:|---:|---:|---:|---:|");
    lines.iter().for_each(|line| println!("{line}"));
}
